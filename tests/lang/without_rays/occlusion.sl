// SPDX-License-Identifier: Apache-2.0
// expect: 0
surface t(output varying float result = 1;)
{
    normal Nn = normalize(N);
    result = occlusion(P, Nn, 16) + occlusion(P, Nn) + occlusion("", P, Nn, 0, "pointbased", 1, "maxsolidangle", 0.1) +
             occlusion(P, Nn, 64, "maxdist", 10, "bias", 0.01);
}
