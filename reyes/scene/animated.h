// SPDX-License-Identifier: Apache-2.0
// A transform with motion keys: one matrix a time. Between keys matrices are interpolated element by element
// (as RI's linear interpolation of points), before the first and after the last key they stand still.
#pragma once

#include <initializer_list>
#include <vector>

#include "reyes/base/matrix.h"

namespace reyes::scene {

/// One matrix, or several; one is at hand, since most things stand still and there may be millions of them.
class KeyMatrices {
 public:
  KeyMatrices(const Matrix4& m = {}) : one_(m) {}                                 // NOLINT: implicit on purpose
  KeyMatrices(std::vector<Matrix4> m) { assign(std::move(m)); }                   // NOLINT
  KeyMatrices(std::initializer_list<Matrix4> m) : KeyMatrices(std::vector(m)) {}  // NOLINT
  size_t size() const { return many_.empty() ? 1 : many_.size(); }
  Matrix4* begin() { return many_.empty() ? &one_ : many_.data(); }
  Matrix4* end() { return begin() + size(); }
  const Matrix4* begin() const { return many_.empty() ? &one_ : many_.data(); }
  const Matrix4* end() const { return begin() + size(); }
  Matrix4& operator[](size_t i) { return begin()[i]; }
  const Matrix4& operator[](size_t i) const { return begin()[i]; }
  const Matrix4& front() const { return *begin(); }
  const Matrix4& back() const { return *(end() - 1); }

 private:
  void assign(std::vector<Matrix4> m) {
    one_ = m.empty() ? Matrix4() : m.front();
    if (m.size() > 1) many_ = std::move(m);
  }

  Matrix4 one_;
  std::vector<Matrix4> many_;  ///< empty: one_
};

struct AnimatedTransform {
  std::vector<float> times;  ///< empty: still
  KeyMatrices matrices;      ///< times.size() of them, or one

  AnimatedTransform() = default;
  AnimatedTransform(const Matrix4& m) : matrices(m) {}  // NOLINT: implicit on purpose
  bool still() const { return matrices.size() == 1; }
  Matrix4 at(float time) const;
};

/// this * other at the union of both's times.
AnimatedTransform concat(const AnimatedTransform& first, const AnimatedTransform& then);
AnimatedTransform inverse(const AnimatedTransform& t);
/// Sorted union of two lists of times.
std::vector<float> mergeTimes(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace reyes::scene
