// SPDX-License-Identifier: Apache-2.0
// expect error: sl-arguments
float f(float x) { return x; }
surface t(output varying float result = 0;)
{
    result = f(1, 2);
}
