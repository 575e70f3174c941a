// SPDX-License-Identifier: Apache-2.0
#include "reyes/scene/animated.h"

#include <algorithm>

namespace reyes::scene {

Matrix4 AnimatedTransform::at(float time) const {
  if (still() || time <= times.front()) return matrices.front();
  if (time >= times.back()) return matrices.back();
  const size_t hi = static_cast<size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  const size_t lo = hi - 1;
  if (time == times[lo]) return matrices[lo];
  const float f = (time - times[lo]) / (times[hi] - times[lo]);
  Matrix4 r;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) r.m[i][j] = lerp(matrices[lo].m[i][j], matrices[hi].m[i][j], f);
  return r;
}

std::vector<float> mergeTimes(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> r(a);
  r.insert(r.end(), b.begin(), b.end());
  std::sort(r.begin(), r.end());
  r.erase(std::unique(r.begin(), r.end()), r.end());
  return r;
}

AnimatedTransform concat(const AnimatedTransform& first, const AnimatedTransform& then) {
  if (first.still() && then.still()) return first.matrices[0] * then.matrices[0];
  AnimatedTransform r;
  r.times = mergeTimes(first.times, then.times);
  std::vector<Matrix4> all;
  for (const float t : r.times) all.push_back(first.at(t) * then.at(t));
  r.matrices = std::move(all);
  return r;
}

AnimatedTransform inverse(const AnimatedTransform& t) {
  AnimatedTransform r;
  r.times = t.times;
  std::vector<Matrix4> all;
  for (const Matrix4& m : t.matrices) all.push_back(reyes::inverse(m));
  r.matrices = std::move(all);
  return r;
}

}  // namespace reyes::scene
