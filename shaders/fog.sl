// SPDX-License-Identifier: Apache-2.0
// Fog of constant density between the eye and the surface: `distance` is how far one sees to 1/e.
volume fog(float distance = 1; color background = 0;)
{
    float d = 1 - exp(-length(I) / distance);
    Ci = mix(Ci, background, d);
    Oi = mix(Oi, color(1), d);
}
