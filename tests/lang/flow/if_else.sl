// SPDX-License-Identifier: Apache-2.0
// expect: 2
surface t(output varying float result = 0;)
{
    if (u > 0.5) result = 1; else result = 2;
}
