// SPDX-License-Identifier: Apache-2.0
// Whether any of some samples is still open to a box that moves, or that the lens spreads. Called through kernels() by
// BucketHider::hidden.
#include "reyes/base/lanes8.h"
#include "reyes/hider/raster.h"

namespace reyes::hider::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

/// Lanes of eight samples from k on that lie in the box of their time, and have nothing nearer.
template <bool kLens>
REYES_INLINE I8 open(const PathSegment& s, const PathSamples& p, int k) {
  const F8 x = load(p.x + k), y = load(p.y + k), time = load(p.time + k);
  const F8 f = min(max((time - s.start) * s.inverse, splat(0.0f)), splat(1.0f));
  F8 x0 = s.low[0] + f * s.lowChange[0], x1 = s.high[0] + f * s.highChange[0];
  F8 y0 = s.low[1] + f * s.lowChange[1], y1 = s.high[1] + f * s.highChange[1];
  if constexpr (kLens) {
    const F8 least = s.least + f * s.leastChange, most = s.most + f * s.mostChange;
    const F8 u = load(p.lensX + k) * s.spread[0], v = load(p.lensY + k) * s.spread[1];
    x0 += min(u * least, u * most), x1 += max(u * least, u * most);
    y0 += min(v * least, v * most), y1 += max(v * least, v * most);
  }
  return atMost(x0, x) & atMost(x, x1) & atMost(y0, y) & atMost(y, y1) & atMost(splat(s.from), time) &
         atMost(time, splat(s.to)) & ~less(load(p.limit + k), s.z + f * s.zChange);
}

template <bool kLens>
bool anyOpen(const PathSegment& s, const PathSamples& p) {
  I8 any = splat(0);
  int k = 0;
  for (; k + 8 <= p.count; k += 8) any |= open<kLens>(s, p, k);
  if (bits(any)) return true;
  return k < p.count && (bits(open<kLens>(s, p, k)) & ((1u << (p.count - k)) - 1));
}

}  // namespace

bool pathOpen(const PathSegment& s, const PathSamples& p) {
  return p.lensX ? anyOpen<true>(s, p) : anyOpen<false>(s, p);
}

}  // namespace reyes::hider::REYES_ISA
