// SPDX-License-Identifier: Apache-2.0
#include "reyes/hider/lens_shape.h"

#include <algorithm>
#include <cmath>

namespace reyes::hider {
namespace {

constexpr int kSteps = 256;

/// Cosine and sine of so many turns, by series of their own, so that no library changes a bit.
void unitAt(double turn, double& c, double& s) {
  const double quarter = std::nearbyint(4 * turn);
  const double a = (4 * turn - quarter) * 1.5707963267948966, q = a * a;
  double cosine = 0, sine = 0;
  for (int n = 9; n >= 1; --n) {
    cosine = (1 + cosine) * -q / ((2 * n - 1) * (2 * n));
    sine = (1 + sine) * -q / ((2 * n) * (2 * n + 1));
  }
  cosine = 1 + cosine, sine = a * (1 + sine);
  switch (static_cast<int64_t>(quarter) & 3) {
    case 0:
      return void((c = cosine, s = sine));
    case 1:
      return void((c = -sine, s = cosine));
    case 2:
      return void((c = -cosine, s = -sine));
    default:
      return void((c = sine, s = -cosine));
  }
}

}  // namespace

LensWarp::LensWarp(const LensShape& shape)
    : sides_(shape.sides < 3 || shape.roundness >= 1 ? 0 : std::min(shape.sides, 1000)),
      roundness_(std::clamp(static_cast<double>(shape.roundness), -1.0, 1.0)),
      density_(std::clamp(static_cast<double>(shape.density), -1.0, 1.0)),
      start_(static_cast<double>(shape.angle) / 360) {
  plain_ = sides_ == 0 && density_ == 0;
  if (sides_ == 0 || roundness_ == 0) return;
  // Twice the areas of triangles between the middle and steps of the rim.
  swept_.push_back(0);
  double x0, y0, x1, y1;
  rim(0, x0, y0);
  for (int i = 1; i <= kSteps; ++i, x0 = x1, y0 = y1) {
    rim(static_cast<double>(i) / kSteps, x1, y1);
    swept_.push_back(swept_.back() + x0 * y1 - y0 * x1);
  }
  for (double& a : swept_) a /= swept_.back();
}

/// The rim's first side, from the corner at +x: between its chord and its arc, or drawn in where roundness is negative.
void LensWarp::rim(double s, double& x, double& y) const {
  double cx, cy, ax, ay;
  unitAt(1.0 / sides_, cx, cy);
  const double chordX = 1 + s * (cx - 1), chordY = s * cy;
  unitAt(s / sides_, ax, ay);
  if (roundness_ >= 0) {
    x = chordX + roundness_ * (ax - chordX), y = chordY + roundness_ * (ay - chordY);
  } else {
    const double drawn = 1 + 2 * roundness_ * s * (1 - s);
    x = chordX * drawn, y = chordY * drawn;
  }
}

/// Where between middle (0) and rim (1): light grows from 1 - density to 1 + density.
double LensWarp::alongRadius(double radius) const {
  if (density_ == 0) return radius;
  const double wanted = radius * radius * (1 + density_ / 3);
  double lo = 0, hi = 1;
  for (int i = 0; i < 40; ++i) {
    const double r = (lo + hi) / 2;
    (r * r * (1 - density_ + density_ * r * (4.0 / 3)) < wanted ? lo : hi) = r;
  }
  return (lo + hi) / 2;
}

void LensWarp::map(double radius, double turn, float& x, float& y) const {
  const double r = alongRadius(radius);
  double px, py;
  if (sides_ == 0) {
    unitAt(turn, px, py);
  } else {
    // 1. The side, and how far along it.
    const double along = (turn - std::floor(turn)) * sides_;
    const double side = std::floor(along);
    double s = along - side;
    if (!swept_.empty()) {
      const size_t after = static_cast<size_t>(
          std::clamp<ptrdiff_t>(std::upper_bound(swept_.begin(), swept_.end(), s) - swept_.begin(), 1, kSteps));
      const double from = swept_[after - 1], to = swept_[after];
      s = (static_cast<double>(after - 1) + (to > from ? (s - from) / (to - from) : 0)) / kSteps;
    }
    rim(s, px, py);
    // 2. Turned to its place; counter-clockwise is against y.
    double c, n;
    unitAt(side / sides_ + start_, c, n);
    const double turned = px * c - py * n;
    py = -(px * n + py * c), px = turned;
  }
  x = static_cast<float>(r * px), y = static_cast<float>(r * py);
}

}  // namespace reyes::hider
