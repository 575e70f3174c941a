// SPDX-License-Identifier: Apache-2.0
// Tests the pieces (micropolygons, discs) of a tile against the samples near them, for raster_moving.isa.cpp and
// raster_moving_disc.isa.cpp only (compiled once an instruction set, inside namespace REYES_ISA). A piece P is a Piece
// or derived from one, and has a testLanes<kLens, kMoves>(ctx, p, lanes, mask); make(slot, p) makes piece `slot` of the
// tile.
//
// Where the pieces of a tile move, or are out of focus, too differently for small boxes (moving_fit.h), it is halved,
// by estimate of what it costs either way. Samples are found, sorted and tested conservatively; the test alone decides,
// so no choice changes a bit.
#pragma once

#include <algorithm>
#include <cmath>

#include "reyes/hider/moving_alone.h"

namespace reyes::hider::REYES_ISA {

/// Cells for a tile: such that a row of them holds about a vector of samples along a piece.
inline Cells cellsOf(const Fit& fit, float density) {
  const float w = fit.x1 - fit.x0, h = fit.y1 - fit.y0;
  Cells c;
  if (fit.count > 1) {
    const float high = std::clamp(10 / (density * fit.sizeX), fit.sizeY * 0.17f, fit.sizeY * 1.5f);
    c.rows = static_cast<int>(std::clamp(h / high, 1.0f, 64.0f));
    c.columns = static_cast<int>(std::clamp(w * 5 / fit.sizeX, 1.0f, static_cast<float>(kMostCells / c.rows)));
  }
  c.perX = static_cast<float>(c.columns) / w, c.perY = static_cast<float>(c.rows) / h;
  return c;
}

/// Cells that each piece reaches.
inline void placePieces(MovingScratch& t, TileRect rect, const Fit& fit, const Cells& cells) {
  const F8 lastColumn = splat(static_cast<float>(cells.columns - 1)),
           lastRow = splat(static_cast<float>(cells.rows - 1));
  forEights(t, rect, [&](int at, uint32_t) {
    const auto cell = [&](int side, float from, float per, F8 last) {
      const F8 c = (load(t.sheared[side] + at) - from) * per;
      store(t.cells[side] + at, toInts(min(max(c, splat(0.0f)), last)));
    };
    cell(0, fit.x0, cells.perX, lastColumn), cell(1, fit.x0, cells.perX, lastColumn);
    cell(2, fit.y0, cells.perY, lastRow), cell(3, fit.y0, cells.perY, lastRow);
  });
}

/// Tests every piece against the sorted samples of its cells.
template <bool kLens, bool kMoves, class P, class Make>
void testSorted(RasterContext& ctx, TileRect rect, const Cells& cells, P& p, const Make& make) {
  const MovingScratch& t = *ctx.strata.scratch;
  int64_t tests = 0;
  forEights(t, rect, [&](int at, uint32_t mask) {
    forBits(mask, [&](int lane) {
      const int slot = at + lane, c0 = t.cells[0][slot], c1 = t.cells[1][slot], r1 = t.cells[3][slot];
      bool made = false;
      for (int r = t.cells[2][slot]; r <= r1; ++r) {
        const uint32_t* row = t.ends + r * cells.columns;
        const uint32_t end = row[c1 + 1];
        uint32_t n = row[c0];
        if (n == end) continue;
        if (!made) made = true, make(slot, p);
        tests += end - n;
        for (; n < end; n += 8)
          testLanes<kLens, kMoves>(
              ctx, p,
              {load(t.x + n), load(t.y + n), load(t.time + n), load(t.lensX + n), load(t.lensY + n), t.sample + n},
              end - n >= 8 ? 0xffu : (1u << (end - n)) - 1);
      }
    });
  });
  ctx.tests += tests;
}

/// What it costs to find the samples of a box (pixels) and to test `count` pieces of a size, in about cycles.
struct Estimate {
  float strata, lensX, lensY, moveX, moveY;  ///< strata of the segment; pixels of blur, motion that of a stratum
  float cell, pair;                          ///< parts of the lens: of a stratum in a class of pixels, in two

  float bySingles(float w, float h) const {
    return strata * (h + lensY * cell + moveY + 1) * ((w + lensX * pair + moveX + 8) * 0.125f + 0.5f);
  }
  float byEights(float w, float h) const {
    return (strata * 0.125f + 0.5f) * (h + lensY + 8 * moveY + 1) * (w + lensX + 8 * moveX + 1);
  }
  /// Of `count` pieces one by one, whose boxes are `own` and, with what they do not share taken in, `size`.
  float alone(float count, float ownX, float ownY, float sizeX, float sizeY, bool lens) const {
    const float part = 1 / strata, x = ownX + 1 + moveX + lensX * cell + (sizeX - ownX) * (lens ? cell : part),
                y = ownY + 1 + moveY + lensY * cell + (sizeY - ownY) * (lens ? cell : part);
    return count * (100 + strata * (x * y * 9 + (lens ? 60.0f : 15.0f)));
  }
  float operator()(float w, float h, float count, float sizeX, float sizeY) const {
    const float test = count * (160 + strata * (sizeX * 1.2f) * (sizeY * 1.7f) * 6);
    return 300 + std::min(bySingles(w, h), byEights(w, h)) * 20 + strata * w * h * 10 + test;
  }
};

template <bool kLens, bool kMoves, class P>
Estimate estimateOf(const RasterContext& ctx, const Fit& fit, const P& p) {
  constexpr float kPixel = 1.0f / kUnits;
  const float n = static_cast<float>(ctx.strata.strata);
  const float share = kMoves && !p.whole ? std::min(1.0f, (std::min(p.to, 1.0f) - std::max(p.from, 0.0f)) + 1 / n) : 1;
  Estimate e{n * share, 0, 0, 0, 0, 1, 1};
  if constexpr (kLens) {
    const float c = std::max(std::fabs(fit.coc[0]), std::fabs(fit.coc[1])) * 2 * kPixel;
    e.lensX = c * ctx.grid.lensX, e.lensY = c * ctx.grid.lensY;
    e.cell = 1 / std::sqrt(n), e.pair = std::min(1.0f, 0.5f + e.cell);
  }
  if constexpr (kMoves)
    e.moveX = std::fabs(fit.moveX) * kPixel / e.strata, e.moveY = std::fabs(fit.moveY) * kPixel / e.strata;
  return e;
}

inline bool orderedByStratum(RasterContext& ctx) {
  MovingScratch& t = *ctx.strata.scratch;
  return t.byStratum || t.order(ctx);
}

/// Samples the pieces of a rectangle as a tile.
template <bool kLens, bool kMoves, class P, class Make>
[[gnu::noinline]] void sampleTogether(RasterContext& ctx, TileRect rect, const Fit& fit, const Estimate& estimate, P& p,
                                      const Make& make) {
  constexpr float kPixel = 1.0f / kUnits;
  const float w = (fit.x1 - fit.x0) * kPixel, h = (fit.y1 - fit.y0) * kPixel;
  const float found = std::min(estimate.strata * w * h, static_cast<float>(kBinned));
  const Cells cells = cellsOf(fit, found / ((fit.x1 - fit.x0) * (fit.y1 - fit.y0)));
  placePieces(*ctx.strata.scratch, rect, fit, cells);
  const bool eights = estimate.byEights(w, h) < estimate.bySingles(w, h);
  findSamples<kLens, kMoves>(ctx, fit, cells, p, eights, [&] { testSorted<kLens, kMoves>(ctx, rect, cells, p, make); });
}

/// Samples the pieces of a rectangle, or those of its halves one after the other. `rows`: it is halved by rows first.
template <bool kLens, bool kMoves, class P, class Make>
[[gnu::noinline]] void sampleRect(RasterContext& ctx, TileRect rect, bool rows, P& p, const Make& make) {
  MovingScratch& t = *ctx.strata.scratch;
  Fit fit;
  fitShared<kLens, kMoves>(t, rect, fit);
  if (fit.count == 0) return;
  shear<kLens, kMoves>(ctx, rect, fit);
  constexpr float kPixel = 1.0f / kUnits;
  const float w = (fit.x1 - fit.x0) * kPixel, h = (fit.y1 - fit.y0) * kPixel;
  const Estimate estimate = estimateOf<kLens, kMoves>(ctx, fit, p);
  // A half has about half the box, and half of what is too much of its pieces' boxes.
  const float ownX = fit.ownX * kPixel, ownY = fit.ownY * kPixel, sizeX = fit.sizeX * kPixel,
              sizeY = fit.sizeY * kPixel;
  const float halfX = std::max(ownX, (sizeX + ownX) / 2), halfY = std::max(ownY, (sizeY + ownY) / 2);
  const float count = static_cast<float>(fit.count);
  const float whole = estimate(w, h, count, sizeX, sizeY);
  const float halves =
      fit.count > 1 ? 2 * estimate(w > h ? w / 2 : w, w > h ? h : h / 2, count / 2, halfX, halfY) : kInf;
  if (estimate.alone(count, ownX, ownY, sizeX, sizeY, kLens) < std::min(halves, whole) && orderedByStratum(ctx)) {
    forEights(t, rect, [&](int at, uint32_t mask) {
      forBits(mask, [&](int lane) { sampleAlone<kLens, kMoves>(ctx, at + lane, p, make); });
    });
  } else if (halves < whole) {
    const int columns = rect.i1 - rect.i0, lines = rect.j1 - rect.j0;
    const bool byRow = lines > 1 && (rows || columns == 1 || (lines > columns) || (lines == columns && h > w));
    TileRect a = rect, b = rect;
    if (byRow)
      a.j1 = b.j0 = rect.j0 + lines / 2;
    else
      a.i1 = b.i0 = rect.i0 + columns / 2;
    sampleRect<kLens, kMoves>(ctx, a, rows, p, make), sampleRect<kLens, kMoves>(ctx, b, rows, p, make);
  } else {
    sampleTogether<kLens, kMoves>(ctx, rect, fit, estimate, p, make);
  }
}

/// The segment between two keys, for all pieces of a grid.
template <class P>
inline void startSegment(const RasterGrid& g, int key, P& p) {
  const bool last = key + 2 >= g.keys;
  const float length = g.keys > 1 ? g.times[key + 1] - g.times[key] : 0;
  p.start = g.keys > 1 ? g.times[key] : 0;
  p.inverse = length > 0 ? 1 / length : 0;
  p.from = key == 0 ? -kInf : p.start;
  p.to = last ? kInf : g.times[key + 1];
  p.whole = key == 0 && last;
}

/// Samples the live pieces of a tile.
template <class P, class Make>
void sampleTile(RasterContext& ctx, int columns, int rows, bool byRows, P& p, const Make& make) {
  const TileRect all{0, columns, 0, rows};
  if (ctx.grid.lens)
    ctx.grid.keys > 1 ? sampleRect<true, true>(ctx, all, byRows, p, make)
                      : sampleRect<true, false>(ctx, all, byRows, p, make);
  else
    ctx.grid.keys > 1 ? sampleRect<false, true>(ctx, all, byRows, p, make)
                      : sampleRect<false, false>(ctx, all, byRows, p, make);
}

}  // namespace reyes::hider::REYES_ISA
