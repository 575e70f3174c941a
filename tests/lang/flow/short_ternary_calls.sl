// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float f = u > 3 ? float noise(P) : 1;
    result = f;
}
