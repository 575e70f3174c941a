// SPDX-License-Identifier: Apache-2.0
// Whose the samples of a tile are: shares of their alpha by the tags of grids, kept beside their values. Filled at the
// end of BucketHider::resolve, read by PixelFilter::shares.
#include <algorithm>

#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {

void SampleTile::keepTags() { tags_.assign(states_.size() * planeFloats(), kNoTag); }

void SampleTile::setShares(int x, int y, int sample, std::span<const TagShare> shares) {
  uint32_t& at = tags_[tagAt(x, y, sample)];
  // 1. Each tag once.
  const size_t head = runs_.size();
  runs_.push_back({0, 0});
  for (const TagShare& s : shares) {
    if (!(s.share > 0)) continue;
    const auto same = std::find_if(runs_.begin() + static_cast<ptrdiff_t>(head) + 1, runs_.end(),
                                   [&](const TagShare& r) { return r.tag == s.tag; });
    if (same != runs_.end())
      same->share += s.share;
    else
      runs_.push_back(s);
  }
  // 2. One that has all is kept once a tile.
  const auto count = static_cast<uint32_t>(runs_.size() - head - 1);
  runs_[head].tag = count, at = static_cast<uint32_t>(head);
  if (count == 0) {
    runs_.resize(head), at = kNoTag;
  } else if (count == 1 && runs_.back().share == 1) {
    at = wholes_.emplace(runs_.back().tag, static_cast<uint32_t>(head)).first->second;
    if (at != head) runs_.resize(head);
  }
}

std::span<const TagShare> SampleTile::shares(int x, int y, int sample) const {
  const uint32_t at = tags_[tagAt(x, y, sample)];
  if (at == kNoTag) return {};
  return {&runs_[at] + 1, runs_[at].tag};
}

void BucketHider::Impl::tagSamples(SampleTile& tile) const {
  const bool allListed = spec.depthFilter == DepthFilter::kMidpoint;
  const GridRecord* record = nullptr;
  for (int y = rect.y0; y < rect.y1; ++y)
    for (int s = 0; s < samples(); ++s)
      for (int x = rect.x0; x < rect.x1; ++x) {
        const size_t at = pixelAt(x - rect.x0, y - rect.y0, s);
        // What was composited has its shares.
        if (!(z[at] < kInf) || allListed || (anyList && heads[at] != kNoEntry)) continue;
        if (!record || id[at] < record->idBase || (record != &grids.back() && id[at] >= record[1].idBase))
          record = &recordOf(id[at]);
        if (record->grid.matte) continue;
        TagShare share = {record->grid.tag, 1};
        if (!record->grid.oi.empty() && tile.state(y, (x >> 3) - tile.firstStrip()) != SampleTile::kOpaque)
          share.share = (tile.value(x, y, s, SampleTile::kOi) + tile.value(x, y, s, SampleTile::kOi + 1) +
                         tile.value(x, y, s, SampleTile::kOi + 2)) /
                        3;
        tile.setShares(x, y, s, {&share, 1});
      }
}

}  // namespace reyes::hider
