// SPDX-License-Identifier: Apache-2.0
// Motion and lens on the bucket's side: the lattice by time strata, grids as corner paths, and corners again at
// resolve. Serves BucketHider::rasterize and resolve.
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {

namespace {

/// Grows low and high bounds by a pixel's values.
void grow(float* lo, float* hi, const float* values, size_t n) {
  for (size_t k = 0; k < n; ++k) lo[k] = std::min(lo[k], values[k]), hi[k] = std::max(hi[k], values[k]);
}

/// Grows group `group` by stratum k: [(class * kGroupSides + side) * padded + k].
void addGroup(float* to, size_t toPadded, size_t group, const float* from, size_t fromPadded, size_t k) {
  for (const size_t side : {kTime0, kLensX0, kLensY0})
    to[side * toPadded + group] = std::min(to[side * toPadded + group], from[side * fromPadded + k]);
  for (const size_t side : {kTime1, kLensX1, kLensY1})
    to[side * toPadded + group] = std::max(to[side * toPadded + group], from[side * fromPadded + k]);
}

/// Bounds of nothing. Numbers, so that what is made from them is numbers too.
void emptyBounds(std::vector<float>& bounds, size_t classes, size_t padded) {
  bounds.assign(classes * kGroupSides * padded, 2.0f);
  for (size_t c = 0; c < classes; ++c)
    for (const GroupSide side : {kTime1, kLensX1, kLensY1})
      std::fill_n(bounds.begin() + static_cast<ptrdiff_t>((c * kGroupSides + side) * padded), padded, -2.0f);
}

/// Orders strata so that every eight from a multiple of eight have lens cells near each other.
void splitByLens(uint32_t* first, uint32_t* last, const float* x, const float* y) {
  if (last - first <= 8) return;
  float lo[2] = {kInf, kInf}, hi[2] = {-kInf, -kInf};
  for (const uint32_t* s = first; s < last; ++s) {
    lo[0] = std::min(lo[0], x[*s]), hi[0] = std::max(hi[0], x[*s]);
    lo[1] = std::min(lo[1], y[*s]), hi[1] = std::max(hi[1], y[*s]);
  }
  const bool byX = hi[0] - lo[0] >= hi[1] - lo[1];
  const float *along = byX ? x : y, *across = byX ? y : x;
  std::sort(first, last, [&](uint32_t a, uint32_t b) {
    return along[a] != along[b] ? along[a] < along[b] : across[a] != across[b] ? across[a] < across[b] : a < b;
  });
  uint32_t* middle = first + (((last - first) / 2 + 7) & ~7);
  splitByLens(first, middle, x, y), splitByLens(middle, last, x, y);
}

}  // namespace

void BucketHider::Impl::orderByLens() {
  const size_t n = static_cast<size_t>(samples());
  slotOfStratum.resize(n * kLensClasses);
  std::vector<uint32_t> order(n);
  std::vector<float> x(n), y(n);
  for (size_t c = 0; c < kLensClasses; ++c) {
    for (size_t k = 0; k < n; ++k) {
      const int cell = pattern.lensCell[c * n + k];
      order[k] = static_cast<uint32_t>(k);
      x[k] = static_cast<float>(cell % pattern.lensColumns) / static_cast<float>(pattern.lensColumns);
      y[k] = static_cast<float>(cell / pattern.lensColumns) / static_cast<float>(pattern.lensRows);
    }
    splitByLens(order.data(), order.data() + n, x.data(), y.data());
    for (size_t slot = 0; slot < n; ++slot) slotOfStratum[c * n + order[slot]] = static_cast<uint32_t>(slot);
  }
}

/// Blocks and records of every pattern.
void BucketHider::Impl::makeMotion() {
  const Lattice& l = ctx.lattice;
  const bool lens = hasLens(spec);
  const size_t n = static_cast<size_t>(samples()), groups = (n + 7) / 8;
  const size_t patternCount = static_cast<size_t>(pattern.patterns());
  patternStride = l.stride;
  patternByTime.assign(patternCount * groups, SampleBlock{}), patternRecords.resize(patternCount * n);
  if (lens) {
    patternByLens.assign(patternCount * groups, SampleBlock{});
    if (slotOfStratum.empty()) orderByLens();
  }
  for (size_t p = 0; p < patternCount; ++p) {
    const size_t cls = static_cast<size_t>(lensClass(static_cast<int>(p), static_cast<int>(p >> 3)));
    for (size_t i = 0; i < n; ++i) {
      const size_t k = pattern.stratum[p * n + i], at = p * n + k;
      const int row = static_cast<int>(i) / l.xs, column = static_cast<int>(i) % l.xs;
      const SampleRecord r = {static_cast<float>(pattern.unitX[p * n + i]),
                              static_cast<float>(pattern.unitY[p * n + i]),
                              pattern.time[at],
                              static_cast<uint32_t>(row * l.stride + column),
                              pattern.lensX[at],
                              pattern.lensY[at],
                              {0, 0}};
      patternRecords[at] = r;
      const auto put = [&](std::vector<SampleBlock>& blocks, size_t slot) {
        SampleBlock& to = blocks[p * groups + slot / 8];
        const size_t lane = slot % 8;
        to.x[lane] = r.x, to.y[lane] = r.y, to.time[lane] = r.time;
        to.lensX[lane] = r.lensX, to.lensY[lane] = r.lensY, to.sample[lane] = r.sample;
      };
      put(patternByTime, k);
      if (lens) put(patternByLens, slotOfStratum[cls * n + k]);
    }
  }
  boundStrata();
}

/// Bounds of each stratum, and of the groups, over all patterns of a class.
void BucketHider::Impl::boundStrata() {
  const bool lens = hasLens(spec);
  const size_t n = static_cast<size_t>(samples()), groups = (n + 7) / 8, groupsPadded = (groups + 7) & ~size_t{7};
  const size_t singles = (n + 7) & ~size_t{7};
  emptyBounds(timeBounds, 1, groupsPadded);
  emptyBounds(singleBounds, kLensClasses, singles);
  if (lens) emptyBounds(lensBounds, kLensClasses, groupsPadded);
  for (size_t p = 0; p < static_cast<size_t>(pattern.patterns()); ++p) {
    const size_t cls = static_cast<size_t>(lensClass(static_cast<int>(p), static_cast<int>(p >> 3)));
    float* b = &singleBounds[(lens ? cls : 0) * kGroupSides * singles];  // without a lens all pixels are one class
    grow(b + kTime0 * singles, b + kTime1 * singles, &pattern.time[p * n], n);
    grow(b + kLensX0 * singles, b + kLensX1 * singles, &pattern.lensX[p * n], n);
    grow(b + kLensY0 * singles, b + kLensY1 * singles, &pattern.lensY[p * n], n);
  }
  // Classes share their times; groups are bounded by their strata.
  for (size_t k = 0; k < n; ++k) {
    float lo = 2, hi = -2;
    for (size_t c = 0; c < kLensClasses; ++c) {
      const float* b = &singleBounds[c * kGroupSides * singles + k];
      lo = std::min(lo, b[kTime0 * singles]), hi = std::max(hi, b[kTime1 * singles]);
    }
    for (size_t c = 0; c < kLensClasses; ++c) {
      float* b = &singleBounds[c * kGroupSides * singles + k];
      b[kTime0 * singles] = lo, b[kTime1 * singles] = hi;
    }
  }
  for (size_t c = 0; c < kLensClasses; ++c)
    for (size_t k = 0; k < n; ++k) {
      const float* from = &singleBounds[c * kGroupSides * singles];
      addGroup(timeBounds.data(), groupsPadded, k / 8, from, singles, k);
      if (lens)
        addGroup(&lensBounds[c * kGroupSides * groupsPadded], groupsPadded, slotOfStratum[c * n + k] / 8, from, singles,
                 k);
    }
  // A group by lens holds any time there is.
  if (lens)
    for (size_t g = 0; g < groups; ++g)
      lensBounds[kTime0 * groupsPadded + g] = 0, lensBounds[kTime1 * groupsPadded + g] = 1;
}

namespace {
/// A pattern's block, moved to a pixel.
void placeBlock(const SampleBlock& from, float x, float y, uint32_t sample, SampleBlock& to) {
  to = from;
  for (int l = 0; l < 8; ++l) to.x[l] += x;
  for (int l = 0; l < 8; ++l) to.y[l] += y;
  for (int l = 0; l < 8; ++l) to.sample[l] += sample;
}
}  // namespace

void BucketHider::Impl::fillMotion() {
  if (motionReady) return;
  motionReady = true;
  if (patternStride != ctx.lattice.stride) makeMotion();
  const int w = rect.width(), h = rect.height();
  const bool lens = hasLens(spec);
  const size_t n = static_cast<size_t>(samples()), groups = (n + 7) / 8;
  const size_t pixels = static_cast<size_t>(w) * static_cast<size_t>(h);
  // In lattice order.
  sampleTime.resize(z.size());
  copyRows(pattern.rowTime, 0, 0, sampleTime.data());
  if (lens) {
    sampleLensX.resize(z.size()), sampleLensY.resize(z.size());
    copyRows(pattern.rowLensX, 0, 0, sampleLensX.data()), copyRows(pattern.rowLensY, 0, 0, sampleLensY.data());
    lensBlocks.resize(pixels * groups);
  }
  // In order of strata.
  timeBlocks.resize(pixels * groups), records.resize(pixels * n);
  size_t pixel = 0;
  for (int py = 0; py < h; ++py)
    for (int px = 0; px < w; ++px, ++pixel) {
      const size_t p = static_cast<size_t>(pattern.patternAt(rect.x0 + px, rect.y0 + py));
      const float x = static_cast<float>(px * kUnits), y = static_cast<float>(py * kUnits);
      const uint32_t corner = static_cast<uint32_t>(pixelAt(px, py, 0));
      for (size_t g = 0; g < groups; ++g)
        placeBlock(patternByTime[p * groups + g], x, y, corner, timeBlocks[pixel * groups + g]);
      for (size_t g = 0; g < groups && lens; ++g)
        placeBlock(patternByLens[p * groups + g], x, y, corner, lensBlocks[pixel * groups + g]);
      for (size_t k = 0; k < n; ++k) {
        SampleRecord& r = records[pixel * n + k];
        r = patternRecords[p * n + k];
        r.x += x, r.y += y, r.sample += corner;
      }
    }
  StrataLattice& s = ctx.strata;
  const int g = static_cast<int>(groups), gp = (g + 7) & ~7;
  s.strata = static_cast<int>(n), s.width = w, s.height = h;
  s.byTime = {g, gp, 1, timeBlocks.data(), timeBounds.data()};
  s.byLens = {lens ? g : 0, gp, kLensClasses, lensBlocks.data(), lensBounds.data()};
  s.records = records.data();
  s.single = {static_cast<int>(n), (static_cast<int>(n) + 7) & ~7, kLensClasses, nullptr, singleBounds.data()};
  queue.resize(static_cast<size_t>(4096 + w + 64));
  ctx.queue = queue.data();
  ctx.queueCapacity = static_cast<int>(queue.size()) - 16;
}

bool BucketHider::Impl::prepareMoving(const MicroGrid& grid, RasterBound& box) {
  fillMotion();
  const size_t points = static_cast<size_t>(grid.points());
  const size_t keys = static_cast<size_t>(std::max(1, grid.keys)), n = points * keys;
  const bool lens = hasLens(spec);
  for (auto* plane : {&keyX, &keyY, &keyZ}) plane->resize(n + kLanePad);
  if (lens) keyCoc.resize(n + kLanePad);
  bool clean = true;
  for (size_t v = 0; v < n; ++v) {
    const float x = grid.x[v], y = grid.y[v], depth = grid.z[v];
    constexpr float kTop = std::numeric_limits<float>::max();
    const bool ok = std::fabs(x) <= kTop && std::fabs(y) <= kTop && std::fabs(depth) <= kTop;
    if (!ok) vertexFlags[v % points] = 1, clean = false;
    keyX[v] = ok ? std::clamp(x * kUnits, -kMaxUnits, kMaxUnits) : 0;
    keyY[v] = ok ? std::clamp(y * kUnits, -kMaxUnits, kMaxUnits) : 0;
    keyZ[v] = ok ? depth : 0;
    const float coc = lens ? circleOfConfusion(spec, keyZ[v]) : 0;
    if (lens) keyCoc[v] = coc;
    if (!ok) continue;
    const float rx = std::fabs(coc) * spec.lensPixelsX, ry = std::fabs(coc) * spec.lensPixelsY;
    box.add(x - rx, y - ry, depth), box.add(x + rx, y + ry, depth);
  }
  RasterGrid& g = ctx.grid;
  g.keys = static_cast<int>(keys);
  if (grid.times.size() < keys) g.keys = 1;
  g.fx = keyX.data(), g.fy = keyY.data(), g.fz = keyZ.data(), g.coc = keyCoc.data();
  g.times = grid.times.data();
  g.lens = lens;
  g.lensX = spec.lensPixelsX * kUnits, g.lensY = spec.lensPixelsY * kUnits;
  return clean;
}

void BucketHider::Impl::movedVertex(const MicroGrid& grid, size_t v, size_t sample, double& x, double& y) const {
  // The segment that holds the sample's time, and how far along it.
  const size_t points = static_cast<size_t>(grid.points());
  const size_t keys = grid.times.size() < static_cast<size_t>(grid.keys) ? 1 : static_cast<size_t>(grid.keys);
  const float t = sampleTime[sample];
  size_t key = 0;
  while (key + 2 < keys && t >= grid.times[key + 1]) ++key;
  const size_t next = keys > 1 ? key + 1 : key;
  const float length = keys > 1 ? grid.times[next] - grid.times[key] : 0;
  const float f = length > 0 ? std::clamp((t - grid.times[key]) * (1 / length), 0.0f, 1.0f) : 0;

  const size_t a = key * points + v, b = next * points + v;
  const auto between = [f](float p, float q) { return p + f * (q - p); };
  const auto unit = [](float p) { return std::clamp(p * kUnits, -kMaxUnits, kMaxUnits); };
  float cx = between(unit(grid.x[a]), unit(grid.x[b])), cy = between(unit(grid.y[a]), unit(grid.y[b]));
  if (hasLens(spec)) {
    const float coc = between(circleOfConfusion(spec, grid.z[a]), circleOfConfusion(spec, grid.z[b]));
    cx += sampleLensX[sample] * (spec.lensPixelsX * kUnits) * coc;
    cy += sampleLensY[sample] * (spec.lensPixelsY * kUnits) * coc;
  }
  cx = std::clamp(cx, -kMaxUnits, kMaxUnits), cy = std::clamp(cy, -kMaxUnits, kMaxUnits);
  x = static_cast<double>(__builtin_rintf(cx)) - static_cast<double>(rect.x0) * kUnits;
  y = static_cast<double>(__builtin_rintf(cy)) - static_cast<double>(rect.y0) * kUnits;
}

}  // namespace reyes::hider
