// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(output varying float result = 0;)
{
    float a[3] = {1, 2, 3};
    result = a[0] + a[1] + a[2];
}
