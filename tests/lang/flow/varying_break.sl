// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float i, n = 0;
    for (i = 0; i < 6; i += 1) { if (i > u * 30) break; n += 1; }
    result = n;
}
