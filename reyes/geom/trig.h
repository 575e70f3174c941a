// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of angles in degrees, exact at multiples of 90 and periodic in 360 bit for bit, the same on every
// machine. Used by the quadrics for points and bounds.
#pragma once

#include <algorithm>
#include <cmath>

namespace reyes::geom {

struct SinCos {
  double sin = 0, cos = 1;
};

/// Of an angle in degrees; any finite size.
inline SinCos sinCosDegrees(double degrees) {
  const double turn = std::abs(degrees) < 360.0 ? degrees : std::fmod(degrees, 360.0);  // exact
  const double quarter = std::nearbyint(turn / 90.0);
  const double x = (turn - 90.0 * quarter) * 0.017453292519943295769;
  const double x2 = x * x;
  const double s =
      x *
      (1 + x2 * (-1.0 / 6 +
                 x2 * (1.0 / 120 +
                       x2 * (-1.0 / 5040 + x2 * (1.0 / 362880 + x2 * (-1.0 / 39916800 + x2 * (1.0 / 6227020800.0)))))));
  const double c =
      1 + x2 * (-1.0 / 2 +
                x2 * (1.0 / 24 + x2 * (-1.0 / 720 + x2 * (1.0 / 40320 +
                                                          x2 * (-1.0 / 3628800 + x2 * (1.0 / 479001600.0 -
                                                                                       x2 * (1.0 / 87178291200.0)))))));
  switch (static_cast<int>(quarter) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

/// Arc sine in degrees of a value clamped to [-1, 1]; exactly +-90 at +-1.
inline double asinDegrees(double value) {
  const double a = std::min(1.0, std::abs(value));
  const bool steep = a > 0.7;
  const double y = steep ? std::sqrt((1 - a) * (1 + a)) : a;
  double degrees = y * 60;
  for (int i = 0; i < 6; ++i) {
    const SinCos sc = sinCosDegrees(degrees);
    degrees += (y - sc.sin) / sc.cos * 57.295779513082320877;
  }
  if (steep) degrees = 90 - degrees;
  return value < 0 ? -degrees : degrees;
}

struct Interval {
  double lo = 0, hi = 0;
};
inline Interval interval(double a, double b) { return {std::min(a, b), std::max(a, b)}; }
inline Interval operator+(Interval a, Interval b) { return {a.lo + b.lo, a.hi + b.hi}; }
inline Interval operator-(Interval a, Interval b) { return {a.lo - b.hi, a.hi - b.lo}; }
inline Interval operator*(Interval a, Interval b) {
  const double p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  return {std::min(std::min(p[0], p[1]), std::min(p[2], p[3])), std::max(std::max(p[0], p[1]), std::max(p[2], p[3]))};
}

/// Cosine over the angles from a to b degrees.
inline Interval cosInterval(double a, double b) {
  const Interval d = interval(a, b);
  Interval r = interval(sinCosDegrees(d.lo).cos, sinCosDegrees(d.hi).cos);
  if (std::floor(d.hi / 360.0) * 360.0 >= d.lo) r.hi = 1;
  if (std::floor((d.hi - 180.0) / 360.0) * 360.0 + 180.0 >= d.lo) r.lo = -1;
  return r;
}
inline Interval sinInterval(double a, double b) { return cosInterval(a - 90.0, b - 90.0); }

}  // namespace reyes::geom
