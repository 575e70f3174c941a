// SPDX-License-Identifier: Apache-2.0
// expect: 9
float square(float x) { return x * x; }
surface t(output varying float result = 0;)
{
    result = square(3);
}
