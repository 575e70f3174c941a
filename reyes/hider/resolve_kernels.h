// SPDX-License-Identifier: Apache-2.0
// What resolve and its kernels share: batches of samples that see the same grid. Private to hider/.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reyes/base/isa.h"

namespace reyes::hider {

/// Samples of one grid, at most kBatch, arrays readable to a multiple of 8.
inline constexpr int kBatch = 256;
struct ResolveBatch {
  // The grid.
  const float *x = nullptr, *y = nullptr;
  int nu = 1;
  uint32_t points = 0, idBase = 0;
  bool smooth = true, matte = false, repair = false;
  const float *ci = nullptr, *oi = nullptr, *aov = nullptr;  ///< null: zero, opaque, zero
  int aovFloats = 0;
  // Moving or defocused grids: keys of positions, and the lens as SamplingSpec gives it, in units.
  const float *depth = nullptr, *times = nullptr;
  int keys = 1;
  bool lens = false, perspective = true;
  float lensX = 0, lensY = 0, focalDistance = 0;
  int originX = 0, originY = 0;
  // The samples.
  int count = 0;
  const int32_t *sampleX = nullptr, *sampleY = nullptr;  ///< units from the bucket's corner
  const uint32_t* id = nullptr;
  const float* z = nullptr;
  const float *time = nullptr, *pointX = nullptr, *pointY = nullptr;  ///< moving or defocused: when, where in the lens
  int32_t* corner = nullptr;                                          ///< vertex a of the micropolygon, found
  float *s = nullptr, *t = nullptr;                                   ///< bilinear weights, found
  // Where to.
  const uint32_t* target = nullptr;  ///< index of the sample in the tile
  float* out = nullptr;
  int channels = 7;
  float zThreshold = 0;
};

struct ResolveKernels {
  void (*locate)(const ResolveBatch&);        ///< still grids: corner, s, t from id and sample
  void (*locateMoving)(const ResolveBatch&);  ///< the same of moving or defocused grids
  void (*values)(const ResolveBatch&);        ///< writes colour, opacity, depth and output variables of opaque samples
};
const ResolveKernels& resolveKernels(Isa isa);

/// Bilinear weights in triangle (a, b, c) [second: (a, c, d)], from corner a, in units. The kernels do the same
/// operations in the same order.
[[gnu::always_inline]] inline void triangleWeights(bool second, float bx, float by, float cx, float cy, float px,
                                                   float py, float& s, float& t) {
  const float area = bx * cy - by * cx;
  const float r = area == 0 ? 0.0f : 1.0f / area;
  const float wb = std::min(std::max((px * cy - py * cx) * r, 0.0f), 1.0f);
  const float wc = std::min(std::max((bx * py - by * px) * r, 0.0f), 1.0f);
  const float both = std::min(wb + wc, 1.0f);
  s = second ? wb : both;
  t = second ? both : wc;
}

[[gnu::always_inline]] inline float repaired(float v) {
  return std::fabs(v) <= std::numeric_limits<float>::max() ? v : 0.0f;
}

}  // namespace reyes::hider
