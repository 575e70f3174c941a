// SPDX-License-Identifier: Apache-2.0
// What samples tell besides their filtered mean: how they vary, how far the mean may be off, and the means of two
// halves of them. For channels that ask for it (denoisers do); called by render/ beside PixelFilter, by the same
// weights.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "reyes/hider/hider.h"

namespace reyes::hider {

class SampleWeights;

/// With weights w of a pixel's samples v, W = sum w, and mean m = sum w v / W:
/// kVariance is that of the samples, sum w (v - m)^2 / W / (1 - q), q = sum w^2 / W^2; for n samples of equal weight
/// the usual sum (v - m)^2 / (n - 1). kMse is kVariance times q, over n there: the square error of the mean to be
/// expected if samples were unrelated. kEven and kOdd are the means of every other cell of the sample lattice.
enum class Statistic : uint8_t { kVariance, kMse, kEven, kOdd };

struct StatisticsJob {
  Statistic statistic = Statistic::kVariance;
  int firstChannel = 0, channels = 3;  ///< in the tile
  bool mean = false;                   ///< of the channels' mean: one value
  int width() const { return mean ? 1 : channels; }
};

/// Samples whose value is no finite number (depths where nothing is) do not count; of none it is 0. Immutable.
class StatisticsFilter {
 public:
  StatisticsFilter(const SamplingSpec& sampling, const Filter& filter, std::span<const StatisticsJob> jobs);
  bool wanted() const { return !jobs_.empty(); }
  /// As PixelFilter: out[job] holds width() floats a pixel; same bits for any tiling.
  void operator()(const PixelRect& target, const std::function<const SampleTile*(int px, int py)>& tileAt,
                  std::span<std::vector<float>> out) const;

 private:
  class Worker;  ///< known to hider/ only
  std::shared_ptr<const SampleWeights> weights_;
  std::vector<StatisticsJob> jobs_;
};

}  // namespace reyes::hider
