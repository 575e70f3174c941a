// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float i, j;
    for (i = 0; i < 5; i += 1)
        for (j = 0; j < 5; j += 1) {
            if (j == 1) break 2;
            result += 1;
        }
}
