// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    float a[4] = {1, 2};
    result = a[0] + a[1] + a[2] + a[3];
}
