// SPDX-License-Identifier: Apache-2.0
// Motion and lens on the bucket's side: the lattice by time strata, grids as corner paths, and corners again at
// resolve. Serves BucketHider::rasterize and resolve.
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {

namespace {

/// Grows low and high bounds by a pixel's values.
void grow(float* lo, float* hi, const std::vector<float>& values, size_t n) {
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
void splitByLens(uint32_t* first, uint32_t* last, const float* x, const float* y, float scaleX, float scaleY) {
  if (last - first <= 8) return;
  float lo[2] = {kInf, kInf}, hi[2] = {-kInf, -kInf};
  for (const uint32_t* s = first; s < last; ++s) {
    lo[0] = std::min(lo[0], x[*s] * scaleX), hi[0] = std::max(hi[0], x[*s] * scaleX);
    lo[1] = std::min(lo[1], y[*s] * scaleY), hi[1] = std::max(hi[1], y[*s] * scaleY);
  }
  const bool byX = hi[0] - lo[0] >= hi[1] - lo[1];
  const float *along = byX ? x : y, *across = byX ? y : x;
  std::sort(first, last, [&](uint32_t a, uint32_t b) {
    return along[a] != along[b] ? along[a] < along[b] : across[a] != across[b] ? across[a] < across[b] : a < b;
  });
  uint32_t* middle = first + (((last - first) / 2 + 7) & ~7);
  splitByLens(first, middle, x, y, scaleX, scaleY), splitByLens(middle, last, x, y, scaleX, scaleY);
}

}  // namespace

void BucketHider::Impl::orderByLens() {
  const size_t n = static_cast<size_t>(samples()), padded = static_cast<size_t>(pattern.padded());
  slotOfStratum.resize(n * kLensClasses);
  std::vector<uint32_t> order(n);
  for (size_t c = 0; c < kLensClasses; ++c) {
    for (size_t k = 0; k < n; ++k) order[k] = static_cast<uint32_t>(k);
    splitByLens(order.data(), order.data() + n, &pattern.lensColumn[c * padded], &pattern.lensRow[c * padded],
                1 / static_cast<float>(pattern.lensColumns), 1 / static_cast<float>(pattern.lensRows));
    for (size_t slot = 0; slot < n; ++slot) slotOfStratum[c * n + order[slot]] = static_cast<uint32_t>(slot);
  }
}

void BucketHider::Impl::fillMotion() {
  if (motionReady) return;
  motionReady = true;
  const int w = rect.width(), h = rect.height();
  const bool lens = hasLens(spec);
  const size_t n = static_cast<size_t>(samples()), groups = (n + 7) / 8, groupsPadded = (groups + 7) & ~size_t{7};
  const size_t pixels = static_cast<size_t>(w) * static_cast<size_t>(h), singles = (n + 7) & ~size_t{7};
  timeBlocks.resize(pixels * groups), records.resize(pixels * n);
  emptyBounds(timeBounds, 1, groupsPadded);
  emptyBounds(singleBounds, kLensClasses, singles);
  sampleTime.assign(z.size(), 0.0f);
  if (lens) {
    lensBlocks.resize(pixels * groups);
    emptyBounds(lensBounds, kLensClasses, groupsPadded);
    for (auto* v : {&sampleLensX, &sampleLensY}) v->assign(z.size(), 0.0f);
    if (slotOfStratum.empty()) orderByLens();
  }
  const PatternKernels& patterns = patternKernels(spec.isa);
  const size_t padded = static_cast<size_t>(pattern.padded());
  std::vector<uint32_t> stratum(padded), lattice(padded);
  std::vector<float> x(padded), y(padded), time(padded), lensX(padded), lensY(padded);
  size_t pixel = 0;
  for (int py = 0; py < h; ++py)
    for (int px = 0; px < w; ++px, ++pixel) {
      const PixelSeeds seeds(rect.x0 + px, rect.y0 + py);
      const int lensCls = lensClass(rect.x0 + px, rect.y0 + py);
      const size_t cls = static_cast<size_t>(lensCls);
      patterns.times(pattern, seeds, stratum.data(), time.data());
      if (lens) patterns.lens(pattern, seeds, lensCls, lensX.data(), lensY.data());
      // In order of strata.
      const size_t corner = pixelAt(px, py, 0), latticeRow = static_cast<size_t>(ctx.lattice.stride);
      for (size_t i = 0; i < n; ++i) {
        const size_t at = corner + pattern.row[i] * latticeRow + pattern.column[i], k = stratum[i];
        lattice[k] = static_cast<uint32_t>(at), x[k] = sampleX[at], y[k] = sampleY[at];
        sampleTime[at] = time[k];
        if (lens) sampleLensX[at] = lensX[k], sampleLensY[at] = lensY[k];
      }
      float* b = &singleBounds[(lens ? cls : 0) * kGroupSides * singles];  // without a lens all pixels are one class
      grow(b + kTime0 * singles, b + kTime1 * singles, time, n);
      grow(b + kLensX0 * singles, b + kLensX1 * singles, lensX, n);
      grow(b + kLensY0 * singles, b + kLensY1 * singles, lensY, n);
      // Into blocks.
      const auto put = [&](SampleBlock* blocks, size_t slot, size_t k) {
        SampleBlock& to = blocks[pixel * groups + slot / 8];
        const size_t lane = slot % 8;
        to.x[lane] = x[k], to.y[lane] = y[k], to.time[lane] = time[k];
        to.lensX[lane] = lensX[k], to.lensY[lane] = lensY[k], to.sample[lane] = lattice[k];
      };
      for (size_t k = 0; k < n; ++k) put(timeBlocks.data(), k, k);
      for (size_t k = 0; k < n; ++k)
        records[pixel * n + k] = {x[k], y[k], time[k], lattice[k], lensX[k], lensY[k], {0, 0}};
      if (lens)
        for (size_t k = 0; k < n; ++k) put(lensBlocks.data(), slotOfStratum[cls * n + k], k);
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
  StrataLattice& s = ctx.strata;
  const int g = static_cast<int>(groups), gp = static_cast<int>(groupsPadded);
  s.strata = static_cast<int>(n), s.width = w, s.height = h;
  s.byTime = {g, gp, 1, timeBlocks.data(), timeBounds.data()};
  s.byLens = {lens ? g : 0, gp, kLensClasses, lensBlocks.data(), lensBounds.data()};
  s.records = records.data();
  s.single = {static_cast<int>(n), static_cast<int>(singles), kLensClasses, nullptr, singleBounds.data()};
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
