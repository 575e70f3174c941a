// SPDX-License-Identifier: Apache-2.0
// expect: 12
surface t(output varying float result = 0;)
{
    float i, a = u + 3;
    for (i = 0; i < 4; i += 1) {
        if (i == u) continue;
        result += a * a - 5;
    }
}
