// SPDX-License-Identifier: Apache-2.0
// Small pieces of cubic Bezier arithmetic: weights at one parameter, tables for grids, parts of a patch.
#pragma once

#include <algorithm>
#include <span>

#include "reyes/base/arena.h"
#include "reyes/geom/patch_kernels.h"

namespace reyes::geom {

/// Bernstein weights of columns or rows in the arena; derivatives times `scale`.
inline BernsteinTable makeTable(std::span<const float> t, float scale, Arena& arena) {
  BernsteinTable table;
  table.count = static_cast<int>(t.size());
  float *b[4], *d[3];
  for (int k = 0; k < 4; ++k) table.b[k] = b[k] = arena.make<float>(t.size()).data();
  for (int k = 0; k < 3; ++k) table.d[k] = d[k] = arena.make<float>(t.size()).data();
  patchKernels().bernstein(t.data(), table.count, scale, b, d);
  return table;
}

/// The same weights at one parameter, by the same operations.
struct CubicWeights {
  float b[4], d[3];
  explicit CubicWeights(float u, float scale = 1) {
    float *pb[4], *pd[3];
    for (int k = 0; k < 4; ++k) pb[k] = &b[k];
    for (int k = 0; k < 3; ++k) pd[k] = &d[k];
    patchKernels().bernstein(&u, 1, scale, pb, pd);
  }
  /// As a table of one column; valid as long as this.
  BernsteinTable table() const { return {1, {&b[0], &b[1], &b[2], &b[3]}, {&d[0], &d[1], &d[2]}}; }
};

inline float cubic(const float w[4], float a, float b, float c, float d) {
  return a * w[0] + b * w[1] + c * w[2] + d * w[3];
}

/// Replaces the control values cv[row * 4 + column] of a patch by those of its part u0..u1 x v0..v1.
void cutPatch(float u0, float u1, float v0, float v1, float cv[16]);

}  // namespace reyes::geom
