// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(output varying float result = 0;)
{
    float a = 3;
    { float a = a * 2; result = a; }
}
