// SPDX-License-Identifier: Apache-2.0
// expect: 5
surface t(output varying float result = 0;)
{
    float a = 5;
    if (u > 0.5) a = 7;
    result = a;
}
