// SPDX-License-Identifier: Apache-2.0
// expect: 20
surface t(output varying float result = 0;)
{
    float i;
    for (i = 0; i < 10; i += 1) {
        if (mod(i, 2) == 1) continue;
        result += i;
    }
}
