// SPDX-License-Identifier: Apache-2.0
// expect: 0
// The largest difference from what the specification's formulas give, of uniform and of varying arguments.
void near(float got, want; output varying float worst)
{
    worst = max(worst, abs(got - want) / max(1, abs(want)));
}
surface t(output varying float result = 0;)
{
    varying float z = 0 * u;   // 0 that varies
    varying float worst = 0;
    // Another number each call, 0 to 1, and another in each point.
    float a = random(), b = random();
    color c = random();
    if (a == b || a < 0 || a > 1 || comp(c, 0) == comp(c, 1)) worst = 1;
    if (Du(random()) == 0 && Dv(random()) == 0) worst = 1;
    result = worst < 2e-6 ? 0 : worst;
}
