// SPDX-License-Identifier: Apache-2.0
// Gathers the events of all samples that a pixel's filter reaches and puts them in order. Called by render/ when the
// tiles around are resolved; the bits do not depend on how the frame is cut into tiles.
#include <algorithm>
#include <bit>
#include <cmath>

#include "reyes/hider/deep_merge.h"
#include "reyes/hider/sample_weights.h"

namespace reyes::hider {
/// What one pixel gathers. Reused from pixel to pixel.
class DeepFilter::Gatherer {
 public:
  using TileAt = std::function<const DeepTile*(int, int)>;
  Gatherer(const SampleWeights& weights, const DeepSpec& spec, const TileAt& tileAt)
      : w_(weights), tileAt_(tileAt), merger_(spec), scratch_(weights.n) {}

  void pixel(int x, int y, DeepPixels& out);

 private:
  /// Weights of a source pixel's samples at a target (dx, dy) away; null where all are zero.
  const float* weigh(int px, int py, int dx, int dy);
  void take(const DeepTile& tile, int px, int py, const float* weights);

  const SampleWeights& w_;
  const TileAt& tileAt_;
  DeepMerger merger_;
  std::vector<float> scratch_;
  struct Event {
    const float* values;
    float weight;
  };
  std::vector<Event> events_;
  std::vector<uint64_t> order_;  ///< bits of the depth, then the number of the event
  double total_ = 0;
};

const float* DeepFilter::Gatherer::weigh(int px, int py, int dx, int dy) {
  double total = 0;
  const float* weights = w_.at(px, py, dx, dy, scratch_.data(), total);
  total_ += total;
  return total > 0 ? weights : nullptr;
}

void DeepFilter::Gatherer::take(const DeepTile& tile, int px, int py, const float* weights) {
  const DeepTile::Row& row = tile.row(py);
  const size_t x = static_cast<size_t>(px - tile.rect.x0), floats = tile.eventFloats();
  for (uint32_t e = row.starts[x]; e < row.starts[x + 1]; ++e) {
    const float w = weights[row.samples[e]];
    if (w == 0) continue;
    const float* values = row.values.data() + e * floats;
    order_.push_back(static_cast<uint64_t>(std::bit_cast<uint32_t>(std::max(values[DeepTile::kZ], 0.0f))) << 32 |
                     events_.size());
    events_.push_back({values, w});
  }
}

void DeepFilter::Gatherer::pixel(int x, int y, DeepPixels& out) {
  events_.clear(), order_.clear(), merger_.clear(), total_ = 0;
  for (int py = y - w_.yReach; py <= y + w_.yReach; ++py)
    for (int px = x - w_.xReach; px <= x + w_.xReach; ++px) {
      const DeepTile* tile = tileAt_(px, py);
      if (!tile || !tile->rect.contains(px, py)) continue;
      if (const float* weights = weigh(px, py, px - x, py - y)) take(*tile, px, py, weights);
    }
  if (total_ == 0) {
    // Narrower than the samples' spacing: the pixel's own mean.
    std::fill(scratch_.begin(), scratch_.end(), 1.0f);
    total_ = static_cast<double>(scratch_.size());
    if (const DeepTile* tile = tileAt_(x, y); tile && tile->rect.contains(x, y)) take(*tile, x, y, scratch_.data());
  }
  std::sort(order_.begin(), order_.end());
  for (const uint64_t o : order_) {
    const Event& e = events_[static_cast<uint32_t>(o)];
    merger_.add(e.values, static_cast<double>(e.weight));
  }
  merger_.write(total_, out);
}

bool hasNegativeLobes(const Filter& filter) {
  constexpr int kSteps = 128;
  for (int j = 0; j <= kSteps; ++j)
    for (int i = 0; i <= kSteps; ++i) {
      const float w =
          filter(static_cast<float>(i) / kSteps * filter.xRadius(), static_cast<float>(j) / kSteps * filter.yRadius());
      if (w < -1e-6f) return true;
    }
  return false;
}

DeepFilter::DeepFilter(const SamplingSpec& sampling, const Filter& filter, const DeepSpec& spec)
    : filter_(hasNegativeLobes(filter) ? Filter("box", 1, 1) : filter), spec_(spec) {
  weights_ = std::make_shared<const SampleWeights>(sampling, filter_);
}

DeepPixels DeepFilter::operator()(const PixelRect& target,
                                  const std::function<const DeepTile*(int px, int py)>& tileAt) const {
  DeepPixels out;
  out.rect = target;
  Gatherer gatherer(*weights_, spec_, tileAt);
  for (int y = target.y0; y < target.y1; ++y)
    for (int x = target.x0; x < target.x1; ++x) gatherer.pixel(x, y, out);
  return out;
}

}  // namespace reyes::hider
