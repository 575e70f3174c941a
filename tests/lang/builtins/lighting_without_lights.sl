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
    // Blinn's highlight of one direction: (N . H) ^ (8 / roughness).
    color c = specularbrdf(normalize(vector (0, 1, 1)), normal (0, 0, 1), vector (0, 0, 1 + z), 2);
    near(comp(c, 0), pow(cos(PI / 8), 4), worst);
    c = specularbrdf(vector (0, 0, 1), normal (0, 0, 1 + z), vector (0, 0, 1), 0.1);
    near(comp(c, 1), 1, worst);
    // No light: black.
    c = ambient() + diffuse(N) + specular(N, -I, 0.1) + phong(N, -I, 10);
    near(comp(c, 0) + comp(c, 1) + comp(c, 2), 0, worst);
    near(comp(trace(P, I), 0), 0, worst); near(float trace(P, I), 0, worst);
    result = worst < 2e-6 ? 0 : worst;
}
