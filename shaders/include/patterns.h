// SPDX-License-Identifier: Apache-2.0
// Steps, pulses and tiles for authors. Those named `filtered...` give the average over a width (filterwidth.h) around
// their argument in closed form, so that edges and lines that are finer than a micropolygon turn grey, not ragged.
#ifndef PATTERNS_H
#define PATTERNS_H

#include "filterwidth.h"

// --- layers ---
#define blend(a, b, x) ((a) * (1 - (x)) + (b) * (x))
#define union(a, b) ((a) + (b) - (a) * (b))
#define intersection(a, b) ((a) * (b))
#define difference(a, b) ((a) * (1 - (b)))
#define complement(a) (1 - (a))

// --- steps ---
// 0 up to a, 1 from b, straight between.
#define boxstep(a, b, x) (clamp(((x) - (a)) / ((b) - (a)), 0, 1))
// step(edge, x) averaged over a width of dx.
float filteredstep(float edge, x, dx) { return clamp((x + 0.5 * dx - edge) / max(dx, MINFILTWIDTH), 0, 1); }

// --- pulses ---
// 1 from edge0 to edge1.
#define pulse(edge0, edge1, x) (step(edge0, x) - step(edge1, x))
float filteredpulse(float edge0, edge1, x, dx)
{
    float lo = x - 0.5 * dx, hi = lo + dx;
    return max(0, (min(hi, edge1) - max(lo, edge0)) / max(dx, MINFILTWIDTH));
}
float smoothpulse(float e0, e1, e2, e3, x) { return smoothstep(e0, e1, x) - smoothstep(e2, e3, x); }

// 1 in the part of every period before `edge`.
#define pulsetrain(edge, period, x) (pulse(0, edge, mod(x, period)))
// How much of 0..x the train has covered, in periods of 1.
float pulsetrainintegral(float covered, x) { return covered * floor(x) + min(x - floor(x), covered); }
float filteredpulsetrain(float edge, period, x, dx)
{
    float width = max(dx / period, MINFILTWIDTH), lo = x / period - 0.5 * width;
    float covered = edge / period;
    return (pulsetrainintegral(covered, lo + width) - pulsetrainintegral(covered, lo)) / width;
}
float smoothpulsetrain(float e0, e1, e2, e3, period, x) { return smoothpulse(e0, e1, e2, e3, mod(x, period)); }

// --- repetition ---
#define whichtile(x, freq) floor((x) * (freq))
#define repeat(x, freq) mod((x) * (freq), 1)
#define odd(x) (mod(x, 2) >= 1 ? 1 : 0)
#define even(x) (mod(x, 2) >= 1 ? 0 : 1)

// --- the plane ---
void rotate2d(float x, y, rad, ox, oy; output float rx, ry)
{
    float sx = x - ox, sy = y - oy, c = cos(rad), s_ = sin(rad);
    rx = sx * c - sy * s_ + ox;
    ry = sx * s_ + sy * c + oy;
}
// Turns by 0..1 of a full circle around (0.5, 0.5) become an angle theta, distances r.
void topolar2d(float x, y; output float r, theta)
{
    r = sqrt((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5));
    theta = atan(y - 0.5, x - 0.5);
}
// Of a checkerboard of unit squares: 0 or 1, averaged over the width.
float filteredcheck(float x, y, dx, dy)
{
    float a = filteredpulsetrain(1, 2, x, dx), b = filteredpulsetrain(1, 2, y, dy);
    return a * b + (1 - a) * (1 - b);
}

#endif
