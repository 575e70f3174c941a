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
    float f[12] = {noise(0.3), noise(0.3, 0.6), noise(point (0.3, 0.6, 0.9)), noise(point (0.3, 0.6, 0.9), 0.2),
                   pnoise(0.3, 5), pnoise(0.3, 0.6, 5, 7), pnoise(point (0.3, 0.6, 0.9), point (5, 6, 7)),
                   pnoise(point (0.3, 0.6, 0.9), 0.2, point (5, 6, 7), 8),
                   cellnoise(0.3), cellnoise(0.3, 0.6), cellnoise(point (0.3, 0.6, 0.9)),
                   cellnoise(point (0.3, 0.6, 0.9), 0.2)};
    float i;
    for (i = 0; i < 12; i += 1) if (f[i] < 0 || f[i] > 1) worst = 1;
    // Inside the first period, periodic noise is noise; a period further on it is the same again.
    for (i = 0; i < 4; i += 1) near(f[i], f[i + 4], worst);
    near(pnoise(5.3 + z, 5), f[4], worst); near(pnoise(0.3, 7.6 + z, 5, 7), f[5], worst);
    near(pnoise(point (5.3, 6.6, 7.9 + z), point (5, 6, 7)), f[6], worst);
    near(pnoise(point (0.3, 0.6, 0.9), 8.2 + z, point (5, 6, 7), 8), f[7], worst);
    // Whole numbers are knots, where noise is its mean; cells are constant.
    near(noise(3 + z), 0.5, worst); near(noise(3, 4 + z), 0.5, worst); near(noise(point (1, 2, 3 + z)), 0.5, worst);
    near(noise(point (1, 2, 3), 4 + z), 0.5, worst);
    near(cellnoise(0.9 + z), f[8], worst); near(cellnoise(0.1, 0.9 + z), f[9], worst);
    near(cellnoise(point (0.9, 0, 0.1 + z)), f[10], worst); near(cellnoise(point (0.9, 0, 0.1), 0.7 + z), f[11], worst);
    // A triple's first component is the float; the others are fields of their own.
    color c = noise(0.3); near(comp(c, 0), f[0], worst); if (comp(c, 1) == f[0]) worst = 1;
    c = noise(0.3 + z, 0.6); near(comp(c, 0), f[1], worst); if (comp(c, 2) == comp(c, 1)) worst = 1;
    point p = noise(point (0.3 + z, 0.6, 0.9)); near(xcomp(p), f[2], worst); if (zcomp(p) == f[2]) worst = 1;
    vector w = noise(point (0.3 + z, 0.6, 0.9), 0.2); near(xcomp(w), f[3], worst); if (ycomp(w) == f[3]) worst = 1;
    c = pnoise(0.3 + z, 5); near(comp(c, 0), f[4], worst);
    c = pnoise(0.3 + z, 0.6, 5, 7); near(comp(c, 0), f[5], worst);
    c = pnoise(point (0.3 + z, 0.6, 0.9), point (5, 6, 7)); near(comp(c, 0), f[6], worst);
    c = pnoise(point (0.3 + z, 0.6, 0.9), 0.2, point (5, 6, 7), 8); near(comp(c, 0), f[7], worst);
    c = cellnoise(0.3 + z); near(comp(c, 0), f[8], worst); if (comp(c, 1) == f[8]) worst = 1;
    c = cellnoise(0.3 + z, 0.6); near(comp(c, 0), f[9], worst);
    c = cellnoise(point (0.3 + z, 0.6, 0.9)); near(comp(c, 0), f[10], worst);
    c = cellnoise(point (0.3 + z, 0.6, 0.9), 0.2); near(comp(c, 0), f[11], worst);
    result = worst < 2e-6 ? 0 : worst;
}
