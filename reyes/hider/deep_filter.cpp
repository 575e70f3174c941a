// SPDX-License-Identifier: Apache-2.0
// Gathers the events of all samples that a pixel's filter reaches and puts them in order. Called by render/ when the
// tiles around are resolved; the bits do not depend on how the frame is cut into tiles.
#include <algorithm>
#include <bit>
#include <cmath>

#include "reyes/hider/deep_merge.h"
#include "reyes/hider/deep_order.h"
#include "reyes/hider/sample_weights.h"
#include "reyes/hider/whole_number.h"

namespace reyes::hider {
/// What one pixel gathers. Reused from pixel to pixel.
class DeepFilter::Gatherer {
 public:
  using TileAt = std::function<const DeepTile*(int, int)>;
  Gatherer(const SampleWeights& weights, const DeepSpec& spec, const TileAt& tileAt)
      : w_(weights), spec_(spec), tileAt_(tileAt), merger_(spec), scratch_(weights.n) {}

  void pixel(int x, int y, DeepPixels& out);

 private:
  struct Event {
    const float* values;
    float weight;
    uint64_t key;
  };
  /// The tile of a pixel; most often that of the pixel before.
  const DeepTile* tileOf(int px, int py);
  void gather(int x, int y);
  void take(const DeepTile& tile, int px, int py, const float* weights);
  bool counts(const float* values) const;
  /// Of an event, where it is asked for.
  uint64_t wholeOf(const float* values) const {
    if (spec_.wholePlane < 0) return 0;
    const float* const number = values + DeepTile::kAov + spec_.wholePlane;
    return joinWhole(number[0], number[1]);
  }

  const SampleWeights& w_;
  const DeepSpec& spec_;
  const TileAt& tileAt_;
  DeepMerger merger_;
  std::vector<float> scratch_;
  const DeepTile* tile_ = nullptr;
  std::vector<Event> events_;             ///< the first count_
  std::vector<uint64_t> order_, merged_;  ///< depthKey() of the event
  std::vector<uint32_t> runs_;            ///< first events of source pixels
  size_t count_ = 0;
  uint32_t nearest_ = 0, furthest_ = 0;  ///< bits of depths
  bool oneKey_ = true;
  double total_ = 0;
};

const DeepTile* DeepFilter::Gatherer::tileOf(int px, int py) {
  if (tile_ && tile_->rect.contains(px, py)) return tile_;
  tile_ = tileAt_(px, py);
  if (tile_ && !tile_->rect.contains(px, py)) tile_ = nullptr;
  return tile_;
}

/// True where an event without opacity adds anything that is asked for.
bool DeepFilter::Gatherer::counts(const float* v) const {
  const auto some = [&](int first, int n) {
    return std::any_of(v + first, v + first + n, [](float f) { return f != 0; });
  };
  if (v[DeepTile::kOpacity] < 0 && spec_.matteHides) return true;
  if (spec_.colour && some(DeepTile::kCi, 3)) return true;
  return std::any_of(spec_.variables.begin(), spec_.variables.end(),
                     [&](const DeepVariable& d) { return d.composited && some(DeepTile::kAov + d.plane, d.width); });
}

void DeepFilter::Gatherer::take(const DeepTile& tile, int px, int py, const float* weights) {
  const DeepTile::Row& row = tile.row(py);
  const size_t x = static_cast<size_t>(px - tile.rect.x0), floats = tile.eventFloats();
  const uint32_t first = row.starts[x], last = row.starts[x + 1];
  if (first == last) return;
  if (events_.size() < count_ + (last - first)) {
    events_.resize(2 * (count_ + (last - first)));
    order_.resize(events_.size()), merged_.resize(events_.size());
  }
  // Locals: nothing that is written could be one of them.
  Event* const events = events_.data();
  uint64_t* const order = order_.data();
  const uint32_t* const tags = spec_.tags ? row.tags.data() : nullptr;
  const uint16_t* const samples = row.samples.data();
  size_t count = count_;
  const float* values = row.values.data() + first * floats;
  for (uint32_t e = first; e < last; ++e, values += floats) {
    const float w = weights[samples[e]];
    if (!(values[DeepTile::kOpacity] > 0) && !counts(values)) continue;
    // Without a branch: which samples the filter reaches follows no order.
    events[count] = {values, w, (tags ? tags[e] : 0) | wholeOf(values) << 32};
    order[count] = depthKey(values[DeepTile::kZ], count);
    count += w != 0;
  }
  if (count == count_) return;
  const bool keys = tags || spec_.wholePlane >= 0;
  for (size_t n = std::max<size_t>(count_, 1); keys && n < count; ++n)
    oneKey_ = oneKey_ && events[n].key == events[0].key;
  // They come by depth.
  const auto nearest = static_cast<uint32_t>(order[count_] >> 32),
             furthest = static_cast<uint32_t>(order[count - 1] >> 32);
  nearest_ = std::min(nearest_, nearest), furthest_ = std::max(furthest_, furthest);
  runs_.push_back(static_cast<uint32_t>(count_));
  count_ = count;
}

void DeepFilter::Gatherer::gather(int x, int y) {
  count_ = 0, total_ = 0, oneKey_ = true;
  nearest_ = UINT32_MAX, furthest_ = 0;
  runs_.clear();
  for (int py = y - w_.yReach; py <= y + w_.yReach; ++py)
    for (int px = x - w_.xReach; px <= x + w_.xReach; ++px) {
      const DeepTile* tile = tileOf(px, py);
      if (!tile) continue;
      double total = 0;
      const float* weights = w_.at(px, py, px - x, py - y, scratch_.data(), total);
      total_ += total;
      if (total > 0) take(*tile, px, py, weights);
    }
  if (total_ > 0) return;
  // Narrower than the samples' spacing: the pixel's own mean.
  std::fill(scratch_.begin(), scratch_.end(), 1.0f);
  total_ = static_cast<double>(scratch_.size());
  if (const DeepTile* tile = tileOf(x, y)) take(*tile, x, y, scratch_.data());
}

void DeepFilter::Gatherer::pixel(int x, int y, DeepPixels& out) {
  gather(x, y);
  merger_.clear();
  const auto add = [&](const Event& e) { merger_.add(e.values, static_cast<double>(e.weight)); };
  const float nearest = std::bit_cast<float>(nearest_), furthest = std::bit_cast<float>(furthest_);
  if (count_ > 0 && oneKey_ && furthest <= merger_.limitOf(nearest)) {
    // All one step, as they came.
    merger_.start(nearest, furthest, events_[0].key);
    for (size_t i = 0; i < count_; ++i) add(events_[i]);
  } else if (count_ > 0) {
    const size_t runs = runs_.size();
    runs_.push_back(static_cast<uint32_t>(count_));
    const uint64_t* const order = mergeRuns(order_.data(), merged_.data(), runs_.data(), runs);
    for (size_t i = 0; i < count_; ++i) {
      const Event& e = events_[static_cast<uint32_t>(order[i])];
      merger_.place(e.values[DeepTile::kZ], e.key);
      add(e);
    }
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
