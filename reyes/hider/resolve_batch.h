// SPDX-License-Identifier: Apache-2.0
// Values of many hits at once: grid by grid through the resolve kernels. Serves resolve.cpp and list_compositor.cpp;
// private to hider/.
#pragma once

#include "reyes/hider/bucket_impl.h"
#include "reyes/hider/resolve_kernels.h"

namespace reyes::hider {

ResolveFrame frameOf(const BucketHider::Impl& b, const SampleTile& tile);
/// A grid for the kernels, its vertices packed where that can be; until the next call.
ResolveGrid packedGridOf(BucketHider::Impl& b, const GridRecord& record, const ResolveFrame& frame);

/// Gathers hits of one grid and hands them to the kernel.
struct Batcher {
  BucketHider::Impl& b;
  const ResolveKernels& kernel;
  const GridRecord* record = nullptr;
  ResolveBatch batch;
  alignas(32) int32_t x[kBatch], y[kBatch];
  alignas(32) uint32_t id[kBatch];
  alignas(32) float z[kBatch], time[kBatch], pointX[kBatch], pointY[kBatch];
  float* target[kBatch];

  /// Values go to planes `stride` apart.
  Batcher(BucketHider::Impl& bucket, const ResolveFrame& frame, size_t stride)
      : b(bucket), kernel(resolveKernels(bucket.spec.isa)) {
    batch.frame = frame, batch.stride = stride;
    batch.sampleX = x, batch.sampleY = y, batch.id = id, batch.z = z, batch.target = target;
    batch.time = time, batch.pointX = pointX, batch.pointY = pointY;
  }

  /// Sample `at` sees triangle `triangle` at `depth`.
  void add(const GridRecord& of, size_t at, uint32_t triangle, float depth, float* to) {
    if (record != &of || batch.count == kBatch) {
      flush();
      record = &of, batch.grid = packedGridOf(b, of, batch.frame);
    }
    const int n = batch.count++;
    x[n] = static_cast<int32_t>(b.sampleX[at]), y[n] = static_cast<int32_t>(b.sampleY[at]);
    id[n] = triangle, target[n] = to, z[n] = depth;
    time[n] = record->moving ? b.sampleTime[at] : 0;
    const bool lens = record->moving && batch.frame.lens;
    pointX[n] = lens ? b.sampleLensX[at] : 0, pointY[n] = lens ? b.sampleLensY[at] : 0;
  }

  void flush() {
    if (batch.count == 0) return;
    for (int n = batch.count; n & 7; ++n) {
      x[n] = x[0], y[n] = y[0], id[n] = id[0], z[n] = z[0];
      time[n] = time[0], pointX[n] = pointX[0], pointY[n] = pointY[0];
    }
    kernel.batch(batch);
    batch.count = 0;
  }
};

}  // namespace reyes::hider
