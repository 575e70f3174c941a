// SPDX-License-Identifier: Apache-2.0
// What resolve and its kernels share: rows of the lattice, and batches of samples that see the same grid. Private to
// hider/.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reyes/base/isa.h"

namespace reyes::hider {

/// No list, or the end of one.
inline constexpr uint32_t kNoEntry = 0xffffffffu;

/// A grid as the kernels read it.
struct ResolveGrid {
  const float *x = nullptr, *y = nullptr;
  int nu = 1, stepU = 1, stepV = 0;          ///< as MicroGrid has them
  uint32_t points = 0, idBase = 0, ids = 0;  ///< triangles idBase .. idBase + ids - 1
  bool smooth = true, matte = false, repair = false, moving = false;
  const float *ci = nullptr, *oi = nullptr, *aov = nullptr;  ///< null: zero, opaque, zero
  /// Where a smooth grid has colours that are numbers, and sits near the bucket if it rests: a vertex's red, green,
  /// blue and, in the bits of a float, its place in 16-bit units from the bucket's centre; x in the lower half.
  const float* packed = nullptr;
  /// Of moving or defocused packed grids, key by key: a vertex's x and y in absolute units, circle of confusion, 0.
  const float* path = nullptr;
  // Moving or defocused grids: keys of positions.
  const float *depth = nullptr, *times = nullptr;
  int keys = 1;
};

/// What all grids share. The lens as SamplingSpec gives it, in units.
struct ResolveFrame {
  bool lens = false, perspective = true;
  float lensX = 0, lensY = 0, focalDistance = 0;
  int originX = 0, originY = 0;
  int centreX = 0, centreY = 0;  ///< units from the bucket's corner, for packed places
  int aovFloats = 0;
  const uint8_t* aovThrough = nullptr;  ///< of each of them; null: all 0
  float zThreshold = 0;
  bool grey = false, depth = true;  ///< planes, as SampleTile has them
  bool matteOpacity = false;        ///< matte grids give their opacity, which else is 0
};

/// A row of the lattice. Arrays are readable to eight beyond the row.
struct ResolveRow {
  ResolveFrame frame;
  ResolveGrid grid;                                        ///< the one of the last sample
  void (*find)(ResolveRow&, uint32_t triangle) = nullptr;  ///< sets `grid`
  void* owner = nullptr;
  int columns = 0;
  const float *x = nullptr, *y = nullptr, *z = nullptr;  ///< units from the bucket's corner
  const uint32_t* id = nullptr;
  const uint32_t* heads = nullptr;                                    ///< lists, or null
  bool compositeAll = false;                                          ///< whatever is seen goes to `listed`
  const float *time = nullptr, *pointX = nullptr, *pointY = nullptr;  ///< for moving or defocused grids
  // Results: planes `stride` apart, and a bit a column, a byte eight, for what is there, and opaque.
  float* out = nullptr;
  size_t stride = 0;
  uint8_t *any = nullptr, *opaque = nullptr;
  // Columns that the kernel leaves: with lists; of more grids than it is worth to look up eight at a time for.
  uint32_t *listed = nullptr, *rest = nullptr;
  int listedCount = 0, restCount = 0;
};

/// Samples of one grid, at most kBatch, arrays readable to a multiple of 8.
inline constexpr int kBatch = 256;
struct ResolveBatch {
  ResolveFrame frame;
  ResolveGrid grid;
  int count = 0;
  const int32_t *sampleX = nullptr, *sampleY = nullptr;  ///< units from the bucket's corner
  const uint32_t* id = nullptr;
  const float* z = nullptr;
  const float *time = nullptr, *pointX = nullptr, *pointY = nullptr;  ///< moving or defocused: when, where in the lens
  float* const* target = nullptr;                                     ///< of each sample, planes `stride` apart
  size_t stride = 0;
};

struct ResolveKernels {
  /// Fills 4 * points floats, and 4 * points * keys more for moving grids; false where a place of a still grid is too
  /// far off.
  bool (*pack)(const ResolveFrame&, const ResolveGrid&, float* out);
  void (*row)(ResolveRow&);
  void (*batch)(const ResolveBatch&);
  /// A plane of a row, sample columns beside each other, into strips: out[strip * stripStride + column of pixel * 8 +
  /// pixel]. `in` starts at the first strip's first pixel.
  void (*spread)(const float* in, int xs, int strips, float* out, size_t stripStride);
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
