// SPDX-License-Identifier: Apache-2.0
// Grids of unconnected things on the bucket's side: discs, one a vertex, and ribbons, runs of quads between two
// borders. What does not touch the bucket is left out before any kernel runs. Called by BucketHider::rasterize.
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {

namespace {
bool isNumber(float v) { return std::fabs(v) <= std::numeric_limits<float>::max(); }

bool reaches(const RasterBound& b, const PixelRect& r) {
  return b.x1 >= static_cast<float>(r.x0) && b.x0 <= static_cast<float>(r.x1) && b.y1 >= static_cast<float>(r.y0) &&
         b.y0 <= static_cast<float>(r.y1);
}

/// The box of many discs, eight at a time.
struct DiscBox {
  static constexpr size_t kLanes = 8;
  float x0[kLanes], x1[kLanes], y0[kLanes], y1[kLanes], z0[kLanes], z1[kLanes];
  float odd[kLanes] = {};  ///< not 0 where something is no number

  DiscBox() {
    for (float* low : {x0, y0, z0}) std::fill_n(low, kLanes, kInf);
    for (float* high : {x1, y1, z1}) std::fill_n(high, kLanes, -kInf);
  }
  /// Whole eights of `all`; returns how many discs those are.
  size_t addAll(const MicroGrid& grid, size_t all) {
    const float *x = grid.x.data(), *y = grid.y.data(), *z = grid.z.data(), *r = grid.extras->radius.data();
    const float aspect = grid.extras->radiusAspect;
    size_t v = 0;
    for (; v + kLanes <= all; v += kLanes)
      for (size_t k = 0; k < kLanes; ++k) {
        const float a = x[v + k], b = y[v + k], c = z[v + k], d = r[v + k], e = d * aspect;
        odd[k] += (a + b + c + d) * 0.0f;
        x0[k] = a - d < x0[k] ? a - d : x0[k], x1[k] = a + d > x1[k] ? a + d : x1[k];
        y0[k] = b - e < y0[k] ? b - e : y0[k], y1[k] = b + e > y1[k] ? b + e : y1[k];
        z0[k] = c < z0[k] ? c : z0[k], z1[k] = c > z1[k] ? c : z1[k];
      }
    return v;
  }
  bool numbers() const {
    return std::all_of(odd, odd + kLanes, [](float f) { return f == 0; });
  }
  RasterBound box() const {
    RasterBound b;
    for (size_t k = 0; k < kLanes; ++k)
      if (x0[k] <= x1[k]) b.add(x0[k], y0[k], z0[k]), b.add(x1[k], y1[k], z1[k]);
    return b;
  }
};

void toUnitPlane(const float* from, size_t n, float low, float* to) {
  for (size_t v = 0; v < n; ++v) {
    const float f = from[v] * kUnits, g = f < low ? low : f;
    to[v] = g > kMaxUnits ? kMaxUnits : g;
  }
}
}  // namespace

uint32_t BucketHider::Impl::elementOf(const GridRecord& record, uint32_t triangle) {
  const MicroGrid& g = record.grid;
  const int mp = static_cast<int>((triangle - record.idBase) >> 1);
  size_t at = static_cast<size_t>(mp);
  if (g.kind == GridKind::kRibbons) {
    const std::span<const RibbonRun> runs = g.extras->runs;
    const auto it =
        std::upper_bound(runs.begin(), runs.end(), mp, [](int m, const RibbonRun& run) { return m < run.first; });
    at = static_cast<size_t>(it - runs.begin()) - 1;
  }
  return at < g.extras->elements.size() ? g.extras->elements[at] : 0;
}

/// A box at rest in the picture plane, as the lens spreads it.
RasterBound BucketHider::Impl::spreadByLens(RasterBound b) const {
  if (!hasLens(spec)) return b;
  const float c = std::max(std::fabs(circleOfConfusion(spec, b.z0)), std::fabs(circleOfConfusion(spec, b.z1)));
  b.x0 -= c * spec.lensPixelsX, b.x1 += c * spec.lensPixelsX;
  b.y0 -= c * spec.lensPixelsY, b.y1 += c * spec.lensPixelsY;
  return b;
}

/// What a micropolygon is whose values are those of vertices a and b.
MpClass BucketHider::Impl::classOf(const MicroGrid& grid, size_t a, size_t b) const {
  if (grid.oi.empty()) return MpClass::kOpaque;
  const size_t points = static_cast<size_t>(grid.points());
  bool clear = false, something = false;
  for (const size_t v : {a, b})
    for (size_t c = 0; c < 3; ++c) {
      const float o = grid.oi[c * points + v], e = grid.ci.empty() ? 0 : grid.ci[c * points + v];
      clear |= !(isNumber(o) && o >= spec.opacityThreshold);
      something |= (isNumber(o) && o > 0) || (isNumber(e) && e != 0 && !grid.matte);
    }
  return !something ? MpClass::kSkip : clear ? MpClass::kList : MpClass::kOpaque;
}

void BucketHider::Impl::rasterizeElements(const MicroGrid& grid) {
  const size_t points = static_cast<size_t>(std::max(0, grid.points()));
  const size_t all = points * static_cast<size_t>(std::max(1, grid.keys));
  if (grid.nu <= 0 || grid.nv != 1 || rect.empty() || grid.x.size() < all || grid.y.size() < all ||
      grid.z.size() < all || (!grid.oi.empty() && grid.oi.size() < 3 * points))
    return;
  if (grid.kind == GridKind::kDiscs)
    rasterizeDiscs(grid);
  else
    rasterizeRibbons(grid);
}

/// Enters a grid that touches the bucket.
bool BucketHider::Impl::startElements(const MicroGrid& grid, const RasterBound& box) {
  if (box.empty() || !reaches(box, rect)) return false;
  const bool moving = grid.keys > 1 || hasLens(spec);
  checkClip = leavesClip(grid, box);
  ctx.hitsOnly = checkClip || grid.hasShare() || spec.depthFilter == DepthFilter::kMidpoint;
  addGrid(grid, moving, {0, 0, rect.width(), rect.height()});
  if (grid.kind == GridKind::kDiscs) grids.back().grid.smooth = false;
  takeIds(2 * static_cast<uint32_t>(grid.nu));
  return true;
}

void BucketHider::Impl::rasterizeDiscs(const MicroGrid& grid) {
  const bool moving = grid.keys > 1 || hasLens(spec);
  const size_t n = static_cast<size_t>(grid.nu), keys = static_cast<size_t>(std::max(1, grid.keys)), all = n * keys;
  const std::span<const float> radius = grid.extras->radius;
  const float aspect = grid.extras->radiusAspect;
  if (radius.size() < all || (grid.keys > 1 && grid.times.size() < keys)) return;
  // 1. Where they are; discs that are nowhere, at some key, are left out.
  for (auto* plane : {&keyX, &keyY, &keyZ, &keyCoc, &keyRadius}) plane->resize(all + kLanePad);
  classes.assign(n, MpClass::kOpaque);
  DiscBox lanes;
  size_t whole = lanes.addAll(grid, all);
  bool every = lanes.numbers();
  if (!every) {
    lanes = DiscBox(), whole = 0;
    for (size_t v = 0; v < all; ++v)
      if (!isNumber(grid.x[v]) || !isNumber(grid.y[v]) || !isNumber(grid.z[v]) || !isNumber(radius[v]))
        classes[v % n] = MpClass::kSkip;
  }
  RasterBound box = lanes.box();
  for (size_t v = whole; v < all; ++v) {
    const float x = grid.x[v], y = grid.y[v], depth = grid.z[v], r = radius[v], high = r * aspect;
    const bool ok = isNumber(x) && isNumber(y) && isNumber(depth) && isNumber(r);
    if (ok) box.add(x - r, y - high, depth), box.add(x + r, y + high, depth);
    if (!ok) every = false, classes[v % n] = MpClass::kSkip;
  }
  box = spreadByLens(box);
  if (box.empty() || !reaches(box, rect)) return;
  // 2. In units.
  toUnitPlane(grid.x.data(), all, -kMaxUnits, keyX.data());
  toUnitPlane(grid.y.data(), all, -kMaxUnits, keyY.data());
  toUnitPlane(radius.data(), all, 0, keyRadius.data());
  std::copy_n(grid.z.data(), all, keyZ.data());
  for (size_t v = 0; v < all && !every; ++v)
    if (!(isNumber(grid.x[v]) && isNumber(grid.y[v]) && isNumber(grid.z[v]) && isNumber(radius[v])))
      keyX[v] = keyY[v] = keyZ[v] = keyRadius[v] = 0;
  for (size_t v = 0; v < all && moving; ++v) keyCoc[v] = hasLens(spec) ? circleOfConfusion(spec, keyZ[v]) : 0;
  if (moving) fillMotion();
  if (!startElements(grid, box)) return;
  // 3. What they are.
  if (!grid.oi.empty())
    for (size_t i = 0; i < n; ++i) {
      if (classes[i] == MpClass::kOpaque) classes[i] = classOf(grid, i, i);
      if (classes[i] == MpClass::kSkip) ++ctx.culled;
    }
  RasterGrid& g = ctx.grid;
  g = RasterGrid{};
  g.nu = grid.nu, g.nv = 1, g.keys = static_cast<int>(keys), g.idBase = grids.back().idBase;
  g.classes = every && grid.oi.empty() ? nullptr : classes.data();
  g.fx = keyX.data(), g.fy = keyY.data(), g.fz = keyZ.data(), g.coc = keyCoc.data(), g.times = grid.times.data();
  g.lens = hasLens(spec), g.lensX = spec.lensPixelsX * kUnits, g.lensY = spec.lensPixelsY * kUnits;
  g.radius = keyRadius.data(), g.aspect = aspect;
  // 3. Samples.
  if (moving) {
    kernel->movingDiscs(ctx);
  } else {
    kernel->discs(ctx);
  }
  drain();
  markDirty(box);
}

void BucketHider::Impl::rasterizeRibbons(const MicroGrid& grid) {
  if (grid.keys > 1 && grid.times.size() < static_cast<size_t>(grid.keys)) return;
  bool started = false;
  for (const RibbonRun& run : grid.extras->runs) {
    if (run.count < 2 || run.first < 0 || run.first + run.count > grid.nu + 1) continue;
    const RasterBound box = spreadByLens(run.box);
    if (box.empty() || !reaches(box, rect)) continue;
    if (!started) {
      RasterBound all = box;
      for (const RibbonRun& r : grid.extras->runs)
        if (grid.extras->hasClip) all.add(spreadByLens(r.box));
      if (!startElements(grid, all)) return;
      started = true;
    }
    rasterizeRun(grid, run, box);
  }
}

/// Both borders of a still run in units. False where some vertex is nowhere; those are flagged.
bool BucketHider::Impl::prepareRun(const MicroGrid& grid, size_t first, size_t count) {
  const size_t row = static_cast<size_t>(grid.nu) + 1;
  vertexX.resize(2 * count + kLanePad), vertexY.resize(2 * count + kLanePad), vertexZ.resize(2 * count + kLanePad);
  bool clean = true;
  for (size_t side = 0; side < 2; ++side) {
    const float *x = grid.x.data() + side * row + first, *y = grid.y.data() + side * row + first,
                *depth = grid.z.data() + side * row + first;
    int32_t *toX = vertexX.data() + side * count, *toY = vertexY.data() + side * count;
    float worst = 0;
    for (size_t i = 0; i < count; ++i) {
      toX[i] = toUnits(x[i], rect.x0), toY[i] = toUnits(y[i], rect.y0);
      worst += (x[i] + y[i] + depth[i]) * 0.0f;  // not 0 where one of them is no number
    }
    std::copy_n(depth, count, vertexZ.begin() + static_cast<ptrdiff_t>(side * count));
    clean = clean && worst == 0;
  }
  ctx.grid.x = vertexX.data(), ctx.grid.y = vertexY.data(), ctx.grid.z = vertexZ.data();
  if (clean) return true;
  vertexFlags.assign(2 * count, 0);
  for (size_t v = 0; v < 2 * count; ++v) {
    const size_t from = v / count * row + first + v % count;
    if (isNumber(grid.x[from]) && isNumber(grid.y[from]) && isNumber(grid.z[from])) continue;
    vertexFlags[v] = 1, vertexX[v] = vertexY[v] = 0, vertexZ[v] = 0;
  }
  return false;
}

void BucketHider::Impl::rasterizeRun(const MicroGrid& grid, const RibbonRun& run, const RasterBound& box) {
  // 1. The run alone, as a grid of two rows.
  const bool moving = grid.keys > 1 || hasLens(spec);
  const size_t keys = static_cast<size_t>(std::max(1, grid.keys)), points = static_cast<size_t>(grid.points());
  const size_t count = static_cast<size_t>(run.count), first = static_cast<size_t>(run.first);
  const size_t row = static_cast<size_t>(grid.nu) + 1;
  RasterGrid& g = ctx.grid;
  g = RasterGrid{};
  g.nu = run.count - 1, g.nv = 1, g.stepV = run.count, g.points = 2 * run.count;
  g.idBase = grids.back().idBase + 2 * static_cast<uint32_t>(run.first);
  bool clean = true;
  if (moving) {
    for (auto* planes : {&runX, &runY, &runZ}) planes->resize(2 * count * keys);
    for (size_t k = 0; k < keys; ++k)
      for (size_t side = 0; side < 2; ++side) {
        const size_t from = k * points + side * row + first, to = (2 * k + side) * count;
        std::copy_n(grid.x.data() + from, count, runX.begin() + static_cast<ptrdiff_t>(to));
        std::copy_n(grid.y.data() + from, count, runY.begin() + static_cast<ptrdiff_t>(to));
        std::copy_n(grid.z.data() + from, count, runZ.begin() + static_cast<ptrdiff_t>(to));
      }
    MicroGrid part;
    part.nu = run.count - 1, part.nv = 1, part.keys = grid.keys, part.times = grid.times;
    part.x = runX, part.y = runY, part.z = runZ;
    vertexFlags.assign(2 * count, 0);
    RasterBound own;
    clean = prepareMoving(part, own);
  } else {
    clean = prepareRun(grid, first, count);
  }
  // 2. What its micropolygons are.
  if (!clean || !grid.oi.empty()) {
    if (clean) vertexFlags.assign(2 * count, 0);
    classes.resize(count);
    for (size_t i = 0; i + 1 < count; ++i) {
      const bool gone = (vertexFlags[i] | vertexFlags[i + 1] | vertexFlags[count + i] | vertexFlags[count + i + 1]) & 1;
      classes[i] = gone ? MpClass::kSkip : classOf(grid, first + i, grid.smooth ? first + i + 1 : first + i);
      if (classes[i] == MpClass::kSkip) ++ctx.culled;
    }
    g.classes = classes.data();
  }
  // 3. Samples.
  sampleGrid(moving, box);
}

}  // namespace reyes::hider
