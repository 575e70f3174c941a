// SPDX-License-Identifier: Apache-2.0
// How a tile of pieces moves and is out of focus as a whole: for moving_sample.h only (compiled once an instruction
// set, inside namespace REYES_ISA).
//
// A sample sees a piece where motion up to its time and its point of the lens take it. Taking the motion and the circle
// of confusion that the pieces of a tile share back from the sample instead leaves the tile still and in focus, but for
// how much its pieces differ: each has a small box there, whatever its blur.
#pragma once

#include <algorithm>
#include <cmath>

#include "reyes/hider/moving_setup.h"

namespace reyes::hider::REYES_ISA {

/// Pieces [j0, j1) x [i0, i1) of a tile.
struct TileRect {
  int i0, i1, j0, j1;
};

/// Calls f(first, mask) for every eight pieces that some live one is among.
template <class F>
REYES_INLINE void forEights(const MovingScratch& t, TileRect r, F&& f) {
  const uint32_t columns = (1u << r.i1) - (1u << r.i0);
  for (int j = r.j0; j < r.j1; ++j) {
    const uint32_t live = t.live[j] & columns;
    if (live & 0xff) f(j * kTileSide, live & 0xff);
    if (live >> 8) f(j * kTileSide + 8, live >> 8);
  }
}

/// What the pieces of a rectangle share, and what they fill when it is taken from them.
struct Fit {
  float moveX = 0, moveY = 0;            ///< units from one end of the segment to the other
  float coc[2] = {0, 0};                 ///< at its ends
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< units from the bucket's corner
  float slack = 0, zNear = 0;
  int count = 0;
  float sizeX = 0, sizeY = 0;  ///< mean of the pieces' boxes
  float ownX = 0, ownY = 0;    ///< mean of what they are at an end
};

/// Least and most of the lanes that count.
struct Extent {
  F8 lo = splat(kInf), hi = splat(-kInf);
  REYES_INLINE void add(F8 low, F8 high, I8 live) {
    lo = choose(live, min(lo, low), lo), hi = choose(live, max(hi, high), hi);
  }
  float least() const {
    float v = lo[0];
    for (int n = 1; n < 8; ++n) v = std::min(v, lo[n]);
    return v;
  }
  float most() const {
    float v = hi[0];
    for (int n = 1; n < 8; ++n) v = std::max(v, hi[n]);
    return v;
  }
  float middle() const { return 0.5f * least() + 0.5f * most(); }
};

inline I8 lanesOf(uint32_t mask) {
  const I8 lane{1, 2, 4, 8, 16, 32, 64, 128};
  return equal(splat(static_cast<int32_t>(mask)) & lane, lane);
}
inline float sumOf(F8 v) { return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])); }

/// What they share: the middle of all there is, which leaves least.
template <bool kLens, bool kMoves>
void fitShared(const MovingScratch& t, TileRect rect, Fit& fit) {
  Extent moveX, moveY, coc[2], depth, reach;
  fit.count = 0;
  forEights(t, rect, [&](int at, uint32_t mask) {
    const I8 live = lanesOf(mask);
    fit.count += __builtin_popcount(mask);
    depth.add(load(t.zNear + at), splat(0.0f), live), reach.add(splat(0.0f), load(t.reach + at), live);
    if constexpr (kMoves) {
      const F8 ax = load(t.x0[1] + at) - load(t.x0[0] + at), bx = load(t.x1[1] + at) - load(t.x1[0] + at);
      const F8 ay = load(t.y0[1] + at) - load(t.y0[0] + at), by = load(t.y1[1] + at) - load(t.y1[0] + at);
      moveX.add(min(ax, bx), max(ax, bx), live), moveY.add(min(ay, by), max(ay, by), live);
    }
    if constexpr (kLens)
      for (int end = 0; end < (kMoves ? 2 : 1); ++end) coc[end].add(load(t.c0[end] + at), load(t.c1[end] + at), live);
  });
  if (fit.count == 0) return;
  if constexpr (kMoves) fit.moveX = moveX.middle(), fit.moveY = moveY.middle();
  if constexpr (kLens) fit.coc[0] = coc[0].middle(), fit.coc[1] = kMoves ? coc[1].middle() : fit.coc[0];
  fit.zNear = depth.least();
  // Corners and samples are rounded, and what is computed of them, by a few parts in 2^24 of the farthest coordinate.
  fit.slack = 8 + reach.most() * 0x1p-19f;
}

/// What is left of each piece. At a given point of the lens corners move in straight lines, so the boxes at the ends
/// hold everything between them.
template <bool kLens, bool kMoves>
void shear(const RasterContext& ctx, TileRect rect, Fit& fit) {
  MovingScratch& t = *ctx.strata.scratch;
  const float originX = static_cast<float>(ctx.lattice.originX) * kUnits,
              originY = static_cast<float>(ctx.lattice.originY) * kUnits;
  Extent allX, allY;
  F8 size[2] = {splat(0.0f), splat(0.0f)}, own[2] = {size[0], size[0]};
  forEights(t, rect, [&](int at, uint32_t mask) {
    const I8 live = lanesOf(mask);
    Range x{load(t.x0[0] + at), load(t.x1[0] + at)}, y{load(t.y0[0] + at), load(t.y1[0] + at)};
    own[0] += choose(live, x.hi - x.lo, splat(0.0f)), own[1] += choose(live, y.hi - y.lo, splat(0.0f));
    if constexpr (kMoves) {
      x = {min(x.lo, load(t.x0[1] + at) - fit.moveX), max(x.hi, load(t.x1[1] + at) - fit.moveX)};
      y = {min(y.lo, load(t.y0[1] + at) - fit.moveY), max(y.hi, load(t.y1[1] + at) - fit.moveY)};
    }
    F8 spreadX = splat(fit.slack), spreadY = spreadX;
    if constexpr (kLens) {
      F8 most = splat(0.0f);
      for (int end = 0; end < (kMoves ? 2 : 1); ++end)
        most = max(most,
                   max(absolute(load(t.c0[end] + at) - fit.coc[end]), absolute(load(t.c1[end] + at) - fit.coc[end])));
      spreadX += most * ctx.grid.lensX, spreadY += most * ctx.grid.lensY;
    }
    x = {x.lo - originX - spreadX, x.hi - originX + spreadX}, y = {y.lo - originY - spreadY, y.hi - originY + spreadY};
    store(t.sheared[0] + at, x.lo), store(t.sheared[1] + at, x.hi);
    store(t.sheared[2] + at, y.lo), store(t.sheared[3] + at, y.hi);
    allX.add(x.lo, x.hi, live), allY.add(y.lo, y.hi, live);
    size[0] += choose(live, x.hi - x.lo, splat(0.0f)), size[1] += choose(live, y.hi - y.lo, splat(0.0f));
  });
  fit.x0 = allX.least(), fit.x1 = allX.most(), fit.y0 = allY.least(), fit.y1 = allY.most();
  const float mean = 1.0f / static_cast<float>(fit.count);
  fit.sizeX = sumOf(size[0]) * mean, fit.sizeY = sumOf(size[1]) * mean;
  fit.ownX = sumOf(own[0]) * mean, fit.ownY = sumOf(own[1]) * mean;
}

}  // namespace reyes::hider::REYES_ISA
