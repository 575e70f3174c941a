// SPDX-License-Identifier: Apache-2.0
// expect: 8
surface t(output varying float result = 0;)
{
    float i;
    for (i = 0; i < 8; i += 1);
    result = i;
}
