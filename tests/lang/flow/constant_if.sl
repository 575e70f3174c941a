// SPDX-License-Identifier: Apache-2.0
// expect: 4
surface t(output varying float result = 0;)
{
    float a = 0;
    if (1) { a = 4; } else { a = 5; }
    if (0) a = 6;
    result = a;
}
