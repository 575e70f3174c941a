// SPDX-License-Identifier: Apache-2.0
// expect: 10
surface t(output varying float result = 0;)
{
    float i = 1;
    while (i < 10) i += 3;
    result = i;
}
