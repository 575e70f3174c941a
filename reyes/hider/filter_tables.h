// SPDX-License-Identifier: Apache-2.0
// Weights of a filter for the sample patterns of a frame: which samples of a pixel reach which pixels around it, and
// how much they weigh there. Made by PixelFilter once a frame and filter. Private to hider/.
#pragma once

#include <memory>
#include <vector>

#include "reyes/hider/filter_kernels.h"
#include "reyes/hider/sampling.h"

namespace reyes::hider {

struct PixelFilter::Tables {
  Tables(const SamplingSpec& spec, const Filter& filter, std::span<const FilterJob> jobs);

  std::shared_ptr<const PatternTables> patterns;
  Isa isa;
  Filter filter;
  std::vector<FilterJob> jobs;
  std::vector<int> channels;  ///< filtered tile channels, each once, rising
  int xReach = 0, yReach = 0;
  std::vector<FilterOffset> offsets;   ///< by dy, then dx
  size_t weightsOfStrip = 0;           ///< floats
  std::vector<float> weights, totals;  ///< of all strips; empty where they are too many to keep

  size_t totalsOfStrip() const { return offsets.size() * 8; }
  /// Weights of one strip of patterns, and their sums in the order of the kernels.
  void weigh(int strip, float* weightsOut, float* totalsOut) const;
};

}  // namespace reyes::hider
