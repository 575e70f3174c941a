// SPDX-License-Identifier: Apache-2.0
// Lists of many samples at once. Called by RowResolver in resolve.cpp.
#include "reyes/hider/list_compositor.h"

#include <algorithm>
#include <cstring>

#include "reyes/hider/event_row.h"

namespace reyes::hider {

ListCompositor::ListCompositor(BucketHider::Impl& bucket, EventRow* events)
    : b_(bucket), events_(events), reader_(bucket) {
  const SamplingSpec& spec = b_.spec;
  frame_ = frameOf(b_, SampleTile());
  frame_.grey = false, frame_.depth = false, frame_.matteOpacity = true;
  // Variables of one surface are looked up for that one alone, unless events want them all.
  const bool added = events || std::any_of(spec.aovThrough.begin(), spec.aovThrough.end(),
                                           [](uint8_t how) { return (how & kAovThroughMask) != 0; });
  frame_.aovFloats = added ? spec.aovFloats : 0;
  channels_ = static_cast<size_t>(SampleTile::kAov + spec.aovFloats);
  planes_ = static_cast<size_t>(6 + frame_.aovFloats);
  wantsDepth_ = spec.depth || spec.aovFloats > 0;
}

void ListCompositor::run(size_t rowAt, std::span<const uint32_t> columns) {
  samples_.clear(), surfaces_.clear();
  for (const uint32_t column : columns) {
    const auto list = reader_.gather(rowAt + column);
    const auto first = static_cast<uint32_t>(surfaces_.size());
    surfaces_.insert(surfaces_.end(), list.begin(), list.end());
    samples_.push_back({column, first, static_cast<uint32_t>(surfaces_.size()), {1, 1, 1, 1}, kInf, 0, 0});
  }
  values_.assign(samples_.size() * channels_, 0.0f);
  if (b_.spec.tags) {
    shares_.resize(std::max(shares_.size(), samples_.size()));
    for (size_t n = 0; n < samples_.size(); ++n) shares_[n].clear();
  }
  while (pick()) evaluate(rowAt), composite();
  finish(rowAt);
}

/// The next surfaces of all samples that want some, grouped by grid; false where none do.
bool ListCompositor::pick() {
  fragments_.clear();
  gridStart_.assign(b_.grids.size() + 1, 0);
  for (uint32_t n = 0; n < samples_.size(); ++n) {
    Sample& s = samples_[n];
    if (s.done) continue;
    const uint32_t end = std::min(s.end, s.next + kRound);
    for (; s.next < end; ++s.next) {
      const uint32_t grid = b_.gridIndexOf(surfaces_[s.next].id);
      fragments_.push_back({n, s.next, grid});
      ++gridStart_[grid + 1];
    }
  }
  for (size_t g = 1; g < gridStart_.size(); ++g) gridStart_[g] += gridStart_[g - 1];
  byGrid_.resize(fragments_.size());
  for (uint32_t f = 0; f < fragments_.size(); ++f) byGrid_[gridStart_[fragments_[f].grid]++] = f;
  return !fragments_.empty();
}

void ListCompositor::evaluate(size_t rowAt) {
  looked_.resize(planes_ * fragments_.size() + 4);
  Batcher batcher(b_, frame_, 1);
  for (const uint32_t f : byGrid_) {
    const Fragment& fragment = fragments_[f];
    const SurfaceReader::Surface& s = surfaces_[fragment.surface];
    batcher.add(b_.grids[fragment.grid], rowAt + samples_[fragment.sample].column, s.id, s.z, &looked_[planes_ * f]);
  }
  batcher.flush();
}

void ListCompositor::composite() {
  const bool plain = frame_.aovFloats == 0 && !b_.spec.tags && !events_;
  const size_t n = fragments_.size();
  for (size_t f = 0; f < n;) {
    const uint32_t sample = fragments_[f].sample;
    size_t end = f + 1;
    while (end < n && fragments_[end].sample == sample) ++end;
    plain ? addFragments<true>(samples_[sample], f, end) : addFragments<false>(samples_[sample], f, end);
    f = end;
  }
}

/// Fragments first .. end - 1, all of sample s. kPlain: colours and opacities alone.
template <bool kPlain>
void ListCompositor::addFragments(Sample& s, size_t first, size_t end) {
  // Vectors of three, and one that is not used.
  F4 through, colour, opacity;
  float* out = &values_[fragments_[first].sample * channels_];
  std::memcpy(&through, s.through, sizeof through);
  std::memcpy(&colour, out + SampleTile::kCi, sizeof colour),
      std::memcpy(&opacity, out + SampleTile::kOi, sizeof opacity);
  const float threshold = b_.spec.opacityThreshold, zThreshold = b_.spec.zThreshold;
  for (size_t f = first; f < end && !s.done; ++f) {
    const MicroGrid& g = b_.grids[fragments_[f].grid].grid;
    const SurfaceReader::Surface& surface = surfaces_[fragments_[f].surface];
    const float* looked = &looked_[planes_ * f];
    F4 ci, oi;
    std::memcpy(&ci, looked, sizeof ci), std::memcpy(&oi, looked + 3, sizeof oi);
    if (s.open) {
      if constexpr (!kPlain) addOthers(f, through);
      if (!g.matte) colour += through * ci, opacity += through * oi;
      through *= 1 - oi;
      s.open = !(1 - std::max({through[0], through[1], through[2]}) >= threshold);
    }
    if (!s.any) s.any = true, s.first = surface.id;
    if (s.depth == kInf && std::min({oi[0], oi[1], oi[2]}) >= zThreshold) s.depth = surface.z, s.shown = surface.id;
    s.done = !s.open && (!wantsDepth_ || s.depth < kInf);
  }
  std::memcpy(s.through, &through, sizeof through);
  std::memcpy(out + SampleTile::kCi, &colour, 3 * sizeof(float));
  std::memcpy(out + SampleTile::kOi, &opacity, 3 * sizeof(float));
  s.done |= s.next == s.end;
}

/// Events, output variables that are composited, and to whom alpha is due.
void ListCompositor::addOthers(size_t f, F4 through) {
  const uint32_t sample = fragments_[f].sample;
  const MicroGrid& g = b_.grids[fragments_[f].grid].grid;
  const float *looked = &looked_[planes_ * f], *oi = looked + 3;
  float* out = &values_[sample * channels_];
  if (events_) {
    const float seen[] = {through[0], through[1], through[2]};
    events_->add(samples_[sample].column, surfaces_[fragments_[f].surface].z, g, seen, looked);
  }
  if (frame_.aovFloats > 0)
    for (size_t c = 0; c < b_.spec.aovThrough.size(); ++c)
      if (const uint8_t how = b_.spec.aovThrough[c]; (how & kAovThroughMask) && (!g.matte || (how & kAovOfMatte)))
        out[SampleTile::kAov + c] += through[(how & kAovThroughMask) - 1] * looked[6 + c];
  if (b_.spec.tags && !g.matte)
    shares_[sample].push_back({g.tag, (through[0] * oi[0] + through[1] * oi[1] + through[2] * oi[2]) / 3});
}

void ListCompositor::finish(size_t rowAt) {
  const SamplingSpec& spec = b_.spec;
  for (size_t n = 0; n < samples_.size(); ++n) {
    const Sample& s = samples_[n];
    float* out = &values_[n * channels_];
    out[SampleTile::kZ] = s.depth;
    if (!s.any || spec.aovFloats == 0) continue;
    const SurfaceReader::Location at = reader_.locate(s.depth < kInf ? s.shown : s.first, rowAt + s.column);
    for (size_t c = 0; c < static_cast<size_t>(spec.aovFloats); ++c)
      if (const uint8_t how = c < spec.aovThrough.size() ? spec.aovThrough[c] : 0;
          !(how & kAovThroughMask) && (!at.record->grid.matte || (how & kAovOfMatte)))
        out[SampleTile::kAov + c] = reader_.value(at, at.record->grid.aov, c);
  }
}

}  // namespace reyes::hider
