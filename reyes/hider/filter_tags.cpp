// SPDX-License-Identifier: Apache-2.0
// Whose a pixel's alpha is: the shares of the samples around it, weighted as alpha is. One partial sum a tag, source
// pixel and target pixel, sources in row order, so that the bits do not depend on tiles. Called by render/ for id
// mattes.
#include <algorithm>

#include "reyes/hider/filter_tables.h"

namespace reyes::hider {
namespace {

using TileAt = std::function<const SampleTile*(int, int)>;

/// Filters the tags of one target rectangle.
class TagWorker {
 public:
  TagWorker(const PixelFilter::Tables& tables, const PixelRect& target, const TileAt& tileAt)
      : t_(tables), target_(target), tileAt_(tileAt) {
    const size_t pixels = static_cast<size_t>(target.width()) * static_cast<size_t>(target.height());
    heads_.assign(pixels, kEnd), totals_.assign(pixels, 0.0f);
    if (t_.weights.empty()) weights_.resize(t_.weightsOfStrip), strip_.resize(t_.totalsOfStrip());
  }
  void addSources();
  PixelShares finish();

 private:
  static constexpr uint32_t kEnd = 0xffffffffu;
  /// A sum of a target; its next is one of a tag that came later.
  struct Sum {
    TagShare share;
    uint32_t next;
  };
  /// A share of a sample of the source pixel at hand.
  struct Part {
    int sample, slot;
    float share;
  };

  void weightsOf(int strip, const float*& weights, const float*& totals);
  void gather(const SampleTile& tile, int x, int y);
  void addPixel(int x, int y, const float* weights, const float* totals);
  void add(size_t target, uint32_t tag, float sum);
  void addMean(size_t target, int x, int y);
  const SampleTile* tileOf(int x, int y) const {
    const SampleTile* t = tileAt_(x, y);
    return t && t->rect.contains(x, y) && t->samples == t_.patterns->n && t->hasTags() ? t : nullptr;
  }

  const PixelFilter::Tables& t_;
  PixelRect target_;
  const TileAt& tileAt_;
  std::vector<uint32_t> heads_;
  std::vector<float> totals_;  ///< of weights, a target
  std::vector<Sum> sums_;
  std::vector<float> weights_, strip_;
  int made_ = -1;               ///< strip of patterns whose weights those are
  std::vector<uint32_t> tags_;  ///< of the source pixel
  std::vector<Part> parts_;     ///< its shares, samples in order; none where `whole_`
  std::vector<float> partial_;
  bool whole_ = false;  ///< all its samples are of tags_[0] alone
};

void TagWorker::weightsOf(int strip, const float*& weights, const float*& totals) {
  if (!t_.weights.empty()) {
    weights = &t_.weights[static_cast<size_t>(strip) * t_.weightsOfStrip];
    totals = &t_.totals[static_cast<size_t>(strip) * t_.totalsOfStrip()];
    return;
  }
  if (made_ != strip) t_.weigh(strip, weights_.data(), strip_.data());
  made_ = strip;
  weights = weights_.data(), totals = strip_.data();
}

void TagWorker::addSources() {
  for (int y = target_.y0 - t_.yReach; y < target_.y1 + t_.yReach; ++y) {
    const SampleTile* tile = nullptr;
    for (int x = target_.x0 - t_.xReach; x < target_.x1 + t_.xReach; ++x) {
      if (!tile || !tile->rect.contains(x, y)) tile = tileOf(x, y);
      if (!tile) continue;
      const float *weights, *totals;
      weightsOf(t_.patterns->stripAt(x >> 3, y), weights, totals);
      gather(*tile, x, y);
      addPixel(x, y, weights + (x & 7), totals + (x & 7));
    }
  }
}

/// Tags and shares of a source pixel.
void TagWorker::gather(const SampleTile& tile, int x, int y) {
  tags_.clear(), parts_.clear();
  const int64_t first = tile.sharesAt(x, y, 0);
  bool same = true;
  for (int s = 1; s < tile.samples && same; ++s) same = tile.sharesAt(x, y, s) == first;
  whole_ = false;
  if (same) {
    if (first < 0) return;
    const auto shares = tile.shares(x, y, 0);
    whole_ = shares.size() == 1 && shares[0].share == 1;
    if (whole_) return tags_.push_back(shares[0].tag);
  }
  for (int s = 0; s < tile.samples; ++s)
    for (const TagShare& share : tile.shares(x, y, s)) {
      auto it = std::find(tags_.begin(), tags_.end(), share.tag);
      if (it == tags_.end()) it = tags_.insert(it, share.tag);
      parts_.push_back({s, static_cast<int>(it - tags_.begin()), share.share});
    }
}

void TagWorker::addPixel(int x, int y, const float* weights, const float* totals) {
  const int xs = t_.patterns->xs;
  for (size_t n = 0; n < t_.offsets.size(); ++n) {
    const FilterOffset& o = t_.offsets[n];
    const int tx = x - o.dx - target_.x0, ty = y - o.dy - target_.y0;
    if (tx < 0 || ty < 0 || tx >= target_.width() || ty >= target_.height()) continue;
    const size_t to = static_cast<size_t>(ty) * static_cast<size_t>(target_.width()) + static_cast<size_t>(tx);
    totals_[to] += totals[n * 8];
    if (whole_) add(to, tags_[0], totals[n * 8]);
    if (parts_.empty()) continue;
    partial_.assign(tags_.size(), 0.0f);
    const int columns = o.lastColumn - o.firstColumn + 1;
    for (const Part& p : parts_) {
      const int r = p.sample / xs, c = p.sample % xs;
      if (r < o.firstRow || r > o.lastRow || c < o.firstColumn || c > o.lastColumn) continue;
      const size_t at = o.weights + static_cast<size_t>((r - o.firstRow) * columns + c - o.firstColumn) * 8;
      partial_[static_cast<size_t>(p.slot)] += weights[at] * p.share;
    }
    for (size_t k = 0; k < tags_.size(); ++k) add(to, tags_[k], partial_[k]);
  }
}

void TagWorker::add(size_t target, uint32_t tag, float sum) {
  uint32_t* link = &heads_[target];
  for (; *link != kEnd; link = &sums_[*link].next)
    if (sums_[*link].share.tag == tag) {
      sums_[*link].share.share += sum;
      return;
    }
  *link = static_cast<uint32_t>(sums_.size());
  sums_.push_back({{tag, sum}, kEnd});
}

/// A filter narrower than the samples' spacing: the pixel's own mean, as alpha has it.
void TagWorker::addMean(size_t target, int x, int y) {
  heads_[target] = kEnd;
  const SampleTile* tile = tileOf(x, y);
  for (int s = 0; tile && s < tile->samples; ++s)
    for (const TagShare& share : tile->shares(x, y, s)) add(target, share.tag, share.share);
  totals_[target] = tile ? static_cast<float>(tile->samples) : 1.0f;
}

PixelShares TagWorker::finish() {
  PixelShares out;
  out.first.reserve(heads_.size() + 1);
  out.shares.reserve(sums_.size());
  for (size_t p = 0; p < heads_.size(); ++p) {
    out.first.push_back(static_cast<uint32_t>(out.shares.size()));
    const int width = target_.width(), at = static_cast<int>(p);
    if (totals_[p] == 0) addMean(p, target_.x0 + at % width, target_.y0 + at / width);
    for (uint32_t s = heads_[p]; s != kEnd; s = sums_[s].next)
      out.shares.push_back({sums_[s].share.tag, sums_[s].share.share / totals_[p]});
  }
  out.first.push_back(static_cast<uint32_t>(out.shares.size()));
  return out;
}

}  // namespace

PixelShares PixelFilter::shares(const PixelRect& target,
                                const std::function<const SampleTile*(int px, int py)>& tileAt) const {
  if (target.empty()) return {{0}, {}};
  TagWorker worker(*tables_, target, tileAt);
  worker.addSources();
  return worker.finish();
}

}  // namespace reyes::hider
