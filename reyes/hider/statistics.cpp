// SPDX-License-Identifier: Apache-2.0
// Sums of weights, of their squares, and of values and their squares, one partial sum a source and target pixel, source
// pixels in row order: so the bits do not depend on how the frame is cut into tiles.
#include "reyes/hider/statistics.h"

#include <algorithm>
#include <cmath>

#include "reyes/hider/sample_weights.h"

namespace reyes::hider {
namespace {

struct Sums {
  double w = 0, w2 = 0, v = 0, v2 = 0;
  void add(double weight, double value) {
    w += weight, w2 += weight * weight;
    v += weight * value, v2 += weight * value * value;
  }
  void add(const Sums& s) { w += s.w, w2 += s.w2, v += s.v, v2 += s.v2; }
};

float resultOf(const Sums& s, Statistic statistic) {
  if (s.w == 0) return 0;
  const double mean = s.v / s.w;
  if (statistic == Statistic::kEven || statistic == Statistic::kOdd) return static_cast<float>(mean);
  const double spread = std::max(0.0, s.v2 / s.w - mean * mean), share = s.w2 / (s.w * s.w);
  // One sample tells nothing of how it would vary.
  if (!(share < 1 - 1e-9)) return 0;
  const double variance = spread / (1 - share);
  return static_cast<float>(statistic == Statistic::kMse ? variance * share : variance);
}

}  // namespace

/// One target rectangle.
class StatisticsFilter::Worker {
 public:
  using TileAt = std::function<const SampleTile*(int, int)>;
  Worker(const SampleWeights& weights, std::span<const StatisticsJob> jobs, const PixelRect& target,
         const TileAt& tileAt)
      : w_(weights), jobs_(jobs), target_(target), tileAt_(tileAt), scratch_(weights.n) {
    for (const StatisticsJob& j : jobs) slots_ += static_cast<size_t>(j.width());
    sums_.resize(static_cast<size_t>(target.width()) * static_cast<size_t>(target.height()) * slots_);
    values_.resize(slots_ * w_.n);
  }

  void addSources();
  void write(std::span<std::vector<float>> out);

 private:
  const SampleTile* tileOf(int x, int y) const {
    const SampleTile* t = tileAt_(x, y);
    return t && t->rect.contains(x, y) && static_cast<size_t>(t->samples) == w_.n ? t : nullptr;
  }
  /// Values of a source pixel's samples, a slot after the other; nan: it does not count.
  void gather(const SampleTile& tile, int x, int y);
  Sums sumOf(size_t slot, const float* weights) const;
  Sums* sumsAt(int x, int y) {
    return &sums_[(static_cast<size_t>(y - target_.y0) * static_cast<size_t>(target_.width()) +
                   static_cast<size_t>(x - target_.x0)) *
                  slots_];
  }
  void addMean(int x, int y, Sums* to);

  const SampleWeights& w_;
  std::span<const StatisticsJob> jobs_;
  PixelRect target_;
  const TileAt& tileAt_;
  size_t slots_ = 0;  ///< values of all jobs of a pixel
  std::vector<Sums> sums_;
  std::vector<float> values_, scratch_;
};

void StatisticsFilter::Worker::gather(const SampleTile& tile, int x, int y) {
  const int xs = w_.patterns->xs, ys = w_.patterns->ys;
  float* to = values_.data();
  for (const StatisticsJob& j : jobs_)
    for (int c = 0; c < j.width(); ++c)
      for (int s = 0; s < tile.samples; ++s, ++to) {
        *to = tile.value(x, y, s, j.firstChannel + c);
        if (j.mean) {
          for (int k = 1; k < j.channels; ++k) *to += tile.value(x, y, s, j.firstChannel + k);
          *to /= static_cast<float>(j.channels);
        }
        if (j.statistic == Statistic::kEven || j.statistic == Statistic::kOdd) {
          const int cell = x * xs + s % xs + y * ys + s / xs;
          if ((cell & 1) != (j.statistic == Statistic::kOdd)) *to = std::nanf("");
        }
      }
}

Sums StatisticsFilter::Worker::sumOf(size_t slot, const float* weights) const {
  Sums sums;
  const float* values = &values_[slot * w_.n];
  for (size_t s = 0; s < w_.n; ++s)
    if (weights[s] != 0 && std::isfinite(values[s]))
      sums.add(static_cast<double>(weights[s]), static_cast<double>(values[s]));
  return sums;
}

void StatisticsFilter::Worker::addSources() {
  for (int y = target_.y0 - w_.yReach; y < target_.y1 + w_.yReach; ++y)
    for (int x = target_.x0 - w_.xReach; x < target_.x1 + w_.xReach; ++x) {
      const SampleTile* tile = tileOf(x, y);
      if (!tile) continue;
      gather(*tile, x, y);
      for (int ty = std::max(target_.y0, y - w_.yReach); ty < std::min(target_.y1, y + w_.yReach + 1); ++ty)
        for (int tx = std::max(target_.x0, x - w_.xReach); tx < std::min(target_.x1, x + w_.xReach + 1); ++tx) {
          double total = 0;
          const float* weights = w_.at(x, y, x - tx, y - ty, scratch_.data(), total);
          Sums* to = sumsAt(tx, ty);
          for (size_t slot = 0; slot < slots_; ++slot) to[slot].add(sumOf(slot, weights));
        }
    }
}

/// A filter narrower than the samples' spacing: the pixel's own samples alike.
void StatisticsFilter::Worker::addMean(int x, int y, Sums* to) {
  const SampleTile* tile = tileOf(x, y);
  if (!tile) return;
  gather(*tile, x, y);
  std::fill(scratch_.begin(), scratch_.end(), 1.0f);
  for (size_t slot = 0; slot < slots_; ++slot)
    if (to[slot].w == 0) to[slot] = sumOf(slot, scratch_.data());
}

void StatisticsFilter::Worker::write(std::span<std::vector<float>> out) {
  for (size_t j = 0; j < jobs_.size(); ++j) out[j].clear();
  for (int y = target_.y0; y < target_.y1; ++y)
    for (int x = target_.x0; x < target_.x1; ++x) {
      Sums* sums = sumsAt(x, y);
      if (std::any_of(sums, sums + slots_, [](const Sums& s) { return s.w == 0; })) addMean(x, y, sums);
      for (size_t j = 0; j < jobs_.size(); ++j)
        for (int c = 0; c < jobs_[j].width(); ++c) out[j].push_back(resultOf(*sums++, jobs_[j].statistic));
    }
}

StatisticsFilter::StatisticsFilter(const SamplingSpec& sampling, const Filter& filter,
                                   std::span<const StatisticsJob> jobs)
    : jobs_(jobs.begin(), jobs.end()) {
  if (wanted()) weights_ = std::make_shared<const SampleWeights>(sampling, filter);
}

void StatisticsFilter::operator()(const PixelRect& target,
                                  const std::function<const SampleTile*(int px, int py)>& tileAt,
                                  std::span<std::vector<float>> out) const {
  if (!wanted() || target.empty()) return;
  Worker worker(*weights_, jobs_, target, tileAt);
  worker.addSources();
  worker.write(out);
}

}  // namespace reyes::hider
