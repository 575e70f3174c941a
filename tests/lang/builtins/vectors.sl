// SPDX-License-Identifier: Apache-2.0
// expect fault: vm-normalize-zero
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
    vector a = vector (3 + z, 4, 0);
    near(length(a), 5, worst); near(length(vector (0, 0, 2)), 2, worst);
    near(xcomp(normalize(a)), 0.6, worst); near(length(normalize(vector (0, 0, 0))), 0, worst);
    near(distance(point (1, 2, 3), point (1, 2, 5 + z)), 2, worst);
    near(xcomp(a) + ycomp(a) + zcomp(a), 7, worst);
    setxcomp(a, 1); setycomp(a, 2 + z); setzcomp(a, 3);
    near(100 * xcomp(a) + 10 * ycomp(a) + zcomp(a), 123, worst);
    near(ptlined(point (0, 0, 0), point (10, 0, 0), point (4 + z, 3, 0)), 3, worst);
    near(ptlined(point (0, 0, 0), point (10, 0, 0), point (-3, 4, 0)), 5, worst);
    point turned = rotate(point (1 + z, 0, 0), PI / 2, point (0, 0, 0), point (0, 0, 1));
    near(xcomp(turned), 0, worst); near(ycomp(turned), 1, worst);
    turned = rotate(point (2, 1, 7), PI, point (1, 0, 0), point (1, 5, 0));
    near(xcomp(turned), 0, worst); near(ycomp(turned), 1, worst); near(zcomp(turned), -7, worst);
    // N, Ng and I point along +z: towards the eye is -z.
    near(zcomp(faceforward(N, I)), -1, worst); near(zcomp(faceforward(N, -I)), 1, worst);
    near(zcomp(faceforward(vector (0, 0, 1), vector (0, 0, 1), vector (0, 0, -1 + z))), 1, worst);
    vector r = reflect(vector (1, -1 + z, 0), normal (0, 1, 0));
    near(xcomp(r), 1, worst); near(ycomp(r), 1, worst);
    vector q = refract(normalize(vector (1, -1, 0)), normal (0, 1 + z, 0), 1 / 1.5);
    near(xcomp(q), 0.70710678 / 1.5, worst); near(ycomp(q), -0.88191710, worst);
    near(length(refract(normalize(vector (1, -0.2, 0)), normal (0, 1, 0), 1.5)), 0, worst);
    float Kr, Kt;
    vector R, T;
    fresnel(vector (0, -1, 0), normal (0, 1, 0), 1 / 1.5, Kr, Kt, R, T);
    near(Kr, 0.04, worst); near(Kr + Kt, 1, worst); near(ycomp(R), 1, worst); near(ycomp(T), -1, worst);
    result = worst < 2e-6 ? 0 : worst;
}
