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
};

struct FilterKernels {
  void (*add)(const FilterStrip&);        ///< weighted samples
  void (*addTotals)(const FilterStrip&);  ///< the weights alone: samples of 1
};
const FilterKernels& filterKernels(Isa isa);

}  // namespace reyes::hider
