// SPDX-License-Identifier: Apache-2.0
// expect error: sl-array-size 5
surface t(output varying float result = 0;)
{
    float a[2] = {1, 2, 3};
}
