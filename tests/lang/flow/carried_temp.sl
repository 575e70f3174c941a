// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float i, x = 0;
    for (i = 0; i < 3; i += 1) { float y; if (i == 0) y = 9; x = y; }
    result = x == 0;
}
