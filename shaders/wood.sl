// SPDX-License-Identifier: Apache-2.0
// Wood: wobbling rings around the z axis of the shader's space, with grain along it.
#include "noises.h"
#include "patterns.h"

surface wood(float Ka = 1; float Kd = 0.75; float Ks = 0.25; float roughness = 0.15;
             color lightwood = color (0.69, 0.44, 0.25); color darkwood = color (0.35, 0.22, 0.08);
             float ringscale = 8; float wobble = 0.25; float grain = 1;)
{
    point Pshad = transform("shader", P);
    float pwidth = filterwidthp(Pshad);

    // Rings: distance from the axis, moved by slow noise; early wood grows wide, late wood is a thin dark line.
    vector offset = wobble * vfBm(Pshad * 0.8, pwidth * 0.8, 2, 4, 0.4);
    point Pring = Pshad + offset;
    float r = ringscale * sqrt(xcomp(Pring) * xcomp(Pring) + ycomp(Pring) * ycomp(Pring));
    float rwidth = ringscale * pwidth;
    float t_ = mod(r, 1);
    float ring = mix(smoothstep(0.1, 0.55, t_) - smoothstep(0.88, 1, t_), 0.55, smoothstep(0.3, 1, rwidth));

    // Grain: noise stretched along the axis.
    point Pgrain = Pshad * point (40, 40, 1.5);
    float g = filteredsnoise(Pgrain, pwidth * 40) * grain;
    float dark = clamp(ring * (0.8 + 0.2 * g) + 0.1 * g, 0, 1);

    normal Nf = faceforward(normalize(N), I);
    color wood_ = mix(lightwood, darkwood, dark);
    Oi = Os;
    Ci = Os * (Cs * wood_ * (Ka * ambient() + Kd * diffuse(Nf)) +
               Ks * (1 - 0.4 * dark) * specular(Nf, -normalize(I), roughness));
}
