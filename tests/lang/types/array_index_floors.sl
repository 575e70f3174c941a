// SPDX-License-Identifier: Apache-2.0
// expect: 2
surface t(output varying float result = 0;)
{
    float a[3] = {1, 2, 3};
    result = a[1.9];
}
