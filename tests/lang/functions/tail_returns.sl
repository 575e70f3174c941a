// SPDX-License-Identifier: Apache-2.0
// expect: 2
float sel(float x) { if (x > .5) return 1; else return 2; }
surface t(output varying float result = 0;)
{
    result = sel(0.2);
}
