// SPDX-License-Identifier: Apache-2.0
// expect: 5
surface t(output varying float result = 0;)
{
    result = distance((0,0,0), (0,3,4));
}
