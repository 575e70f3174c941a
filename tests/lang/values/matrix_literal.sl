// SPDX-License-Identifier: Apache-2.0
// expect: 7
surface t(output varying float result = 0;)
{
    matrix m = (1,2,3,4, 5,6,7,8, 9,10,11,12, 13,14,15,16);
    result = comp(m, 1, 2);
}
