// SPDX-License-Identifier: Apache-2.0
// expect: -2
surface t(output varying float result = 0;)
{
    float a = 2;
    result = -a;
}
