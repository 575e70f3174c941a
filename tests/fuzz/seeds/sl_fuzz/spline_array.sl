// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float k[4] = {0, 1, 2, 3};
    result = spline(0, k);
}
