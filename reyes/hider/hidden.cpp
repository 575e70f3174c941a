// SPDX-License-Identifier: Apache-2.0
// The z pyramid and what it is asked: whether something could still be seen in a bucket, before it is split, diced or
// shaded. Serves BucketHider::hidden().
//
// Pixels whose samples are all nearer hide a bound at once. In the others each sample is asked that is still open:
// whether it lies in the bound; and of what moves or is out of focus, in the box of its own time, as its own point of
// the lens sees it. So something that moves is hidden behind what moves along with it, however far.
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {
namespace {

/// Vertices are rounded to units, and bounds by floats: both far less than this.
constexpr float kMargin = kUnits / 32.0f;
constexpr float kRounding = 2e-6f;  ///< of what is added up along a path, against the largest number in it

float inUnits(float v) { return std::min(std::max(v * static_cast<float>(kUnits), -kMaxUnits), kMaxUnits); }

/// From a to b, no nearer to the middle than `outwards` says: with a margin for rounding.
void setEnds(float a, float b, float outwards, float& start, float& change) {
  change = b - a;
  start = a + outwards * kRounding * (std::fabs(a) + std::fabs(b));
}

/// The way from box a to box b; numbers are rounded in whole units of the frame.
PathSegment segmentOf(const SamplingSpec& spec, const PixelRect& rect, const RasterBound& a, const RasterBound& b) {
  PathSegment s{};
  const auto axis = [&](int i, float a0, float a1, float b0, float b1, int corner) {
    const float origin = static_cast<float>(corner) * static_cast<float>(kUnits);
    setEnds(inUnits(a0), inUnits(b0), -1, s.low[i], s.lowChange[i]);
    setEnds(inUnits(a1), inUnits(b1), 1, s.high[i], s.highChange[i]);
    s.low[i] -= origin + kMargin, s.high[i] += kMargin - origin;
  };
  axis(0, a.x0, a.x1, b.x0, b.x1, rect.x0);
  axis(1, a.y0, a.y1, b.y0, b.y1, rect.y0);
  setEnds(a.z0, b.z0, -1, s.z, s.zChange);
  if (!hasLens(spec)) return s;
  s.spread[0] = spec.lensPixelsX * kUnits, s.spread[1] = spec.lensPixelsY * kUnits;
  setEnds(circleOfConfusion(spec, a.z0), circleOfConfusion(spec, b.z0), -1, s.least, s.leastChange);
  setEnds(circleOfConfusion(spec, a.z1), circleOfConfusion(spec, b.z1), 1, s.most, s.mostChange);
  return s;
}

/// Where the lens spreads something over far more pixels than it has, asking costs more than shading.
bool spreadFar(const RasterBound& all, const MovingBound& path) {
  constexpr float kMost = 32;
  RasterBound sharp;
  for (const RasterBound& b : path.boxes) sharp.add(b);
  return sharp.x0 - all.x0 > kMost && all.x1 - sharp.x1 > kMost;
}

}  // namespace

float BucketHider::Impl::pixelTop(int px, int py) {
  const size_t p = static_cast<size_t>(py) * static_cast<size_t>(rect.width()) + static_cast<size_t>(px);
  if (!dirty[p]) return pixelMax[p];
  const Lattice& l = ctx.lattice;
  float top = -kInf;
  for (int r = 0; r < l.ys; ++r) {
    const float* row = l.limit + static_cast<size_t>(py * l.ys + r) * static_cast<size_t>(l.stride) + px * l.xs;
    for (int c = 0; c < l.xs; ++c) top = std::max(top, row[c]);
  }
  dirty[p] = 0;
  return pixelMax[p] = top;
}

/// True where no sample of a pixel that lies within the bound is open to its depth.
bool BucketHider::Impl::missesOpen(const RasterBound& b, int px, int py) const {
  const auto edge = [](float v, int origin) { return (v - static_cast<float>(origin)) * static_cast<float>(kUnits); };
  const float x0 = edge(b.x0, rect.x0) - kMargin, x1 = edge(b.x1, rect.x0) + kMargin;
  const float y0 = edge(b.y0, rect.y0) - kMargin, y1 = edge(b.y1, rect.y0) + kMargin;
  const Lattice& l = ctx.lattice;
  for (int r = 0; r < l.ys; ++r) {
    const size_t at = pixelAt(px, py, r * l.xs);
    int open = 0;
    for (size_t k = at; k < at + static_cast<size_t>(l.xs); ++k)
      open |= (sampleX[k] >= x0) & (sampleX[k] <= x1) & (sampleY[k] >= y0) & (sampleY[k] <= y1) & !(l.limit[k] < b.z0);
    if (open) return false;
  }
  return true;
}

/// Pixels, from the bucket's corner, whose samples a bound reaches; samples never lie on a pixel's border.
PixelRect BucketHider::Impl::reachedBy(const RasterBound& b) const {
  const auto whole = [](float v) { return static_cast<int>(std::clamp(std::floor(v), -1e9f, 1e9f)); };
  const PixelRect r = intersect({whole(b.x0), whole(b.y0), whole(b.x1) + 1, whole(b.y1) + 1}, rect);
  return {r.x0 - rect.x0, r.y0 - rect.y0, r.x1 - rect.x0, r.y1 - rect.y0};
}

bool BucketHider::Impl::hidden(const RasterBound& b) {
  if (!(b.x0 <= b.x1 && b.y0 <= b.y1)) return b.empty() && b.x0 == b.x0 && b.x1 == b.x1;
  const PixelRect r = reachedBy(b);
  if (r.empty()) return true;
  if (!anyDirty && bucketMax < b.z0) return true;
  // 1. Pixels that the bound surely fills: one that is open is enough.
  for (int y = r.y0 + 1; y < r.y1 - 1; ++y)
    for (int x = r.x0 + 1; x < r.x1 - 1; ++x)
      if (!(pixelTop(x, y) < b.z0)) return false;
  // 2. Those along its border, sample by sample.
  const auto open = [&](int x, int y) { return !(pixelTop(x, y) < b.z0) && !missesOpen(b, x, y); };
  for (int x = r.x0; x < r.x1; ++x)
    if (open(x, r.y0) || open(x, r.y1 - 1)) return false;
  for (int y = r.y0 + 1; y < r.y1 - 1; ++y)
    if (open(r.x0, y) || open(r.x1 - 1, y)) return false;
  if (r.width() == rect.width() && r.height() == rect.height()) {  // every pixel was visited: the top is known
    bucketMax = *std::max_element(pixelMax.begin(), pixelMax.end());
    anyDirty = false;
  }
  return true;
}

/// Whether any of `count` samples of a row is open to what moves along a segment.
bool BucketHider::Impl::anyOpen(const PathSegment& s, size_t at, int count) const {
  const bool lens = hasLens(spec);
  const PathSamples samples{&sampleX[at],
                            &sampleY[at],
                            &sampleTime[at],
                            lens ? &sampleLensX[at] : nullptr,
                            lens ? &sampleLensY[at] : nullptr,
                            ctx.lattice.limit + at,
                            count};
  return kernel->pathOpen(s, samples);
}

/// How many samples are worth asking: the more, the more of some all over `r` are nearer than `nearest`. Where few are,
/// little is hidden.
int BucketHider::Impl::worthAsking(const PixelRect& r, float nearest) const {
  constexpr int kProbes = 32, kLeast = 2048, kEach = 2048;
  int nearer = 0;
  for (int i = 0; i < kProbes; ++i) {
    const int x = r.x0 + (2 * i + 1) * r.width() / (2 * kProbes);
    const int y = r.y0 + (2 * (i * 13 % kProbes) + 1) * r.height() / (2 * kProbes);
    nearer += ctx.lattice.limit[pixelAt(x, y, i % samples())] < nearest;
  }
  return kLeast + nearer * kEach;
}

/// Whether any sample of pixels x..end of a row is open to what moves along `segments`, `nearest` at most; or `budget`,
/// which goes down with the samples asked, is spent.
bool BucketHider::Impl::anyOpen(int y, int x, int end, float nearest, int& budget) {
  constexpr int kMost = 8;
  const int xs = ctx.lattice.xs, ys = ctx.lattice.ys;
  // Pixels that changed since the pyramid was asked are not worth bringing up to date.
  const auto firstPixel = static_cast<size_t>(y) * static_cast<size_t>(rect.width());
  const auto covered = [&](int px) {
    const size_t p = firstPixel + static_cast<size_t>(px);
    return !dirty[p] && pixelMax[p] < nearest;
  };
  while (x < end) {
    if (covered(x)) {
      ++x;
      continue;
    }
    const int first = x++;
    while (x < std::min(first + kMost, end) && !covered(x)) ++x;
    budget -= (x - first) * xs * ys;
    if (budget < 0) return true;
    for (int row = 0; row < ys; ++row)
      for (const PathSegment& s : segments)
        if (anyOpen(s, pixelAt(first, y, row * xs), (x - first) * xs)) return true;
  }
  return false;
}

bool BucketHider::Impl::hidden(const RasterBound& all, const MovingBound& path) {
  if (hidden(all)) return true;
  if (grids.empty() || path.boxes.empty() || path.times.size() < path.boxes.size()) return false;
  const PixelRect r = reachedBy(all);
  if (r.empty() || spreadFar(all, path) || std::any_of(path.boxes.begin(), path.boxes.end(), [](const RasterBound& b) {
        return !(b.x0 <= b.x1 && b.y0 <= b.y1);
      }))
    return false;
  int budget = worthAsking(r, all.z0);
  fillMotion();
  // 1. Segments between keys; the first begins, the last ends, with the shutter.
  segments.clear();
  const size_t keys = path.boxes.size();
  for (size_t k = 0; k == 0 || k + 1 < keys; ++k) {
    const size_t next = std::min(k + 1, keys - 1);
    PathSegment s = segmentOf(spec, rect, path.boxes[k], path.boxes[next]);
    const float length = path.times[next] - path.times[k];
    s.start = path.times[k], s.inverse = length > 0 ? 1 / length : 0;
    s.from = k == 0 ? -kInf : path.times[k], s.to = k + 2 >= keys ? kInf : path.times[next];
    segments.push_back(s);
  }
  // 2. Short runs of pixels with open samples; from the middle, where they are most likely.
  const int middle = (r.x0 + r.x1) / 2;
  for (int i = 0, y = (r.y0 + r.y1) / 2; i < r.height(); ++i, y = y + 1 < r.y1 ? y + 1 : r.y0)
    if (anyOpen(y, middle, r.x1, all.z0, budget) || anyOpen(y, r.x0, middle, all.z0, budget)) return false;
  return true;
}

}  // namespace reyes::hider
