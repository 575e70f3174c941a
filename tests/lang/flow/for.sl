// SPDX-License-Identifier: Apache-2.0
// expect: 45
surface t(output varying float result = 0;)
{
    float i;
    for (i = 0; i < 10; i += 1) result += i;
}
