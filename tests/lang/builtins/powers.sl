// SPDX-License-Identifier: Apache-2.0
// expect fault: vm-pow-range
// expect fault: vm-sqrt-negative
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
    near(pow(2, 10), 1024, worst); near(pow(2 + z, 0.5), 1.41421356, worst);
    near(pow(-2 + z, 3), -8, worst); near(pow(-2, 0.5), 0, worst); near(pow(0 + z, 0), 1, worst);
    near(exp(1), 2.71828183, worst); near(exp(-2 + z), 0.13533528, worst); near(exp(z), 1, worst);
    near(sqrt(16), 4, worst); near(sqrt(2 + z), 1.41421356, worst); near(sqrt(-1 + z), 0, worst);
    near(inversesqrt(4), 0.5, worst); near(inversesqrt(4 + z), 0.5, worst);
    near(log(10), 2.30258509, worst); near(log(10 + z), 2.30258509, worst);
    near(log(8, 2), 3, worst); near(log(1000 + z, 10), 3, worst);
    result = worst < 2e-6 ? 0 : worst;
}
