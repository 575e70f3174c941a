// SPDX-License-Identifier: Apache-2.0
// expect error: sl-recursion
float g(float x) { return f(x); }
float f(float x) { return g(x); }
surface t(output varying float result = 0;)
{
    result = f(3);
}
