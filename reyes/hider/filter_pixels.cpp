// SPDX-License-Identifier: Apache-2.0
// Pixels from samples. Each source pixel adds one partial sum to each target that its samples reach, source pixels in
// row order, so the bits do not depend on how the frame is cut into tiles. Called by render/ when all tiles that a
// filter reaches are resolved.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reyes/hider/filter_kernels.h"
#include "reyes/hider/sampling.h"

namespace reyes::hider {

namespace sse4 {
void filterSource(const FilterSource&);
}
namespace avx2 {
void filterSource(const FilterSource&);
}
namespace avx512 {
void filterSource(const FilterSource&);
}

FilterKernel filterKernel(Isa isa) {
  static constexpr FilterKernel kAll[] = {sse4::filterSource, avx2::filterSource, avx512::filterSource};
  return kAll[static_cast<int>(isa)];
}

namespace {

constexpr float kNoDepth = std::numeric_limits<float>::infinity();

float offsetOf(int d, int unit) { return static_cast<float>(d) + static_cast<float>(unit) / kUnits - 0.5f; }

/// First and last cell (column or row of samples) with any weight, for each pixel offset of an axis.
struct CellsReached {
  std::vector<int> first, last;
  CellsReached(const std::vector<float>& table, int cells) {
    for (size_t d = 0; d * kUnits < table.size(); ++d) {
      first.push_back(cells), last.push_back(-1);
      for (int c = 0; c < cells; ++c) {
        const auto from = table.begin() + static_cast<ptrdiff_t>(d) * kUnits;
        const bool used = std::any_of(from + std::max(1, c * kUnits / cells),
                                      from + ((c + 1) * kUnits + cells - 1) / cells, [](float w) { return w != 0; });
        if (used) first[d] = std::min(first[d], c), last[d] = c;
      }
    }
  }
};

struct Pixel {
  const SampleTile* tile = nullptr;
  size_t first = 0;  ///< index of its first sample
};

class Worker {
 public:
  Worker(const SamplingSpec& spec, const Filter& filter, std::span<const FilterJob> jobs, const PixelRect& target)
      : spec_(spec),
        pattern_(spec),
        filter_(filter),
        jobs_(jobs),
        target_(target),
        xs_(clampSamples(spec.xSamples)),
        ys_(clampSamples(spec.ySamples)),
        n_(static_cast<size_t>(xs_) * static_cast<size_t>(ys_)),
        columns_(filter.table(true), xs_),
        rows_(filter.table(false), ys_),
        xReach_(filter.xReach()),
        yReach_(filter.yReach()) {
    for (const FilterJob& j : jobs)
      if (j.mode == FilterMode::kFilter)
        for (int c = 0; c < j.channels; ++c) channels_.push_back(j.firstChannel + c);
    lanes_ = (channels_.size() + 1 + 7) & ~size_t{7};
    sums_.assign(static_cast<size_t>(target.width()) * static_cast<size_t>(target.height()) * lanes_, 0.0f);
    values_.assign(n_ * lanes_, 0.0f);
    for (size_t s = 0; s < n_; ++s) values_[s * lanes_ + channels_.size()] = 1;
    unitX_.resize(n_), unitY_.resize(n_);
    unitX32_.resize(static_cast<size_t>(pattern_.padded())), unitY32_.resize(unitX32_.size());
    columnWeights_.resize(columns_.first.size() * n_);
    weighted_.resize(n_ * lanes_);
    if (!filter.separable()) weights_.resize(columns_.first.size() * rows_.first.size() * n_);
    contiguous_ = true;
    for (size_t c = 1; c < channels_.size(); ++c)
      contiguous_ = contiguous_ && channels_[c] == channels_[0] + static_cast<int>(c);
  }

  void addSource(const Pixel& p, int x, int y);
  void write(std::span<std::vector<float>> out, const std::function<const SampleTile*(int, int)>& tileAt) const;
  Pixel find(const std::function<const SampleTile*(int, int)>& tileAt, int x, int y) const;

 private:
  void takeWeights(const FilterSource& f);
  float ownMean(const Pixel& p, int channel) const;
  float depth(const Pixel& p, FilterMode mode) const;
  size_t nearest(const Pixel& p) const;

  const SamplingSpec& spec_;
  PatternTables pattern_;
  const Filter& filter_;
  std::span<const FilterJob> jobs_;
  PixelRect target_;
  int xs_, ys_;
  size_t n_, lanes_ = 8;
  CellsReached columns_, rows_;
  int xReach_, yReach_;
  bool contiguous_ = false;
  std::vector<int> channels_;
  std::vector<float> sums_, values_, columnWeights_, weighted_, weights_;
  std::vector<uint16_t> unitX_, unitY_;
  std::vector<int32_t> unitX32_, unitY32_;
};

Pixel Worker::find(const std::function<const SampleTile*(int, int)>& tileAt, int x, int y) const {
  const SampleTile* t = tileAt(x, y);
  if (!t || !t->rect.contains(x, y) || static_cast<size_t>(t->samples) != n_) return {};
  const size_t pixel =
      static_cast<size_t>(y - t->rect.y0) * static_cast<size_t>(t->rect.width()) + static_cast<size_t>(x - t->rect.x0);
  return {t, pixel * n_};
}

void Worker::takeWeights(const FilterSource& f) {
  size_t at = 0;
  for (int dy = -f.yReach; dy <= f.yReach; ++dy)
    for (int dx = -f.xReach; dx <= f.xReach; ++dx)
      for (size_t s = 0; s < n_; ++s) weights_[at++] = filter_(offsetOf(dx, f.unitX[s]), offsetOf(dy, f.unitY[s]));
}

void Worker::addSource(const Pixel& p, int x, int y) {
  const SampleTile& t = *p.tile;
  FilterSource f;
  f.xs = xs_, f.ys = ys_, f.xReach = xReach_, f.yReach = yReach_;
  // Positions and the filtered channels of its samples.
  if (t.unitX.empty()) {
    patternKernels(spec_.isa).positions(pattern_, PixelSeeds(x, y), unitX32_.data(), unitY32_.data());
    for (size_t s = 0; s < n_; ++s)
      unitX_[s] = static_cast<uint16_t>(unitX32_[s]), unitY_[s] = static_cast<uint16_t>(unitY32_[s]);
    f.unitX = unitX_.data(), f.unitY = unitY_.data();
  } else {
    f.unitX = t.unitX.data() + p.first, f.unitY = t.unitY.data() + p.first;
  }
  const size_t stride = static_cast<size_t>(t.channels);
  for (size_t s = 0; s < n_; ++s) {
    const float* from = t.values.data() + (p.first + s) * stride;
    float* to = values_.data() + s * lanes_;
    if (contiguous_ && channels_.size() == 4)
      std::memcpy(to, from + channels_[0], 16);
    else
      for (size_t c = 0; c < channels_.size(); ++c) to[c] = from[channels_[c]] < kNoDepth ? from[channels_[c]] : 0;
  }
  // Targets x - dx, y - dy.
  f.lanes = static_cast<int>(lanes_);
  f.values = values_.data();
  f.tableX = filter_.table(true).data(), f.tableY = filter_.table(false).data();
  f.firstColumn = columns_.first.data(), f.lastColumn = columns_.last.data();
  f.firstRow = rows_.first.data(), f.lastRow = rows_.last.data();
  f.columnWeights = columnWeights_.data(), f.weighted = weighted_.data();
  f.dx0 = std::max(-f.xReach, x - (target_.x1 - 1)), f.dx1 = std::min(f.xReach, x - target_.x0);
  f.dy0 = std::max(-f.yReach, y - (target_.y1 - 1)), f.dy1 = std::min(f.yReach, y - target_.y0);
  f.rowStride = target_.width();
  f.sums = sums_.data() +
           (static_cast<ptrdiff_t>(y - target_.y0) * f.rowStride + (x - target_.x0)) * static_cast<ptrdiff_t>(lanes_);
  if (!filter_.separable()) {
    takeWeights(f);
    f.weights = weights_.data();
  }
  filterKernel(spec_.isa)(f);
}

float Worker::ownMean(const Pixel& p, int channel) const {
  float sum = 0;
  for (size_t s = 0; s < n_; ++s)
    sum += p.tile->values[(p.first + s) * static_cast<size_t>(p.tile->channels) + static_cast<size_t>(channel)];
  return sum / static_cast<float>(n_);
}

size_t Worker::nearest(const Pixel& p) const {
  size_t best = n_;
  float z = kNoDepth;
  for (size_t s = 0; s < n_; ++s) {
    const float d = p.tile->values[(p.first + s) * static_cast<size_t>(p.tile->channels) + SampleTile::kZ];
    if (!p.tile->hit[p.first + s] || (best < n_ && !(d < z))) continue;
    best = s, z = d;
  }
  return best;
}

/// Depth of a pixel over its own samples; samples that see nothing count for the maximum alone.
float Worker::depth(const Pixel& p, FilterMode mode) const {
  float least = kNoDepth, most = -kNoDepth;
  double sum = 0;
  int seen = 0;
  for (size_t s = 0; s < n_; ++s) {
    const float d = p.tile->values[(p.first + s) * static_cast<size_t>(p.tile->channels) + SampleTile::kZ];
    least = std::min(least, d), most = std::max(most, d);
    if (d < kNoDepth) sum += d, ++seen;
  }
  if (mode == FilterMode::kZMax) return most;
  if (mode == FilterMode::kZAverage) return seen ? static_cast<float>(sum / seen) : kNoDepth;
  return least;
}

void Worker::write(std::span<std::vector<float>> out, const std::function<const SampleTile*(int, int)>& tileAt) const {
  size_t lane = 0;
  for (size_t j = 0; j < jobs_.size(); ++j) {
    const FilterJob& job = jobs_[j];
    const size_t channels = static_cast<size_t>(job.channels);
    out[j].assign(static_cast<size_t>(target_.width()) * static_cast<size_t>(target_.height()) * channels, 0.0f);
    float* to = out[j].data();
    const float* sum = sums_.data();
    for (int y = target_.y0; y < target_.y1; ++y)
      for (int x = target_.x0; x < target_.x1; ++x, to += channels, sum += lanes_) {
        const float weight = sum[channels_.size()];
        if (job.mode == FilterMode::kFilter && weight != 0) {
          for (size_t c = 0; c < channels; ++c) to[c] = sum[lane + c] / weight;
          continue;
        }
        const Pixel p = find(tileAt, x, y);
        const bool isDepth = job.mode != FilterMode::kFilter && job.mode != FilterMode::kNearest;
        if (isDepth) std::fill_n(to, channels, p.tile ? depth(p, job.mode) : kNoDepth);
        if (isDepth || !p.tile) continue;
        if (job.mode == FilterMode::kFilter) {  // narrower than the samples' spacing: the pixel's own mean
          for (size_t c = 0; c < channels; ++c) to[c] = ownMean(p, job.firstChannel + static_cast<int>(c));
        } else if (const size_t s = nearest(p); s < n_) {
          const float* v =
              p.tile->values.data() + (p.first + s) * static_cast<size_t>(p.tile->channels) + job.firstChannel;
          std::copy_n(v, channels, to);
        }
      }
    if (job.mode == FilterMode::kFilter) lane += channels;
  }
}

}  // namespace

void filterPixels(const SamplingSpec& spec, const Filter& filter, std::span<const FilterJob> jobs,
                  const PixelRect& target, const std::function<const SampleTile*(int px, int py)>& tileAt,
                  std::span<std::vector<float>> out) {
  Worker worker(spec, filter, jobs, target);
  const bool any =
      std::any_of(jobs.begin(), jobs.end(), [](const FilterJob& j) { return j.mode == FilterMode::kFilter; });
  const int rx = any ? filter.xReach() : 0, ry = any ? filter.yReach() : 0;
  if (any)
    for (int y = target.y0 - ry; y < target.y1 + ry; ++y)
      for (int x = target.x0 - rx; x < target.x1 + rx; ++x)
        if (const Pixel p = worker.find(tileAt, x, y); p.tile) worker.addSource(p, x, y);
  worker.write(out, tileAt);
}

}  // namespace reyes::hider
