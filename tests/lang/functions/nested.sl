// SPDX-License-Identifier: Apache-2.0
// expect: 8
surface t(output varying float result = 0;)
{
    float k = 4;
    float f(float x;) { extern float k; return x * k; }
    result = f(2);
}
