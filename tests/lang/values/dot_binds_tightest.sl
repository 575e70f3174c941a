// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(output varying float result = 0;)
{
    vector a = (1,2,3);
    result = 2 * a . (1,1,0);
}
