// SPDX-License-Identifier: Apache-2.0
// What PixelFilter and its kernels share. Private to hider/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reyes/base/isa.h"

namespace reyes::hider {

/// A pixel offset (source - target) with any weight, and the cells of samples that have it (inclusive).
struct FilterOffset {
  int dx = 0, dy = 0;
  int firstColumn = 0, lastColumn = 0, firstRow = 0, lastRow = 0;
  size_t weights = 0;  ///< first of its weights in a strip's: [(row * columns + column) * 8 + pixel]
};

/// Channels that a kernel takes at once.
inline constexpr int kFilterGroup = 4;

/// Eight source pixels and where they are added. Offset o of source pixel l adds to sums[channel][-dy * rowStride - dx
/// + l].
struct FilterStrip {
  const FilterOffset* offsets = nullptr;
  int offsetCount = 0;
  int xs = 1;
  const float* weights = nullptr;  ///< of the strip's patterns
  const float* totals = nullptr;   ///< sums of weights: [offset * 8 + pixel]
  int dy0 = 0, dy1 = 0;            ///< offsets along y whose targets exist
  uint32_t lanes = 0xff;           ///< pixels that count
  ptrdiff_t rowStride = 0;
  int channels = 0;                        ///< at most kFilterGroup
  const float* planes[kFilterGroup] = {};  ///< [sample * 8 + pixel]
  float* sums[kFilterGroup] = {};
  int ones = 0;  ///< sums of weights alone, as if samples were 1: of the weights, and of opacity where all is opaque
  float* onesSums[kFilterGroup] = {};
};

/// A row of sums to be divided by their weights, which are not 0 but where they are marked.
struct FilterRow {
  const float* weights = nullptr;
  int count = 0;
  int channels = 0;                      ///< at most kFilterGroup
  const float* sums[kFilterGroup] = {};  ///< readable, as weights are, to seven beyond the row
  float* out = nullptr;                  ///< `stride` floats a pixel
  int stride = 0;
};

struct FilterKernels {
  void (*add)(const FilterStrip&);
  bool (*divide)(const FilterRow&);  ///< false where a weight is 0: then that pixel's values are none
};
const FilterKernels& filterKernels(Isa isa);

}  // namespace reyes::hider
