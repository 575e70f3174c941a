// SPDX-License-Identifier: Apache-2.0
// Samples a moving or defocused grid. Times and lens points are stratified in every pixel, so groups of samples have
// small bounds of both; a micropolygon is bounded in each group, and meets only the samples of the pixels it reaches
// there. Called through kernels() by BucketHider::rasterize.
//
// Three ways through the samples, the cheapest by estimate for each micropolygon: blocks of eight by time (little
// blur by the lens), blocks of eight by lens point (little motion), or stratum by stratum, queued until there are
// eight (much of both). They test the same samples or more, so none changes a bit.
#include <algorithm>
#include <cmath>

#include "reyes/hider/moving_test.h"

namespace reyes::hider::REYES_ISA {
namespace {

struct Range {
  F8 lo, hi;
};
inline Range times(Range a, Range b) {
  const F8 p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return {min(min(p, q), min(r, s)), max(max(p, q), max(r, s))};
}
inline F8 absolute(F8 v) { return max(v, -v); }

/// Eight micropolygons of a row over one segment of keys.
struct Setup {
  alignas(32) float x0[2][8], x1[2][8], y0[2][8], y1[2][8], c0[2][8], c1[2][8];
  alignas(32) float zNear[8], reach[8];
  uint32_t live = 0, large = 0;
};

/// Bounds micropolygons i..i+7 of row j between two keys, and drops those that never reach the bucket.
void setup(const RasterContext& ctx, int i, int j, int key, Setup& s) {
  const RasterGrid& g = ctx.grid;
  const size_t row = static_cast<size_t>(g.nu) + 1, points = row * (static_cast<size_t>(g.nv) + 1);
  const size_t at = static_cast<size_t>(j) * row + static_cast<size_t>(i);
  const size_t from[2] = {static_cast<size_t>(key) * points + at,
                          static_cast<size_t>(g.keys > 1 ? key + 1 : key) * points + at};
  const auto bound = [&](const float* plane, int end) {
    const float* p = plane + from[end];
    const F8 a = load(p), b = load(p + 1), c = load(p + row), d = load(p + row + 1);
    return Range{min(min(a, b), min(c, d)), max(max(a, b), max(c, d))};
  };
  Range x{splat(kInf), splat(-kInf)}, y = x, z = x;
  F8 widest = splat(0.0f), cLow = splat(0.0f), cHigh = splat(0.0f);
  for (int end = 0; end < 2; ++end) {
    const Range ex = bound(g.fx, end), ey = bound(g.fy, end), ez = bound(g.fz, end);
    Range ec{splat(0.0f), splat(0.0f)};
    if (g.lens) ec = bound(g.coc, end);
    store(s.x0[end], ex.lo), store(s.x1[end], ex.hi), store(s.y0[end], ey.lo), store(s.y1[end], ey.hi);
    store(s.c0[end], ec.lo), store(s.c1[end], ec.hi);
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
  store(s.reach, max(max(absolute(x.lo), absolute(x.hi)), max(absolute(y.lo), absolute(y.hi))));
  store(s.zNear, z.lo - absolute(z.lo) * 1e-6f);
  const Lattice& l = ctx.lattice;
  const float bx = static_cast<float>(l.originX) * kUnits, by = static_cast<float>(l.originY) * kUnits;
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + i;
  const F8 slack = absolute(z.hi) * 1e-6f;
  s.live = laneBits((lane < g.nu) & (x.hi >= bx) & (x.lo <= bx + static_cast<float>(ctx.strata.width * kUnits)) &
                    (y.hi >= by) & (y.lo <= by + static_cast<float>(ctx.strata.height * kUnits)) &
                    (z.hi + slack >= ctx.near) & (z.lo - absolute(z.lo) * 1e-6f <= ctx.far));
  s.large = ~laneBits(widest < static_cast<float>(kSmallUnits - 8));
}

/// Corners of micropolygon (i, j), lane of a set-up row.
void makePiece(const RasterContext& ctx, const Setup& s, int lane, int i, int j, int key, Piece& p) {
  const RasterGrid& g = ctx.grid;
  const size_t row = static_cast<size_t>(g.nu) + 1, points = row * (static_cast<size_t>(g.nv) + 1);
  const size_t a = static_cast<size_t>(j) * row + static_cast<size_t>(i);
  const size_t v[4] = {a, a + 1, a + row + 1, a + row};
  const size_t k0 = static_cast<size_t>(key) * points, k1 = g.keys > 1 ? k0 + points : k0;
  p.moves = false;
  for (int n = 0; n < 4; ++n) {
    const size_t b = k0 + v[n], e = k1 + v[n];
    Path& c = p.corner[n];
    c = {g.fx[b], g.fx[e] - g.fx[b], g.fy[b], g.fy[e] - g.fy[b], g.fz[b], g.fz[e] - g.fz[b], 0, 0};
    if (g.lens) c.c = g.coc[b], c.dc = g.coc[e] - g.coc[b];
    p.moves |= c.dx != 0 || c.dy != 0 || c.dz != 0;
  }
  for (int end = 0; end < 2; ++end)
    p.box[end] = {s.x0[end][lane], s.y0[end][lane], s.x1[end][lane], s.y1[end][lane], s.c0[end][lane], s.c1[end][lane]};
  p.zNear = s.zNear[lane];
  p.large = s.large >> lane & 1;
  const float corner = static_cast<float>(std::max(
      std::max(std::abs(ctx.lattice.originX), std::abs(ctx.lattice.originY)),
      std::max(std::abs(ctx.lattice.originX + ctx.strata.width), std::abs(ctx.lattice.originY + ctx.strata.height))));
  p.fast = !p.large && s.reach[lane] <= kMagicReach && corner * kUnits <= kMagicReach;
}

/// First and last pixel (from the bucket's corner) that units lo..hi touch, clipped to the bucket.
inline void pixelRange(Range r, int origin, int count, I8& first, I8& last) {
  const float o = static_cast<float>(origin) * kUnits;
  constexpr float kPixel = 1.0f / kUnits;
  // Conversion drops the fraction, which is rounding down for what is not negative.
  first = __builtin_convertvector(clamped((r.lo - o - 2) * kPixel, 0, static_cast<float>(count)), I8);
  last = __builtin_convertvector(clamped((r.hi - o + 2) * kPixel + 1, 0, static_cast<float>(count)), I8) - 1;
}

/// Pixels that a piece reaches in eight groups.
struct Reach {
  alignas(32) int32_t x0[8], x1[8], y0[8], y1[8];
  uint32_t live;
};

void reachOf(const RasterContext& ctx, const Piece& p, const SampleGroups& groups, int cls, int k, Reach& r) {
  const float* b = groups.bounds + static_cast<size_t>(cls * kGroupSides * groups.padded + k);
  const auto side = [&](GroupSide n) { return load(b + n * groups.padded); };
  const F8 t0 = side(kTime0), t1 = side(kTime1);
  const F8 f0 = clamped((t0 - p.start) * p.inverse, 0, 1), f1 = clamped((t1 - p.start) * p.inverse, 0, 1);
  // The bounds at the keys move in straight lines, as the corners do.
  const KeyBox &s = p.box[0], &e = p.box[1];
  const auto low = [&](float u, float v) { return min(u + f0 * (v - u), u + f1 * (v - u)); };
  const auto high = [&](float u, float v) { return max(u + f0 * (v - u), u + f1 * (v - u)); };
  Range x{low(s.x0, e.x0), high(s.x1, e.x1)}, y{low(s.y0, e.y0), high(s.y1, e.y1)};
  if (p.lens) {
    const Range coc{low(s.c0, e.c0), high(s.c1, e.c1)};
    const Range lx = times(coc, {side(kLensX0), side(kLensX1)}), ly = times(coc, {side(kLensY0), side(kLensY1)});
    x = {x.lo + lx.lo * ctx.grid.lensX, x.hi + lx.hi * ctx.grid.lensX};
    y = {y.lo + ly.lo * ctx.grid.lensY, y.hi + ly.hi * ctx.grid.lensY};
  }
  // Far from the origin a unit is finer than floats are: a slack that grows.
  const auto widened = [](Range q) {
    constexpr float kFine = 0x1p-22f;
    return Range{q.lo - absolute(q.lo) * kFine, q.hi + absolute(q.hi) * kFine};
  };
  I8 x0, x1, y0, y1;
  pixelRange(widened(x), ctx.lattice.originX, ctx.strata.width, x0, x1);
  pixelRange(widened(y), ctx.lattice.originY, ctx.strata.height, y0, y1);
  store(r.x0, x0), store(r.x1, x1), store(r.y0, y0), store(r.y1, y1);
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + k;
  r.live = laneBits((x0 <= x1) & (y0 <= y1) & (lane < groups.groups) & (t1 >= p.from) & (t0 < p.to));
}

/// Tests blocks of eight.
template <bool kLens, bool kMoves>

void sampleBlocks(RasterContext& ctx, const Piece& p, const SampleGroups& groups) {
  const int width = ctx.strata.width, step = groups.classes > 1 ? 2 : 1;
  int64_t tests = 0;
  Reach r;
  for (int cls = 0; cls < groups.classes; ++cls) {
    const int parityX = (cls & 1) ^ (ctx.lattice.originX & 1), parityY = (cls >> 1) ^ (ctx.lattice.originY & 1);
    for (int k = 0; k < groups.groups; k += 8) {
      reachOf(ctx, p, groups, cls, k, r);
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

inline F8 gather(const float* p, I8 at) {
#if defined(__AVX2__)
  return reinterpret_cast<F8>(_mm256_i32gather_ps(p, reinterpret_cast<__m256i>(at), 4));
#else
  return F8{p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#endif
}

/// Tests the queued samples: numbers in blocks by time.
template <bool kLens, bool kMoves>
void testQueue(RasterContext& ctx, const Piece& p) {
  const int count = ctx.queued;
  ctx.queued = 0, ctx.tests += count;
  for (int n = 0; n < 8; ++n) ctx.queue[count + n] = ctx.queue[0];  // whole vectors; the rest is masked
  const float* planes = reinterpret_cast<const float*>(ctx.strata.byTime.blocks);
  for (int n = 0; n < count; n += 8) {
    const I8 slot = load(ctx.queue + n), at = (slot >> 3) * kBlockFloats + (slot & 7);
    uint32_t sample[8];
    store(sample, reinterpret_cast<I8>(gather(planes + 40, at)));
    testLanes<kLens, kMoves>(ctx, p,
                             {gather(planes, at), gather(planes + 8, at), gather(planes + 16, at),
                              gather(planes + 24, at), gather(planes + 32, at), sample},
                             (1u << std::min(8, count - n)) - 1);
  }
}

/// Queues samples stratum by stratum and tests them.
template <bool kLens, bool kMoves>
void sampleStrata(RasterContext& ctx, const Piece& p) {
  const SampleGroups& single = ctx.strata.single;
  const int width = ctx.strata.width, slots = ctx.strata.byTime.groups * 8;
  const int step = kLens ? 2 : 1;
  const I8 iota = I8{0, 1, 2, 3, 4, 5, 6, 7} * (step * slots);
  Reach r;
  for (int cls = 0; cls < (kLens ? kLensClasses : 1); ++cls) {
    const int parityX = (cls & 1) ^ (ctx.lattice.originX & 1), parityY = (cls >> 1) ^ (ctx.lattice.originY & 1);
    for (int k = 0; k < single.groups; k += 8) {
      reachOf(ctx, p, single, cls, k, r);
      forBits(r.live, [&](int n) {
        int x0 = r.x0[n], y0 = r.y0[n];
        const int x1 = r.x1[n], y1 = r.y1[n];
        if (step == 2) x0 += (x0 ^ parityX) & 1, y0 += (y0 ^ parityY) & 1;
        for (int y = y0; y <= y1; y += step) {
          if (ctx.queued + width + 16 > ctx.queueCapacity) testQueue<kLens, kMoves>(ctx, p);
          for (int x = x0; x <= x1; x += 8 * step) {
            store(ctx.queue + ctx.queued, iota + ((y * width + x) * slots + k + n));
            ctx.queued += std::min(8, (x1 - x) / step + 1);
          }
        }
      });
    }
  }
  if (ctx.queued > 0) testQueue<kLens, kMoves>(ctx, p);
}

/// Samples one piece the way that promises to cost least.
template <bool kLens, bool kMoves>
void samplePiece(RasterContext& ctx, const Piece& p) {
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
  constexpr float kBlock = 45, kSlot = 8, kStratum = 30;
  const auto area = [&](float time, float lens) { return (ex + mx * time + cx * lens) * (ey + my * time + cy * lens); };
  const float byTime = groups * share * area(perGroup, 1) * kBlock;
  const float side = kLens ? std::sqrt(groups) : 1, cell = kLens ? std::sqrt(n) : 1;
  const float byLens = kLens ? groups * area(1, 1 / side) * kBlock + 150 : byTime;
  const float strata = n * share * (area(perStratum, 1 / cell) * kSlot + (kLens ? 4 * kStratum : kStratum));
  if (strata < std::min(byTime, byLens)) return sampleStrata<kLens, kMoves>(ctx, p);
  sampleBlocks<kLens, kMoves>(ctx, p, byLens < byTime ? ctx.strata.byLens : ctx.strata.byTime);
}

void sampleSegment(RasterContext& ctx, int key) {
  const RasterGrid& g = ctx.grid;
  Piece p{};
  const bool last = key + 2 >= g.keys;
  const float length = g.keys > 1 ? g.times[key + 1] - g.times[key] : 0;
  p.start = g.keys > 1 ? g.times[key] : 0;
  p.inverse = length > 0 ? 1 / length : 0;
  p.from = key == 0 ? -kInf : p.start;
  p.to = last ? kInf : g.times[key + 1];
  p.whole = key == 0 && last;
  p.lens = g.lens;
  Setup s;
  for (int j = 0; j < g.nv; ++j)
    for (int i = 0; i < g.nu; i += 8) {
      setup(ctx, i, j, key, s);
      forBits(s.live, [&](int lane) {
        const int mp = j * g.nu + i + lane;
        const MpClass cls = g.classes ? g.classes[mp] : MpClass::kOpaque;
        if (cls == MpClass::kSkip) return;
        if (key == 0) ++ctx.micropolygons;
        makePiece(ctx, s, lane, i + lane, j, key, p);
        p.direct = cls == MpClass::kOpaque && !ctx.hitsOnly;
        p.id = g.idBase + 2 * static_cast<uint32_t>(mp);
        if (p.lens)
          p.moves ? samplePiece<true, true>(ctx, p) : samplePiece<true, false>(ctx, p);
        else
          p.moves ? samplePiece<false, true>(ctx, p) : samplePiece<false, false>(ctx, p);
      });
    }
}

}  // namespace

void rasterMoving(RasterContext& ctx) {
  for (int key = 0; key == 0 || key + 1 < ctx.grid.keys; ++key) sampleSegment(ctx, key);
}

}  // namespace reyes::hider::REYES_ISA
