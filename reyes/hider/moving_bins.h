// SPDX-License-Identifier: Apache-2.0
// The samples that a tile of pieces may see, found stratum by stratum and sorted into cells of the plane in which the
// tile is still and in focus (moving_fit.h): for moving_sample.h only (compiled once an instruction set, inside
// namespace REYES_ISA).
#pragma once

#include "reyes/hider/moving_fit.h"

namespace reyes::hider::REYES_ISA {

/// Cells over the box of a fit.
struct Cells {
  int columns = 1, rows = 1;
  float perX = 0, perY = 0;  ///< cells a unit
};

/// Pixels (from the bucket's corner) that eight strata may see the tile in.
struct Reach {
  alignas(32) int32_t x0[8], x1[8], y0[8], y1[8];
  uint32_t live;
};

/// First and last pixel that units lo..hi touch, clipped to the bucket.
inline void pixelRange(Range r, int count, I8& first, I8& last) {
  constexpr float kPixel = 1.0f / kUnits;
  // Conversion drops the fraction, which is rounding down for what is not negative.
  first = toInts(clamped(r.lo * kPixel, 0, static_cast<float>(count)));
  last = toInts(clamped(r.hi * kPixel + 1, 0, static_cast<float>(count))) - 1;
}

/// Strata k..k+7 in pixels of the classes from `first` to `last`.
template <bool kLens, bool kMoves, class P>
void reachOf(const RasterContext& ctx, const Fit& fit, const P& p, const StrataBounds& strata, int first, int last,
             int k, Reach& to) {
  const StrataLattice& s = ctx.strata;
  const auto bound = [&](int cls, StratumSide side) {
    return load(strata.sides + static_cast<size_t>((cls * kStratumSides + side) * strata.padded + k));
  };
  const F8 t0 = bound(0, kTime0), t1 = bound(0, kTime1);  // classes share their times
  F8 f0{}, f1{};
  Range moveX{splat(0.0f), splat(0.0f)}, moveY = moveX, coc{splat(fit.coc[0]), splat(fit.coc[0])};
  if constexpr (kMoves) {
    f0 = clamped((t0 - p.start) * p.inverse, 0, 1), f1 = clamped((t1 - p.start) * p.inverse, 0, 1);
    const auto along = [&](float v) { return Range{min(f0 * v, f1 * v), max(f0 * v, f1 * v)}; };
    moveX = along(fit.moveX), moveY = along(fit.moveY);
    const Range change = along(fit.coc[1] - fit.coc[0]);
    coc = {coc.lo + change.lo, coc.hi + change.hi};
  }
  I8 x0 = splat(s.width), x1 = splat(-1), y0 = splat(s.height), y1 = splat(-1);
  for (int cls = first; cls <= last; ++cls) {
    Range x{moveX.lo + (fit.x0 - fit.slack), moveX.hi + (fit.x1 + fit.slack)};
    Range y{moveY.lo + (fit.y0 - fit.slack), moveY.hi + (fit.y1 + fit.slack)};
    if constexpr (kLens) {
      const Range lx = times(coc, {bound(cls, kLensX0), bound(cls, kLensX1)}),
                  ly = times(coc, {bound(cls, kLensY0), bound(cls, kLensY1)});
      x = {x.lo + lx.lo * ctx.grid.lensX, x.hi + lx.hi * ctx.grid.lensX};
      y = {y.lo + ly.lo * ctx.grid.lensY, y.hi + ly.hi * ctx.grid.lensY};
    }
    I8 a, b, c, d;
    pixelRange(x, s.width, a, b), pixelRange(y, s.height, c, d);
    const I8 some = atMost(a, b) & atMost(c, d);
    x0 = choose(some, min(x0, a), x0), x1 = choose(some, max(x1, b), x1);
    y0 = choose(some, min(y0, c), y0), y1 = choose(some, max(y1, d), y1);
  }
  store(to.x0, x0), store(to.x1, x1), store(to.y0, y0), store(to.y1, y1);
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + k;
  to.live = bits(less(lane, splat(strata.count)) & atMost(splat(p.from), t1) & less(t0, splat(p.to)) & atMost(x0, x1) &
                 atMost(y0, y1));
}

/// Sorts what was found by cell, but for what something nearer hides from all of the tile: how many are left.
[[gnu::noinline]] inline int sortFound(RasterContext& ctx, const Cells& cells, float zNear) {
  MovingScratch& t = *ctx.strata.scratch;
  const int count = cells.columns * cells.rows;
  // 1. Without branches: who is hidden is hard to foretell.
  uint32_t* starts = t.ends + 1;  // how many a cell has, then where the next of it goes: in the end, its end
  std::fill_n(starts, count, 0u);
  int seen = 0;
  for (int n = 0; n < t.found; ++n) {
    const uint32_t sample = t.foundSample[n], cell = t.foundCell[n], open = !(ctx.lattice.limit[sample] < zNear);
    t.foundSample[seen] = sample, t.foundCell[seen] = cell;
    seen += static_cast<int>(open), starts[cell] += open;
  }
  if (seen == 0) return 0;
  // 2. Their places.
  uint32_t sum = 0;
  for (int c = 0; c < count; ++c) {
    const uint32_t n = starts[c];
    starts[c] = sum, sum += n;
  }
  const StrataLattice& s = ctx.strata;
  const bool lens = ctx.grid.lens;
  for (int n = 0; n < seen; ++n) {
    const uint32_t from = t.foundSample[n], to = starts[t.foundCell[n]]++;
    t.x[to] = ctx.lattice.x[from], t.y[to] = ctx.lattice.y[from], t.time[to] = s.time[from], t.sample[to] = from;
    if (lens) t.lensX[to] = s.lensX[from], t.lensY[to] = s.lensY[from];
  }
  t.ends[0] = 0;
  return seen;
}

/// Finds the samples of the tile, of segment p, and calls `take` when there are many, and at the end. `eights`: by
/// eight strata of a pixel, else by eight pixels of a stratum.
template <bool kLens, bool kMoves, class P, class F>
void findSamples(RasterContext& ctx, const Fit& fit, const Cells& cells, const P& p, bool eights, F&& take) {
  const StrataLattice& s = ctx.strata;
  const Lattice& lat = ctx.lattice;
  MovingScratch& t = *s.scratch;
  t.found = 0;
  const auto flush = [&] {
    if (t.found > 0 && sortFound(ctx, cells, fit.zNear) > 0) take();
    t.found = 0;
  };

  const float toColumn = -fit.x0 * cells.perX, toRow = -fit.y0 * cells.perY;
  const float lensX = ctx.grid.lensX * cells.perX, lensY = ctx.grid.lensY * cells.perY;
  const float moveX = fit.moveX * cells.perX, moveY = fit.moveY * cells.perY, change = fit.coc[1] - fit.coc[0];
  const auto vector = [&](const StrataBlock& b, float cornerX, float cornerY, uint32_t inBucket, int32_t corner) {
    // 1. Motion and lens taken back; in cells.
    F8 f{}, x = load(b.x) * splat(cells.perX) + splat(cornerX), y = load(b.y) * splat(cells.perY) + splat(cornerY);
    const F8 time = load(b.time);
    if constexpr (kMoves) {
      f = clamped((time - splat(p.start)) * splat(p.inverse), 0, 1);
      x -= f * splat(moveX), y -= f * splat(moveY);
    }
    if constexpr (kLens) {
      const F8 coc = kMoves ? splat(fit.coc[0]) + f * splat(change) : splat(fit.coc[0]);
      x -= load(b.lensX) * coc * splat(lensX), y -= load(b.lensY) * coc * splat(lensY);
    }
    const I8 in = atMost(splat(0.0f), x) & atMost(splat(0.0f), y) &
                  atMost(x, splat(static_cast<float>(cells.columns))) &
                  atMost(y, splat(static_cast<float>(cells.rows)));
    uint32_t mask = bits(in) & inBucket;
    if (!p.whole) mask &= bits(atMost(splat(p.from), time) & less(time, splat(p.to)));
    if (!mask) return;
    // 2. Which samples, and where.
    if (t.found + 8 > kBinned) flush();
    const I8 column = min(toInts(min(x, splat(static_cast<float>(cells.columns)))), splat(cells.columns - 1)),
             row = min(toInts(min(y, splat(static_cast<float>(cells.rows)))), splat(cells.rows - 1));
    const I8 at = load(b.cell);
    storePacked(t.foundCell + t.found, row * splat(cells.columns) + column, mask);
    storePacked(t.foundSample + t.found, (at >> 16) * splat(lat.stride) + (at & 0xffff) + splat(corner), mask);
    t.found += __builtin_popcount(mask);
  };

  const auto place = [&](int px, int py, const StrataBlock& b, uint32_t wanted) {
    vector(b, static_cast<float>(px * kUnits) * cells.perX + toColumn,
           static_cast<float>(py * kUnits) * cells.perY + toRow, wanted, py * lat.ys * lat.stride + px * lat.xs);
  };

  Reach reach;
  if (eights) {
    for (int k = 0; k < s.eight.count; k += 8) {
      reachOf<kLens, kMoves>(ctx, fit, p, s.eight, 0, 0, k, reach);
      forBits(reach.live, [&](int n) {
        const int group = k + n, rest = s.strata - group * 8;
        const uint32_t wanted = rest < 8 ? (1u << rest) - 1 : 0xffu;
        for (int y = reach.y0[n]; y <= reach.y1[n]; ++y)
          for (int x = reach.x0[n]; x <= reach.x1[n]; ++x) {
            const uint32_t at = static_cast<uint32_t>(x - s.firstLane);
            const uint32_t pattern = s.strip[static_cast<uint32_t>(y * s.strips) + (at >> 3)] * 8 + (at & 7);
            place(x, y,
                  s.eights[static_cast<size_t>(pattern) * static_cast<size_t>(s.eight.count) +
                           static_cast<size_t>(group)],
                  wanted);
          }
      });
    }
    return flush();
  }
  // The pixels of a row are of two classes by turns, those of the next row of the other two.
  const int step = kLens ? 2 : 1;
  for (int k = 0; k < s.strata; k += 8)
    for (int row = 0; row < step; ++row) {
      reachOf<kLens, kMoves>(ctx, fit, p, s.single, 2 * row, 2 * row + step - 1, k, reach);
      forBits(reach.live, [&](int n) {
        int y = reach.y0[n];
        if (kLens) y += (y ^ row ^ lat.originY) & 1;
        const int first = (reach.x0[n] - s.firstLane) >> 3, last = (reach.x1[n] - s.firstLane) >> 3;
        for (; y <= reach.y1[n]; y += step)
          for (int q = first; q <= last; ++q)
            place(s.firstLane + q * 8, y,
                  s.blocks[static_cast<size_t>(s.strip[y * s.strips + q]) * static_cast<size_t>(s.strata) +
                           static_cast<size_t>(k + n)],
                  (q == 0 ? s.firstMask : 0xffu) & (q + 1 == s.strips ? s.lastMask : 0xffu));
      });
    }
  flush();
}

}  // namespace reyes::hider::REYES_ISA
