// SPDX-License-Identifier: Apache-2.0
// Pixels from samples. Each source pixel adds one partial sum to each target that its samples reach, source pixels in
// row order, so the bits do not depend on how the frame is cut into tiles: eight source pixels are taken at once, and
// their sums added offset by offset, so that each target still meets its sources from left to right. Called by render/
// when all tiles that a filter reaches are resolved.
#include <algorithm>
#include <cmath>

#include "reyes/hider/filter_tables.h"

namespace reyes::hider {

#define REYES_FILTER(isa)              \
  namespace isa {                      \
  void filterAdd(const FilterStrip&);  \
  bool filterDivide(const FilterRow&); \
  }
REYES_FILTER(sse4)
REYES_FILTER(avx2)
REYES_FILTER(avx512)
#undef REYES_FILTER

const FilterKernels& filterKernels(Isa isa) {
  static constexpr FilterKernels kAll[] = {{sse4::filterAdd, sse4::filterDivide},
                                           {avx2::filterAdd, avx2::filterDivide},
                                           {avx512::filterAdd, avx512::filterDivide}};
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
  void planTile(const SampleTile& tile);
  void addStrip(const SampleTile& tile, int y, int k, FilterStrip& f, ptrdiff_t at);
  const float* guarded(const float* plane, size_t floats);
  size_t slotOf(int channel) const {
    return static_cast<size_t>(std::lower_bound(t_.channels.begin(), t_.channels.end(), channel) - t_.channels.begin());
  }
  void writeFiltered(const FilterJob& job, float* to) const;
  void writeMean(const FilterJob& job, int x, int y, float* to) const;
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
  std::vector<float> sums_;                           ///< the weights' plane, then others
  std::vector<size_t> same_;                          ///< slot whose sums a slot shares
  std::vector<size_t> planes_;                        ///< of each slot
  struct PlannedChannel {
    ptrdiff_t plane, sums;  ///< first float in a strip, and in sums_
    bool opacity, guarded;
  };
  std::vector<PlannedChannel> plan_;
  const SampleTile* planned_ = nullptr;  ///< whose plan that is
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
  size_t planes = 1;
  for (size_t s = 0; s < t_.channels.size(); ++s) {
    const int c = t_.channels[s];
    const bool shared = grey && c > SampleTile::kOi && c < SampleTile::kZ && s > 0 && t_.channels[s - 1] == c - 1;
    same_.push_back(shared ? same_.back() : s);
    planes_.push_back(shared ? planes_.back() : planes++);
  }
  // Whole strips are added: what falls beside the targets lands in the margins.
  const ptrdiff_t margin = 2 * t_.xReach + 8;
  rowStride_ = target.width() + 2 * margin;
  plane_ = rowStride_ * target.height();
  corner_ = margin;
  sums_.assign(planes * static_cast<size_t>(plane_), 0.0f);
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
  planTile(*run.tile);
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

/// Where a tile's channels go.
void Worker::planTile(const SampleTile& tile) {
  if (planned_ == &tile) return;
  planned_ = &tile;
  plan_.clear();
  for (size_t s = 0; s < t_.channels.size(); ++s) {
    const int c = t_.channels[s], plane = tile.planeOf(c);
    if (same_[s] == s && plane >= 0)
      plan_.push_back({static_cast<ptrdiff_t>(plane) * static_cast<ptrdiff_t>(tile.planeFloats()),
                       static_cast<ptrdiff_t>(planes_[s]) * plane_, c >= SampleTile::kOi && c < SampleTile::kZ,
                       c >= SampleTile::kZ});
  }
}

/// One strip of a tile; its sums without offset start at `at`.
void Worker::addStrip(const SampleTile& tile, int y, int k, FilterStrip& f, ptrdiff_t at) {
  float* const sums = sums_.data() + at;
  f.channels = 0, f.ones = 1, f.onesSums[0] = sums;
  const SampleTile::State state = tile.state(y, k);
  if (state == SampleTile::kNothing) return kernels_.add(f);
  const float* strip = tile.strip(y, k);
  if (state == SampleTile::kOpaque)
    for (const PlannedChannel& c : plan_)
      if (c.opacity) f.onesSums[f.ones++] = sums + c.sums;
  for (const PlannedChannel& c : plan_) {
    if (c.opacity && state == SampleTile::kOpaque) continue;
    const int n = f.channels++;
    f.planes[n] = c.guarded ? guarded(strip + c.plane, tile.planeFloats()) : strip + c.plane;
    f.sums[n] = sums + c.sums;
    if (f.channels == kFilterGroup || c.guarded) kernels_.add(f), f.channels = f.ones = 0;
  }
  if (f.channels + f.ones > 0) kernels_.add(f);
}

/// Depths and output variables may be infinite, which would spoil sums even at no weight: such count as 0.
const float* Worker::guarded(const float* plane, size_t floats) {
  guarded_.resize(floats);
  for (size_t i = 0; i < floats; ++i) guarded_[i] = std::fabs(plane[i]) < kNoDepth ? plane[i] : 0;
  return guarded_.data();
}

/// Depths of a pixel's samples, eight floats from one to the next; null where there are none.
const float* depthsOf(const SampleTile& t, int x, int y) {
  const int k = (x >> 3) - t.firstStrip(), plane = t.planeOf(SampleTile::kZ);
  if (plane < 0 || t.state(y, k) == SampleTile::kNothing) return nullptr;
  return t.strip(y, k) + static_cast<size_t>(plane) * t.planeFloats() + (x & 7);
}

/// Depth of a pixel over its own samples; samples that see nothing count for the maximum alone.
float depthOf(const SampleTile& t, int x, int y, FilterMode mode) {
  const float* const depths = depthsOf(t, x, y);
  if (!depths) return kNoDepth;
  float least = kNoDepth, most = -kNoDepth;
  double sum = 0;
  int seen = 0;
  for (int s = 0; s < t.samples; ++s) {
    const float d = depths[8 * s];
    least = std::min(least, d), most = std::max(most, d);
    if (d < kNoDepth) sum += static_cast<double>(d), ++seen;
  }
  if (mode == FilterMode::kZMax) return most;
  if (mode == FilterMode::kZAverage) return seen ? static_cast<float>(sum / seen) : kNoDepth;
  return least;
}

/// The sample of a pixel nearest in depth among those that hit anything, or -1.
int nearestOf(const SampleTile& t, int x, int y) {
  const float* const depths = depthsOf(t, x, y);
  int best = -1;
  float z = kNoDepth;
  for (int s = 0; depths && s < t.samples; ++s) {
    const float d = depths[8 * s];
    if ((best >= 0 && !(d < z)) || !t.hit(x, y, s)) continue;
    best = s, z = d;
  }
  return best;
}

void Worker::writeFiltered(const FilterJob& job, float* to) const {
  for (int y = target_.y0; y < target_.y1; ++y, to += static_cast<ptrdiff_t>(target_.width()) * job.channels) {
    const float* weights = sums_.data() + corner_ + (y - target_.y0) * rowStride_;
    bool all = true;
    for (int first = 0; first < job.channels; first += kFilterGroup) {
      FilterRow row;
      row.weights = weights, row.count = target_.width();
      row.out = to + first, row.stride = job.channels;
      row.channels = std::min(kFilterGroup, job.channels - first);
      for (int c = 0; c < row.channels; ++c)
        row.sums[c] = weights + static_cast<ptrdiff_t>(planes_[slotOf(job.firstChannel + first + c)]) * plane_;
      all = kernels_.divide(row);
    }
    for (int x = 0; x < target_.width() && !all; ++x)
      if (weights[x] == 0) writeMean(job, target_.x0 + x, y, to + static_cast<ptrdiff_t>(x) * job.channels);
  }
}

/// Of a filter narrower than the samples' spacing: the pixel's own mean.
void Worker::writeMean(const FilterJob& job, int x, int y, float* to) const {
  const SampleTile* t = tileOf(x, y);
  for (int c = 0; c < job.channels; ++c) {
    float mean = 0;
    for (int s = 0; t && s < t->samples; ++s) mean += t->value(x, y, s, job.firstChannel + c);
    to[c] = t ? mean / static_cast<float>(t->samples) : 0;
  }
}

void Worker::writePicked(const FilterJob& job, float* to) const {
  for (int y = target_.y0; y < target_.y1; ++y)
    for (int x = target_.x0; x < target_.x1; ++x, to += job.channels) {
      const SampleTile* t = tileOf(x, y);
      if (job.mode != FilterMode::kNearest) {
        std::fill_n(to, job.channels, t ? depthOf(*t, x, y, job.mode) : kNoDepth);
      } else {
        const int s = t ? nearestOf(*t, x, y) : -1;
        for (int c = 0; c < job.channels; ++c) to[c] = s < 0 ? 0.0f : t->value(x, y, s, job.firstChannel + c);
      }
    }
}

void Worker::write(std::span<std::vector<float>> out) const {
  const size_t pixels = static_cast<size_t>(target_.width()) * static_cast<size_t>(target_.height());
  for (size_t j = 0; j < t_.jobs.size(); ++j) {
    const FilterJob& job = t_.jobs[j];
    out[j].resize(pixels * static_cast<size_t>(job.channels));
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
