// SPDX-License-Identifier: Apache-2.0
// expect: 1 2 4
surface t(output varying vector result = 0;)
{
    normal n = (0,0,1); point p = (1,2,3);
    result = p + n;
}
