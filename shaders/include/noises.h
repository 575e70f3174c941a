// SPDX-License-Identifier: Apache-2.0
// Noise for authors: signed noise, sums of octaves that fade out before they alias, and cells. Arguments named
// `filtwidth` are how far the point moves to its neighbours (filterwidthp(p) in filterwidth.h); 0 means unfiltered.
#ifndef NOISES_H
#define NOISES_H

#include "filterwidth.h"

// --- signed noise: -1 to 1, mean 0 ---
#define snoise(p) (2 * (float noise(p)) - 1)
#define snoisexy(x, y) (2 * (float noise(x, y)) - 1)
#define snoisept(p, t) (2 * (float noise(p, t)) - 1)
#define vsnoise(p) (2 * (vector noise(p)) - 1)
#define vsnoisept(p, t) (2 * (vector noise(p, t)) - 1)

// Fades to the mean as the width nears the size of the noise's features.
#define noisefade(width) (1 - smoothstep(0.2, 0.75, width))
#define filteredsnoise(p, width) (snoise(p) * noisefade(width))
#define filteredvsnoise(p, width) (vsnoise(p) * noisefade(width))
#define filteredsnoisexy(x, y, width) (snoisexy(x, y) * noisefade(width))

// |x| averaged over a box of that width around x.
float filteredabs(float x, width)
{
    float lo = x - 0.5 * width, hi = x + 0.5 * width;
    return width > 0 ? (sign(hi) * hi * hi - sign(lo) * lo * lo) / (2 * width) : abs(x);
}

// --- sums of octaves ---
// Fractional Brownian motion: each octave `lacunarity` times finer and `gain` times weaker than the one before.
float fBm(point p; float filtwidth; uniform float maxoctaves, lacunarity, gain)
{
    point q = p;
    float width = filtwidth, sum = 0;
    uniform float amplitude = 1, i;
    for (i = 0; i < maxoctaves; i += 1) {
        sum += amplitude * filteredsnoise(q, width);
        amplitude *= gain;
        q *= lacunarity;
        width *= lacunarity;
    }
    return sum;
}

vector vfBm(point p; float filtwidth; uniform float maxoctaves, lacunarity, gain)
{
    point q = p;
    float width = filtwidth;
    vector sum = 0;
    uniform float amplitude = 1, i;
    for (i = 0; i < maxoctaves; i += 1) {
        sum += amplitude * filteredvsnoise(q, width);
        amplitude *= gain;
        q *= lacunarity;
        width *= lacunarity;
    }
    return sum;
}

// The same with creases: sums of |noise|.
float turbulence(point p; float filtwidth; uniform float maxoctaves, lacunarity, gain)
{
    point q = p;
    float width = filtwidth, sum = 0;
    uniform float amplitude = 1, i;
    for (i = 0; i < maxoctaves; i += 1) {
        sum += amplitude * filteredabs(filteredsnoise(q, width), 2 * width);
        amplitude *= gain;
        q *= lacunarity;
        width *= lacunarity;
    }
    return sum;
}

#define fBm_default(p) fBm(p, filterwidthp(p), 4, 2, 0.5)
#define vfBm_default(p) vfBm(p, filterwidthp(p), 4, 2, 0.5)
#define turbulence_default(p) turbulence(p, filterwidthp(p), 4, 2, 0.5)

// Noise of a point that noise has moved ("variable lacunarity").
#define VLNoise(p, scale) (snoise((p) + vsnoise(p) * (scale)))
#define filteredVLNoise(p, width, scale) (filteredsnoise((p) + filteredvsnoise(p, width) * (scale), width))

float VLfBm(point p; float filtwidth; uniform float maxoctaves, lacunarity, gain, scale)
{
    point q = p;
    float width = filtwidth, sum = 0;
    uniform float amplitude = 1, i;
    for (i = 0; i < maxoctaves; i += 1) {
        sum += amplitude * filteredVLNoise(q, width, scale);
        amplitude *= gain;
        q *= lacunarity;
        width *= lacunarity;
    }
    return sum;
}
#define VLfBm_default(p) VLfBm(p, filterwidthp(p), 4, 2, 0.5, 1)

// --- cells: one feature point in each unit cell, up to `jitter` from its middle ---
// Distance to the nearest feature, and where it is.
void voronoi_f1_3d(point P; float jitter; output float f1; output point pos1)
{
    point corner = point (floor(xcomp(P)) + 0.5, floor(ycomp(P)) + 0.5, floor(zcomp(P)) + 0.5);
    uniform float i, j, k;
    f1 = 1000;
    for (i = -1; i <= 1; i += 1)
        for (j = -1; j <= 1; j += 1)
            for (k = -1; k <= 1; k += 1) {
                point cell = corner + vector (i, j, k);
                point pos = cell + jitter * (vector cellnoise(cell) - 0.5);
                vector offset = pos - P;
                float d = offset . offset;
                if (d < f1) { f1 = d; pos1 = pos; }
            }
    f1 = sqrt(f1);
}

// The two nearest features.
void voronoi_f1f2_3d(point P; float jitter; output float f1; output point pos1; output float f2; output point pos2)
{
    point corner = point (floor(xcomp(P)) + 0.5, floor(ycomp(P)) + 0.5, floor(zcomp(P)) + 0.5);
    uniform float i, j, k;
    f1 = 1000;
    f2 = 1000;
    for (i = -1; i <= 1; i += 1)
        for (j = -1; j <= 1; j += 1)
            for (k = -1; k <= 1; k += 1) {
                point cell = corner + vector (i, j, k);
                point pos = cell + jitter * (vector cellnoise(cell) - 0.5);
                vector offset = pos - P;
                float d = offset . offset;
                if (d < f1) { f2 = f1; pos2 = pos1; f1 = d; pos1 = pos; }
                else if (d < f2) { f2 = d; pos2 = pos; }
            }
    f1 = sqrt(f1);
    f2 = sqrt(f2);
}

void voronoi_f1_2d(float ss, tt, jitter; output float f1, spos1, tpos1)
{
    float scell = floor(ss) + 0.5, tcell = floor(tt) + 0.5;
    uniform float i, j;
    f1 = 1000;
    for (i = -1; i <= 1; i += 1)
        for (j = -1; j <= 1; j += 1) {
            float sc = scell + i, tc = tcell + j;
            float sp = sc + jitter * (float cellnoise(sc, tc) - 0.5);
            float tp = tc + jitter * (float cellnoise(sc + 1000, tc) - 0.5);
            float d = (sp - ss) * (sp - ss) + (tp - tt) * (tp - tt);
            if (d < f1) { f1 = d; spos1 = sp; tpos1 = tp; }
        }
    f1 = sqrt(f1);
}

void voronoi_f1f2_2d(float ss, tt, jitter; output float f1, spos1, tpos1, f2, spos2, tpos2)
{
    float scell = floor(ss) + 0.5, tcell = floor(tt) + 0.5;
    uniform float i, j;
    f1 = 1000;
    f2 = 1000;
    for (i = -1; i <= 1; i += 1)
        for (j = -1; j <= 1; j += 1) {
            float sc = scell + i, tc = tcell + j;
            float sp = sc + jitter * (float cellnoise(sc, tc) - 0.5);
            float tp = tc + jitter * (float cellnoise(sc + 1000, tc) - 0.5);
            float d = (sp - ss) * (sp - ss) + (tp - tt) * (tp - tt);
            if (d < f1) { f2 = f1; spos2 = spos1; tpos2 = tpos1; f1 = d; spos1 = sp; tpos1 = tp; }
            else if (d < f2) { f2 = d; spos2 = sp; tpos2 = tp; }
        }
    f1 = sqrt(f1);
    f2 = sqrt(f2);
}

#endif
