// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    point a = (1,2,3), b = (4,2,3);
    result = length(b - a);
}
