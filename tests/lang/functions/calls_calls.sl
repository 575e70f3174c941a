// SPDX-License-Identifier: Apache-2.0
// expect: 16
float sq(float x) { return x * x; }
float quad(float x) { return sq(sq(x)); }
surface t(output varying float result = 0;)
{
    result = quad(2);
}
