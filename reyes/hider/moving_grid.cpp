// SPDX-License-Identifier: Apache-2.0
// Motion and lens on the bucket's side: the lattice by time strata, grids as corner paths, and corners again at
// resolve. Serves BucketHider::rasterize and resolve.
#include <algorithm>
#include <cmath>

#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {

void BucketHider::Impl::fillMotion() {
  if (motionReady) return;
  motionReady = true;
  // 1. In lattice order.
  const bool lens = hasLens(spec);
  sampleTime.resize(z.size());
  copyRows(pattern.rowTime, 0, 0, sampleTime.data());
  if (lens) {
    sampleLensX.resize(z.size()), sampleLensY.resize(z.size());
    copyRows(pattern.rowLensX, 0, 0, sampleLensX.data()), copyRows(pattern.rowLensY, 0, 0, sampleLensY.data());
  }
  // 2. By strata: which pattern each strip has.
  const StrataTables& tables = pattern.strata();
  StrataLattice& s = ctx.strata;
  s = {};
  const int first = rect.x0 >> 3, last = (rect.x1 - 1) >> 3;
  s.strata = pattern.n, s.width = rect.width(), s.height = rect.height();
  s.strips = last - first + 1, s.firstLane = first * kStripPixels - rect.x0;
  s.firstMask = 0xffu << -s.firstLane & 0xff, s.lastMask = 0xffu >> (last * kStripPixels + 7 - (rect.x1 - 1));
  stripBlocks.clear();
  for (int y = rect.y0; y < rect.y1; ++y)
    for (int sx = first; sx <= last; ++sx) stripBlocks.push_back(static_cast<uint32_t>(pattern.stripAt(sx, y)));
  s.strip = stripBlocks.data(), s.blocks = tables.blocks.data(), s.eights = tables.eights.data();
  s.single = {pattern.n, tables.padded, tables.bounds.data()};
  s.eight = {tables.groups, tables.paddedGroups, tables.eightBounds.data()};
  s.time = sampleTime.data(), s.lensX = sampleLensX.data(), s.lensY = sampleLensY.data();
  if (!movingScratch) movingScratch = std::make_unique<MovingScratch>();
  s.scratch = movingScratch.get();
  movingScratch->byStratum = nullptr;
  movingScratch->order = [](RasterContext& c) { return static_cast<Impl*>(c.owner)->orderByStratum(); };
}

bool BucketHider::Impl::orderByStratum() {
  const StrataLattice& s = ctx.strata;
  if (movingScratch->byStratum) return true;
  constexpr size_t kMost = size_t{1} << 28;  // byte offsets of the kernels' gathers fit an int32
  if (z.size() > kMost) return false;
  const size_t n = static_cast<size_t>(pattern.n);
  stratumOrder.resize(static_cast<size_t>(s.width) * static_cast<size_t>(s.height) * n + kLanePad);
  uint32_t* to = stratumOrder.data();
  for (int y = 0; y < s.height; ++y)
    for (int x = 0; x < s.width; ++x, to += n) {
      const uint16_t* stratum = &pattern.stratum[static_cast<size_t>(pattern.patternAt(rect.x0 + x, rect.y0 + y)) * n];
      const uint32_t corner = static_cast<uint32_t>(pixelAt(x, y, 0));
      const uint32_t stride = static_cast<uint32_t>(ctx.lattice.stride);
      for (int row = 0, i = 0; row < pattern.ys; ++row)
        for (int column = 0; column < pattern.xs; ++column, ++i)
          to[stratum[i]] = corner + static_cast<uint32_t>(row) * stride + static_cast<uint32_t>(column);
    }
  movingScratch->byStratum = stratumOrder.data();
  return true;
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
