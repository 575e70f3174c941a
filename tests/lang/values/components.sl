// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(output varying float result = 0;)
{
    point p = (1,2,3);
    result = xcomp(p) + ycomp(p) + comp(p, 2);
}
