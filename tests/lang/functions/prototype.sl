// SPDX-License-Identifier: Apache-2.0
// expect: 2
float later(float x);
float later(float x) { return x + 1; }
surface t(output varying float result = 0;)
{
    result = later(1);
}
