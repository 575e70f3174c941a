// SPDX-License-Identifier: Apache-2.0
// Tests one piece against the samples near it, stratum by stratum: for moving_sample.h only (compiled once an
// instruction set, inside namespace REYES_ISA).
//
// Where neighbours move differently a tile would be one piece, and taking its motion back and sorting for it alone
// costs more than it saves. In a stratum a piece is a small box, which its corners' paths bound closely; samples of
// those boxes are queued, eight strata at a time, and tested when there are many.
#pragma once

#include "reyes/hider/moving_bins.h"

namespace reyes::hider::REYES_ISA {

/// Eight strata of pixels of one class.
struct ReachLanes {
  I8 x0, x1, y0, y1;
};

/// Where a piece is in eight strata, units from the bucket's corner, but for the lens.
struct Swept {
  Range x, y, coc;
  I8 live;
};

template <class P>
REYES_INLINE Swept sweptOf(const RasterContext& ctx, const P& p, int slot, int k) {
  const MovingScratch& t = *ctx.strata.scratch;
  const StrataBounds& s = ctx.strata.single;
  // Classes share their times.
  const F8 t0 = load(s.sides + kTime0 * s.padded + k), t1 = load(s.sides + kTime1 * s.padded + k);
  const F8 f0 = clamped((t0 - splat(p.start)) * splat(p.inverse), 0, 1),
           f1 = clamped((t1 - splat(p.start)) * splat(p.inverse), 0, 1);
  // Bounds at the keys move in straight lines, as the corners do.
  const auto between = [&](const float low[2][kTilePieces], const float high[2][kTilePieces], float shift) {
    const float u = low[0][slot] - shift, du = low[1][slot] - low[0][slot];
    const float v = high[0][slot] + shift, dv = high[1][slot] - high[0][slot];
    const auto at = [](float from, float change, F8 f) { return splat(from) + f * splat(change); };
    return Range{min(at(u, du, f0), at(u, du, f1)), max(at(v, dv, f0), at(v, dv, f1))};
  };
  // As in fitShared().
  const float slack = 8 + t.reach[slot] * 0x1p-19f;
  const float x = static_cast<float>(ctx.lattice.originX) * kUnits,
              y = static_cast<float>(ctx.lattice.originY) * kUnits;
  Swept swept{between(t.x0, t.x1, slack), between(t.y0, t.y1, slack), between(t.c0, t.c1, 0), {}};
  swept.x = {swept.x.lo - splat(x), swept.x.hi - splat(x)}, swept.y = {swept.y.lo - splat(y), swept.y.hi - splat(y)};
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + k;
  swept.live = less(lane, splat(s.count)) & atMost(splat(p.from), t1) & less(t0, splat(p.to));
  return swept;
}

template <bool kLens>
REYES_INLINE ReachLanes reachLanes(const RasterContext& ctx, const Swept& swept, int cls, int k) {
  Range x = swept.x, y = swept.y;
  if constexpr (kLens) {
    const StrataBounds& s = ctx.strata.single;
    const auto side = [&](StratumSide n) {
      return load(s.sides + static_cast<size_t>((cls * kStratumSides + n) * s.padded + k));
    };
    const Range lx = times(swept.coc, {side(kLensX0), side(kLensX1)}),
                ly = times(swept.coc, {side(kLensY0), side(kLensY1)});
    x = {x.lo + lx.lo * ctx.grid.lensX, x.hi + lx.hi * ctx.grid.lensX};
    y = {y.lo + ly.lo * ctx.grid.lensY, y.hi + ly.hi * ctx.grid.lensY};
  }
  ReachLanes r;
  pixelRange(x, ctx.strata.width, r.x0, r.x1), pixelRange(y, ctx.strata.height, r.y0, r.y1);
  if constexpr (kLens) {
    r.x0 += (r.x0 ^ (cls & 1) ^ ctx.lattice.originX) & 1;
    r.y0 += (r.y0 ^ (cls >> 1) ^ ctx.lattice.originY) & 1;
  }
  return r;
}

/// Tests what is queued; eight more than `count` may be written.
template <bool kLens, bool kMoves, class P>
[[gnu::noinline]] void testQueue(RasterContext& ctx, const P& p, float zNear, uint32_t* queue, int count) {
  const StrataLattice& s = ctx.strata;
  const Lattice& lat = ctx.lattice;
  const auto fetch = [](const auto* from, I8 at) { return gather(reinterpret_cast<const char*>(from), at); };
  store(queue + count, splat(static_cast<int32_t>(queue[0])));  // whole vectors; the rest is masked
  for (int n = 0; n < count; n += 8) {
    const I8 order = load(queue + n), sample = fetch(s.scratch->byStratum, order << 2), at = sample << 2;
    uint32_t mask = count - n >= 8 ? 0xffu : (1u << (count - n)) - 1;
    mask &= bits(atMost(splat(zNear), asFloats(fetch(lat.limit, at))));
    const F8 time = kMoves ? asFloats(fetch(s.time, at)) : F8{};
    if (!p.whole) mask &= bits(atMost(splat(p.from), time) & less(time, splat(p.to)));
    if (!mask) continue;
    alignas(32) uint32_t samples[8];
    store(samples, sample);
    Lanes lanes{asFloats(fetch(lat.x, at)), asFloats(fetch(lat.y, at)), time, F8{}, F8{}, samples};
    if constexpr (kLens) lanes.lensX = asFloats(fetch(s.lensX, at)), lanes.lensY = asFloats(fetch(s.lensY, at));
    ctx.tests += __builtin_popcount(mask);
    testLanes<kLens, kMoves>(ctx, p, lanes, mask);
  }
}

/// Tests piece `slot` of the tile.
template <bool kLens, bool kMoves, class P, class Make>
[[gnu::noinline]] void sampleAlone(RasterContext& ctx, int slot, P& p, const Make& make) {
  constexpr int kStep = kLens ? 2 : 1;
  MovingScratch& t = *ctx.strata.scratch;
  const int width = ctx.strata.width, strata = ctx.strata.strata;
  const I8 nextPixel = splat(kStep * strata), nextRow = splat(kStep * width * strata);
  uint32_t* queue = t.foundSample;
  int queued = 0;
  bool made = false;
  const auto flush = [&] {
    if (queued == 0) return;
    if (!made) made = true, make(slot, p);
    testQueue<kLens, kMoves>(ctx, p, t.zNear[slot], queue, queued), queued = 0;
  };
  for (int k = 0; k < strata; k += 8) {
    const Swept swept = sweptOf(ctx, p, slot, k);
    for (int cls = 0; cls < (kLens ? kLensClasses : 1); ++cls) {
      const ReachLanes r = reachLanes<kLens>(ctx, swept, cls, k);
      // Pixel by pixel of each stratum's box, all strata at once.
      I8 row = (r.y0 * splat(width) + r.x0) * splat(strata) + (I8{0, 1, 2, 3, 4, 5, 6, 7} + splat(k));
      for (I8 y = r.y0;; y += kStep, row += nextRow) {
        const I8 inY = swept.live & atMost(y, r.y1);
        if (!bits(inY)) break;
        I8 at = row;
        for (I8 x = r.x0;; x += kStep, at += nextPixel) {
          const uint32_t in = bits(inY & atMost(x, r.x1));
          if (!in) break;
          if (queued + 8 > kBinned) flush();
          storePacked(queue + queued, at, in);
          queued += __builtin_popcount(in);
        }
      }
    }
  }
  flush();
}

}  // namespace reyes::hider::REYES_ISA
