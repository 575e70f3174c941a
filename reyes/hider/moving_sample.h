// SPDX-License-Identifier: Apache-2.0
// Which samples a moving or defocused piece (a micropolygon, a disc) may reach, and the cheapest way through them, for
// raster_moving.isa.cpp and raster_moving_disc.isa.cpp only (compiled once an instruction set, inside namespace
// REYES_ISA). A piece P is a Piece or derived from one, and has a testLanes<kLens, kMoves>(ctx, p, lanes, mask).
//
// Three ways through the samples, the cheapest by estimate for each piece: blocks of eight by time (little blur by the
// lens), blocks of eight by lens point (little motion), or stratum by stratum, queued until there are eight (much of
// both). They test the same samples or more, so none changes a bit.
#pragma once

#include <algorithm>
#include <cmath>

#include "reyes/hider/moving_setup.h"

namespace reyes::hider::REYES_ISA {

/// First and last pixel (from the bucket's corner) that units lo..hi touch, clipped to the bucket.
inline void pixelRange(Range r, int origin, int count, I8& first, I8& last) {
  const float o = static_cast<float>(origin) * kUnits;
  constexpr float kPixel = 1.0f / kUnits;
  // Conversion drops the fraction, which is rounding down for what is not negative.
  first = __builtin_convertvector(clamped((r.lo - o - 2) * kPixel, 0, static_cast<float>(count)), I8);
  last = __builtin_convertvector(clamped((r.hi - o + 2) * kPixel + 1, 0, static_cast<float>(count)), I8) - 1;
}

/// The same in vectors.
struct ReachLanes {
  I8 x0, x1, y0, y1;
};

/// Pixels that a piece reaches in eight groups.
struct Reach {
  alignas(32) int32_t x0[8], x1[8], y0[8], y1[8];
  uint32_t live;
};

/// Where the corners are in eight groups, but for the lens.
struct Swept {
  Range x, y, coc;
  uint32_t live;
};

inline Swept sweptOf(const Piece& p, const SampleGroups& groups, int k) {
  // Classes share their times.
  const F8 t0 = load(groups.bounds + kTime0 * groups.padded + k), t1 = load(groups.bounds + kTime1 * groups.padded + k);
  const F8 f0 = clamped((t0 - p.start) * p.inverse, 0, 1), f1 = clamped((t1 - p.start) * p.inverse, 0, 1);
  // The bounds at the keys move in straight lines, as the corners do.
  const KeyBox &s = p.box[0], &e = p.box[1];
  const auto low = [&](float u, float v) { return min(u + f0 * (v - u), u + f1 * (v - u)); };
  const auto high = [&](float u, float v) { return max(u + f0 * (v - u), u + f1 * (v - u)); };
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + k;
  return {{low(s.x0, e.x0), high(s.x1, e.x1)},
          {low(s.y0, e.y0), high(s.y1, e.y1)},
          {low(s.c0, e.c0), high(s.c1, e.c1)},
          laneBits((lane < groups.groups) & (t1 >= p.from) & (t0 < p.to))};
}

template <bool kLens>
inline ReachLanes reachLanes(const RasterContext& ctx, const Swept& swept, const SampleGroups& groups, int cls, int k) {
  Range x = swept.x, y = swept.y;
  if constexpr (kLens) {
    const float* b = groups.bounds + static_cast<size_t>(cls * kGroupSides * groups.padded + k);
    const auto side = [&](GroupSide n) { return load(b + n * groups.padded); };
    const Range lx = times(swept.coc, {side(kLensX0), side(kLensX1)}),
                ly = times(swept.coc, {side(kLensY0), side(kLensY1)});
    x = {x.lo + lx.lo * ctx.grid.lensX, x.hi + lx.hi * ctx.grid.lensX};
    y = {y.lo + ly.lo * ctx.grid.lensY, y.hi + ly.hi * ctx.grid.lensY};
  }
  // Far from the origin a unit is finer than floats are: a slack that grows.
  const auto widened = [](Range q) {
    constexpr float kFine = 0x1p-22f;
    return Range{q.lo - absolute(q.lo) * kFine, q.hi + absolute(q.hi) * kFine};
  };
  ReachLanes r;
  pixelRange(widened(x), ctx.lattice.originX, ctx.strata.width, r.x0, r.x1);
  pixelRange(widened(y), ctx.lattice.originY, ctx.strata.height, r.y0, r.y1);
  return r;
}

template <bool kLens>
void reachOf(const RasterContext& ctx, const Swept& swept, const SampleGroups& groups, int cls, int k, Reach& r) {
  const ReachLanes l = reachLanes<kLens>(ctx, swept, groups, cls, k);
  store(r.x0, l.x0), store(r.x1, l.x1), store(r.y0, l.y0), store(r.y1, l.y1);
  r.live = laneBits((l.x0 <= l.x1) & (l.y0 <= l.y1)) & swept.live;
}

/// Tests blocks of eight.
template <bool kLens, bool kMoves, class P>
void sampleBlocks(RasterContext& ctx, const P& p, const SampleGroups& groups) {
  const int width = ctx.strata.width, step = groups.classes > 1 ? 2 : 1;
  int64_t tests = 0;
  Reach r;
  for (int k = 0; k < groups.groups; k += 8) {
    const Swept swept = sweptOf(p, groups, k);
    for (int cls = 0; cls < groups.classes; ++cls) {
      const int parityX = (cls & 1) ^ (ctx.lattice.originX & 1), parityY = (cls >> 1) ^ (ctx.lattice.originY & 1);
      reachOf<kLens>(ctx, swept, groups, cls, k, r);
      forBits(r.live, [&](int n) {
        const int group = k + n, lanes = std::min(8, ctx.strata.strata - group * 8);
        int x0 = r.x0[n], y0 = r.y0[n];
        const int x1 = r.x1[n], y1 = r.y1[n];
        if (step == 2) x0 += (x0 ^ parityX) & 1, y0 += (y0 ^ parityY) & 1;
        for (int y = y0; y <= y1; y += step)
          for (int x = x0; x <= x1; x += step) {
            const int pixel = y * width + x;
            if (ctx.strata.pixelMax[pixel] < p.zNear) continue;
            const SampleBlock& b = groups.blocks[static_cast<size_t>(pixel) * static_cast<size_t>(groups.groups) +
                                                 static_cast<size_t>(group)];
            tests += lanes;
            testLanes<kLens, kMoves>(ctx, p,
                                     {load(b.x), load(b.y), load(b.time), load(b.lensX), load(b.lensY), b.sample},
                                     (1u << lanes) - 1);
          }
      });
    }
  }
  ctx.tests += tests;
}

/// Records at[0..7] as lanes.
template <bool kLens>
inline Lanes transposed(const SampleRecord* records, const uint32_t* at, uint32_t* sample) {
  F8 r[8];
  for (int n = 0; n < 8; ++n) r[n] = load(reinterpret_cast<const float*>(records + at[n]));
  // Pairs of rows, then fours, then all.
  F8 low[4], high[4];
  for (int n = 0; n < 4; ++n) {
    low[n] = __builtin_shufflevector(r[2 * n], r[2 * n + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    high[n] = __builtin_shufflevector(r[2 * n], r[2 * n + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  F8 four[4][2];  // columns 0 and 4, 1 and 5, 2 and 6, 3 and 7
  for (int n = 0; n < 2; ++n) {
    four[0][n] = __builtin_shufflevector(low[2 * n], low[2 * n + 1], 0, 1, 8, 9, 4, 5, 12, 13);
    four[1][n] = __builtin_shufflevector(low[2 * n], low[2 * n + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    four[2][n] = __builtin_shufflevector(high[2 * n], high[2 * n + 1], 0, 1, 8, 9, 4, 5, 12, 13);
    four[3][n] = __builtin_shufflevector(high[2 * n], high[2 * n + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  const auto first = [&](int c) { return __builtin_shufflevector(four[c][0], four[c][1], 0, 1, 2, 3, 8, 9, 10, 11); };
  const auto second = [&](int c) {
    return __builtin_shufflevector(four[c][0], four[c][1], 4, 5, 6, 7, 12, 13, 14, 15);
  };
  store(sample, first(3));
  Lanes lanes{first(0), first(1), first(2), F8{}, F8{}, sample};
  if constexpr (kLens) lanes.lensX = second(0), lanes.lensY = second(1);
  return lanes;
}

/// Tests the queued records.
template <bool kLens, bool kMoves, class P>
void testQueue(RasterContext& ctx, const P& p) {
  const int count = ctx.queued;
  ctx.queued = 0, ctx.tests += count;
  for (int n = 0; n < 8; ++n) ctx.queue[count + n] = ctx.queue[0];  // whole vectors; the rest is masked
  for (int n = 0; n < count; n += 8) {
    uint32_t sample[8];
    const Lanes lanes = transposed<kLens>(ctx.strata.records, ctx.queue + n, sample);
    testLanes<kLens, kMoves>(ctx, p, lanes, (1u << std::min(8, count - n)) - 1);
  }
}

/// Appends the lanes of `mask` to a queue that has room for eight: how many they are.
inline int appendLanes(uint32_t* queue, I8 v, uint32_t mask) {
#if defined(__AVX512VL__)
  store(queue, _mm256_maskz_compress_epi32(static_cast<__mmask8>(mask), reinterpret_cast<__m256i>(v)));
  return __builtin_popcount(mask);
#else
  int count = 0;
  for (int n = 0; n < 8; ++n) {  // without branches: what is not wanted is overwritten
    queue[count] = static_cast<uint32_t>(v[n]);
    count += static_cast<int>(mask >> n & 1);
  }
  return count;
#endif
}

/// Queues samples by strata, eight strata at a time, and tests them.
template <bool kLens, bool kMoves, class P>
void sampleStrata(RasterContext& ctx, const P& p) {
  const SampleGroups& single = ctx.strata.single;
  const int width = ctx.strata.width, strata = ctx.strata.strata;
  constexpr int kStep = kLens ? 2 : 1;
  const I8 iota = I8{0, 1, 2, 3, 4, 5, 6, 7};
  uint32_t* queue = ctx.queue;
  int queued = 0;
  for (int k = 0; k < single.groups; k += 8) {
    const Swept swept = sweptOf(p, single, k);
    const I8 wanted = (splat(static_cast<int32_t>(swept.live)) & (1 << iota)) != 0;
    for (int cls = 0; cls < (kLens ? kLensClasses : 1); ++cls) {
      ReachLanes r = reachLanes<kLens>(ctx, swept, single, cls, k);
      if constexpr (kLens) {
        const int parityX = (cls & 1) ^ (ctx.lattice.originX & 1), parityY = (cls >> 1) ^ (ctx.lattice.originY & 1);
        r.x0 += (r.x0 ^ parityX) & 1, r.y0 += (r.y0 ^ parityY) & 1;
      }
      // Pixel by pixel of each stratum's box, all strata at once.
      I8 row = (r.y0 * width + r.x0) * strata + (iota + k);
      for (I8 y = r.y0;; y += kStep, row += kStep * width * strata) {
        const I8 inY = wanted & (y <= r.y1);
        if (!bits(inY)) break;
        I8 at = row;
        for (I8 x = r.x0;; x += kStep, at += kStep * strata) {
          const uint32_t in = bits(inY & (x <= r.x1));
          if (!in) break;
          if (queued + 8 > ctx.queueCapacity) {
            ctx.queued = queued, queued = 0;
            testQueue<kLens, kMoves>(ctx, p);
          }
          queued += appendLanes(queue + queued, at, in);
        }
      }
    }
  }
  ctx.queued = queued;
  if (queued > 0) testQueue<kLens, kMoves>(ctx, p);
}

/// Samples one piece the way that promises to cost least.
template <bool kLens, bool kMoves, class P>
void samplePiece(RasterContext& ctx, const P& p) {
  // In pixels: extent, motion while the shutter is open, diameter of the circle of confusion.
  const KeyBox &s = p.box[0], &e = p.box[1];
  constexpr float kPixel = 1.0f / kUnits;
  const float n = static_cast<float>(ctx.strata.strata), groups = static_cast<float>(ctx.strata.byTime.groups);
  const float ex = std::max(s.x1 - s.x0, e.x1 - e.x0) * kPixel + 1,
              ey = std::max(s.y1 - s.y0, e.y1 - e.y0) * kPixel + 1;
  const float mx = std::max(std::fabs(e.x0 - s.x0), std::fabs(e.x1 - s.x1)) * kPixel,
              my = std::max(std::fabs(e.y0 - s.y0), std::fabs(e.y1 - s.y1)) * kPixel;
  float cx = 0, cy = 0;
  if (kLens) {
    const float c = std::max({std::fabs(s.c0), std::fabs(s.c1), std::fabs(e.c0), std::fabs(e.c1)}) * 2 * kPixel;
    cx = c * ctx.grid.lensX, cy = c * ctx.grid.lensY;
  }
  // Of all strata in the segment; costs in about cycles.
  const float rate = p.inverse > 0 ? p.inverse : 1, share = 1 / rate;
  const float perGroup = std::min(1.0f, rate / groups), perStratum = std::min(1.0f, rate / n);
  constexpr float kBlock = 80, kSlot = 8, kStratum = 30;
  const auto area = [&](float time, float lens) { return (ex + mx * time + cx * lens) * (ey + my * time + cy * lens); };
  const float byTime = groups * share * area(perGroup, 1) * kBlock;
  const float side = kLens ? std::sqrt(groups) : 1, cell = kLens ? std::sqrt(n) : 1;
  const float byLens = kLens ? groups * area(1, 1 / side) * kBlock + 150 : byTime;
  const float strata = n * share * (area(perStratum, 1 / cell) * kSlot + (kLens ? 4 * kStratum : kStratum));
  if (strata < std::min(byTime, byLens)) return sampleStrata<kLens, kMoves>(ctx, p);
  sampleBlocks<kLens, kMoves>(ctx, p, byLens < byTime ? ctx.strata.byLens : ctx.strata.byTime);
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
  p.lens = g.lens;
}

template <class P>
inline void sampleAny(RasterContext& ctx, const P& p) {
  if (p.lens)
    p.moves ? samplePiece<true, true>(ctx, p) : samplePiece<true, false>(ctx, p);
  else
    p.moves ? samplePiece<false, true>(ctx, p) : samplePiece<false, false>(ctx, p);
}

}  // namespace reyes::hider::REYES_ISA
