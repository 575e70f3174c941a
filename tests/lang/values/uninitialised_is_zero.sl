// SPDX-License-Identifier: Apache-2.0
// expect: 0
surface t(output varying float result = 0;)
{
    float a;
    if (u > 0.9) a = 5;
    result = a;
}
