// SPDX-License-Identifier: Apache-2.0
// Displaces along the normal into mountains: ridges of noise that are rough where they are high and smooth in the
// valleys. Heights lie in 0..Km; give the primitive a displacement bound of Km.
#include "noises.h"

displacement terrain(float Km = 0.3; float frequency = 2; float octaves = 8; float lacunarity = 2.07;
                     float sharpness = 1; output varying float height = 0;)
{
    point Q = frequency * transform("shader", P);
    float width = filterwidthp(Q);
    float sum = 0, weight = 1, most = 0;
    uniform float amplitude = 1, i;
    for (i = 0; i < octaves; i += 1) {
        // A ridge where the noise crosses its mean; the next octave counts where this one is high.
        float ridge = 1 - filteredabs(filteredsnoise(Q, width), 2 * width);
        ridge = pow(max(ridge, 0), 1 + sharpness);
        sum += amplitude * weight * ridge;
        most += amplitude;
        weight = clamp(1.6 * weight * ridge, 0, 1);
        amplitude *= 0.5;
        Q *= lacunarity;
        width *= lacunarity;
    }
    height = sum / max(most, 1.0e-6);
    P += Km * height * normalize(N);
    N = calculatenormal(P);
}
