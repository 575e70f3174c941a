// SPDX-License-Identifier: Apache-2.0
// A sky: sums of noise, thresholded and soft at their edges, over a blue that is paler towards the horizon.
// For a large sphere or plane around the scene; lights do not act on it.
#include "noises.h"

surface clouds(float frequency = 1; float octaves = 6; float cover = 0.5; float sharpness = 0.35;
               color skycolor = color (0.15, 0.33, 0.7); color horizoncolor = color (0.6, 0.72, 0.85);
               color cloudcolor = 1; color shadecolor = color (0.62, 0.64, 0.7);)
{
    point Q = frequency * transform("shader", P);
    float width = filterwidthp(Q);
    float thick = fBm(Q, width, octaves, 2.1, 0.5);
    float cloud = smoothstep(0, max(sharpness, 0.001), thick + 2 * cover - 1);
    // Thick parts are darker below.
    float shade = smoothstep(0, 1, thick + 2 * cover - 1 - sharpness);
    float height = clamp(zcomp(normalize(Q - point (0, 0, 0))), 0, 1);
    color sky = mix(horizoncolor, skycolor, sqrt(height));
    Oi = Os;
    Ci = Os * Cs * mix(sky, mix(cloudcolor, shadecolor, shade), cloud);
}
