// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(output varying float result = 0;)
{
    for (float i = 0; i < 4; i += 1) result += i;
}
