// SPDX-License-Identifier: Apache-2.0
// expect: 12
surface t(output varying float result = 0;)
{
    float a, b;
    a = b = 3;
    a += b *= 3;
    result = a;
}
