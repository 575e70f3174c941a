// SPDX-License-Identifier: Apache-2.0
// expect: 6
float add(float a, b, c) { return a + b + c; }
surface t(output varying float result = 0;)
{
    result = add(1, 2, 3);
}
