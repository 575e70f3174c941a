// SPDX-License-Identifier: Apache-2.0
// expect: 3
float f(float x) { return 1; }
float f(color x) { return 2; }
surface t(output varying float result = 0;)
{
    result = f(1) + f(Cs);
}
