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
  const int w = rect.width(), h = rect.height(), n = samples(), stride = (w + 7) & ~7;
  const size_t count = static_cast<size_t>(n) * static_cast<size_t>(h) * static_cast<size_t>(stride) + kLanePad;
  const size_t groups = static_cast<size_t>((n + 7) & ~7);
  const bool lens = hasLens(spec);
  for (auto* v : {&strataX, &strataY, &strataTime}) v->assign(count, 0.0f);
  strataSample.assign(count, 0);
  strataTimeMin.assign(groups, kInf), strataTimeMax.assign(groups, -kInf);
  sampleTime.assign(z.size(), 0.0f);
  if (lens) {
    for (auto* v : {&strataLensX, &strataLensY}) v->assign(count, 0.0f);
    for (auto* v : {&sampleLensX, &sampleLensY}) v->assign(z.size(), 0.0f);
    // Boxes of no lens point stay empty numbers that bound nothing: x0 = y0 = 2, x1 = y1 = -2.
    lensBox.assign(groups * kLensClasses * 4, 2.0f);
    for (size_t b = 0; b < lensBox.size(); ++b)
      if (b / groups % 4 >= 2) lensBox[b] = -2.0f;
  }
  const PatternKernels& patterns = patternKernels(spec.isa);
  const size_t padded = static_cast<size_t>(pattern.padded());
  std::vector<uint32_t> stratum(padded);
  std::vector<float> time(padded), lensX(padded), lensY(padded);
  for (int py = 0; py < h; ++py)
    for (int px = 0; px < w; ++px) {
      const PixelSeeds seeds(rect.x0 + px, rect.y0 + py);
      const int cls = lensClass(rect.x0 + px, rect.y0 + py);
      patterns.times(pattern, seeds, stratum.data(), time.data());
      if (lens) patterns.lens(pattern, seeds, cls, lensX.data(), lensY.data());
      for (int i = 0; i < n; ++i) {
        const size_t at = pixelAt(px, py, i), k = stratum[static_cast<size_t>(i)];
        const size_t to = (k * static_cast<size_t>(h) + static_cast<size_t>(py)) * static_cast<size_t>(stride) +
                          static_cast<size_t>(px);
        const float t = time[k];
        strataX[to] = sampleX[at], strataY[to] = sampleY[at], strataTime[to] = sampleTime[at] = t;
        strataSample[to] = static_cast<uint32_t>(at);
        strataTimeMin[k] = std::min(strataTimeMin[k], t), strataTimeMax[k] = std::max(strataTimeMax[k], t);
        if (!lens) continue;
        const float lx = lensX[k], ly = lensY[k];
        strataLensX[to] = sampleLensX[at] = lx, strataLensY[to] = sampleLensY[at] = ly;
        float* box = &lensBox[static_cast<size_t>(cls) * 4 * groups + k];
        box[0] = std::min(box[0], lx), box[groups] = std::min(box[groups], ly);
        box[2 * groups] = std::max(box[2 * groups], lx), box[3 * groups] = std::max(box[3 * groups], ly);
      }
    }
  StrataLattice& s = ctx.strata;
  s = {n,
       w,
       h,
       stride,
       strataX.data(),
       strataY.data(),
       strataTime.data(),
       strataLensX.data(),
       strataLensY.data(),
       strataSample.data(),
       strataTimeMin.data(),
       strataTimeMax.data(),
       static_cast<int>(groups),
       lensBox.data()};
  queue.resize(static_cast<size_t>(4096 + stride + 64));
  ctx.queue = queue.data();
  ctx.queueCapacity = static_cast<int>(queue.size()) - 16;
}

bool BucketHider::Impl::prepareMoving(const MicroGrid& grid, RasterBound& box) {
  fillMotion();
  const size_t points = static_cast<size_t>(grid.points());
  const size_t keys = static_cast<size_t>(std::max(1, grid.keys)), n = points * keys;
  const bool lens = hasLens(spec);
  keyX.resize(n), keyY.resize(n), keyZ.resize(n);
  if (lens) keyCoc.resize(n);
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
