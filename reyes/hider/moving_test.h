// SPDX-License-Identifier: Apache-2.0
// The test of eight samples against a moving or defocused micropolygon, for raster_moving.isa.cpp only (compiled once
// an instruction set, inside namespace REYES_ISA).
//
// A corner is where its path and the lens take it, rounded to whole units; then edge functions are integers and the
// rule of raster.h decides. Floats hold them exactly near small micropolygons, doubles elsewhere.
#pragma once

#include <algorithm>
#include <cmath>

#include "reyes/base/lanes8.h"
#include "reyes/hider/raster.h"

namespace reyes::hider::REYES_ISA {
using namespace reyes::REYES_ISA;

/// As many doubles as a register holds: wider vectors are taken apart lane by lane where they are compared.
#if defined(__AVX512F__)
inline constexpr int kDoubles = 8;
#elif defined(__AVX__)
inline constexpr int kDoubles = 4;
#else
inline constexpr int kDoubles = 2;
#endif
typedef double Doubles __attribute__((vector_size(8 * kDoubles)));
typedef int64_t Longs __attribute__((vector_size(8 * kDoubles)));
typedef float Halves __attribute__((vector_size(4 * kDoubles)));  ///< that make them

/// One corner over one segment of keys, absolute units.
struct Path {
  float x, dx, y, dy, z, dz, c, dc;
};

/// A micropolygon over one segment between two keys.
struct Piece {
  Path corner[4];
  float start, inverse;  // f = clamp((t - start) * inverse)
  float from, to;        // samples with from <= t < to belong to this segment
  bool whole;            // every sample belongs to this segment
  bool fast;             // floats are exact near it, and it stays inside kMagicReach
  bool large;            // wider than floats hold
  bool direct;           // depths may be written at once
  uint32_t id;
};

/// Eight samples.
struct Lanes {
  F8 x, y, time, lensX, lensY;
  const uint32_t* sample;
};

/// v + kMagic - kMagic is v rounded to the nearest whole (ties to even) while |v| <= kMagicReach.
inline constexpr float kMagic = 0x1.8p23f, kMagicReach = 0x1p22f;

REYES_INLINE F8 rounded(F8 v) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(
      _mm256_round_ps(reinterpret_cast<__m256>(v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif defined(__SSE4_1__)
  __m128 half[2];
  std::memcpy(half, &v, sizeof v);
  for (__m128& h : half) h = _mm_round_ps(h, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  std::memcpy(&v, half, sizeof v);
  return v;
#else
  for (int i = 0; i < 8; ++i) v[i] = __builtin_rintf(v[i]);
  return v;
#endif
}
REYES_INLINE F8 clamped(F8 v, float lo, float hi) { return min(max(v, splat(lo)), splat(hi)); }

REYES_INLINE uint32_t laneBits(I8 m) { return bits(m); }
REYES_INLINE uint32_t laneBits(Longs m) {
#if defined(__AVX512F__)
  return bits(__builtin_convertvector(m, I8));
#elif defined(__AVX__)
  return static_cast<uint32_t>(_mm256_movemask_pd(reinterpret_cast<__m256d>(m)));
#elif defined(__SSE2__)
  return static_cast<uint32_t>(_mm_movemask_pd(reinterpret_cast<__m128d>(m)));
#else
  return static_cast<uint32_t>((m[0] & 1) | (m[1] & 2));
#endif
}

/// The edge tests in vectors V (mask M), ties by direction: bits of lanes inside the two triangles, by orientation.
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
  positive[0] = laneBits(left[0] & left[1] & ~left[2]), negative[0] = laneBits(~left[0] & ~left[1] & left[2]);
  positive[1] = laneBits(left[2] & left[3] & ~left[4]), negative[1] = laneBits(~left[2] & ~left[3] & left[4]);
}

/// Edge functions of the sample, the origin; exact in floats near small micropolygons.
struct Edges {
  F8 ab, bc, ca, cd, da;
  REYES_INLINE Edges(const F8 x[4], const F8 y[4])
      : ab(edge(x, y, 0, 1)), bc(edge(x, y, 1, 2)), ca(edge(x, y, 2, 0)), cd(edge(x, y, 2, 3)), da(edge(x, y, 3, 0)) {}
  static REYES_INLINE F8 edge(const F8 x[4], const F8 y[4], int a, int b) {
    return exactMadd(y[b] - y[a], x[a], -((x[b] - x[a]) * y[a]));
  }
  // Of the two triangles: > 0 inside a positive one, 0 perhaps.
  REYES_INLINE F8 least(int t) const { return t ? min(min(-ca, cd), da) : min(min(ab, bc), ca); }
  // < 0 inside a negative one, 0 perhaps.
  REYES_INLINE F8 most(int t) const { return t ? max(max(-ca, cd), da) : max(max(ab, bc), ca); }
};

/// Depth at the origin, of triangle (a, c, d) in lanes `second`, else (a, b, c).
REYES_INLINE F8 depthOf(const Edges& e, const F8 z[4], I8 second) {
  const F8 ac = -e.ca, zb = choose(second, z[2], z[1]), zc = choose(second, z[3], z[2]);
  const F8 area = choose(second, ac + e.cd + e.da, e.ab + e.bc + e.ca);
  const F8 r = 1.0f / area, wb = choose(second, e.da, e.ca) * r, wc = choose(second, ac, e.ab) * r;
  const F8 v = z[0] + wb * (zb - z[0]) + wc * (zc - z[0]);
  return min(max(v, min(min(z[0], zb), zc)), max(max(z[0], zb), zc));
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

/// Gives a hit to the lattice: at once where it is nearer and nothing else is to be asked.
[[gnu::always_inline]] inline void give(RasterContext& ctx, const Piece& p, uint32_t sample, uint32_t id, float z) {
  Lattice& lat = ctx.lattice;
  if (!(z <= lat.limit[sample] && z >= ctx.near && z <= ctx.far)) return;
  if (p.direct && z < lat.z[sample]) {
    lat.z[sample] = z, lat.id[sample] = id;
    ++ctx.hitTotal;
  } else {
    ctx.push(sample, id, z);
  }
}

/// What is inside of lanes `mask`, whose corners are x, y. Any size, in doubles.
[[gnu::noinline]] inline void giveLarge(RasterContext& ctx, const Piece& p, const F8 x[4], const F8 y[4], F8 f,
                                        const uint32_t* sample, uint32_t mask) {
  uint32_t positive[2] = {}, negative[2] = {};
  for (int from = 0; from < 8; from += kDoubles) {
    if (!(mask >> from & ((1u << kDoubles) - 1))) continue;
    Doubles lx[4], ly[4];
    const auto part = [from](F8 v) {
      Halves h;
      std::memcpy(&h, reinterpret_cast<const char*>(&v) + from * sizeof(float), sizeof h);
      return __builtin_convertvector(h, Doubles);
    };
    for (int n = 0; n < 4; ++n) lx[n] = part(x[n]), ly[n] = part(y[n]);
    uint32_t left[2], right[2];
    insideBits<Doubles, Longs>(lx, ly, left, right);
    for (int t = 0; t < 2; ++t) positive[t] |= left[t] << from, negative[t] |= right[t] << from;
  }
  constexpr int kCorner[2][3] = {{0, 1, 2}, {0, 2, 3}};
  for (int t = 0; t < 2; ++t) {
    const uint32_t in = (ctx.grid.cullFacing > 0 ? 0 : positive[t]) | (ctx.grid.cullFacing < 0 ? 0 : negative[t]);
    forBits(in & mask, [&](int n) {
      double tx[3], ty[3];
      float tz[3];
      for (int k = 0; k < 3; ++k) {
        const int c = kCorner[t][k];
        tx[k] = x[c][n], ty[k] = y[c][n], tz[k] = p.corner[c].z + f[n] * p.corner[c].dz;
      }
      give(ctx, p, sample[n], p.id + static_cast<uint32_t>(t), depthInside(tx, ty, tz));
    });
  }
}

/// The same where floats hold the edges. They do near the micropolygon only: samples farther from it than it is wide
/// are out.
inline void giveSmall(RasterContext& ctx, const Piece& p, const F8 x[4], const F8 y[4], const Edges& e, F8 f,
                      const uint32_t* sample, uint32_t mask) {
  const F8 far = splat(static_cast<float>(kSmallUnits + 8));
  mask &= bits(atMost(x[0], far) & atMost(-far, x[0]) & atMost(y[0], far) & atMost(-far, y[0]));
  uint32_t positive[2], negative[2];
  const F8 zero = splat(0.0f);
  I8 tie = splat(0);
  for (int t = 0; t < 2; ++t) {
    const F8 least = e.least(t), most = e.most(t);
    positive[t] = bits(less(zero, least)), negative[t] = bits(less(most, zero));
    tie |= equal(least, zero) | equal(most, zero);
  }
  if (bits(tie) & mask) insideBits<F8, I8>(x, y, positive, negative);
  uint32_t in[2];
  for (int t = 0; t < 2; ++t)
    in[t] = ((ctx.grid.cullFacing > 0 ? 0 : positive[t]) | (ctx.grid.cullFacing < 0 ? 0 : negative[t])) & mask;
  if (!(in[0] | in[1])) return;

  F8 z[4];
  for (int n = 0; n < 4; ++n) z[n] = splat(p.corner[n].z) + f * splat(p.corner[n].dz);
  alignas(32) float depth[8];
  for (int t = 0; t < 2; ++t) {
    if (!in[t]) continue;
    store(depth, depthOf(e, z, splat(-t)));
    forBits(in[t], [&](int n) { give(ctx, p, sample[n], p.id + static_cast<uint32_t>(t), depth[n]); });
  }
}

/// Tests the lanes of `mask`, samples of the piece's segment. kMoves: corners change between its keys.
template <bool kLens, bool kMoves>
[[gnu::always_inline]] inline void testLanes(RasterContext& ctx, const Piece& p, const Lanes& s, uint32_t mask) {
  F8 f{}, lensX{}, lensY{};
  if constexpr (kMoves) f = clamped((s.time - splat(p.start)) * splat(p.inverse), 0, 1);
  if constexpr (kLens) lensX = s.lensX * splat(ctx.grid.lensX), lensY = s.lensY * splat(ctx.grid.lensY);
  const auto at = [&](float start, float delta) { return kMoves ? splat(start) + f * splat(delta) : splat(start); };
  const float originX = static_cast<float>(ctx.lattice.originX) * kUnits,
              originY = static_cast<float>(ctx.lattice.originY) * kUnits;
  F8 x[4], y[4];
  if (p.fast) {
    const F8 sx = s.x + splat(originX + kMagic), sy = s.y + splat(originY + kMagic), magic = splat(kMagic);
    for (int n = 0; n < 4; ++n) {
      const Path& c = p.corner[n];
      F8 cx = at(c.x, c.dx), cy = at(c.y, c.dy);
      if constexpr (kLens) {
        const F8 coc = at(c.c, c.dc);
        cx = cx + lensX * coc, cy = cy + lensY * coc;
      }
      x[n] = (cx + magic) - sx, y[n] = (cy + magic) - sy;
    }
  } else {
    for (int n = 0; n < 4; ++n) {
      const Path& c = p.corner[n];
      F8 cx = at(c.x, c.dx), cy = at(c.y, c.dy);
      if constexpr (kLens) {
        const F8 coc = at(c.c, c.dc);
        cx = clamped(cx + lensX * coc, -kMaxUnits, kMaxUnits), cy = clamped(cy + lensY * coc, -kMaxUnits, kMaxUnits);
      }
      x[n] = rounded(cx) - splat(originX) - s.x, y[n] = rounded(cy) - splat(originY) - s.y;
    }
  }
  if (p.large) {
    if (mask) giveLarge(ctx, p, x, y, f, s.sample, mask);
    return;
  }
  const Edges e(x, y);
  const F8 least = max(e.least(0), e.least(1)), most = min(e.most(0), e.most(1));
  mask &= bits(atMost(splat(0.0f), least) | atMost(most, splat(0.0f)));
  if (mask) giveSmall(ctx, p, x, y, e, f, s.sample, mask);
}

}  // namespace reyes::hider::REYES_ISA
