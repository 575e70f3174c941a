// SPDX-License-Identifier: Apache-2.0
// expect: 7 8 9
surface t(output varying point result = 0;)
{
    point p = 0;
    setxcomp(p, 7); setycomp(p, 8); setcomp(p, 2, 9);
    result = p;
}
