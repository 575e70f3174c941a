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
    matrix one = 1;
    matrix m = translate(one, vector (1, 2, 3 + z));
    point p = transform(m, point (1, 1, 1));
    near(xcomp(p), 2, worst); near(ycomp(p), 3, worst); near(zcomp(p), 4, worst);
    near(xcomp(vtransform(m, vector (1, 1, 1))), 1, worst);
    m = scale(one, point (2, 4, 8));
    near(determinant(m), 64, worst); near(determinant(one), 1, worst);
    near(zcomp(vtransform(m, vector (0, 0, 1 + z))), 8, worst);
    // Normals go by the inverse transposed.
    near(ycomp(ntransform(m, normal (0, 1, 0))), 0.25, worst);
    m = rotate(one, PI / 2, vector (0, 0, 1));
    p = transform(m, point (1 + z, 0, 0));
    near(xcomp(p), 0, worst); near(ycomp(p), 1, worst);
    near(comp(m, 0, 1), 1, worst);
    setcomp(m, 3, 0, 5);
    near(comp(m, 3, 0), 5, worst); near(xcomp(transform(m, point (0, 0, z))), 5, worst);
    // Without a renderer every space is current.
    near(xcomp(transform("shader", point (4, 0, z))), 4, worst);
    near(xcomp(transform("current", "current", point (4, 0, z))), 4, worst);
    near(xcomp(transform("current", m, point (0, 0, z))), 5, worst);
    near(xcomp(vtransform("current", "current", vector (4, 0, z))), 4, worst);
    near(ycomp(vtransform("current", m, vector (1, 0, z))), 1, worst);
    near(xcomp(ntransform("current", "current", normal (4, 0, z))), 4, worst);
    near(ycomp(ntransform("current", rotate(one, PI / 2, vector (0, 0, 1)), normal (1, 0, z))), 1, worst);
    near(comp(mtransform("current", one), 0, 0), 1, worst);
    near(comp(mtransform("current", "current", one), 0, 0), 1, worst);
    near(determinant(one / m * m), 1, worst);
    result = worst < 2e-6 ? 0 : worst;
}
