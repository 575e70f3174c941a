// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    float i;
    for (i = 0; i < 10; i += 1) if (i == 3) break;
    result = i;
}
