// SPDX-License-Identifier: Apache-2.0
// expect: 5
surface t(output varying float result = 0;)
{
    float a[2] = {5, 6}, b[2];
    b = a;
    a[0] = 1;
    result = b[0];
}
