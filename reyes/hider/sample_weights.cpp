// SPDX-License-Identifier: Apache-2.0
#include "reyes/hider/sample_weights.h"

namespace reyes::hider {
namespace {

float offsetOf(int d, int unit) { return static_cast<float>(d) + static_cast<float>(unit) / kUnits - 0.5f; }

}  // namespace

SampleWeights::SampleWeights(const SamplingSpec& sampling, const Filter& f)
    : patterns(patternsOf(sampling)),
      xReach(f.xReach()),
      yReach(f.yReach()),
      n(static_cast<size_t>(patterns->n)),
      filter_(f),
      width_(2 * xReach + 1) {
  constexpr size_t kMost = size_t{1} << 22;
  const size_t count = static_cast<size_t>(patterns->patterns()) * offsets();
  if (count * n > kMost) return;
  kept_.resize(count * n), totals_.resize(count);
  size_t at = 0;
  for (size_t pattern = 0; pattern < static_cast<size_t>(patterns->patterns()); ++pattern)
    for (int dy = -yReach; dy <= yReach; ++dy)
      for (int dx = -xReach; dx <= xReach; ++dx, ++at) totals_[at] = weigh(pattern, dx, dy, &kept_[at * n]);
}

double SampleWeights::weigh(size_t pattern, int dx, int dy, float* to) const {
  const float* along = filter_.table(true).data() + (dx + xReach) * kUnits;
  const float* across = filter_.table(false).data() + (dy + yReach) * kUnits;
  const bool separable = filter_.separable();
  double total = 0;
  for (size_t i = 0; i < n; ++i) {
    const int ux = patterns->unitX[pattern * n + i], uy = patterns->unitY[pattern * n + i];
    to[i] = separable ? along[ux] * across[uy] : filter_(offsetOf(dx, ux), offsetOf(dy, uy));
    total += static_cast<double>(to[i]);
  }
  return total;
}

const float* SampleWeights::at(int px, int py, int dx, int dy, float* scratch, double& total) const {
  const auto pattern = static_cast<size_t>(patterns->patternAt(px, py));
  if (kept_.empty()) {
    total = weigh(pattern, dx, dy, scratch);
    return scratch;
  }
  const size_t place = pattern * offsets() + static_cast<size_t>((dy + yReach) * width_ + dx + xReach);
  total = totals_[place];
  return &kept_[place * n];
}

}  // namespace reyes::hider
