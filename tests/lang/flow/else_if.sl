// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    if (u > 2) result = 1; else if (u > 1) result = 2; else result = 3;
}
