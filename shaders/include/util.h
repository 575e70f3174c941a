// SPDX-License-Identifier: Apache-2.0
// Small things that shaders share: constants, curves of 0..1, ranges, random numbers of a cell.
#ifndef UTIL_H
#define UTIL_H

#ifndef PI
#define PI 3.14159265358979
#endif
#ifndef TWOPI
#define TWOPI 6.28318530717959
#endif
#ifndef sqr
#define sqr(x) ((x) * (x))
#endif
#ifndef SQR
#define SQR(x) ((x) * (x))
#endif

// --- curves of 0..1 to 0..1 ---
// bias(0.5, b) is b; 0 and 1 stay.
float bias(float x, b) { return b <= 0 ? 0 : pow(x, log(min(b, 1)) / log(0.5)); }
// Pushes values away from 0.5 (g above 0.5) or towards it.
float gain(float x, g)
{
    return x < 0.5 ? 0.5 * bias(2 * x, 1 - g) : 1 - 0.5 * bias(2 - 2 * x, 1 - g);
}
float gammacorrect(float gamma, x) { return pow(x, 1 / gamma); }

// --- ranges ---
#define remap(x, a, b, c, d) mix(c, d, clamp(((x) - (a)) / ((b) - (a)), 0, 1))

// Uniform in lo..hi, the same for all of a cell of x.
float udn(float x, lo, hi) { return mix(lo, hi, float cellnoise(x)); }
float udn2(float x, y, lo, hi) { return mix(lo, hi, float cellnoise(x, y)); }

// --- colour ---
float luma(color c) { return 0.2126 * comp(c, 0) + 0.7152 * comp(c, 1) + 0.0722 * comp(c, 2); }
// Each cell a colour of its own around `base`, in hue, saturation and value.
color varyeach(color base; float index, varyhue, varysat, varyval)
{
    color hsv = ctransform("hsv", base);
    float h = comp(hsv, 0) + varyhue * (float cellnoise(index + 3) - 0.5);
    float sat = comp(hsv, 1) + varysat * (float cellnoise(index - 14) - 0.5);
    float val = comp(hsv, 2) + varyval * (float cellnoise(index + 37) - 0.5);
    return ctransform("hsv", "rgb", color (mod(h, 1), clamp(sat, 0, 1), clamp(val, 0, 1)));
}

#endif
