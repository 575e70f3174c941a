// SPDX-License-Identifier: Apache-2.0
// Makes grids ready for the resolve kernels.
#include "reyes/hider/resolve_batch.h"

namespace reyes::hider {

ResolveFrame frameOf(const BucketHider::Impl& b, const SampleTile& tile) {
  ResolveFrame f;
  const SamplingSpec& spec = b.spec;
  f.lens = hasLens(spec), f.perspective = spec.perspective, f.focalDistance = spec.focalDistance;
  f.lensX = spec.lensPixelsX * kUnits, f.lensY = spec.lensPixelsY * kUnits;
  f.originX = b.rect.x0, f.originY = b.rect.y0;
  f.centreX = b.rect.width() * kUnits / 2, f.centreY = b.rect.height() * kUnits / 2;
  f.aovFloats = spec.aovFloats, f.zThreshold = spec.zThreshold;
  f.grey = tile.grey, f.depth = tile.depth;
  f.aovThrough = spec.aovThrough.size() == static_cast<size_t>(spec.aovFloats) ? spec.aovThrough.data() : nullptr;
  return f;
}

namespace {
ResolveGrid gridOf(const GridRecord& record, const ResolveFrame& frame) {
  const MicroGrid& g = record.grid;
  const size_t points = static_cast<size_t>(g.points());
  ResolveGrid r;
  r.x = g.x.data(), r.y = g.y.data(), r.depth = g.z.data(), r.times = g.times.data();
  r.keys = g.times.size() < static_cast<size_t>(g.keys) ? 1 : g.keys;
  r.nu = g.nu, r.stepU = g.stepU(), r.stepV = g.stepV(), r.points = static_cast<uint32_t>(points);
  r.idBase = record.idBase, r.ids = 2 * static_cast<uint32_t>(g.nu) * static_cast<uint32_t>(g.nv);
  r.smooth = g.smooth, r.matte = g.matte, r.repair = record.repair, r.moving = record.moving;
  r.ci = g.ci.size() >= 3 * points ? g.ci.data() : nullptr;
  r.oi = g.oi.empty() ? nullptr : g.oi.data();
  r.aov = g.aov.size() >= static_cast<size_t>(frame.aovFloats) * points ? g.aov.data() : nullptr;
  return r;
}

}  // namespace

ResolveGrid packedGridOf(BucketHider::Impl& b, const GridRecord& record, const ResolveFrame& frame) {
  ResolveGrid g = gridOf(record, frame);
  if (!g.smooth || !g.ci || g.repair) return g;
  size_t& at = b.packedAt[static_cast<size_t>(&record - b.grids.data())];
  if (at == BucketHider::Impl::kNotPacked) {
    const size_t floats = 4 * static_cast<size_t>(g.points) * static_cast<size_t>(g.moving ? 1 + g.keys : 1);
    if (b.packed.size() + floats > BucketHider::Impl::kMostPacked) {
      b.packed.clear();
      for (size_t& other : b.packedAt)
        if (other != BucketHider::Impl::kTooFar) other = BucketHider::Impl::kNotPacked;
    }
    at = b.packed.size();
    b.packed.resize(at + floats);
    if (!resolveKernels(b.spec.isa).pack(frame, g, b.packed.data() + at)) at = BucketHider::Impl::kTooFar;
  }
  if (at == BucketHider::Impl::kTooFar) return g;
  g.packed = b.packed.data() + at;
  if (g.moving) g.path = g.packed + 4 * static_cast<size_t>(g.points);
  return g;
}

}  // namespace reyes::hider
