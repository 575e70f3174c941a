// SPDX-License-Identifier: Apache-2.0
// expect error: sl-recursion
float f(float x) { return x > 1 ? f(x - 1) : 1; }
surface t(output varying float result = 0;)
{
    result = f(3);
}
