// SPDX-License-Identifier: Apache-2.0
// expect fault: vm-arc-range
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
    near(degrees(PI), 180, worst); near(degrees(PI + z), 180, worst);
    near(radians(180), PI, worst); near(radians(180 + z), PI, worst);
    near(sin(PI / 6), 0.5, worst); near(sin(PI / 6 + z), 0.5, worst); near(sin(1000 + z), 0.82687954, worst);
    near(cos(PI / 3), 0.5, worst); near(cos(PI / 3 + z), 0.5, worst);
    near(tan(PI / 4), 1, worst); near(tan(PI / 4 + z), 1, worst);
    near(asin(0.5), PI / 6, worst); near(asin(0.5 + z), PI / 6, worst); near(asin(2), PI / 2, worst);
    near(acos(0.5), PI / 3, worst); near(acos(-0.5 + z), 2 * PI / 3, worst);
    near(atan(1), PI / 4, worst); near(atan(-1 + z), -PI / 4, worst);
    near(atan(1, -1), 3 * PI / 4, worst); near(atan(-1 + z, -1), -3 * PI / 4, worst);
    near(atan(1 + z, 0), PI / 2, worst); near(atan(0, 0), 0, worst);
    result = worst < 2e-6 ? 0 : worst;
}
