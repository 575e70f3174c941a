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
    // P = (3u, 3v, 0), du = dv = 1/3.
    near(Du(u), 1, worst); near(Dv(u), 0, worst); near(Dv(v), 1, worst); near(Du(3 * u + 5 * v), 3, worst);
    near(comp(Du(color (u, 2 * u, v)), 1), 2, worst); near(comp(Dv(color (u, 2 * u, v)), 2), 1, worst);
    near(xcomp(Du(P)), 3, worst); near(ycomp(Dv(P)), 3, worst); near(xcomp(Dv(P)), 0, worst);
    near(Deriv(6 * u, 2 * u), 3, worst); near(comp(Deriv(color (4 * u, 0, 0), 2 * u), 0), 2, worst);
    near(xcomp(Deriv(P, u)), 3, worst);
    near(area(P), 1, worst); near(area(2 * P), 4, worst);
    near(abs(zcomp(normalize(calculatenormal(P)))), 1, worst);
    // A step filtered over the change of u from point to point, 1/3.
    near(filterstep(0, u, "filter", "box"), 0.5, worst);
    near(filterstep(0, 0, 1, "filter", "box"), 1, worst); near(filterstep(0.5, 0, 1, "filter", "box"), 0.5, worst);
    near(filterstep(0.25, 0, 1, "filter", "box"), 0.75, worst); near(filterstep(0, u - 5), 0, worst);
    result = worst < 2e-6 ? 0 : worst;
}
