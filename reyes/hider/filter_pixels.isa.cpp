// SPDX-License-Identifier: Apache-2.0
// Adds one source pixel's weighted samples to the pixels around it: one partial sum a target, samples in order.
// Called by filterPixels, once a source pixel.
#include "reyes/hider/filter_kernels.h"
#include "reyes/hider/sampling.h"
#include "reyes/hider/simd8.h"

namespace reyes::hider::REYES_ISA {

void filterSource(const FilterSource& f) {
  const int n = f.xs * f.ys;
  // Weights of each sample for each offset, both axes.
  float *wx = f.scratch, *wy = f.scratch + (2 * f.xReach + 1) * n;
  if (!f.weights) {
    for (int d = f.dx0; d <= f.dx1; ++d) {
      const float* t = f.tableX + (d + f.xReach) * kUnits;
      float* w = wx + (d + f.xReach) * n;
      for (int s = 0; s < n; ++s) w[s] = t[f.unitX[s]];
    }
    for (int d = f.dy0; d <= f.dy1; ++d) {
      const float* t = f.tableY + (d + f.yReach) * kUnits;
      float* w = wy + (d + f.yReach) * n;
      for (int s = 0; s < n; ++s) w[s] = t[f.unitY[s]];
    }
  }
  for (int dy = f.dy0; dy <= f.dy1; ++dy)
    for (int dx = f.dx0; dx <= f.dx1; ++dx) {
      const int ix = dx + f.xReach, iy = dy + f.yReach;
      const float* w2 = f.weights ? f.weights + (iy * (2 * f.xReach + 1) + ix) * n : nullptr;
      float* sum = f.sums + (-static_cast<ptrdiff_t>(dy) * f.rowStride - dx) * f.lanes;
      for (int lane = 0; lane < f.lanes; lane += 8) {
        F8 partial = splat(0.0f);
        for (int cy = f.firstY[iy]; cy <= f.lastY[iy]; ++cy)
          for (int cx = f.firstX[ix]; cx <= f.lastX[ix]; ++cx) {
            const int s = cy * f.xs + cx;
            const float w = w2 ? w2[s] : wx[ix * n + s] * wy[iy * n + s];
            partial += w * load(f.values + s * f.lanes + lane);
          }
        store(sum + lane, load(sum + lane) + partial);
      }
    }
}

}  // namespace reyes::hider::REYES_ISA
