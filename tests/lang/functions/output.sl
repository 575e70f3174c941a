// SPDX-License-Identifier: Apache-2.0
// expect: 7
void two(float x; output float a, b;) { a = x; b = x + 1; }
surface t(output varying float result = 0;)
{
    float a = 0, b = 0;
    two(3, a, b);
    result = a + b;
}
