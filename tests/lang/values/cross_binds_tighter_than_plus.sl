// SPDX-License-Identifier: Apache-2.0
// expect: 1 0 2
surface t(output varying vector result = 0;)
{
    vector x = (1,0,0), y = (0,1,0);
    result = x + x ^ y * 2;
}
