// SPDX-License-Identifier: Apache-2.0
// Adds one source pixel's weighted samples to the pixels around it: one partial sum a target, samples in order.
// Called by filterPixels, once a source pixel.
#include "reyes/hider/filter_kernels.h"
#include "reyes/hider/sampling.h"
#include "reyes/hider/simd8.h"

namespace reyes::hider::REYES_ISA {
namespace {

/// Adds kCount samples of a row.
template <int kCount>
inline F8 addRow(const float* w, const float* v, int stride, F8 sum) {
  for (int k = 0; k < kCount; ++k) sum += w[k] * load(v + k * stride);
  return sum;
}

/// Samples of columns c0..c1 and rows r0..r1, in order, times their weights.
inline F8 weightedSum(const float* values, const float* weights, ptrdiff_t xs, ptrdiff_t stride, int c0, int c1, int r0,
                      int r1, F8 sum) {
  const int count = c1 - c0 + 1;
  const float *w = weights + r0 * xs + c0, *v = values + (r0 * xs + c0) * stride;
  for (int r = r0; r <= r1; ++r, w += xs, v += xs * stride) {
    int k = 0;
    for (; k + 4 <= count; k += 4) sum = addRow<4>(w + k, v + k * stride, stride, sum);
    if (count & 2) sum = addRow<2>(w + k, v + k * stride, stride, sum), k += 2;
    if (count & 1) sum = addRow<1>(w + k, v + k * stride, stride, sum);
  }
  return sum;
}

/// By value: a copy that stores to floats cannot change.
template <int kStride>
void addSource(const FilterSource f) {
  const int n = f.xs * f.ys, columns = 2 * f.xReach + 1, stride = kStride ? kStride : f.lanes;
  // Weights along x of the samples that have any.
  if (!f.weights)
    for (int ix = f.dx0 + f.xReach; ix <= f.dx1 + f.xReach; ++ix) {
      const float* table = f.tableX + ix * kUnits;
      float* to = f.columnWeights + ix * n;
      for (int r = 0; r < f.ys; ++r)
        for (int s = r * f.xs + f.firstColumn[ix]; s <= r * f.xs + f.lastColumn[ix]; ++s) to[s] = table[f.unitX[s]];
    }
  for (int dy = f.dy0; dy <= f.dy1; ++dy) {
    const int iy = dy + f.yReach, r0 = f.firstRow[iy], r1 = f.lastRow[iy];
    // Samples times their weight along y; then times that along x.
    if (!f.weights)
      for (int s = r0 * f.xs; s < (r1 + 1) * f.xs; ++s) {
        const float w = f.tableY[iy * kUnits + f.unitY[s]];
        for (int lane = 0; lane < stride; lane += 8)
          store(f.weighted + s * stride + lane, w * load(f.values + s * stride + lane));
      }
    for (int dx = f.dx0; dx <= f.dx1; ++dx) {
      const int ix = dx + f.xReach;
      const float* w = f.weights ? f.weights + (iy * columns + ix) * n : f.columnWeights + ix * n;
      const float* v = f.weights ? f.values : f.weighted;
      float* sum = f.sums + (-static_cast<ptrdiff_t>(dy) * f.rowStride - dx) * stride;
      for (int lane = 0; lane < stride; lane += 8) {
        const F8 partial =
            weightedSum(v + lane, w, f.xs, stride, f.firstColumn[ix], f.lastColumn[ix], r0, r1, splat(0.0f));
        store(sum + lane, load(sum + lane) + partial);
      }
    }
  }
}

}  // namespace

void filterSource(const FilterSource& f) {
  if (f.lanes == 8)
    addSource<8>(f);
  else
    addSource<0>(f);
}

}  // namespace reyes::hider::REYES_ISA
