// SPDX-License-Identifier: Apache-2.0
// Samples a moving or defocused grid. Each micropolygon is bounded eight time strata at a time (and, where the blur of
// the lens is wide, by the lens cells of each pixel class), the samples inside the bounds are queued, and eight queued
// samples are tested at once, each at its own time and lens point. Called through kernels() by BucketHider::rasterize.
//
// Corners are moved, then rounded to whole units, so that neighbours share them exactly at every time and lens point;
// a sample is in triangle (a, b, c) when it is on the inner side of all edges by the rule of raster.h.
#include <algorithm>
#include <cmath>

#include "reyes/hider/raster.h"
#include "reyes/hider/simd8.h"

namespace reyes::hider::REYES_ISA {
namespace {

typedef double D8 __attribute__((vector_size(64)));
typedef int64_t L8 __attribute__((vector_size(64)));

/// One corner over one segment of keys, absolute units.
struct Path {
  float x, dx, y, dy, z, dz, c, dc;
};

/// A micropolygon over one segment between two keys.
struct Piece {
  Path corner[4];
  float start, inverse;  // f = clamp((t - start) * inverse)
  float from, to;        // samples with from <= t < to belong to this segment
  float cocMax;
  bool large, lens;
  uint32_t id;
};

inline F8 gather(const float* p, const uint32_t* at) {
#if defined(__AVX2__)
  return reinterpret_cast<F8>(_mm256_i32gather_ps(p, reinterpret_cast<__m256i>(load(at)), 4));
#else
  return F8{p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#endif
}

inline F8 rounded(F8 v) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(
      _mm256_round_ps(reinterpret_cast<__m256>(v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#else
  F8 r;
  for (int i = 0; i < 8; ++i) r[i] = __builtin_rintf(v[i]);
  return r;
#endif
}
inline F8 floored(F8 v) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(_mm256_round_ps(reinterpret_cast<__m256>(v), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
#else
  F8 r;
  for (int i = 0; i < 8; ++i) r[i] = __builtin_floorf(v[i]);
  return r;
#endif
}
inline F8 clamped(F8 v, float lo, float hi) { return min(max(v, splat(lo)), splat(hi)); }

template <class M>
inline uint32_t laneBits(M m) {
  if constexpr (sizeof(M) == 32) {
    return bits(reinterpret_cast<I8>(m));
  } else {
    return bits(__builtin_convertvector(m, I8));
  }
}

/// The edge tests in vectors V (mask M): bits of lanes inside the two triangles, by orientation.
template <class V, class M>
inline void insideBits(const V x[4], const V y[4], uint32_t positive[2], uint32_t negative[2]) {
  // x, y: corners relative to the sample, which is the origin. Edges ab bc ac cd ad; left is E > 0, ties by direction.
  // The third edge runs the other way: corners in one place are left of all edges, and then in no triangle.
  constexpr int kFrom[5] = {0, 1, 0, 2, 0}, kTo[5] = {1, 2, 2, 3, 3};
  M left[5];
  for (int e = 0; e < 5; ++e) {
    const int a = kFrom[e], b = kTo[e];
    const V dx = x[b] - x[a], dy = y[b] - y[a];
    const V p = dx * -y[a], q = dy * -x[a];
    left[e] = (p > q) | ((p == q) & ((dx > 0) | ((dx == 0) & (dy >= 0))));
  }
  positive[0] = laneBits<M>(left[0] & left[1] & ~left[2]), negative[0] = laneBits<M>(~left[0] & ~left[1] & left[2]);
  positive[1] = laneBits<M>(left[2] & left[3] & ~left[4]), negative[1] = laneBits<M>(~left[2] & ~left[3] & left[4]);
}

/// Depth at the origin of a triangle given relative to it.
inline float depthInside(const double x[3], const double y[3], const float z[3]) {
  const double area = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]);
  if (area == 0) return z[0];
  const double wb = (x[2] * y[0] - y[2] * x[0]) / area, wc = (x[0] * y[1] - y[0] * x[1]) / area;
  const float v =
      static_cast<float>(z[0] + wb * (static_cast<double>(z[1]) - z[0]) + wc * (static_cast<double>(z[2]) - z[0]));
  return std::min(std::max(v, std::min({z[0], z[1], z[2]})), std::max({z[0], z[1], z[2]}));
}

/// Tests queued samples at[0..7], of which the first `count` are meant.
void testEight(RasterContext& ctx, const Piece& p, const uint32_t* at, int count) {
  const StrataLattice& s = ctx.strata;
  const F8 time = gather(s.time, at);
  const F8 f = clamped((time - p.start) * p.inverse, 0, 1);
  const F8 sx = gather(s.x, at), sy = gather(s.y, at);
  F8 lensX = splat(0.0f), lensY = splat(0.0f);
  if (p.lens) lensX = gather(s.lensX, at) * ctx.grid.lensX, lensY = gather(s.lensY, at) * ctx.grid.lensY;
  const float originX = static_cast<float>(ctx.lattice.originX) * kUnits,
              originY = static_cast<float>(ctx.lattice.originY) * kUnits;
  F8 x[4], y[4];
  for (int n = 0; n < 4; ++n) {
    const Path& c = p.corner[n];
    F8 cx = c.x + f * c.dx, cy = c.y + f * c.dy;
    if (p.lens) {
      const F8 coc = c.c + f * c.dc;
      cx = clamped(cx + lensX * coc, -kMaxUnits, kMaxUnits);
      cy = clamped(cy + lensY * coc, -kMaxUnits, kMaxUnits);
    }
    x[n] = rounded(cx) - originX - sx;
    y[n] = rounded(cy) - originY - sy;
  }
  uint32_t positive[2], negative[2];
  if (p.large) {
    D8 lx[4], ly[4];
    for (int n = 0; n < 4; ++n) lx[n] = __builtin_convertvector(x[n], D8), ly[n] = __builtin_convertvector(y[n], D8);
    insideBits<D8, L8>(lx, ly, positive, negative);
  } else {
    // Exact only near the micropolygon: samples that its path queued but that are farther away than it is wide are out.
    insideBits<F8, I8>(x, y, positive, negative);
    const F8 far = splat(static_cast<float>(kSmallUnits + 8));
    const uint32_t near = laneBits<I8>((x[0] <= far) & (x[0] >= -far) & (y[0] <= far) & (y[0] >= -far));
    for (int t = 0; t < 2; ++t) positive[t] &= near, negative[t] &= near;
  }
  const uint32_t mine = laneBits<I8>((time >= p.from) & (time < p.to)) & ((1u << count) - 1);
  constexpr int kCorner[2][3] = {{0, 1, 2}, {0, 2, 3}};
  for (int t = 0; t < 2; ++t) {
    const uint32_t in = (ctx.grid.cullFacing > 0 ? 0 : positive[t]) | (ctx.grid.cullFacing < 0 ? 0 : negative[t]);
    forBits(in & mine, [&](int n) {
      double tx[3], ty[3];
      float tz[3];
      for (int k = 0; k < 3; ++k) {
        const int c = kCorner[t][k];
        tx[k] = x[c][n], ty[k] = y[c][n], tz[k] = p.corner[c].z + f[n] * p.corner[c].dz;
      }
      const float z = depthInside(tx, ty, tz);
      const uint32_t sample = s.sample[at[n]];
      if (z <= ctx.lattice.limit[sample] && z >= ctx.near && z <= ctx.far)
        ctx.push(sample, p.id + static_cast<uint32_t>(t), z);
    });
  }
}

void testQueue(RasterContext& ctx, const Piece& p, int& count) {
  for (int n = 0; n < 8; ++n) ctx.queue[count + n] = ctx.queue[0];  // whole vectors; the rest is masked
  for (int n = 0; n < count; n += 8) testEight(ctx, p, ctx.queue + n, std::min(8, count - n));
  ctx.tests += count;
  count = 0;
}

struct Range {
  F8 lo, hi;
};
inline Range times(Range a, Range b) {
  const F8 p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  return {min(min(p, q), min(r, s)), max(max(p, q), max(r, s))};
}
inline Range alongTime(const Piece& p, F8 f0, F8 f1, float Path::*start, float Path::*delta) {
  Range r{splat(kInf), splat(-kInf)};
  for (const Path& c : p.corner) {
    const F8 a = c.*start + f0 * (c.*delta), b = c.*start + f1 * (c.*delta);
    r = {min(r.lo, min(a, b)), max(r.hi, max(a, b))};
  }
  return r;
}

/// First and last pixel (from the bucket's corner) that units lo..hi touch, clipped to the bucket.
inline void pixelRange(Range r, int origin, int count, I8& first, I8& last) {
  const float o = static_cast<float>(origin) * kUnits;
  constexpr float kPixel = 1.0f / kUnits;
  const F8 lo = floored((r.lo - o - 1) * kPixel), hi = floored((r.hi - o + 1) * kPixel);
  first = __builtin_convertvector(clamped(lo, 0, static_cast<float>(count)), I8);
  last = __builtin_convertvector(clamped(hi, -1, static_cast<float>(count - 1)), I8);
}

/// Queues the samples of stratum k in a box of pixels, every `step`th pixel of the given parity.
inline void queueBox(RasterContext& ctx, const Piece& p, int& count, int k, int x0, int x1, int y0, int y1, int step,
                     int parityX, int parityY) {
  const StrataLattice& s = ctx.strata;
  if (step == 2) x0 += (x0 ^ parityX) & 1, y0 += (y0 ^ parityY) & 1;
  const I8 iota = I8{0, 1, 2, 3, 4, 5, 6, 7} * step;
  for (int y = y0; y <= y1; y += step) {
    if (count + s.width + 16 > ctx.queueCapacity) testQueue(ctx, p, count);
    const int at = (k * s.height + y) * s.stride;
    int x = x0;
    for (; x <= x1; x += 8 * step) {
      store(ctx.queue + count, iota + (at + x));
      count += std::min(8, (x1 - x) / step + 1);
    }
  }
}

/// Bounds the piece in strata k..k+7 and queues what they reach.
void queueStrata(RasterContext& ctx, const Piece& p, int& count, int k, uint32_t active) {
  const StrataLattice& s = ctx.strata;
  const F8 t0 = load(s.timeMin + k), t1 = load(s.timeMax + k);
  const F8 f0 = clamped((t0 - p.start) * p.inverse, 0, 1), f1 = clamped((t1 - p.start) * p.inverse, 0, 1);
  const Range x = alongTime(p, f0, f1, &Path::x, &Path::dx), y = alongTime(p, f0, f1, &Path::y, &Path::dy);
  active &= laneBits<I8>((t1 >= p.from) & (t0 < p.to));
  const auto queueLanes = [&](const Range& rx, const Range& ry, int step, int parityX, int parityY) {
    I8 x0, x1, y0, y1;
    pixelRange(rx, ctx.lattice.originX, s.width, x0, x1);
    pixelRange(ry, ctx.lattice.originY, s.height, y0, y1);
    forBits(laneBits<I8>((x0 <= x1) & (y0 <= y1)) & active,
            [&](int n) { queueBox(ctx, p, count, k + n, x0[n], x1[n], y0[n], y1[n], step, parityX, parityY); });
  };
  if (!p.lens) return queueLanes(x, y, 1, 0, 0);

  // The lens moves each corner by its circle of confusion times the lens point.
  const Range coc = alongTime(p, f0, f1, &Path::c, &Path::dc);
  const auto shifted = [&](Range r, Range shift, float scale) {
    return Range{r.lo + shift.lo * scale - 1, r.hi + shift.hi * scale + 1};
  };
  constexpr float kWholeLensUnits = 0.75f * kUnits;
  if (p.cocMax * std::max(ctx.grid.lensX, ctx.grid.lensY) < kWholeLensUnits) {
    const Range all = times(coc, {splat(-1.0f), splat(1.0f)});
    return queueLanes(shifted(x, all, ctx.grid.lensX), shifted(y, all, ctx.grid.lensY), 1, 0, 0);
  }
  for (int c = 0; c < kLensClasses; ++c) {
    const float* box = s.lensBox + static_cast<size_t>(c) * 4 * static_cast<size_t>(s.groups) + k;
    const Range lx{load(box), load(box + 2 * s.groups)}, ly{load(box + s.groups), load(box + 3 * s.groups)};
    queueLanes(shifted(x, times(coc, lx), ctx.grid.lensX), shifted(y, times(coc, ly), ctx.grid.lensY), 2,
               (c & 1) ^ (ctx.lattice.originX & 1), (c >> 1) ^ (ctx.lattice.originY & 1));
  }
}

/// Corners of micropolygon (i, j) between keys `key` and key + 1 (the same key for still grids).
void makePiece(const RasterGrid& g, int i, int j, int key, Piece& p) {
  const size_t row = static_cast<size_t>(g.nu) + 1, points = row * (static_cast<size_t>(g.nv) + 1);
  const size_t a = static_cast<size_t>(j) * row + static_cast<size_t>(i);
  const size_t v[4] = {a, a + 1, a + row + 1, a + row};
  const size_t k0 = static_cast<size_t>(key) * points, k1 = g.keys > 1 ? k0 + points : k0;
  float extent[2][4] = {{kInf, -kInf, kInf, -kInf}, {kInf, -kInf, kInf, -kInf}};
  float coc = 0, cocLo = kInf, cocHi = -kInf;
  for (int n = 0; n < 4; ++n) {
    const size_t s = k0 + v[n], e = k1 + v[n];
    Path& c = p.corner[n];
    c = {g.fx[s], g.fx[e] - g.fx[s], g.fy[s], g.fy[e] - g.fy[s], g.fz[s], g.fz[e] - g.fz[s], 0, 0};
    if (g.lens) c.c = g.coc[s], c.dc = g.coc[e] - g.coc[s];
    for (int end = 0; end < 2; ++end) {
      const float x = end ? g.fx[e] : g.fx[s], y = end ? g.fy[e] : g.fy[s],
                  z = g.lens ? (end ? g.coc[e] : g.coc[s]) : 0;
      float* b = extent[end];
      b[0] = std::min(b[0], x), b[1] = std::max(b[1], x), b[2] = std::min(b[2], y), b[3] = std::max(b[3], y);
      coc = std::max(coc, std::fabs(z)), cocLo = std::min(cocLo, z), cocHi = std::max(cocHi, z);
    }
  }
  float widest = 0;
  for (const auto& b : extent) widest = std::max({widest, b[1] - b[0], b[3] - b[2]});
  if (g.lens) widest += 2 * std::max(g.lensX, g.lensY) * (cocHi - cocLo);
  p.large = !(widest < static_cast<float>(kSmallUnits - 8));
  p.cocMax = coc;
  p.lens = g.lens;
}

/// Strata in which the whole grid, between two keys, touches the bucket: one byte a group of eight.
void activeStrata(const RasterContext& ctx, Piece& grid, uint8_t* active) {
  const StrataLattice& s = ctx.strata;
  for (int k = 0; k < s.strata; k += 8) {
    const F8 t0 = load(s.timeMin + k), t1 = load(s.timeMax + k);
    const F8 f0 = clamped((t0 - grid.start) * grid.inverse, 0, 1), f1 = clamped((t1 - grid.start) * grid.inverse, 0, 1);
    Range x = alongTime(grid, f0, f1, &Path::x, &Path::dx), y = alongTime(grid, f0, f1, &Path::y, &Path::dy);
    if (grid.lens) {
      x = {x.lo - grid.cocMax * ctx.grid.lensX - 2, x.hi + grid.cocMax * ctx.grid.lensX + 2};
      y = {y.lo - grid.cocMax * ctx.grid.lensY - 2, y.hi + grid.cocMax * ctx.grid.lensY + 2};
    }
    I8 x0, x1, y0, y1;
    pixelRange(x, ctx.lattice.originX, s.width, x0, x1);
    pixelRange(y, ctx.lattice.originY, s.height, y0, y1);
    const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + k;
    active[k / 8] = static_cast<uint8_t>(laneBits<I8>((x0 <= x1) & (y0 <= y1) & (lane < s.strata)));
  }
}

/// A piece whose corners bound the grid at both keys: (min, min), (max, max).
void boundGrid(const RasterGrid& g, int key, Piece& p) {
  const size_t points = (static_cast<size_t>(g.nu) + 1) * (static_cast<size_t>(g.nv) + 1);
  const size_t k0 = static_cast<size_t>(key) * points, k1 = g.keys > 1 ? k0 + points : k0;
  float b[2][4] = {{kInf, kInf, -kInf, -kInf}, {kInf, kInf, -kInf, -kInf}};
  p.cocMax = 0;
  for (int end = 0; end < 2; ++end)
    for (size_t v = 0, at = end ? k1 : k0; v < points; ++v, ++at) {
      b[end][0] = std::min(b[end][0], g.fx[at]), b[end][1] = std::min(b[end][1], g.fy[at]);
      b[end][2] = std::max(b[end][2], g.fx[at]), b[end][3] = std::max(b[end][3], g.fy[at]);
      if (g.lens) p.cocMax = std::max(p.cocMax, std::fabs(g.coc[at]));
    }
  // A unit of slack for the rounding of each corner's own path.
  for (int n = 0; n < 4; ++n) {
    const int cx = n < 2 ? 0 : 2, cy = cx + 1;
    const float slack = n < 2 ? -2.0f : 2.0f;
    p.corner[n] = {b[0][cx] + slack, b[1][cx] - b[0][cx], b[0][cy] + slack, b[1][cy] - b[0][cy], 0, 0, 0, 0};
  }
  p.lens = g.lens;
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

  uint8_t active[(kMaxSamples * kMaxSamples + 7) / 8];
  Piece bound = p;
  boundGrid(g, key, bound);
  activeStrata(ctx, bound, active);
  int count = 0;
  for (int j = 0; j < g.nv; ++j)
    for (int i = 0; i < g.nu; ++i) {
      const int mp = j * g.nu + i;
      if (g.classes && g.classes[mp] == MpClass::kSkip) continue;
      makePiece(g, i, j, key, p);
      p.id = g.idBase + 2 * static_cast<uint32_t>(mp);
      if (key == 0) ++ctx.micropolygons;
      for (int k = 0; k < ctx.strata.strata; k += 8)
        if (active[k / 8]) queueStrata(ctx, p, count, k, active[k / 8]);
      if (count > 0) testQueue(ctx, p, count);
    }
}

}  // namespace

void rasterMoving(RasterContext& ctx) {
  for (int key = 0; key == 0 || key + 1 < ctx.grid.keys; ++key) sampleSegment(ctx, key);
}

}  // namespace reyes::hider::REYES_ISA
