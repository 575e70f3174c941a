// SPDX-License-Identifier: Apache-2.0
// expect: 2.5
surface t(output varying float result = 0;)
{
    float a = 1;
    a += 4; a -= 1; a *= 5; a /= 8;
    result = a;
}
