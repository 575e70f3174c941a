// SPDX-License-Identifier: Apache-2.0
// Assignments and choices in a row.
// expect: 2 6 -5 4 3
surface t(output varying float result[5] = {0};)
{
    float a = 1, b = 2, c = 3, d, e[3];
    result[0] = a > 1 ? b : c > 5 ? 1 : b;
    a -= b -= c - -4;
    result[1] = a;
    result[2] = b;
    d = e[1] = e[2] = 4;
    result[3] = d == e[1] ? e[2] : 0;
    if ((d = 3) > 2) result[4] = d;
}
