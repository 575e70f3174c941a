// SPDX-License-Identifier: Apache-2.0
// expect: 5 2 3
surface t(output varying vector result = 0;)
{
    vector p = (1,2,3);
    p[0] = p[1] + p[2];
    result = p;
}
