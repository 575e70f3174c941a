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
  if constexpr (kMoves) f = clamped((s.time - splat(p.start)) * splat(p.inverse), 0, 1);
  const auto at = [&](float start, float delta) { return kMoves ? splat(start) + f * splat(delta) : splat(start); };
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
  mask &= bits(atMost(dx * dx + dy * dy, r * r) & less(splat(0.0f), r));
  if (!mask) return;
  alignas(32) float z[8];
  store(z, at(c.z, c.dz));
  forBits(mask, [&](int n) { give(ctx, p, s.sample[n], p.id, z[n]); });
}

/// Bounds disc i between two keys as piece `slot`; false where it never reaches the bucket.
bool boundDisc(const RasterContext& ctx, int i, int key, int slot) {
  const RasterGrid& g = ctx.grid;
  MovingScratch& t = *ctx.strata.scratch;
  const size_t n = static_cast<size_t>(g.nu), a = static_cast<size_t>(key) * n + static_cast<size_t>(i);
  RasterBound box;
  for (int end = 0; end < 2; ++end) {
    const size_t at = end && g.keys > 1 ? a + n : a;
    const float r = g.radius[at] + 1, ry = g.radius[at] * g.aspect + 1, coc = g.lens ? g.coc[at] : 0;
    t.x0[end][slot] = g.fx[at] - r, t.x1[end][slot] = g.fx[at] + r;
    t.y0[end][slot] = g.fy[at] - ry, t.y1[end][slot] = g.fy[at] + ry;
    t.c0[end][slot] = t.c1[end][slot] = coc;
    const float sx = std::fabs(coc) * g.lensX + 2, sy = std::fabs(coc) * g.lensY + 2;
    box.add(t.x0[end][slot] - sx, t.y0[end][slot] - sy, g.fz[at]);
    box.add(t.x1[end][slot] + sx, t.y1[end][slot] + sy, g.fz[at]);
  }
  t.zNear[slot] = box.z0 - std::fabs(box.z0) * 1e-6f;
  t.reach[slot] = std::max({std::fabs(box.x0), std::fabs(box.x1), std::fabs(box.y0), std::fabs(box.y1)});
  const Lattice& l = ctx.lattice;
  const float bx = static_cast<float>(l.originX) * kUnits, by = static_cast<float>(l.originY) * kUnits;
  return box.x1 >= bx && box.x0 <= bx + static_cast<float>(ctx.strata.width * kUnits) && box.y1 >= by &&
         box.y0 <= by + static_cast<float>(ctx.strata.height * kUnits) &&
         box.z1 + std::fabs(box.z1) * 1e-6f >= ctx.near && t.zNear[slot] <= ctx.far;
}

void makeDisc(const RasterContext& ctx, int i, int key, DiscPiece& p) {
  const RasterGrid& g = ctx.grid;
  const size_t n = static_cast<size_t>(g.nu), a = static_cast<size_t>(key) * n + static_cast<size_t>(i);
  const size_t b = g.keys > 1 ? a + n : a;
  Path& c = p.corner[0];
  c = {g.fx[a], g.fx[b] - g.fx[a], g.fy[a], g.fy[b] - g.fy[a], g.fz[a], g.fz[b] - g.fz[a], 0, 0};
  if (g.lens) c.c = g.coc[a], c.dc = g.coc[b] - g.coc[a];
  p.radius = g.radius[a], p.radiusChange = g.radius[b] - g.radius[a];
}

}  // namespace

void rasterMovingDiscs(RasterContext& ctx) {
  const RasterGrid& g = ctx.grid;
  MovingScratch& t = *ctx.strata.scratch;
  DiscPiece p{};
  p.scale = 1 / g.aspect;
  for (int key = 0; key == 0 || key + 1 < g.keys; ++key) {
    startSegment(g, key, p);
    for (int first = 0; first < g.nu; first += kTilePieces) {
      const int count = std::min(kTilePieces, g.nu - first), rows = (count + kTileSide - 1) / kTileSide;
      std::fill_n(t.live, rows, uint16_t{0});
      for (int slot = 0; slot < count; ++slot) {
        if (g.classes && g.classes[first + slot] == MpClass::kSkip) continue;
        if (!boundDisc(ctx, first + slot, key, slot)) continue;
        t.live[slot / kTileSide] |= static_cast<uint16_t>(1u << (slot % kTileSide));
        if (key == 0) ++ctx.micropolygons;
      }
      sampleTile(ctx, kTileSide, rows, true, p, [&](int slot, DiscPiece& piece) {
        const int i = first + slot;
        makeDisc(ctx, i, key, piece);
        piece.direct = !ctx.hitsOnly && (!g.classes || g.classes[i] == MpClass::kOpaque);
        piece.id = g.idBase + 2 * static_cast<uint32_t>(i);
      });
    }
  }
}

}  // namespace reyes::hider::REYES_ISA
