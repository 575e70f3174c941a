// SPDX-License-Identifier: Apache-2.0
// Branch-free elementary functions of one lane, made to be vectorised: only IEEE operations in a fixed order, so every
// instruction set gives the same bits. Polynomials are the well-known minimax ones of single-precision libraries
// (Cephes); arguments are reduced, and powers computed, in double. Errors: docs in tests/unit/vm/math_test.cpp.
// Included by *.isa.cpp files alone.
#pragma once

#include "reyes/vm/lanes.h"

namespace reyes::vm::REYES_ISA {
namespace {

constexpr float kPi = 3.14159265358979323846f, kHalfPi = 1.57079632679489661923f, kInfinity = __builtin_inff();

REYES_LANE uint32_t bitsOf(float x) { return __builtin_bit_cast(uint32_t, x); }
REYES_LANE float floatOf(uint32_t x) { return __builtin_bit_cast(float, x); }
REYES_LANE float absolute(float x) { return floatOf(bitsOf(x) & 0x7fffffffu); }
/// Magnitude of a, sign of b.
REYES_LANE float copySign(float a, float b) { return floatOf((bitsOf(a) & 0x7fffffffu) | (bitsOf(b) & 0x80000000u)); }
REYES_LANE float minimum(float a, float b) { return b < a ? b : a; }
REYES_LANE float maximum(float a, float b) { return b > a ? b : a; }
REYES_LANE float smooth(float lo, float hi, float x) {
  const float t = (x - lo) / (hi - lo);
  const float s = t * t * (3.0f - 2.0f * t);
  return x < lo ? 0.0f : x >= hi ? 1.0f : s;
}
REYES_LANE float floorOf(float x) { return __builtin_floorf(x); }

// --- sin, cos, tan
// -----------------------------------------------------------------------------------------------------
struct Reduced {
  float r;     ///< x - quadrant * pi/2, in -pi/4..pi/4
  uint32_t q;  ///< quadrant, modulo 2^32
};
REYES_LANE Reduced reduceHalfPi(float x) {
  const double kMagic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const double d = x;
  const double shifted = d * 0.63661977236758134308 + kMagic;
  const double k = shifted - kMagic;
  const double r = (d - k * 1.57079632673412561417) - k * 6.07710050650619224932e-11;
  return {static_cast<float>(r), static_cast<uint32_t>(__builtin_bit_cast(uint64_t, shifted))};
}
REYES_LANE float sinPoly(float r) {
  const float z = r * r;
  return ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
}
REYES_LANE float cosPoly(float r) {
  const float z = r * r;
  return ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
}
REYES_LANE float sine(float x) {
  const Reduced a = reduceHalfPi(x);
  const float v = (a.q & 1) != 0 ? cosPoly(a.r) : sinPoly(a.r);
  return floatOf(bitsOf(v) ^ ((a.q & 2) << 30));
}
REYES_LANE float cosine(float x) {
  const Reduced a = reduceHalfPi(x);
  const float v = (a.q & 1) != 0 ? sinPoly(a.r) : cosPoly(a.r);
  return floatOf(bitsOf(v) ^ (((a.q + 1) & 2) << 30));
}
REYES_LANE float tangent(float x) {
  const Reduced a = reduceHalfPi(x);
  const float z = a.r * a.r;
  float p = 9.38540185543e-3f * z + 3.11992232697e-3f;
  p = p * z + 2.44301354525e-2f;
  p = p * z + 5.34112807005e-2f;
  p = p * z + 1.33387994085e-1f;
  p = p * z + 3.33331568548e-1f;
  const float y = p * z * a.r + a.r;
  return (a.q & 1) != 0 ? -1.0f / y : y;
}

// --- exp, log, pow
// -----------------------------------------------------------------------------------------------------
/// y * 2^k for any k in -300..300; two steps, so that results below the normal range round once.
REYES_LANE float scaleByPower(float y, int32_t k) {
  const int32_t half = k >> 1;
  const float a = floatOf(static_cast<uint32_t>(half + 127) << 23);
  const float b = floatOf(static_cast<uint32_t>(k - half + 127) << 23);
  return y * a * b;
}
REYES_LANE float exponential(float x) {
  const float kMagic = 12582912.0f;  // 1.5 * 2^23
  float c = x > 89.0f ? 89.0f : x;
  c = c < -104.0f ? -104.0f : c;
  const float shifted = c * 1.44269504088896341f + kMagic;
  const float k = shifted - kMagic;
  const float r = (c - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.9875691500e-4f * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float y = p * (r * r) + r + 1.0f;
  return scaleByPower(y, static_cast<int32_t>(bitsOf(shifted) - 0x4b400000u));
}

struct Split {
  float m;  ///< mantissa in sqrt(1/2)..sqrt(2)
  float e;  ///< exponent
};
REYES_LANE Split splitFloat(float x) {
  const bool tiny = x < 1.17549435e-38f;
  const uint32_t b = bitsOf(tiny ? x * 8388608.0f : x);
  const uint32_t shift = b - 0x3f3504f3u;  // bits of sqrt(1/2)
  const int32_t e = static_cast<int32_t>(shift) >> 23;
  const float m = floatOf(b - (static_cast<uint32_t>(e) << 23));
  return {m, static_cast<float>(e) - (tiny ? 23.0f : 0.0f)};
}
/// Natural logarithm; minus infinity for 0 and below.
REYES_LANE float logarithm(float x) {
  const Split s = splitFloat(x);
  const float f = s.m - 1.0f, z = f * f;
  float p = 7.0376836292e-2f * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  float y = p * f * z - 2.12194440e-4f * s.e;
  y = y - 0.5f * z;
  float r = (f + y) + 0.693359375f * s.e;
  r = x == kInfinity ? x : r;
  r = x <= 0.0f ? -kInfinity : r;
  return x != x ? x : r;
}
/// log2 of x > 0 in double, relative error about 1e-12.
REYES_LANE double log2Double(float x) {
  const Split s = splitFloat(x);
  const double m = s.m;
  const double t = (m - 1.0) / (m + 1.0), z = t * t;
  double p = z * (1.0 / 15) + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  const double l = p * t * 2.88539008177792681472 + static_cast<double>(s.e);
  return x == kInfinity ? static_cast<double>(kInfinity) : l;
}
/// x^y. pow(x, 0) = 1; a negative x has a power only for whole y, else the result is 0.
REYES_LANE float power(float x, float y) {
  const double kMagic = 6755399441055744.0;
  const float a = absolute(x);
  double p = log2Double(a) * static_cast<double>(y);
  p = p > 200.0 ? 200.0 : p;
  p = p < -200.0 ? -200.0 : p;
  const double shifted = p + kMagic;
  const float f = static_cast<float>(p - (shifted - kMagic));
  const int32_t k = static_cast<int32_t>(static_cast<uint32_t>(__builtin_bit_cast(uint64_t, shifted)));
  float q = 1.535336188319500e-4f * f + 1.339887440266574e-3f;
  q = q * f + 9.618437357674640e-3f;
  q = q * f + 5.550332471162809e-2f;
  q = q * f + 2.402264791363012e-1f;
  q = q * f + 6.931472028550421e-1f;
  float r = scaleByPower(q * f + 1.0f, k);
  r = a == 0.0f ? (y > 0.0f ? 0.0f : kInfinity) : r;
  // Negative x: odd whole powers are negative, broken ones have no value.
  const float whole = floorOf(y), halfWhole = floorOf(y * 0.5f) * 2.0f;
  const float negative = whole != y ? 0.0f : halfWhole != y ? -r : r;
  r = x < 0.0f ? negative : r;
  r = x != x || y != y ? x + y : r;
  return y == 0.0f ? 1.0f : r;
}

// --- inverse trigonometric functions
// --------------------------------------------------------------------------------------
/// arctangent of num/den >= 0, both not negative; a pole gives pi/2.
REYES_LANE float arcOfRatio(float num, float den) {
  // Bring the quotient to -tan(pi/8)..tan(pi/8) with one division.
  const bool high = num > 2.41421356237f * den;
  const bool mid = num > 0.41421356237f * den;
  const float top = high ? -den : mid ? num - den : num;
  const float bottom = high ? num : mid ? num + den : den;
  const float base = high ? kHalfPi : mid ? 0.78539816339744830962f : 0.0f;
  const float low = high ? -4.37113883e-8f : mid ? -2.18556941e-8f : 0.0f;
  const float t = bottom == 0.0f ? 0.0f : top / bottom;
  const float z = t * t;
  float p = 8.05374449538e-2f * z - 1.38776856032e-1f;
  p = p * z + 1.99777106478e-1f;
  p = p * z - 3.33329491539e-1f;
  return base + (p * z * t + t + low);
}
REYES_LANE float arcTangent(float x) {
  const float a = absolute(x);
  const float r = a == kInfinity ? kHalfPi : arcOfRatio(a, 1.0f);
  return x != x ? x : copySign(r, x);
}
REYES_LANE float arcTangent2(float y, float x) {
  const float ay = absolute(y), ax = absolute(x);
  const bool swap = ay > ax;
  float num = swap ? ax : ay, den = swap ? ay : ax;
  const bool infinite = den == kInfinity;
  num = infinite ? (num == kInfinity ? 1.0f : 0.0f) : num;
  den = infinite ? 1.0f : den;
  float r = arcOfRatio(num, den);
  r = swap ? kHalfPi - r - 4.37113883e-8f : r;
  r = (bitsOf(x) >> 31) != 0 ? kPi - r - 8.74227766e-8f : r;
  r = copySign(r, y);
  return x != x || y != y ? x + y : r;
}
/// asin of 0..0.5.
REYES_LANE float arcSinePoly(float x, float z) {
  float p = 4.2163199048e-2f * z + 2.4181311049e-2f;
  p = p * z + 4.5470025998e-2f;
  p = p * z + 7.4953002686e-2f;
  p = p * z + 1.6666752422e-1f;
  return p * z * x + x;
}
/// asin; arguments beyond -1..1 count as -1 or 1.
REYES_LANE float arcSine(float x) {
  const float a = minimum(absolute(x), 1.0f);
  const bool big = a > 0.5f;
  const float z = big ? 0.5f * (1.0f - a) : a * a;
  const float s = big ? std::sqrt(z) : a;
  const float v = arcSinePoly(s, z);
  const float r = big ? kHalfPi - (v + v) - 4.37113883e-8f : v;
  return x != x ? x : copySign(r, x);
}
REYES_LANE float arcCosine(float x) {
  const float a = minimum(absolute(x), 1.0f);
  const bool big = a > 0.5f, negative = x < 0.0f;
  const float z = big ? 0.5f * (1.0f - a) : a * a;
  const float s = big ? std::sqrt(z) : a;
  const float v = arcSinePoly(s, z);
  const float twice = v + v;
  const float outer = negative ? kPi - twice - 8.74227766e-8f : twice;
  const float inner = negative ? kHalfPi + (v - 4.37113883e-8f) : kHalfPi - (v + 4.37113883e-8f);
  return x != x ? x : big ? outer : inner;
}

}  // namespace
}  // namespace reyes::vm::REYES_ISA
