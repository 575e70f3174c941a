// SPDX-License-Identifier: Apache-2.0
// Samples still, focused discs that face the camera. Eight discs are placed at a time; those that reach the bucket are
// tested against eight samples of a lattice row at a time. Called through kernels() by BucketHider::rasterize.
//
// Centres are rounded to whole units; then differences from samples are integers, squares of small discs exact, and
// those of large ones (doubles) too where pixels are square. No result depends on the bucket or the instruction set.
#include <algorithm>
#include <cmath>

#include "reyes/base/lanes8.h"
#include "reyes/hider/raster.h"

namespace reyes::hider::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

/// Widest radius of the float kernel, units: squares up to 2^24 are exact.
constexpr float kSmallRadius = 4096;

struct Disc {
  int32_t x, y;  ///< units from the bucket's corner
  float z, radius, aspect;
  int column0, column1, row0, row1;
  uint32_t id;
};

/// First and last lattice cell whose sample may lie in units lo..hi.
inline void cellRange(int32_t lo, int32_t hi, int cells, int count, int& first, int& last) {
  const int64_t end = static_cast<int64_t>(count / cells) * kUnits + kUnits;
  const int64_t a = std::clamp<int64_t>(lo, -kUnits, end), b = std::clamp<int64_t>(hi, -kUnits, end);
  first = std::max(static_cast<int>((a * cells) >> kUnitBits), 0);
  last = std::min(static_cast<int>((((b + 1) * cells + (kUnits - 1)) >> kUnitBits) - 1), count - 1);
}

/// Gives lanes `inside` of the lattice from `at` on the disc.
template <bool kHits>
inline void giveLanes(RasterContext& ctx, const Disc& d, size_t at, I8 inside) {
  const Lattice& lat = ctx.lattice;
  const F8 z = splat(d.z);
  if constexpr (kHits) {
    const I8 pass = inside & atMost(z, load(lat.limit + at));
    forBits(bits(pass), [&](int n) { ctx.push(static_cast<uint32_t>(at) + static_cast<uint32_t>(n), d.id, d.z); });
  } else {
    const F8 old = load(lat.z + at);
    const I8 near = inside & atMost(z, old);
    if (!bits(near)) return;
    const I8 pass = near & less(z, old);
    store(lat.z + at, choose(pass, z, old));
    store(lat.id + at, choose(pass, splat(static_cast<int32_t>(d.id)), load(lat.id + at)));
    ctx.hitTotal += __builtin_popcount(bits(pass));
    forBits(bits(near & ~pass),
            [&](int n) { ctx.push(static_cast<uint32_t>(at) + static_cast<uint32_t>(n), d.id, d.z); });
  }
}

template <bool kHits>
void sampleSmall(RasterContext& ctx, const Disc& d) {
  const Lattice& lat = ctx.lattice;
  const F8 x = splat(static_cast<float>(d.x)), y = splat(static_cast<float>(d.y));
  const F8 r2 = splat(d.radius * d.radius), scale = splat(1 / d.aspect);
  for (int row = d.row0; row <= d.row1; ++row)
    for (int col = d.column0; col <= d.column1; col += 8) {
      const size_t at = static_cast<size_t>(row) * static_cast<size_t>(lat.stride) + static_cast<size_t>(col);
      const F8 dx = load(lat.x + at) - x, dy = (load(lat.y + at) - y) * scale;
      giveLanes<kHits>(ctx, d, at, atMost(dx * dx + dy * dy, r2));
    }
}

template <bool kHits>
void sampleLarge(RasterContext& ctx, const Disc& d) {
  const Lattice& lat = ctx.lattice;
  const double r2 = static_cast<double>(d.radius) * d.radius, scale = 1.0 / d.aspect;
  for (int row = d.row0; row <= d.row1; ++row)
    for (int col = d.column0; col <= d.column1; col += 8) {
      const size_t at = static_cast<size_t>(row) * static_cast<size_t>(lat.stride) + static_cast<size_t>(col);
      I8 inside;
      for (int n = 0; n < 8; ++n) {
        const double dx = static_cast<double>(lat.x[at + static_cast<size_t>(n)]) - d.x;
        const double dy = (static_cast<double>(lat.y[at + static_cast<size_t>(n)]) - d.y) * scale;
        inside[n] = dx * dx + dy * dy <= r2 ? -1 : 0;
      }
      giveLanes<kHits>(ctx, d, at, inside);
    }
}

inline int32_t wholeUnits(float v, int origin) { return static_cast<int32_t>(__builtin_rintf(v)) - origin * kUnits; }

void sampleDisc(RasterContext& ctx, int i) {
  const RasterGrid& g = ctx.grid;
  const Lattice& lat = ctx.lattice;
  const MpClass cls = g.classes ? g.classes[i] : MpClass::kOpaque;
  if (cls == MpClass::kSkip) return;
  Disc d{wholeUnits(g.fx[i], lat.originX),
         wholeUnits(g.fy[i], lat.originY),
         g.fz[i],
         g.radius[i],
         g.aspect,
         0,
         0,
         0,
         0,
         g.idBase + 2 * static_cast<uint32_t>(i)};
  const int32_t rx = static_cast<int32_t>(d.radius) + 1, ry = static_cast<int32_t>(d.radius * d.aspect) + 1;
  cellRange(d.x - rx, d.x + rx, lat.xs, lat.columns, d.column0, d.column1);
  cellRange(d.y - ry, d.y + ry, lat.ys, lat.rows, d.row0, d.row1);
  if (d.column0 > d.column1 || d.row0 > d.row1) return;
  ++ctx.micropolygons;
  ctx.tests += static_cast<int64_t>(d.row1 - d.row0 + 1) * (d.column1 - d.column0 + 1);
  const bool through = ctx.hitsOnly || cls == MpClass::kList, large = std::max(rx, ry) > kSmallRadius;
  if (large)
    through ? sampleLarge<true>(ctx, d) : sampleLarge<false>(ctx, d);
  else
    through ? sampleSmall<true>(ctx, d) : sampleSmall<false>(ctx, d);
}

}  // namespace

void rasterDiscs(RasterContext& ctx) {
  const RasterGrid& g = ctx.grid;
  const Lattice& lat = ctx.lattice;
  const float x0 = static_cast<float>(lat.originX) * kUnits - 2, y0 = static_cast<float>(lat.originY) * kUnits - 2;
  const float x1 = x0 + static_cast<float>(lat.columns / lat.xs) * kUnits + 4;
  const float y1 = y0 + static_cast<float>(lat.rows / lat.ys) * kUnits + 4;
  for (int i = 0; i < g.nu; i += 8) {
    const F8 x = load(g.fx + i), y = load(g.fy + i), z = load(g.fz + i), r = load(g.radius + i), ry = r * g.aspect;
    const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + i;
    const I8 live = atMost(splat(x0), x + r) & atMost(x - r, splat(x1)) & atMost(splat(y0), y + ry) &
                    atMost(y - ry, splat(y1)) & atMost(splat(ctx.near), z) & atMost(z, splat(ctx.far)) &
                    less(splat(0.0f), r) & less(lane, splat(g.nu));
    forBits(bits(live), [&](int n) { sampleDisc(ctx, i + n); });
  }
}

}  // namespace reyes::hider::REYES_ISA
