// SPDX-License-Identifier: Apache-2.0
// Marble: veins where turbulence has folded even layers.
#include "noises.h"

surface marble(float Ka = 1; float Kd = 0.8; float Ks = 0.4; float roughness = 0.08;
               color stone = color (0.92, 0.9, 0.86); color vein = color (0.25, 0.27, 0.33);
               float scale = 1.5; float contrast = 1.6; float veinfreq = 1; float octaves = 6;)
{
    point Pshad = scale * transform("shader", P);
    float width = filterwidthp(Pshad);
    float folded = turbulence(Pshad, width, octaves, 2.02, 0.55);
    float layer = sin(PI * (veinfreq * (xcomp(Pshad) + 0.5 * zcomp(Pshad)) + contrast * folded));
    // Thin dark veins, and clouds of grey between them.
    float thin = 0.8 * pow(1 - abs(layer), 3);
    float cloud = 0.35 * smoothstep(0.1, 0.9, 0.5 + 0.5 * fBm(Pshad * 0.7, width * 0.7, 3, 2, 0.5));
    normal Nf = faceforward(normalize(N), I);
    Oi = Os;
    Ci = Os * (Cs * mix(stone, vein, clamp(thin + cloud, 0, 1)) * (Ka * ambient() + Kd * diffuse(Nf)) +
               Ks * specular(Nf, -normalize(I), roughness));
}
