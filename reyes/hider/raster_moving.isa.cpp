// SPDX-License-Identifier: Apache-2.0
// Samples a moving or defocused grid. Times and lens points are stratified in every pixel, so groups of samples have
// small bounds of both; a micropolygon is bounded in each group, and meets only the samples of the pixels it reaches
// there. Called through kernels() by BucketHider::rasterize.
#include "reyes/hider/moving_sample.h"

namespace reyes::hider::REYES_ISA {
namespace {

void sampleSegment(RasterContext& ctx, int key) {
  const RasterGrid& g = ctx.grid;
  Piece p{};
  startSegment(g, key, p);
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
        sampleAny(ctx, p);
      });
    }
}

}  // namespace

void rasterMoving(RasterContext& ctx) {
  for (int key = 0; key == 0 || key + 1 < ctx.grid.keys; ++key) sampleSegment(ctx, key);
}

}  // namespace reyes::hider::REYES_ISA
