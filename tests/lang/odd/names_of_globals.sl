// SPDX-License-Identifier: Apache-2.0
// Parameters and local variables with the names of globals and of functions, as exporters write them.
// expect: 24 5 1
surface t(float s = 2; color Cs = 3; float t = 4; float noise = 1; output varying float result[3] = {0};)
{
    vector step = vector (1, 0, 0);
    float u = 5, depth = 1;
    normal N = normal (0, 0, 1);
    result[0] = s * comp(Cs, 1) * t;
    result[1] = u * noise;
    result[2] = xcomp(step) * zcomp(N) * depth;
}
