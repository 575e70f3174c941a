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
    color c = ctransform("hsv", color (1, 0.5 + z, 0));
    near(comp(c, 0), 1 / 12, worst); near(comp(c, 1), 1, worst); near(comp(c, 2), 1, worst);
    c = ctransform("hsv", "rgb", color (0.5, 1, 0.5 + z));
    near(comp(c, 0), 0, worst); near(comp(c, 1), 0.5, worst); near(comp(c, 2), 0.5, worst);
    c = ctransform("hsl", color (0.25 + z, 0.75, 0.25));
    near(comp(c, 0), 1 / 3, worst); near(comp(c, 1), 0.5, worst); near(comp(c, 2), 0.5, worst);
    c = ctransform("hsl", "rgb", c);
    near(comp(c, 0), 0.25, worst); near(comp(c, 1), 0.75, worst);
    c = ctransform("YIQ", color (1, 1, 1 + z));
    near(comp(c, 0), 1, worst); near(comp(c, 1) + comp(c, 2), 0, worst);
    // And back.
    uniform string spaces[6] = {"rgb", "hsv", "hsl", "xyz", "xyY", "YIQ"};
    uniform float i;
    for (i = 0; i < 6; i += 1) {
        c = ctransform(spaces[i], "rgb", ctransform(spaces[i], color (0.2 + z, 0.6, 0.4)));
        worst = max(worst, 1e-1 * abs(comp(c, 0) - 0.2)); worst = max(worst, 1e-1 * abs(comp(c, 1) - 0.6));
        worst = max(worst, 1e-1 * abs(comp(c, 2) - 0.4));
    }
    setcomp(c, 1, 7); near(comp(c, 1), 7, worst);
    near(luminance(color 1), 1, worst);
    result = worst < 2e-6 ? 0 : worst;
}
