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
      : w_(weights), spec_(spec), tileAt_(tileAt), merger_(spec), scratch_(weights.n) {}

  void pixel(int x, int y, DeepPixels& out);

 private:
  struct Event {
    const float* values;
    float weight;
    uint32_t tag;
  };
  /// The tile of a pixel; most often that of the pixel before.
  const DeepTile* tileOf(int px, int py);
  void gather(int x, int y);
  void take(const DeepTile& tile, int px, int py, const float* weights);
  bool counts(const float* values) const;

  const SampleWeights& w_;
  const DeepSpec& spec_;
  const TileAt& tileAt_;
  DeepMerger merger_;
  std::vector<float> scratch_;
  const DeepTile* tile_ = nullptr;
  std::vector<Event> events_;              ///< the first count_
  std::vector<uint64_t> order_, scatter_;  ///< bits of the depth, then the number of the event
  size_t count_ = 0;
  uint32_t nearest_ = 0, furthest_ = 0;  ///< bits of depths
  bool oneTag_ = true;
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
    order_.resize(events_.size()), scatter_.resize(events_.size());
  }
  // Locals: nothing that is written could be one of them.
  Event* const events = events_.data();
  uint64_t* const order = order_.data();
  const uint32_t* const tags = spec_.tags ? row.tags.data() : nullptr;
  const uint16_t* const samples = row.samples.data();
  size_t count = count_;
  uint32_t nearest = count > 0 ? nearest_ : UINT32_MAX, furthest = count > 0 ? furthest_ : 0;
  const float* values = row.values.data() + first * floats;
  for (uint32_t e = first; e < last; ++e, values += floats) {
    const float w = weights[samples[e]];
    if (w == 0 || (!(values[DeepTile::kOpacity] > 0) && !counts(values))) continue;
    const auto z = std::bit_cast<uint32_t>(std::max(values[DeepTile::kZ], 0.0f));
    nearest = std::min(nearest, z), furthest = std::max(furthest, z);
    events[count] = {values, w, tags ? tags[e] : 0};
    order[count] = static_cast<uint64_t>(z) << 32 | count;
    ++count;
  }
  for (size_t n = std::max<size_t>(count_, 1); tags && n < count; ++n)
    oneTag_ = oneTag_ && events[n].tag == events[0].tag;
  count_ = count, nearest_ = nearest, furthest_ = furthest;
}

namespace {

/// Keys by value, those of equal depth (the upper half) as they came, which is by value too. Depths go into 64 parts of
/// their range, and those that many share into parts of theirs.
void sortByDepth(uint64_t* keys, size_t count, uint64_t* scratch) {
  constexpr size_t kFew = 16, kParts = 64;
  if (count > kFew) {
    const auto [least, most] = std::minmax_element(keys, keys + count);
    const auto low = static_cast<uint32_t>(*least >> 32), range = static_cast<uint32_t>(*most >> 32) - low;
    if (range == 0) return;
    const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - 6);
    const auto partOf = [&](uint64_t key) { return (static_cast<uint32_t>(key >> 32) - low) >> shift; };
    uint32_t ends[kParts + 1] = {};
    for (size_t i = 0; i < count; ++i) ++ends[partOf(keys[i]) + 1];
    for (size_t p = 1; p <= kParts; ++p) ends[p] += ends[p - 1];
    for (size_t i = 0; i < count; ++i) scratch[ends[partOf(keys[i])]++] = keys[i];
    std::copy_n(scratch, count, keys);
    for (size_t p = 0, from = 0; p < kParts; from = ends[p++])
      if (ends[p] - from > 1) sortByDepth(keys + from, ends[p] - from, scratch);
    return;
  }
  for (size_t i = 1; i < count; ++i) {
    const uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

}  // namespace

void DeepFilter::Gatherer::gather(int x, int y) {
  count_ = 0, total_ = 0, oneTag_ = true;
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
  if (count_ > 0 && oneTag_ && furthest <= merger_.limitOf(nearest)) {
    // All one step, as they came.
    merger_.start(nearest, furthest, events_[0].tag);
    for (size_t i = 0; i < count_; ++i) add(events_[i]);
  } else if (count_ > 0) {
    sortByDepth(order_.data(), count_, scatter_.data());
    for (size_t i = 0; i < count_; ++i) {
      const Event& e = events_[static_cast<uint32_t>(order_[i])];
      merger_.place(e.values[DeepTile::kZ], e.tag);
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
