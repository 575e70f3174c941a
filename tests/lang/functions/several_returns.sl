// SPDX-License-Identifier: Apache-2.0
// expect: 5
float pick(float x)
{
    if (x > 2) return 4;
    if (x > 1) { return 3; }
    return 1;
}
surface t(output varying float result = 0;)
{
    result = pick(u) + pick(3);
}
