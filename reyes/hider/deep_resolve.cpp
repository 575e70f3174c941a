// SPDX-License-Identifier: Apache-2.0
// From hits to events: what each surface of a sample adds to it, by the rules of resolve.cpp. Called by
// BucketHider::resolveDeep() where a view has deep displays.
#include <algorithm>

#include "reyes/hider/deep.h"
#include "reyes/hider/surfaces.h"

namespace reyes::hider {
namespace {

/// Makes the events of one sample after the other.
class EventMaker {
 public:
  EventMaker(const BucketHider::Impl& bucket, size_t floats) : b_(bucket), reader_(bucket), event_(floats, 0.0f) {}

  void add(size_t at, uint16_t sample, DeepTile::Row& row);

 private:
  /// Fills event_ for a surface behind through_, which then is what is seen through it too.
  bool surface(const SurfaceReader::Surface& s, size_t at);

  const BucketHider::Impl& b_;
  SurfaceReader reader_;
  std::vector<float> event_;
  float through_[3] = {1, 1, 1};
};

bool EventMaker::surface(const SurfaceReader::Surface& s, size_t at) {
  const SurfaceReader::Location place = reader_.locate(s.id, at);
  const MicroGrid& g = place.record->grid;
  bool anything = false;
  event_[DeepTile::kZ] = s.z;
  if (event_.size() > DeepTile::kThrough) {
    for (size_t c = 0; c < 3; ++c) event_[DeepTile::kThrough + c] = through_[c];
    for (size_t v = 0; v < event_.size() - DeepTile::kAov; ++v) {
      const bool shown = !g.matte || (v < b_.spec.aovThrough.size() && (b_.spec.aovThrough[v] & kAovOfMatte));
      event_[DeepTile::kAov + v] = shown ? reader_.value(place, g.aov, v) : 0;
      anything |= event_[DeepTile::kAov + v] != 0;
    }
  }
  for (size_t c = 0; c < 3; ++c) {
    const float oi = g.oi.empty() ? 1.0f : std::clamp(reader_.value(place, g.oi, c), 0.0f, 1.0f);
    const float ci = g.matte ? 0 : through_[c] * reader_.value(place, g.ci, c);
    event_[DeepTile::kCi + c] = ci;
    event_[DeepTile::kOi + c] = g.matte ? -(through_[c] * oi) : through_[c] * oi;
    anything |= ci != 0 || oi != 0;
    through_[c] *= 1 - oi;
  }
  return anything;
}

void EventMaker::add(size_t at, uint16_t sample, DeepTile::Row& row) {
  for (float& t : through_) t = 1;
  for (const SurfaceReader::Surface& s : reader_.gather(at)) {
    if (surface(s, at)) {
      row.samples.push_back(sample);
      row.values.insert(row.values.end(), event_.begin(), event_.end());
    }
    const float most = std::max({through_[0], through_[1], through_[2]});
    if (1 - most >= b_.spec.opacityThreshold) break;
  }
}

}  // namespace

DeepTile BucketHider::resolveDeep() {
  impl_->indexGrids();
  const Impl& b = *impl_;
  DeepTile tile;
  tile.rect = b.rect, tile.aovFloats = b.spec.aovFloats;
  tile.rows.resize(static_cast<size_t>(std::max(b.rect.height(), 0)));
  EventMaker maker(b, tile.eventFloats());
  DeepTile::Row row;
  for (int y = 0; y < b.rect.height(); ++y) {
    row.starts.assign(1, 0), row.samples.clear(), row.values.clear();
    for (int x = 0; x < b.rect.width(); ++x) {
      for (int i = 0; i < b.samples(); ++i) maker.add(b.pixelAt(x, y, i), static_cast<uint16_t>(i), row);
      row.starts.push_back(static_cast<uint32_t>(row.samples.size()));
    }
    // A copy: exactly as large as it is full.
    tile.rows[static_cast<size_t>(y)] = row;
  }
  return tile;
}

size_t DeepTile::bytes() const {
  size_t sum = rows.size() * sizeof(Row);
  for (const Row& r : rows)
    sum += r.starts.capacity() * sizeof(uint32_t) + r.samples.capacity() * sizeof(uint16_t) +
           r.values.capacity() * sizeof(float);
  return sum;
}

void DeepTile::dropMiddle(int band) {
  for (size_t y = static_cast<size_t>(band); y + static_cast<size_t>(band) < rows.size(); ++y) rows[y] = Row();
}

}  // namespace reyes::hider
