// SPDX-License-Identifier: Apache-2.0
// Mixes in a background colour with depth, from nothing at mindistance to all at maxdistance, both in the camera's
// depth (0 near plane, 1 far plane).
volume depthcue(float mindistance = 0; float maxdistance = 1; color background = 0;)
{
    float d = clamp((depth(P) - mindistance) / (maxdistance - mindistance), 0, 1);
    Ci = mix(Ci, background, d);
    Oi = mix(Oi, color(1), d);
}
