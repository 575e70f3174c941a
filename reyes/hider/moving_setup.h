// SPDX-License-Identifier: Apache-2.0
// Micropolygons of a moving or defocused grid made ready, eight at a time, for raster_moving.isa.cpp only (compiled
// once an instruction set, inside namespace REYES_ISA).
#pragma once

#include "reyes/hider/moving_test.h"

namespace reyes::hider::REYES_ISA {

struct Range {
  F8 lo, hi;
};
inline Range times(Range a, Range b) {
  const F8 p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return {min(min(p, q), min(r, s)), max(max(p, q), max(r, s))};
}
inline F8 absolute(F8 v) { return max(v, -v); }

/// Bounds micropolygons i..i+7 of row j between two keys, as pieces `slot` and after; bits of those that may reach the
/// bucket, and of those wider than floats hold.
inline uint32_t boundPieces(const RasterContext& ctx, int i, int j, int key, int slot, uint32_t& large) {
  MovingScratch& s = *ctx.strata.scratch;
  const RasterGrid& g = ctx.grid;
  const size_t row = static_cast<size_t>(g.nu) + 1, points = static_cast<size_t>(g.points);
  const ptrdiff_t toB = g.stepU, toD = g.stepV;
  const size_t at = static_cast<size_t>(j) * row + static_cast<size_t>(i);
  const size_t from[2] = {static_cast<size_t>(key) * points + at,
                          static_cast<size_t>(g.keys > 1 ? key + 1 : key) * points + at};
  const auto bound = [&](const float* plane, int end) {
    const float* p = plane + from[end];
    const F8 a = load(p), b = load(p + toB), c = load(p + toD), d = load(p + toD + toB);
    return Range{min(min(a, b), min(c, d)), max(max(a, b), max(c, d))};
  };
  Range x{splat(kInf), splat(-kInf)}, y = x, z = x;
  F8 widest = splat(0.0f), cLow = splat(0.0f), cHigh = splat(0.0f);
  for (int end = 0; end < 2; ++end) {
    const Range ex = bound(g.fx, end), ey = bound(g.fy, end), ez = bound(g.fz, end);
    Range ec{splat(0.0f), splat(0.0f)};
    if (g.lens) ec = bound(g.coc, end);
    store(s.x0[end] + slot, ex.lo), store(s.x1[end] + slot, ex.hi);
    store(s.y0[end] + slot, ey.lo), store(s.y1[end] + slot, ey.hi);
    store(s.c0[end] + slot, ec.lo), store(s.c1[end] + slot, ec.hi);
    x = {min(x.lo, ex.lo), max(x.hi, ex.hi)}, y = {min(y.lo, ey.lo), max(y.hi, ey.hi)};
    z = {min(z.lo, ez.lo), max(z.hi, ez.hi)};
    widest = max(widest, max(ex.hi - ex.lo, ey.hi - ey.lo));
    cLow = end ? min(cLow, ec.lo) : ec.lo, cHigh = end ? max(cHigh, ec.hi) : ec.hi;
  }
  const F8 most = max(absolute(cLow), absolute(cHigh));
  const float lens = std::max(g.lensX, g.lensY);
  if (g.lens) widest += 2 * lens * (cHigh - cLow);
  x = {x.lo - most * g.lensX - 2, x.hi + most * g.lensX + 2},
  y = {y.lo - most * g.lensY - 2, y.hi + most * g.lensY + 2};
  store(s.reach + slot, max(max(absolute(x.lo), absolute(x.hi)), max(absolute(y.lo), absolute(y.hi))));
  store(s.zNear + slot, z.lo - absolute(z.lo) * 1e-6f);
  const Lattice& l = ctx.lattice;
  const float bx = static_cast<float>(l.originX) * kUnits, by = static_cast<float>(l.originY) * kUnits;
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + i;
  const F8 slack = absolute(z.hi) * 1e-6f;
  large = ~bits(less(widest, splat(static_cast<float>(kSmallUnits - 8)))) & 0xff;
  return bits(less(lane, splat(g.nu)) & atMost(splat(bx), x.hi) & atMost(splat(by), y.hi) &
              atMost(x.lo, splat(bx + static_cast<float>(ctx.strata.width * kUnits))) &
              atMost(y.lo, splat(by + static_cast<float>(ctx.strata.height * kUnits))) &
              atMost(splat(ctx.near), z.hi + slack) & atMost(z.lo - absolute(z.lo) * 1e-6f, splat(ctx.far)));
}

/// Corners of micropolygon (i, j), piece `slot`.
inline void makePiece(const RasterContext& ctx, int slot, int i, int j, int key, Piece& p) {
  const RasterGrid& g = ctx.grid;
  const MovingScratch& s = *ctx.strata.scratch;
  const size_t points = static_cast<size_t>(g.points), toB = static_cast<size_t>(g.stepU),
               toD = static_cast<size_t>(g.stepV);
  const size_t a = static_cast<size_t>(j) * (static_cast<size_t>(g.nu) + 1) + static_cast<size_t>(i);
  const size_t v[4] = {a, a + toB, a + toD + toB, a + toD};
  const size_t k0 = static_cast<size_t>(key) * points, k1 = g.keys > 1 ? k0 + points : k0;
  for (int n = 0; n < 4; ++n) {
    const size_t b = k0 + v[n], e = k1 + v[n];
    Path& c = p.corner[n];
    c = {g.fx[b], g.fx[e] - g.fx[b], g.fy[b], g.fy[e] - g.fy[b], g.fz[b], g.fz[e] - g.fz[b], 0, 0};
    if (g.lens) c.c = g.coc[b], c.dc = g.coc[e] - g.coc[b];
  }
  p.large = s.large[slot / kTileSide] >> (slot % kTileSide) & 1;
  const float corner = static_cast<float>(std::max(
      std::max(std::abs(ctx.lattice.originX), std::abs(ctx.lattice.originY)),
      std::max(std::abs(ctx.lattice.originX + ctx.strata.width), std::abs(ctx.lattice.originY + ctx.strata.height))));
  p.fast = !p.large && s.reach[slot] <= kMagicReach && corner * kUnits <= kMagicReach;
}

}  // namespace reyes::hider::REYES_ISA
