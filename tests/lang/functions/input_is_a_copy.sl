// SPDX-License-Identifier: Apache-2.0
// expect: 3
float f(float x) { x += 1; return x; }
surface t(output varying float result = 0;)
{
    float a = 3;
    result = f(a) * 0 + a;
}
