// SPDX-License-Identifier: Apache-2.0
// expect: 4 9 0.25
surface t(output varying color result = 0;)
{
    color c = color (2, 3, 0.5);
    float one = pow(2, 3) - 7;
    result = pow(c, 2) * one;
}
