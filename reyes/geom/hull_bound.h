// SPDX-License-Identifier: Apache-2.0
// Box of a piece of a surface or curve by its control points, grown by what rounding may move evaluated points. A point
// is a sum of weights times control values, so it is off by some ulps of the sum of weights times absolute values: that
// sum, not the largest coordinate of the whole face, grows the box. A control point a million units away so costs only
// the pieces that it moves. Called by bound() of patches, NURBS, subdivision patches and curves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "reyes/base/bound.h"

namespace reyes::geom {

/// From here on the sum of absolute values is worth its time.
constexpr float kFarHull = 64;

/// Largest |value / weight| of one component; `weights` null: 1. Weights are above 0.
inline float largestValue(const float* values, const float* weights, int count) {
  float most = 0;
  for (int k = 0; k < count; ++k) most = std::max(most, std::fabs(weights ? values[k] / weights[k] : values[k]));
  return most;
}

/// Box of the control points cv[component][k], `width` 3 or 4 (weight last), once `cut` has cut each component to the
/// piece. `rounding`: how far evaluation may be off, in terms of the sum above.
template <size_t kMost, class Cut>
Bound3 cutHullBound(float (&cv)[4][kMost], int width, int count, float rounding, const Cut& cut) {
  float whole[4][kMost], largest[3];
  const auto weights = [&] { return width == 4 ? cv[3] : nullptr; };
  for (int c = 0; c < 3; ++c) largest[c] = largestValue(cv[c], weights(), count);
  for (int c = 0; c < width; ++c) {
    std::copy_n(cv[c], count, whole[c]);
    cut(cv[c]);
  }
  Bound3 b;
  for (int k = 0; k < count; ++k) {
    const float w = width == 4 ? cv[3][k] : 1.0f;
    b.add(Vec3{cv[0][k] / w, cv[1][k] / w, cv[2][k] / w});
  }
  for (int c = 0; c < 3 && !b.empty(); ++c) {
    if (largest[c] > kFarHull * std::max(std::fabs(b.min[c]), std::fabs(b.max[c]))) {
      for (int k = 0; k < count; ++k) whole[c][k] = std::fabs(whole[c][k]);
      cut(whole[c]);
      largest[c] = largestValue(whole[c], weights(), count);
    }
    const float off = largest[c] * rounding * (width == 4 ? 2.0f : 1.0f);
    b.min[c] -= off, b.max[c] += off;
  }
  return b;
}

}  // namespace reyes::geom
