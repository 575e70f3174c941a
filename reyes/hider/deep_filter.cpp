// SPDX-License-Identifier: Apache-2.0
// Gathers the events of all samples that a pixel's filter reaches and puts them in order. Called by render/ when the
// tiles around are resolved; the bits do not depend on how the frame is cut into tiles.
#include <algorithm>
#include <bit>
#include <cmath>

#include "reyes/hider/deep_merge.h"
#include "reyes/hider/sampling.h"

namespace reyes::hider {
namespace {

float offsetOf(int d, int unit) { return static_cast<float>(d) + static_cast<float>(unit) / kUnits - 0.5f; }

/// What one pixel gathers. Reused from pixel to pixel.
class Gatherer {
 public:
  using TileAt = std::function<const DeepTile*(int, int)>;
  Gatherer(const PatternTables& patterns, const Filter& filter, const DeepSpec& spec, const TileAt& tileAt)
      : patterns_(patterns),
        filter_(filter),
        tileAt_(tileAt),
        merger_(spec),
        weights_(static_cast<size_t>(patterns.n)) {}

  void pixel(int x, int y, DeepPixels& out);

 private:
  /// Weights of a source pixel's samples at a target (dx, dy) away; false where all are zero.
  bool weigh(int px, int py, int dx, int dy);
  void take(const DeepTile& tile, int px, int py);

  const PatternTables& patterns_;
  const Filter& filter_;
  const TileAt& tileAt_;
  DeepMerger merger_;
  std::vector<float> weights_;
  struct Event {
    const float* values;
    float weight;
  };
  std::vector<Event> events_;
  std::vector<uint64_t> order_;  ///< bits of the depth, then the number of the event
  double total_ = 0;
};

bool Gatherer::weigh(int px, int py, int dx, int dy) {
  const size_t first = static_cast<size_t>(patterns_.patternAt(px, py)) * static_cast<size_t>(patterns_.n);
  const float* along = filter_.table(true).data() + (dx + filter_.xReach()) * kUnits;
  const float* across = filter_.table(false).data() + (dy + filter_.yReach()) * kUnits;
  const bool separable = filter_.separable();
  bool any = false;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const int ux = patterns_.unitX[first + i], uy = patterns_.unitY[first + i];
    weights_[i] = separable ? along[ux] * across[uy] : filter_(offsetOf(dx, ux), offsetOf(dy, uy));
    total_ += static_cast<double>(weights_[i]);
    any |= weights_[i] != 0;
  }
  return any;
}

void Gatherer::take(const DeepTile& tile, int px, int py) {
  const DeepTile::Row& row = tile.row(py);
  const size_t x = static_cast<size_t>(px - tile.rect.x0), floats = tile.eventFloats();
  for (uint32_t e = row.starts[x]; e < row.starts[x + 1]; ++e) {
    const float w = weights_[row.samples[e]];
    if (w == 0) continue;
    const float* values = row.values.data() + e * floats;
    order_.push_back(static_cast<uint64_t>(std::bit_cast<uint32_t>(std::max(values[DeepTile::kZ], 0.0f))) << 32 |
                     events_.size());
    events_.push_back({values, w});
  }
}

void Gatherer::pixel(int x, int y, DeepPixels& out) {
  events_.clear(), order_.clear(), merger_.clear(), total_ = 0;
  for (int py = y - filter_.yReach(); py <= y + filter_.yReach(); ++py)
    for (int px = x - filter_.xReach(); px <= x + filter_.xReach(); ++px)
      if (const DeepTile* tile = tileAt_(px, py); tile && tile->rect.contains(px, py) && weigh(px, py, px - x, py - y))
        take(*tile, px, py);
  if (total_ == 0) {
    // Narrower than the samples' spacing: the pixel's own mean.
    std::fill(weights_.begin(), weights_.end(), 1.0f);
    total_ = static_cast<double>(weights_.size());
    if (const DeepTile* tile = tileAt_(x, y); tile && tile->rect.contains(x, y)) take(*tile, x, y);
  }
  std::sort(order_.begin(), order_.end());
  for (const uint64_t o : order_) {
    const Event& e = events_[static_cast<uint32_t>(o)];
    merger_.add(e.values, static_cast<double>(e.weight));
  }
  merger_.write(total_, out);
}

}  // namespace

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
    : patterns_(patternsOf(sampling)), filter_(hasNegativeLobes(filter) ? Filter("box", 1, 1) : filter), spec_(spec) {}

DeepPixels DeepFilter::operator()(const PixelRect& target,
                                  const std::function<const DeepTile*(int px, int py)>& tileAt) const {
  DeepPixels out;
  out.rect = target;
  Gatherer gatherer(*patterns_, filter_, spec_, tileAt);
  for (int y = target.y0; y < target.y1; ++y)
    for (int x = target.x0; x < target.x1; ++x) gatherer.pixel(x, y, out);
  return out;
}

}  // namespace reyes::hider
