// SPDX-License-Identifier: Apache-2.0
// expect: 5
surface t(output varying float result = 0;)
{
    float i = 0;
    for (;;) { i += 1; if (i >= 5) break; }
    result = i;
}
