// SPDX-License-Identifier: Apache-2.0
// What filterPixels and its kernel share. Private to hider/.
#pragma once

#include <cstdint>

#include "reyes/base/isa.h"

namespace reyes::hider {

/// The samples of one source pixel and what they weigh in the pixels around it.
struct FilterSource {
  int xs = 1, ys = 1;
  int xReach = 0, yReach = 0;
  int lanes = 8;                  ///< floats a sample in `values`, a multiple of 8; the last used one holds 1
  const float* values = nullptr;  ///< [sample * lanes]
  const uint16_t *unitX = nullptr, *unitY = nullptr;
  const float *tableX = nullptr, *tableY = nullptr;  ///< separable: [(offset + reach) * 512 + unit]
  const float* weights =
      nullptr;  ///< not separable: [((dy + yReach) * (2 xReach + 1) + dx + xReach) * samples + sample]
  // Columns and rows of samples with any weight at an offset (inclusive; first > last: none).
  const int *firstColumn = nullptr, *lastColumn = nullptr, *firstRow = nullptr, *lastRow = nullptr;
  float* columnWeights = nullptr;  ///< scratch: (2 xReach + 1) * samples
  float* weighted = nullptr;       ///< scratch: samples * lanes
  // Targets: source offset (dx, dy) belongs to the target at sums + (-dy * rowStride - dx) * lanes.
  float* sums = nullptr;
  int rowStride = 0;
  int dx0 = 0, dx1 = 0, dy0 = 0, dy1 = 0;  ///< offsets whose targets exist
};

using FilterKernel = void (*)(const FilterSource&);
FilterKernel filterKernel(Isa isa);

}  // namespace reyes::hider
