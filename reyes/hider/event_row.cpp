// SPDX-License-Identifier: Apache-2.0
// From hits to events: what each surface of a sample adds to it, by the rules of resolve.cpp.
#include "reyes/hider/event_row.h"

#include "reyes/hider/deep_order.h"

namespace reyes::hider {

EventRow::EventRow(const BucketHider::Impl& bucket)
    : b_(bucket),
      samples_(static_cast<size_t>(bucket.samples())),
      aovFloats_(static_cast<size_t>(bucket.spec.aovFloats)),
      floats_(6 + aovFloats_),
      aov_(aovFloats_),
      packer_(bucket.samples(), bucket.spec.aovFloats, bucket.spec.tags) {}

void EventRow::start(DeepTile& out) {
  matte_ = std::any_of(b_.grids.begin(), b_.grids.end(), [](const GridRecord& g) { return g.grid.matte; });
  out_ = &out;
  out = DeepTile();
  out.rect = b_.rect, out.samples = b_.samples(), out.aovFloats = b_.spec.aovFloats, out.tags = b_.spec.tags;
  out.rows.resize(static_cast<size_t>(std::max(b_.rect.height(), 0)));
}

void EventRow::add(uint32_t column, float z, const MicroGrid& grid, const float* through, const float* looked) {
  const float *ci = looked, *oi = looked + 3, *aov = looked + 6;
  bool anything = false;
  for (int c = 0; c < 3; ++c) anything |= through[c] * oi[c] != 0 || through[c] * ci[c] != 0;
  for (size_t v = 0; v < aovFloats_ && !anything; ++v) anything = aov[v] != 0;
  if (!anything) return;
  const auto xs = static_cast<size_t>(b_.ctx.lattice.xs);
  keep(z, column / xs * samples_ + static_cast<size_t>(cy_) * xs + column % xs, grid.matte, grid.tag, oi, ci, aov);
}

void EventRow::keep(float z, size_t place, bool matte, uint32_t tag, const float* oi, const float* ci,
                    const float* aov) {
  if (count_ == came_.size()) {
    came_.resize(count_ + count_ / 2 + 64);
    values_.resize(came_.size() * floats_);
  }
  came_[count_] = {z, static_cast<uint32_t>(place), tag, matte};
  float* const to = &values_[count_++ * floats_];
  std::copy_n(oi, 3, to), std::copy_n(ci, 3, to + 3);
  if (aovFloats_ > 0) std::copy_n(aov, aovFloats_, to + 6);
}

void EventRow::addSingles(int y, const SampleTile& flat) {
  const size_t stride = flat.planeFloats();
  size_t plane[6];
  for (size_t c = 0; c < 6; ++c)
    plane[c] = stride * static_cast<size_t>(flat.planeOf(c < 3 ? SampleTile::kOi + static_cast<int>(c)
                                                               : SampleTile::kCi + static_cast<int>(c) - 3));
  const size_t firstAov = stride * static_cast<size_t>(std::max(flat.planeOf(SampleTile::kAov), 0));
  for (int x = flat.rect.x0; x < flat.rect.x1; ++x) {
    const int k = (x >> 3) - flat.firstStrip(), px = x - flat.rect.x0;
    if (flat.state(y, k) == SampleTile::kNothing) continue;
    const float* from = flat.strip(y, k) + (x & 7);
    for (size_t i = 0; i < samples_; ++i, from += 8) {
      const size_t at = b_.pixelAt(px, y - flat.rect.y0, static_cast<int>(i));
      if (listed(at) || !(b_.z[at] < kInf)) continue;
      const float v[6] = {from[plane[0]], from[plane[1]], from[plane[2]],
                          from[plane[3]], from[plane[4]], from[plane[5]]};
      for (size_t a = 0; a < aovFloats_; ++a) aov_[a] = from[firstAov + a * stride];
      const auto something = [](float f) { return f != 0; };
      if (std::any_of(v, v + 6, something) || std::any_of(aov_.begin(), aov_.end(), something))
        keep(b_.z[at], static_cast<size_t>(px) * samples_ + i, false,
             b_.spec.tags ? b_.grids[b_.gridIndexOf(b_.id[at])].grid.tag : 0, v, v + 3, aov_.data());
    }
  }
}

/// Events pixel by pixel and sample by sample; those of a sample as they came.
void EventRow::sortByPlace() {
  const size_t places = static_cast<size_t>(out_->rect.width()) * samples_;
  ends_.assign(places + 1, 0);
  for (size_t e = 0; e < count_; ++e) ++ends_[came_[e].place + 1];
  for (size_t p = 1; p <= places; ++p) ends_[p] += ends_[p - 1];
  byPlace_.resize(std::max(byPlace_.size(), count_));
  for (uint32_t e = 0; e < count_; ++e) byPlace_[ends_[came_[e].place]++] = e;
}

void EventRow::finish(int y, const SampleTile& flat) {
  addSingles(y, flat);
  sortByPlace();
  DeepTile::Row& row = out_->rows[static_cast<size_t>(y - out_->rect.y0)];
  const auto width = static_cast<size_t>(out_->rect.width());
  row.starts.assign(width + 1, 0), row.events.assign(width, 0);
  packer_.startRow();
  for (size_t x = 0, first = 0; x < width; ++x) {
    // Of a pixel by depth: ends_ are by now where the next place begins.
    const size_t end = ends_[(x + 1) * samples_ - 1], count = end - first;
    keys_.resize(std::max(keys_.size(), count)), scratch_.resize(keys_.size());
    for (size_t n = 0; n < count; ++n) keys_[n] = depthKey(came_[byPlace_[first + n]].z, n);
    sortByDepth(keys_.data(), count, scratch_.data());
    packer_.startPixel();
    for (size_t n = 0; n < count; ++n) {
      const size_t at = byPlace_[first + static_cast<uint32_t>(keys_[n])];
      const Came& e = came_[at];
      packer_.add(e.z, static_cast<uint32_t>(e.place - x * samples_), e.matte, e.tag, &values_[at * floats_]);
    }
    row.starts[x + 1] = packer_.size(), row.events[x] = static_cast<uint32_t>(count);
    first = end;
  }
  row.set(packer_.data(), packer_.size());
  count_ = 0;
}

size_t EventRow::bytes() const {
  return came_.capacity() * sizeof(Came) + values_.capacity() * sizeof(float) + packer_.bytes() +
         (ends_.capacity() + byPlace_.capacity()) * sizeof(uint32_t) +
         (keys_.capacity() + scratch_.capacity()) * sizeof(uint64_t);
}

}  // namespace reyes::hider
