// SPDX-License-Identifier: Apache-2.0
// expect: 7
surface t(output varying float result = 0;)
{
    float a;
    result = (a = 3) + 4;
}
