// SPDX-License-Identifier: Apache-2.0
// Values of opaque samples, eight at a time: where in its micropolygon a sample lies, then bilinear values of the
// corners. Called by BucketHider::resolve for samples with nothing in front.
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

}  // namespace

void resolveLocate(const ResolveBatch& b) {
  const int row = b.nu + 1;
  const float perRow = 1.0f / static_cast<float>(b.nu);
  for (int n = 0; n < b.count; n += 8) {
    const I8 local = load(b.id + n) - static_cast<int32_t>(b.idBase);
    const I8 mp = local >> 1, second = (local & 1) == 1;
    // Row of the micropolygon: a float quotient, put right by one step.
    I8 j = __builtin_convertvector(toFloats(mp) * perRow, I8);
    j += (j * b.nu > mp);
    j -= ((j + 1) * b.nu <= mp);
    const I8 a = mp + j;
    store(b.corner + n, a);
    if (!b.smooth) {
      store(b.s + n, splat(0.0f)), store(b.t + n, splat(0.0f));
      continue;
    }
    const I8 vb = a + (second ? splat(row + 1) : splat(1)), vc = a + (second ? splat(row) : splat(row + 1));
    const I8 ax = units(gatherAt(b.x, a), b.originX), ay = units(gatherAt(b.y, a), b.originY);
    const F8 bx = toFloats(units(gatherAt(b.x, vb), b.originX) - ax),
             by = toFloats(units(gatherAt(b.y, vb), b.originY) - ay);
    const F8 cx = toFloats(units(gatherAt(b.x, vc), b.originX) - ax),
             cy = toFloats(units(gatherAt(b.y, vc), b.originY) - ay);
    const F8 px = toFloats(load(b.sampleX + n) - ax), py = toFloats(load(b.sampleY + n) - ay);
    // As triangleWeights().
    const F8 area = bx * cy - by * cx;
    const F8 r = area == 0 ? splat(0.0f) : 1.0f / area;
    const F8 wb = min(max((px * cy - py * cx) * r, splat(0.0f)), splat(1.0f));
    const F8 wc = min(max((bx * py - by * px) * r, splat(0.0f)), splat(1.0f));
    const F8 both = min(wb + wc, splat(1.0f));
    store(b.s + n, second ? wb : both);
    store(b.t + n, second ? both : wc);
  }
}

void resolveValues(const ResolveBatch& b) {
  if (b.smooth)
    b.repair ? writeValues<true, true>(b) : writeValues<true, false>(b);
  else
    b.repair ? writeValues<false, true>(b) : writeValues<false, false>(b);
}

}  // namespace reyes::hider::REYES_ISA
