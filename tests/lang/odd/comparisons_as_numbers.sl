// SPDX-License-Identifier: Apache-2.0
// Conditions are numbers, and numbers conditions.
// expect: 3 0 2 1
surface t(output varying float result[4] = {0};)
{
    float x = 1 + (u < 0.5) * 2, y = u > 0.5;
    color half = (v < 0.5) * color (2, 0, 0);
    result[0] = x;
    result[1] = y;
    result[2] = comp(half, 0);
    if (x) ; else result[3] = 5;
    for (;;) { result[3] += 1; break; }
    while (y) y = 0;
    ;;
}
