// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float a = noise(P + 0.37); color c = noise(P + 0.37);
    float b = float noise(P + 0.37);
    result = a == b && comp(c, 1) != comp(c, 2);
}
