// SPDX-License-Identifier: Apache-2.0
// expect: 0
surface t(output varying float result = 0;)
{
    float i = 5;
    while (i) { i -= 1; }
    result = i;
}
