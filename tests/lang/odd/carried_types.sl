// SPDX-License-Identifier: Apache-2.0
// A type carries over a comma, another one may follow it, and separators may be doubled or missing at the end.
// expect: 6 2 0.5
surface t(float Km = 1, freq = 6, color tone = 2, edge = color (0.5, 0, 0), string name = "x";; float z = 1,;
          output varying float result[3] = {0})
{
    result[0] = Km * freq;
    result[1] = comp(tone, 2);
    result[2] = name == "x" ? comp(edge, 0) * z : 0;
}
