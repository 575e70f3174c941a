// SPDX-License-Identifier: Apache-2.0
// expect: 0 0 1
surface t(output varying vector result = 0;)
{
    vector a = (1,0,0);
    a ^= vector (0,1,0);
    result = a;
}
