// SPDX-License-Identifier: Apache-2.0
// A transform with motion keys: one matrix a time. Between keys matrices are interpolated element by element
// (as RI's linear interpolation of points), before the first and after the last key they stand still.
#pragma once

#include <vector>

#include "reyes/base/matrix.h"

namespace reyes::scene {

struct AnimatedTransform {
  std::vector<float> times;       ///< empty: still
  std::vector<Matrix4> matrices;  ///< times.size() of them, or one

  AnimatedTransform() : matrices(1) {}
  AnimatedTransform(const Matrix4& m) : matrices{m} {}  // NOLINT: implicit on purpose
  bool still() const { return matrices.size() == 1; }
  Matrix4 at(float time) const;
};

/// this * other at the union of both's times.
AnimatedTransform concat(const AnimatedTransform& first, const AnimatedTransform& then);
AnimatedTransform inverse(const AnimatedTransform& t);
/// Sorted union of two lists of times.
std::vector<float> mergeTimes(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace reyes::scene
