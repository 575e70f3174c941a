// SPDX-License-Identifier: Apache-2.0
// expect: 4
float bump(float x) { float i, y = x; for (i = 0; i < 2; i += 1) y += 1; return y; }
surface t(output varying float result = 0;)
{
    float a = 4;
    if (u > 0.5) a = bump(a);
    result = a;
}
