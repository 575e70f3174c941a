// SPDX-License-Identifier: Apache-2.0
// Arrays of parameters, of strings and of colours; elements as outputs; splines over them; components by index.
// expect: 3 2 0.5 5 8
void fill(output color x[3]; float v;) { x[1] = v; x[2] = color (0, v, 0); }
surface t(float given[4] = {1, 2, 3, 4}; color tones[2] = {color (1, 0, 0), color (0, 1, 0)}; string maps[] = {"a", "b"};
          output varying float result[5] = {0};)
{
    color c[3];
    float knots[5] = {0, 0, 1, 1, 1}, copy[4] = given;
    point q = P;
    fill(c, 2);
    result[0] = given[2] * comp(tones[0], 0);
    result[1] = comp(c[2], 1);
    result[2] = spline(0.25, knots);
    q[2] = 5;
    result[3] = maps[1] == "b" ? q[2] : 0;
    copy[1] += 2 * copy[2];
    result[4] = copy[1];
}
