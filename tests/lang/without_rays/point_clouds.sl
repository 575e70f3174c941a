// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    float o = 3;
    color c = 2;
    float found = texture3d("a.ptc", P, N, "_area", o, "Cl", c);
    float written = bake3d("a.ptc", "_area,Cl", P, N, "interpolate", 1, "Cl", c);
    bake("a.bake", s, t, o);
    bake("a.bake", s, t, c);
    result = o + found + written;
}
