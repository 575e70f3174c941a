// SPDX-License-Identifier: Apache-2.0
// expect: 7
surface t(output varying float result = 0;)
{
    float a[2] = {5, 6};
    a[0] += 2;
    result = a[0];
}
