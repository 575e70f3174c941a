// SPDX-License-Identifier: Apache-2.0
// Weights of a filter for single samples: of every pattern at every offset from a source pixel to its target, kept
// where they are few enough. For filters that ask more of samples than their weighted mean (deep pixels, statistics).
#pragma once

#include <memory>
#include <vector>

#include "reyes/hider/sampling.h"

namespace reyes::hider {

/// Immutable, shared by all threads.
class SampleWeights {
 public:
  SampleWeights(const SamplingSpec& sampling, const Filter& filter);

  std::shared_ptr<const PatternTables> patterns;
  int xReach, yReach;
  size_t n;  ///< samples of a pixel

  /// Of the samples of source pixel (px, py) at the target that is (-dx, -dy) away; `total` is their sum. `scratch` is
  /// n floats for where they are not kept.
  const float* at(int px, int py, int dx, int dy, float* scratch, double& total) const;

 private:
  size_t offsets() const { return static_cast<size_t>(width_ * (2 * yReach + 1)); }
  double weigh(size_t pattern, int dx, int dy, float* to) const;

  Filter filter_;
  int width_;                   ///< of a row of offsets
  std::vector<float> kept_;     ///< [(pattern * offsets + offset) * n + sample]; empty where they are too many
  std::vector<double> totals_;  ///< [pattern * offsets + offset]
};

}  // namespace reyes::hider
