// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    float kr, kt; vector R, T;
    fresnel(normalize(I), -N, 1, kr, kt, R, T);
    result = zcomp(R) < 0 && kr < .1;
}
