// SPDX-License-Identifier: Apache-2.0
// expect fault: vm-mod-zero
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
    near(mod(5, 3), 2, worst); near(mod(-1 + z, 3), 2, worst); near(mod(5.5 + z, 2), 1.5, worst); near(mod(1, 0), 0, worst);
    near(abs(-3), 3, worst); near(abs(-3 + z), 3, worst);
    near(sign(-2), -1, worst); near(sign(z), 0, worst); near(sign(4 + z), 1, worst);
    near(floor(-0.5), -1, worst); near(floor(2.7 + z), 2, worst);
    near(ceil(0.2), 1, worst); near(ceil(-0.2 + z), 0, worst);
    near(round(2.5), 3, worst); near(round(-0.6 + z), -1, worst);
    near(min(3, 1), 1, worst); near(min(3 + z, 1, 2, -4), -4, worst);
    near(max(3, 1), 3, worst); near(max(3 + z, 1, 2, 9), 9, worst);
    near(clamp(3, 0, 1), 1, worst); near(clamp(-3 + z, 0, 1), 0, worst); near(clamp(0.5 + z, 0, 1), 0.5, worst);
    near(mix(2, 4, 0.25), 2.5, worst); near(mix(2 + z, 4, 0.25), 2.5, worst);
    near(step(1, 0.9), 0, worst); near(step(1, 1 + z), 1, worst);
    near(smoothstep(0, 1, 0.25), 0.15625, worst); near(smoothstep(2, 4, 3.5 + z), 0.84375, worst);
    near(smoothstep(0, 1, -1), 0, worst); near(smoothstep(0, 1, 2 + z), 1, worst);
    color c = clamp(color (-1, 0.5, 2 + z), color 0, color 1);
    near(comp(c, 0), 0, worst); near(comp(c, 1), 0.5, worst); near(comp(c, 2), 1, worst);
    near(xcomp(clamp(point (5, 6, 7), point 1, point (2, 8, 9))), 2, worst);
    result = worst < 2e-6 ? 0 : worst;
}
