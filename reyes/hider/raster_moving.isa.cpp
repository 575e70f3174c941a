// SPDX-License-Identifier: Apache-2.0
// Samples a moving or defocused grid, tile by tile of micropolygons: what a tile's motion and lens have in common is
// taken back from the samples, which then lie near the micropolygons that they may see. Called through kernels() by
// BucketHider::rasterize.
#include "reyes/hider/moving_sample.h"

namespace reyes::hider::REYES_ISA {
namespace {

/// Bounds the micropolygons from (i, j) on; false where none is to be sampled.
bool boundTile(RasterContext& ctx, int i, int j, int key, int columns, int rows) {
  const RasterGrid& g = ctx.grid;
  MovingScratch& t = *ctx.strata.scratch;
  uint32_t any = 0;
  for (int r = 0; r < rows; ++r) {
    uint32_t live = 0, large = 0;
    for (int c = 0; c < columns; c += 8) {
      uint32_t wide;
      live |= boundPieces(ctx, i + c, j + r, key, r * kTileSide + c, wide) << c;
      large |= wide << c;
    }
    if (g.classes)
      for (int c = 0; c < columns; ++c)
        if (g.classes[(j + r) * g.nu + i + c] == MpClass::kSkip) live &= ~(1u << c);
    if (key == 0) ctx.micropolygons += __builtin_popcount(live);
    t.live[r] = static_cast<uint16_t>(live), t.large[r] = static_cast<uint16_t>(large);
    any |= live;
  }
  return any != 0;
}

}  // namespace

void rasterMoving(RasterContext& ctx) {
  const RasterGrid& g = ctx.grid;
  Piece p{};
  for (int key = 0; key == 0 || key + 1 < g.keys; ++key) {
    startSegment(g, key, p);
    for (int j = 0; j < g.nv; j += kTileSide)
      for (int i = 0; i < g.nu; i += kTileSide) {
        const int columns = std::min(kTileSide, g.nu - i), rows = std::min(kTileSide, g.nv - j);
        if (!boundTile(ctx, i, j, key, columns, rows)) continue;
        sampleTile(ctx, columns, rows, false, p, [&](int slot, Piece& piece) {
          const int pi = i + slot % kTileSide, pj = j + slot / kTileSide, mp = pj * g.nu + pi;
          makePiece(ctx, slot, pi, pj, key, piece);
          piece.direct = !ctx.hitsOnly && (!g.classes || g.classes[mp] == MpClass::kOpaque);
          piece.id = g.idBase + 2 * static_cast<uint32_t>(mp);
        });
      }
  }
}

}  // namespace reyes::hider::REYES_ISA
