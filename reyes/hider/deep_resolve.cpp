// SPDX-License-Identifier: Apache-2.0
// From hits to events: what each surface of a sample adds to it, by the rules of resolve.cpp. Called by
// BucketHider::resolveDeep() where a view has deep displays.
#include <algorithm>

#include "reyes/hider/deep.h"
#include "reyes/hider/deep_order.h"
#include "reyes/hider/surfaces.h"

namespace reyes::hider {
namespace {

/// Makes the events of a row of pixels.
class EventMaker {
 public:
  EventMaker(const BucketHider::Impl& bucket, const SampleTile& flat, size_t floats)
      : b_(bucket), flat_(flat), reader_(bucket), event_(floats, 0.0f) {
    matte_ = std::any_of(b_.grids.begin(), b_.grids.end(), [](const GridRecord& g) { return g.grid.matte; });
    for (size_t c = 0; c < 3; ++c) planes_.push_back(flat.planeOf(SampleTile::kOi + static_cast<int>(c)));
    for (size_t c = 0; c < 3; ++c) planes_.push_back(flat.planeOf(SampleTile::kCi + static_cast<int>(c)));
    for (int v = 0; v < b_.spec.aovFloats; ++v) planes_.push_back(flat.planeOf(SampleTile::kAov + v));
  }

  void pixel(int x, int y, DeepTile::Row& row);

 private:
  /// A sample that sees one surface, whose values the flat tile has at `from`.
  void single(const float* from, size_t at, uint16_t sample);
  void all(size_t at, uint16_t sample);
  /// Fills event_ for a surface behind through_, which then is what is seen through it too.
  void surface(const SurfaceReader::Location& place, float z);
  /// Keeps event_, unless it adds nothing.
  void keep(uint16_t sample, uint32_t triangle);
  /// The events kept for a pixel, by depth, go to the row.
  void flush(DeepTile::Row& row);

  const BucketHider::Impl& b_;
  const SampleTile& flat_;
  SurfaceReader reader_;
  bool matte_ = false;       ///< some surface is
  std::vector<int> planes_;  ///< of opacities, colours, variables in the flat tile
  std::vector<float> event_;
  float through_[3] = {1, 1, 1};
  // Of the pixel at hand: events as they came, and their order.
  DeepTile::Row kept_;
  std::vector<uint64_t> order_, scratch_;
};

void EventMaker::pixel(int x, int y, DeepTile::Row& row) {
  const int k = (x >> 3) - flat_.firstStrip(), px = x - b_.rect.x0, py = y - b_.rect.y0;
  if (flat_.state(y, k) != SampleTile::kNothing) {
    const float* from = flat_.strip(y, k) + (x & 7);
    for (int i = 0; i < flat_.samples; ++i, from += 8) {
      const size_t at = b_.pixelAt(px, py, i);
      if (matte_ || (b_.anyList && b_.heads[at] != kNoEntry))
        all(at, static_cast<uint16_t>(i));
      else if (b_.z[at] < kInf)
        single(from, at, static_cast<uint16_t>(i));
    }
    flush(row);
  }
  row.starts.push_back(static_cast<uint32_t>(row.samples.size()));
}

void EventMaker::keep(uint16_t sample, uint32_t triangle) {
  const auto nothing = [&](size_t first, size_t last) {
    return std::all_of(&event_[first], &event_[0] + last, [](float v) { return v == 0; });
  };
  if (event_[DeepTile::kOpacity] == 0 && nothing(DeepTile::kOi, DeepTile::kZ) &&
      (event_.size() <= DeepTile::kAov || nothing(DeepTile::kAov, event_.size())))
    return;
  order_.push_back(depthKey(event_[DeepTile::kZ], order_.size()));
  kept_.samples.push_back(sample);
  kept_.values.insert(kept_.values.end(), event_.begin(), event_.end());
  if (b_.spec.tags) kept_.tags.push_back(b_.grids[b_.gridIndexOf(triangle)].grid.tag);
}

void EventMaker::flush(DeepTile::Row& row) {
  scratch_.resize(order_.size());
  sortByDepth(order_.data(), order_.size(), scratch_.data());
  const size_t floats = event_.size(), first = row.values.size();
  row.values.resize(first + order_.size() * floats);
  float* to = row.values.data() + first;
  for (const uint64_t key : order_) {
    const size_t e = static_cast<uint32_t>(key);
    to = std::copy_n(&kept_.values[e * floats], floats, to);
    row.samples.push_back(kept_.samples[e]);
    if (b_.spec.tags) row.tags.push_back(kept_.tags[e]);
  }
  order_.clear(), kept_.samples.clear(), kept_.values.clear(), kept_.tags.clear();
}

void EventMaker::single(const float* from, size_t at, uint16_t sample) {
  const size_t stride = flat_.planeFloats();
  const auto value = [&](size_t plane) { return from[static_cast<size_t>(planes_[plane]) * stride]; };
  for (size_t c = 0; c < 6; ++c) event_[DeepTile::kOi + c] = value(c);
  event_[DeepTile::kOpacity] = (event_[DeepTile::kOi] + event_[DeepTile::kOi + 1] + event_[DeepTile::kOi + 2]) / 3;
  event_[DeepTile::kZ] = b_.z[at];
  if (event_.size() > DeepTile::kThrough) {
    for (size_t c = 0; c < 3; ++c) event_[DeepTile::kThrough + c] = 1;
    for (size_t v = 6; v < planes_.size(); ++v) event_[DeepTile::kAov + v - 6] = value(v);
  }
  keep(sample, b_.id[at]);
}

void EventMaker::surface(const SurfaceReader::Location& place, float z) {
  const MicroGrid& g = place.record->grid;
  event_[DeepTile::kZ] = z;
  if (event_.size() > DeepTile::kThrough) {
    for (size_t c = 0; c < 3; ++c) event_[DeepTile::kThrough + c] = through_[c];
    for (size_t v = 0; v < event_.size() - DeepTile::kAov; ++v) {
      const bool shown = !g.matte || (v < b_.spec.aovThrough.size() && (b_.spec.aovThrough[v] & kAovOfMatte));
      event_[DeepTile::kAov + v] = shown ? reader_.value(place, g.aov, v) : 0;
    }
  }
  float oi[3] = {1, 1, 1}, ci[3] = {0, 0, 0};
  if (!g.oi.empty()) reader_.triple(place, g.oi, oi);
  if (!g.matte) reader_.triple(place, g.ci, ci);
  float sum = 0;
  for (size_t c = 0; c < 3; ++c) {
    const float o = std::clamp(oi[c], 0.0f, 1.0f);
    event_[DeepTile::kCi + c] = through_[c] * ci[c];
    event_[DeepTile::kOi + c] = g.matte ? -(through_[c] * o) : through_[c] * o;
    sum += event_[DeepTile::kOi + c];
    through_[c] *= 1 - o;
  }
  event_[DeepTile::kOpacity] = sum / 3;
}

void EventMaker::all(size_t at, uint16_t sample) {
  for (float& t : through_) t = 1;
  for (const SurfaceReader::Surface& s : reader_.gather(at)) {
    surface(reader_.locate(s.id, at), s.z);
    keep(sample, s.id);
    const float most = std::max({through_[0], through_[1], through_[2]});
    if (1 - most >= b_.spec.opacityThreshold) break;
  }
}

}  // namespace

DeepTile BucketHider::resolveDeep(const SampleTile& flat) {
  const Impl& b = *impl_;
  DeepTile tile;
  tile.rect = b.rect, tile.aovFloats = b.spec.aovFloats;
  tile.rows.resize(static_cast<size_t>(std::max(b.rect.height(), 0)));
  EventMaker maker(b, flat, tile.eventFloats());
  DeepTile::Row row;
  for (int y = b.rect.y0; y < b.rect.y1; ++y) {
    row.starts.assign(1, 0), row.samples.clear(), row.values.clear(), row.tags.clear();
    for (int x = b.rect.x0; x < b.rect.x1; ++x) maker.pixel(x, y, row);
    // A copy: exactly as large as it is full.
    tile.rows[static_cast<size_t>(y - b.rect.y0)] = row;
  }
  return tile;
}

size_t DeepTile::bytes() const {
  size_t sum = rows.size() * sizeof(Row);
  for (const Row& r : rows)
    sum += r.starts.capacity() * sizeof(uint32_t) + r.samples.capacity() * sizeof(uint16_t) +
           r.values.capacity() * sizeof(float) + r.tags.capacity() * sizeof(uint32_t);
  return sum;
}

void DeepTile::dropMiddle(int band) {
  for (size_t y = static_cast<size_t>(band); y + static_cast<size_t>(band) < rows.size(); ++y) rows[y] = Row();
}

}  // namespace reyes::hider
