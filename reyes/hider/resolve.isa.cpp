// SPDX-License-Identifier: Apache-2.0
// Values of opaque samples, eight at a time: where in its micropolygon a sample lies, then bilinear values of the
// corners. Called by BucketHider::resolve for samples with nothing in front.
#include <cmath>

#include "reyes/hider/raster.h"
#include "reyes/hider/resolve_kernels.h"
#include "reyes/hider/simd8.h"

namespace reyes::hider::REYES_ISA {
namespace {

inline F8 gatherAt(const float* p, I8 at) {
#if defined(__AVX2__)
  return reinterpret_cast<F8>(_mm256_i32gather_ps(p, reinterpret_cast<__m256i>(at), 4));
#else
  return F8{p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#endif
}

/// toUnits() of bucket_impl.h, lane by lane.
inline I8 units(F8 v, int origin) {
  const F8 u = min(max(v * static_cast<float>(kUnits), splat(-kMaxUnits)), splat(kMaxUnits));
  I8 r;
#if defined(__AVX2__)
  r = reinterpret_cast<I8>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(u)));
#else
  for (int i = 0; i < 8; ++i) r[i] = static_cast<int32_t>(__builtin_rintf(u[i]));
#endif
  return r - origin * kUnits;
}

inline F8 repairedLanes(F8 v) {
  const F8 a = max(v, -v);
  return a <= std::numeric_limits<float>::max() ? v : splat(0.0f);
}

struct Corners {
  I8 a;
  F8 s, t;
};

template <bool kSmooth, bool kRepair>
inline F8 plane(const ResolveBatch& b, const float* p, const Corners& k) {
  F8 v00 = gatherAt(p, k.a);
  if constexpr (kRepair) v00 = repairedLanes(v00);
  if constexpr (!kSmooth) return v00;
  const int row = b.nu + 1;
  F8 v10 = gatherAt(p + 1, k.a), v01 = gatherAt(p + row, k.a), v11 = gatherAt(p + row + 1, k.a);
  if constexpr (kRepair) v10 = repairedLanes(v10), v01 = repairedLanes(v01), v11 = repairedLanes(v11);
  const F8 top = v00 + k.s * (v10 - v00), bottom = v01 + k.s * (v11 - v01);
  return top + k.t * (bottom - top);
}

template <bool kSmooth, bool kRepair>
void writeValues(const ResolveBatch& b) {
  for (int n = 0; n < b.count; n += 8) {
    const Corners k{load(b.corner + n), load(b.s + n), load(b.t + n)};
    const int live = std::min(8, b.count - n);
    float* to[8];
    for (int l = 0; l < live; ++l)
      to[l] = b.out + static_cast<size_t>(b.target[n + l]) * static_cast<size_t>(b.channels);
    const auto put = [&](int channel, F8 v) {
      if (live == 8)
        for (int l = 0; l < 8; ++l) to[l][channel] = v[l];
      else
        for (int l = 0; l < live; ++l) to[l][channel] = v[l];
    };
    // Opacity decides the depth; + 0 as the composite of one surface does.
    F8 least = splat(1.0f);
    for (int c = 0; c < 3; ++c) {
      F8 o = splat(1.0f);
      if (b.oi)
        o = min(max(plane<kSmooth, kRepair>(b, b.oi + static_cast<size_t>(c) * b.points, k), splat(0.0f)), splat(1.0f));
      least = min(least, o);
      if (b.matte) continue;
      put(3 + c, o + 0.0f);
      if (b.ci) put(c, plane<kSmooth, kRepair>(b, b.ci + static_cast<size_t>(c) * b.points, k) + 0.0f);
    }
    put(6, least >= b.zThreshold ? load(b.z + n) : splat(kInf));
    if (b.aov && !b.matte)
      for (int c = 0; c < b.aovFloats; ++c)
        put(7 + c, plane<kSmooth, kRepair>(b, b.aov + static_cast<size_t>(c) * b.points, k));
  }
}

/// Vertices of the micropolygon's triangle, and which of its two it is.
struct Triangle {
  I8 a, b, c, second;
};
inline Triangle triangleOf(const ResolveBatch& b, int n, float perRow) {
  const int row = b.nu + 1;
  const I8 local = load(b.id + n) - static_cast<int32_t>(b.idBase);
  const I8 mp = local >> 1, second = (local & 1) == 1;
  // Row of the micropolygon: a float quotient, put right by one step.
  I8 j = __builtin_convertvector(toFloats(mp) * perRow, I8);
  j += (j * b.nu > mp);
  j -= ((j + 1) * b.nu <= mp);
  const I8 a = mp + j;
  return {a, a + (second ? splat(row + 1) : splat(1)), a + (second ? splat(row) : splat(row + 1)), second};
}

/// As triangleWeights(): corners in units, into s and t.
inline void storeWeights(const ResolveBatch& b, int n, I8 second, const I8 x[3], const I8 y[3]) {
  const F8 bx = toFloats(x[1] - x[0]), by = toFloats(y[1] - y[0]), cx = toFloats(x[2] - x[0]),
           cy = toFloats(y[2] - y[0]);
  const F8 px = toFloats(load(b.sampleX + n) - x[0]), py = toFloats(load(b.sampleY + n) - y[0]);
  const F8 area = bx * cy - by * cx;
  const F8 r = area == 0 ? splat(0.0f) : 1.0f / area;
  const F8 wb = min(max((px * cy - py * cx) * r, splat(0.0f)), splat(1.0f));
  const F8 wc = min(max((bx * py - by * px) * r, splat(0.0f)), splat(1.0f));
  const F8 both = min(wb + wc, splat(1.0f));
  store(b.s + n, second ? wb : both);
  store(b.t + n, second ? both : wc);
}

inline F8 clampedUnits(F8 v) { return min(max(v, splat(-kMaxUnits)), splat(kMaxUnits)); }
inline I8 wholeUnits(F8 v, int origin) {
  I8 r;
#if defined(__AVX2__)
  r = reinterpret_cast<I8>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(v)));
#else
  for (int i = 0; i < 8; ++i) r[i] = static_cast<int32_t>(__builtin_rintf(v[i]));
#endif
  return r - origin * kUnits;
}

/// circleOfConfusion() of bucket_impl.h, lane by lane.
inline F8 confusion(const ResolveBatch& b, F8 z) {
  const F8 c = b.perspective ? 1 / b.focalDistance - 1 / max(z, splat(1e-6f)) : z / b.focalDistance - 1;
  return min(max(c, splat(-1e6f)), splat(1e6f));
}

/// Vertex v at the samples' times, seen through their lens points: as movedVertex().
inline void movedCorner(const ResolveBatch& b, int n, I8 v, I8 first, I8 second, F8 f, I8& x, I8& y) {
  const I8 p = first + v, q = second + v;
  const auto between = [f](F8 u, F8 w) { return u + f * (w - u); };
  const auto path = [&](const float* plane) {
    return between(clampedUnits(gatherAt(plane, p) * static_cast<float>(kUnits)),
                   clampedUnits(gatherAt(plane, q) * static_cast<float>(kUnits)));
  };
  F8 cx = path(b.x), cy = path(b.y);
  if (b.lens) {
    const F8 coc = between(confusion(b, gatherAt(b.depth, p)), confusion(b, gatherAt(b.depth, q)));
    cx += load(b.pointX + n) * b.lensX * coc;
    cy += load(b.pointY + n) * b.lensY * coc;
  }
  x = wholeUnits(clampedUnits(cx), b.originX), y = wholeUnits(clampedUnits(cy), b.originY);
}

}  // namespace

void resolveLocate(const ResolveBatch& b) {
  const float perRow = 1.0f / static_cast<float>(b.nu);
  for (int n = 0; n < b.count; n += 8) {
    const Triangle k = triangleOf(b, n, perRow);
    store(b.corner + n, k.a);
    if (!b.smooth) {
      store(b.s + n, splat(0.0f)), store(b.t + n, splat(0.0f));
      continue;
    }
    I8 x[3], y[3];
    const I8 v[3] = {k.a, k.b, k.c};
    for (int m = 0; m < 3; ++m)
      x[m] = units(gatherAt(b.x, v[m]), b.originX), y[m] = units(gatherAt(b.y, v[m]), b.originY);
    storeWeights(b, n, k.second, x, y);
  }
}

void resolveLocateMoving(const ResolveBatch& b) {
  const float perRow = 1.0f / static_cast<float>(b.nu);
  for (int n = 0; n < b.count; n += 8) {
    const Triangle k = triangleOf(b, n, perRow);
    store(b.corner + n, k.a);
    if (!b.smooth) {
      store(b.s + n, splat(0.0f)), store(b.t + n, splat(0.0f));
      continue;
    }
    // The segment that holds the sample's time, and how far along it.
    I8 key = splat(0);
    F8 f = splat(0.0f);
    if (b.keys > 1) {
      const F8 t = load(b.time + n);
      I8 onwards = splat(-1);
      for (int q = 1; q + 1 < b.keys; ++q) onwards &= t >= b.times[q], key -= onwards;
      const F8 start = gatherAt(b.times, key), length = gatherAt(b.times + 1, key) - start;
      const F8 along = (t - start) * (1 / (length > 0 ? length : splat(1.0f)));
      f = length > 0 ? min(max(along, splat(0.0f)), splat(1.0f)) : splat(0.0f);
    }
    const I8 first = key * static_cast<int32_t>(b.points);
    const I8 second = b.keys > 1 ? first + static_cast<int32_t>(b.points) : first;
    I8 x[3], y[3];
    movedCorner(b, n, k.a, first, second, f, x[0], y[0]);
    movedCorner(b, n, k.b, first, second, f, x[1], y[1]);
    movedCorner(b, n, k.c, first, second, f, x[2], y[2]);
    storeWeights(b, n, k.second, x, y);
  }
}

void resolveValues(const ResolveBatch& b) {
  if (b.smooth)
    b.repair ? writeValues<true, true>(b) : writeValues<true, false>(b);
  else
    b.repair ? writeValues<false, true>(b) : writeValues<false, false>(b);
}

}  // namespace reyes::hider::REYES_ISA
