// SPDX-License-Identifier: Apache-2.0
// Pixels from samples. Each source pixel adds one partial sum to each target that its samples reach, source pixels in
// row order, so the bits do not depend on how the frame is cut into tiles: eight source pixels are taken at once, and
// their sums added offset by offset, so that each target still meets its sources from left to right. Called by render/
// when all tiles that a filter reaches are resolved.
#include <algorithm>
#include <cmath>

#include "reyes/hider/filter_tables.h"

namespace reyes::hider {

#define REYES_FILTER(isa)                   \
  namespace isa {                           \
  void filterAdd(const FilterStrip&);       \
  void filterAddTotals(const FilterStrip&); \
  }
REYES_FILTER(sse4)
REYES_FILTER(avx2)
REYES_FILTER(avx512)
#undef REYES_FILTER

const FilterKernels& filterKernels(Isa isa) {
  static constexpr FilterKernels kAll[] = {{sse4::filterAdd, sse4::filterAddTotals},
                                           {avx2::filterAdd, avx2::filterAddTotals},
                                           {avx512::filterAdd, avx512::filterAddTotals}};
  return kAll[static_cast<int>(isa)];
}

namespace {

constexpr float kNoDepth = std::numeric_limits<float>::infinity();
using TileAt = std::function<const SampleTile*(int, int)>;

/// Pixels x0..x1-1 of row y lie in one tile.
struct Run {
  const SampleTile* tile;
  int x0, x1, y;
};

/// Filters one target rectangle.
class Worker {
 public:
  Worker(const PixelFilter::Tables& tables, const PixelRect& target, const TileAt& tileAt);
  void addSources();
  void write(std::span<std::vector<float>> out) const;

 private:
  void addRun(const Run& run);
  void addStrip(const SampleTile& tile, int y, int k, FilterStrip f, ptrdiff_t at);
  const float* guarded(const float* plane, size_t floats);
  size_t slotOf(int channel) const {
    return static_cast<size_t>(std::lower_bound(t_.channels.begin(), t_.channels.end(), channel) - t_.channels.begin());
  }
  void writeFiltered(const FilterJob& job, float* to) const;
  void writePicked(const FilterJob& job, float* to) const;
  const SampleTile* tileOf(int x, int y) const {
    const SampleTile* t = tileAt_(x, y);
    return t && t->rect.contains(x, y) && t->samples == t_.patterns->n ? t : nullptr;
  }

  const PixelFilter::Tables& t_;
  const FilterKernels& kernels_;
  PixelRect target_;
  const TileAt& tileAt_;
  ptrdiff_t rowStride_ = 0, plane_ = 0, corner_ = 0;  ///< of the sums; corner_: the target's first pixel
  std::vector<float> sums_;                           ///< a plane a channel, then the weights'
  std::vector<size_t> same_;                          ///< slot whose sums a slot shares
  std::vector<Run> runs_;
  std::vector<float> weights_, totals_, guarded_;
};

Worker::Worker(const PixelFilter::Tables& tables, const PixelRect& target, const TileAt& tileAt)
    : t_(tables), kernels_(filterKernels(tables.isa)), target_(target), tileAt_(tileAt) {
  if (t_.channels.empty() || target.empty()) return;
  // Sources, row by row.
  bool grey = true;
  for (int y = target.y0 - t_.yReach; y < target.y1 + t_.yReach; ++y)
    for (int x = target.x0 - t_.xReach; x < target.x1 + t_.xReach;) {
      const SampleTile* tile = tileOf(x, y);
      const int end = tile ? std::min(tile->rect.x1, target.x1 + t_.xReach) : x + 1;
      if (tile) runs_.push_back({tile, x, end, y}), grey = grey && tile->grey;
      x = end;
    }
  for (size_t s = 0; s < t_.channels.size(); ++s) {
    const int c = t_.channels[s];
    const bool shared = grey && c > SampleTile::kOi && c < SampleTile::kZ && s > 0 && t_.channels[s - 1] == c - 1;
    same_.push_back(shared ? same_.back() : s);
  }
  // Whole strips are added: what falls beside the targets lands in the margins.
  const ptrdiff_t margin = 2 * t_.xReach + 8;
  rowStride_ = target.width() + 2 * margin;
  plane_ = rowStride_ * target.height();
  corner_ = margin;
  sums_.assign((t_.channels.size() + 1) * static_cast<size_t>(plane_), 0.0f);
  if (t_.weights.empty()) weights_.resize(t_.weightsOfStrip), totals_.resize(t_.totalsOfStrip());
}

void Worker::addSources() {
  for (const Run& run : runs_) addRun(run);
}

void Worker::addRun(const Run& run) {
  FilterStrip f;
  f.offsets = t_.offsets.data(), f.offsetCount = static_cast<int>(t_.offsets.size());
  f.xs = t_.patterns->xs;
  f.rowStride = rowStride_;
  f.dy0 = std::max(-t_.yReach, run.y - (target_.y1 - 1)), f.dy1 = std::min(t_.yReach, run.y - target_.y0);
  for (int sx = run.x0 >> 3; sx * kStripPixels < run.x1; ++sx) {
    const int first = std::max(run.x0 - sx * kStripPixels, 0),
              last = std::min(run.x1 - sx * kStripPixels, kStripPixels);
    f.lanes = ((1u << last) - 1) & ~((1u << first) - 1);
    const size_t strip = static_cast<size_t>(t_.patterns->stripAt(sx, run.y));
    if (t_.weights.empty()) {
      t_.weigh(static_cast<int>(strip), weights_.data(), totals_.data());
      f.weights = weights_.data(), f.totals = totals_.data();
    } else {
      f.weights = &t_.weights[strip * t_.weightsOfStrip], f.totals = &t_.totals[strip * t_.totalsOfStrip()];
    }
    const ptrdiff_t at = corner_ + (run.y - target_.y0) * rowStride_ + (sx * kStripPixels - target_.x0);
    addStrip(*run.tile, run.y, sx - run.tile->firstStrip(), f, at);
  }
}

/// One strip of a tile; its sums without offset start at `at`.
void Worker::addStrip(const SampleTile& tile, int y, int k, FilterStrip f, ptrdiff_t at) {
  const auto sums = [&](size_t slot) { return sums_.data() + static_cast<ptrdiff_t>(slot) * plane_ + at; };
  f.channels = 1, f.sums[0] = sums(t_.channels.size());
  kernels_.addTotals(f);
  const SampleTile::State state = tile.state(y, k);
  if (state == SampleTile::kNothing) return;
  const float* strip = tile.strip(y, k);
  f.channels = 0;
  for (size_t s = 0; s < t_.channels.size(); ++s) {
    const int c = t_.channels[s], plane = tile.planeOf(c);
    if (same_[s] != s || plane < 0) continue;
    if (state == SampleTile::kOpaque && c >= SampleTile::kOi && c < SampleTile::kZ) {
      FilterStrip ones = f;
      ones.channels = 1, ones.sums[0] = sums(s);
      kernels_.addTotals(ones);
      continue;
    }
    const float* values = strip + static_cast<size_t>(plane) * tile.planeFloats();
    const int n = f.channels++;
    f.planes[n] = c >= SampleTile::kZ ? guarded(values, tile.planeFloats()) : values;
    f.sums[n] = sums(s);
    if (f.channels == kFilterGroup || c >= SampleTile::kZ) kernels_.add(f), f.channels = 0;
  }
  if (f.channels > 0) kernels_.add(f);
}

/// Depths and output variables may be infinite, which would spoil sums even at no weight: such count as 0.
const float* Worker::guarded(const float* plane, size_t floats) {
  guarded_.resize(floats);
  for (size_t i = 0; i < floats; ++i) guarded_[i] = std::fabs(plane[i]) < kNoDepth ? plane[i] : 0;
  return guarded_.data();
}

/// Depth of a pixel over its own samples; samples that see nothing count for the maximum alone.
float depthOf(const SampleTile& t, int x, int y, FilterMode mode) {
  float least = kNoDepth, most = -kNoDepth;
  double sum = 0;
  int seen = 0;
  for (int s = 0; s < t.samples; ++s) {
    const float d = t.value(x, y, s, SampleTile::kZ);
    least = std::min(least, d), most = std::max(most, d);
    if (d < kNoDepth) sum += static_cast<double>(d), ++seen;
  }
  if (mode == FilterMode::kZMax) return most;
  if (mode == FilterMode::kZAverage) return seen ? static_cast<float>(sum / seen) : kNoDepth;
  return least;
}

/// The sample of a pixel nearest in depth among those that hit anything, or -1.
int nearestOf(const SampleTile& t, int x, int y) {
  int best = -1;
  float z = kNoDepth;
  for (int s = 0; s < t.samples; ++s) {
    const float d = t.value(x, y, s, SampleTile::kZ);
    if (!t.hit(x, y, s) || (best >= 0 && !(d < z))) continue;
    best = s, z = d;
  }
  return best;
}

void Worker::writeFiltered(const FilterJob& job, float* to) const {
  const size_t width = static_cast<size_t>(job.channels);
  const float* weights = sums_.data() + static_cast<ptrdiff_t>(t_.channels.size()) * plane_ + corner_;
  for (int c = 0; c < job.channels; ++c) {
    const float* sums = sums_.data() + static_cast<ptrdiff_t>(same_[slotOf(job.firstChannel + c)]) * plane_ + corner_;
    for (int y = 0; y < target_.height(); ++y) {
      const float *sum = sums + y * rowStride_, *weight = weights + y * rowStride_;
      float* out = to + static_cast<size_t>(y) * static_cast<size_t>(target_.width()) * width + c;
      for (int x = 0; x < target_.width(); ++x, out += width) {
        if (weight[x] != 0) {
          *out = sum[x] / weight[x];
          continue;
        }
        // Narrower than the samples' spacing: the pixel's own mean.
        const int px = target_.x0 + x, py = target_.y0 + y;
        const SampleTile* t = tileOf(px, py);
        float mean = 0;
        for (int s = 0; t && s < t->samples; ++s) mean += t->value(px, py, s, job.firstChannel + c);
        *out = t ? mean / static_cast<float>(t->samples) : 0;
      }
    }
  }
}

void Worker::writePicked(const FilterJob& job, float* to) const {
  for (int y = target_.y0; y < target_.y1; ++y)
    for (int x = target_.x0; x < target_.x1; ++x, to += job.channels) {
      const SampleTile* t = tileOf(x, y);
      if (job.mode != FilterMode::kNearest) {
        std::fill_n(to, job.channels, t ? depthOf(*t, x, y, job.mode) : kNoDepth);
      } else if (const int s = t ? nearestOf(*t, x, y) : -1; s >= 0) {
        for (int c = 0; c < job.channels; ++c) to[c] = t->value(x, y, s, job.firstChannel + c);
      }
    }
}

void Worker::write(std::span<std::vector<float>> out) const {
  const size_t pixels = static_cast<size_t>(target_.width()) * static_cast<size_t>(target_.height());
  for (size_t j = 0; j < t_.jobs.size(); ++j) {
    const FilterJob& job = t_.jobs[j];
    out[j].assign(pixels * static_cast<size_t>(job.channels), 0.0f);
    if (target_.empty()) continue;
    if (job.mode == FilterMode::kFilter)
      writeFiltered(job, out[j].data());
    else
      writePicked(job, out[j].data());
  }
}

}  // namespace

PixelFilter::PixelFilter(const SamplingSpec& spec, const Filter& filter, std::span<const FilterJob> jobs)
    : tables_(std::make_shared<const Tables>(spec, filter, jobs)) {}

void PixelFilter::operator()(const PixelRect& target, const std::function<const SampleTile*(int px, int py)>& tileAt,
                             std::span<std::vector<float>> out) const {
  Worker worker(*tables_, target, tileAt);
  worker.addSources();
  worker.write(out);
}

}  // namespace reyes::hider
