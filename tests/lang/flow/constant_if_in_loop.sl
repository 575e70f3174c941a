// SPDX-License-Identifier: Apache-2.0
// expect: 10
surface t(output varying float result = 0;)
{
    float i;
    for (i = 0; i < 5; i += 1) { if (2 > 1) { float k = i; result += k; } else result = 99; }
}
