// SPDX-License-Identifier: Apache-2.0
// Samples moving or defocused discs: centre, radius and depth at each sample's own time, the centre as its lens point
// sees it. Called through kernels() by BucketHider::rasterize.
#include "reyes/hider/moving_sample.h"

namespace reyes::hider::REYES_ISA {
namespace {

/// A disc over one segment between two keys; corner[0] is its centre.
struct DiscPiece : Piece {
  float radius, radiusChange, scale;  ///< scale: radius along x / radius along y
};

template <bool kLens, bool kMoves>
[[gnu::always_inline]] inline void testLanes(RasterContext& ctx, const DiscPiece& p, const Lanes& s, uint32_t mask) {
  F8 f{};
  if constexpr (kMoves) f = clamped((s.time - p.start) * p.inverse, 0, 1);
  const auto at = [&](float start, float delta) { return kMoves ? start + f * delta : splat(start); };
  const Path& c = p.corner[0];
  F8 x = at(c.x, c.dx), y = at(c.y, c.dy);
  if constexpr (kLens) {
    const F8 coc = at(c.c, c.dc);
    x = clamped(x + s.lensX * ctx.grid.lensX * coc, -kMaxUnits, kMaxUnits);
    y = clamped(y + s.lensY * ctx.grid.lensY * coc, -kMaxUnits, kMaxUnits);
  }
  const float originX = static_cast<float>(ctx.lattice.originX) * kUnits,
              originY = static_cast<float>(ctx.lattice.originY) * kUnits;
  const F8 dx = s.x - (rounded(x) - originX), dy = (s.y - (rounded(y) - originY)) * p.scale;
  const F8 r = at(p.radius, p.radiusChange);
  mask &= laneBits((dx * dx + dy * dy <= r * r) & (r > 0));
  if (!p.whole) mask &= laneBits((s.time >= p.from) & (s.time < p.to));
  if (!mask) return;
  alignas(32) float z[8];
  store(z, at(c.z, c.dz));
  forBits(mask, [&](int n) { give(ctx, p, s.sample[n], p.id, z[n]); });
}

/// Disc i between two keys; false where it never reaches the bucket.
bool makePiece(const RasterContext& ctx, int i, int key, DiscPiece& p) {
  const RasterGrid& g = ctx.grid;
  const size_t n = static_cast<size_t>(g.nu), a = static_cast<size_t>(key) * n + static_cast<size_t>(i);
  const size_t b = g.keys > 1 ? a + n : a;
  Path& c = p.corner[0];
  c = {g.fx[a], g.fx[b] - g.fx[a], g.fy[a], g.fy[b] - g.fy[a], g.fz[a], g.fz[b] - g.fz[a], 0, 0};
  if (g.lens) c.c = g.coc[a], c.dc = g.coc[b] - g.coc[a];
  p.radius = g.radius[a], p.radiusChange = g.radius[b] - g.radius[a];
  p.moves = c.dx != 0 || c.dy != 0 || c.dz != 0 || p.radiusChange != 0;
  RasterBound box;
  for (int end = 0; end < 2; ++end) {
    const size_t at = end ? b : a;
    const float r = g.radius[at] + 1, ry = g.radius[at] * g.aspect + 1, coc = g.lens ? g.coc[at] : 0;
    p.box[end] = {g.fx[at] - r, g.fy[at] - ry, g.fx[at] + r, g.fy[at] + ry, coc, coc};
    const float sx = std::fabs(coc) * g.lensX + 2, sy = std::fabs(coc) * g.lensY + 2;
    box.add(p.box[end].x0 - sx, p.box[end].y0 - sy, g.fz[at]),
        box.add(p.box[end].x1 + sx, p.box[end].y1 + sy, g.fz[at]);
  }
  p.zNear = box.z0 - std::fabs(box.z0) * 1e-6f;
  const Lattice& l = ctx.lattice;
  const float bx = static_cast<float>(l.originX) * kUnits, by = static_cast<float>(l.originY) * kUnits;
  return box.x1 >= bx && box.x0 <= bx + static_cast<float>(ctx.strata.width * kUnits) && box.y1 >= by &&
         box.y0 <= by + static_cast<float>(ctx.strata.height * kUnits) &&
         box.z1 + std::fabs(box.z1) * 1e-6f >= ctx.near && p.zNear <= ctx.far;
}

}  // namespace

void rasterMovingDiscs(RasterContext& ctx) {
  const RasterGrid& g = ctx.grid;
  DiscPiece p{};
  p.scale = 1 / g.aspect;
  for (int key = 0; key == 0 || key + 1 < g.keys; ++key) {
    startSegment(g, key, p);
    for (int i = 0; i < g.nu; ++i) {
      const MpClass cls = g.classes ? g.classes[i] : MpClass::kOpaque;
      if (cls == MpClass::kSkip || !makePiece(ctx, i, key, p)) continue;
      if (key == 0) ++ctx.micropolygons;
      p.direct = cls == MpClass::kOpaque && !ctx.hitsOnly;
      p.id = g.idBase + 2 * static_cast<uint32_t>(i);
      sampleAny(ctx, p);
    }
  }
}

}  // namespace reyes::hider::REYES_ISA
