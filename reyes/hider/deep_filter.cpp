// SPDX-License-Identifier: Apache-2.0
// Gathers the events of all samples that a pixel's filter reaches and puts them in order. Called by render/ when the
// tiles around are resolved; the bits do not depend on how the frame is cut into tiles.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "reyes/hider/deep_merge.h"
#include "reyes/hider/deep_order.h"
#include "reyes/hider/deep_pack.h"
#include "reyes/hider/sample_weights.h"
#include "reyes/hider/whole_number.h"

namespace reyes::hider {

/// Rows of source pixels, unpacked while a filter goes over them, and what one pixel gathers of them.
class DeepFilter::Gatherer {
 public:
  using TileAt = std::function<const DeepTile*(int, int)>;
  Gatherer(const SampleWeights& weights, const DeepSpec& spec, const PixelRect& target, const TileAt& tileAt)
      : w_(weights),
        spec_(spec),
        tileAt_(tileAt),
        x0_(target.x0 - w_.xReach),
        x1_(target.x1 + w_.xReach),
        rows_(static_cast<size_t>(2 * w_.yReach + 1)),
        nextRow_(target.y0 - w_.yReach),
        merger_(spec),
        scratch_(weights.n) {}

  /// Before the pixels of row y; rows come from top to bottom.
  void startRow(int y) {
    for (; nextRow_ <= y + w_.yReach; ++nextRow_) unpack(nextRow_, rowAt(nextRow_));
  }
  void pixel(int x, int y, DeepPixels& out);

 private:
  struct Event {
    const float* values;
    float weight;
    uint64_t key;
  };
  /// Events of a row of source pixels that add anything that is asked for.
  struct Row {
    std::vector<uint32_t> starts;  ///< first event of each pixel, and the end
    std::vector<uint8_t> there;    ///< pixels that are sampled
    size_t room = 0, floats = 0;   ///< of events; DeepTile::eventFloats()
    std::unique_ptr<float[]> values;
    std::unique_ptr<uint32_t[]> depths;  ///< bits
    std::unique_ptr<uint16_t[]> samples;
    std::unique_ptr<uint64_t[]> keys;  ///< of DeepMerger::start(), where events have any
  };
  Row& rowAt(int y) {
    const auto n = static_cast<int>(rows_.size());
    return rows_[static_cast<size_t>(((y % n) + n) % n)];
  }
  /// The tile of a pixel; most often that of the pixel before.
  const DeepTile* tileOf(int px, int py);
  void reserve(int y, Row& row);
  void unpack(int y, Row& row);
  void gather(int x, int y);
  void take(const Row& row, size_t column, const float* weights);
  bool counts(const float* values) const;
  bool hasKeys() const { return spec_.tags || spec_.wholePlane >= 0; }
  uint64_t keyOf(const float* values, uint32_t tag) const {
    const uint64_t key = spec_.tags ? tag : 0;
    if (spec_.wholePlane < 0) return key;
    const float* const number = values + DeepTile::kAov + spec_.wholePlane;
    return key | uint64_t{joinWhole(number[0], number[1])} << 32;
  }

  const SampleWeights& w_;
  const DeepSpec& spec_;
  const TileAt& tileAt_;
  int x0_, x1_;  ///< source pixels
  std::vector<Row> rows_;
  int nextRow_;
  std::unique_ptr<DeepUnpacker> unpacker_;
  std::vector<uint8_t> packed_;  ///< a pixel that lies in pieces
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

/// Room for all events that there may be: of few sizes, so that memory that was freed is used again.
void DeepFilter::Gatherer::reserve(int y, Row& row) {
  size_t most = 0;
  for (int x = x0_; x < x1_; ++x)
    if (const DeepTile* tile = tileOf(x, y)) {
      most += tile->row(y).events[static_cast<size_t>(x - tile->rect.x0)], row.floats = tile->eventFloats();
      if (!unpacker_) unpacker_ = std::make_unique<DeepUnpacker>(tile->samples, tile->aovFloats, tile->tags);
    }
  ++most;  // what is looked at, and not kept, lies behind
  if (most <= row.room) return;
  const size_t step = std::max<size_t>(std::bit_ceil(most) / 8, 64);
  row.room = (most + step - 1) / step * step;
  row.values = std::make_unique_for_overwrite<float[]>(row.room * row.floats);
  row.depths = std::make_unique_for_overwrite<uint32_t[]>(row.room);
  row.samples = std::make_unique_for_overwrite<uint16_t[]>(row.room);
  if (hasKeys()) row.keys = std::make_unique_for_overwrite<uint64_t[]>(row.room);
}

void DeepFilter::Gatherer::unpack(int y, Row& row) {
  reserve(y, row);
  row.starts.assign(1, 0), row.there.clear();
  size_t count = 0;
  const auto keep = [&](const float* values, uint32_t sample, uint32_t tag) {
    if (!(values[DeepTile::kOpacity] > 0) && !counts(values)) return false;
    row.depths[count] = depthBits(values[DeepTile::kZ]);
    row.samples[count] = static_cast<uint16_t>(sample);
    if (row.keys) row.keys[count] = keyOf(values, tag);
    ++count;
    return true;
  };
  for (int x = x0_; x < x1_; ++x) {
    const DeepTile* tile = tileOf(x, y);
    row.there.push_back(tile != nullptr);
    if (tile)
      unpacker_->pixel(tile->row(y).pixel(static_cast<size_t>(x - tile->rect.x0), packed_),
                       row.values.get() + count * row.floats, keep);
    row.starts.push_back(static_cast<uint32_t>(count));
  }
}

void DeepFilter::Gatherer::take(const Row& row, size_t column, const float* weights) {
  const uint32_t first = row.starts[column], last = row.starts[column + 1];
  if (first == last) return;
  if (events_.size() < count_ + (last - first)) {
    events_.resize(2 * (count_ + (last - first)));
    order_.resize(events_.size()), merged_.resize(events_.size());
  }
  // Locals: nothing that is written could be one of them.
  Event* const events = events_.data();
  uint64_t* const order = order_.data();
  const uint64_t* const keys = row.keys.get();
  const uint32_t* const depths = row.depths.get();
  const uint16_t* const samples = row.samples.get();
  const size_t floats = row.floats;
  size_t count = count_;
  const float* values = row.values.get() + first * floats;
  for (uint32_t e = first; e < last; ++e, values += floats) {
    // Without a branch: which samples the filter reaches follows no order.
    const float w = weights[samples[e]];
    events[count] = {values, w, keys ? keys[e] : 0};
    order[count] = uint64_t{depths[e]} << 32 | count;
    count += w != 0;
  }
  if (count == count_) return;
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
  for (int py = y - w_.yReach; py <= y + w_.yReach; ++py) {
    const Row& row = rowAt(py);
    for (int px = x - w_.xReach; px <= x + w_.xReach; ++px) {
      const auto column = static_cast<size_t>(px - x0_);
      if (!row.there[column]) continue;
      double total = 0;
      const float* weights = w_.at(px, py, px - x, py - y, scratch_.data(), total);
      total_ += total;
      if (total > 0) take(row, column, weights);
    }
  }
  if (total_ > 0) return;
  // Narrower than the samples' spacing: the pixel's own mean.
  std::fill(scratch_.begin(), scratch_.end(), 1.0f);
  total_ = static_cast<double>(scratch_.size());
  take(rowAt(y), static_cast<size_t>(x - x0_), scratch_.data());
}

void DeepFilter::Gatherer::pixel(int x, int y, DeepPixels& out) {
  constexpr size_t kMany = 1024;  // events, for which counting is quicker than comparing
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
    const uint64_t* const order = count_ < kMany
                                      ? mergeRuns(order_.data(), merged_.data(), runs_.data(), runs)
                                      : countingSort(order_.data(), merged_.data(), count_, nearest_, furthest_);
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
  out.rect = target, out.floats = static_cast<size_t>(spec_.floats());
  Gatherer gatherer(*weights_, spec_, target, tileAt);
  for (int y = target.y0; y < target.y1; ++y) {
    gatherer.startRow(y);
    for (int x = target.x0; x < target.x1; ++x) gatherer.pixel(x, y, out);
  }
  return out;
}

DeepPixels DeepPixels::joined(std::span<const DeepPixels* const> parts) {
  DeepPixels out;
  out.floats = parts.front()->floats;
  out.rect = parts.front()->rect, out.rect.x1 = parts.back()->rect.x1;
  std::vector<size_t> sample(parts.size(), 0);
  for (int y = 0; y < out.rect.height(); ++y)
    for (size_t p = 0; p < parts.size(); ++p) {
      const DeepPixels& from = *parts[p];
      const auto width = static_cast<size_t>(from.rect.width());
      const auto counts = std::span(from.counts).subspan(static_cast<size_t>(y) * width, width);
      out.counts.insert(out.counts.end(), counts.begin(), counts.end());
      const size_t first = sample[p], last = first + std::accumulate(counts.begin(), counts.end(), size_t{0});
      sample[p] = last;
      const size_t floats = from.floats;
      const auto at = [](const auto& v, size_t n) { return v.begin() + static_cast<ptrdiff_t>(n); };
      out.values.insert(out.values.end(), at(from.values, first * floats), at(from.values, last * floats));
      if (!from.tags.empty()) out.tags.insert(out.tags.end(), at(from.tags, first), at(from.tags, last));
      if (!from.wholes.empty()) out.wholes.insert(out.wholes.end(), at(from.wholes, first), at(from.wholes, last));
    }
  return out;
}

size_t DeepPixels::bytes() const {
  return counts.capacity() * sizeof(uint32_t) + values.capacity() * sizeof(float) +
         (tags.capacity() + wholes.capacity()) * sizeof(uint32_t);
}

}  // namespace reyes::hider
