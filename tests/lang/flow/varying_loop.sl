// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    float i = 0;
    while (i < 3 + u * 9) i += 1;
    result = i;
}
