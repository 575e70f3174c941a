// SPDX-License-Identifier: Apache-2.0
// expect: 0 0 0
surface t(output varying color result = 1;)
{
    normal Nn = normalize(N);
    result = indirectdiffuse(P, Nn, 16) + indirectdiffuse(P, Nn) + indirectdiffuse("a.ptc", P, Nn, 0, "clamp", 1) +
             photonmap("a.gpm", P, Nn, "estimator", 50) + caustic(P, Nn) +
             subsurface(P, Nn, "filename", "a.ptc", "albedo", color(1)) + trace(P, vector(0, 0, 1));
}
