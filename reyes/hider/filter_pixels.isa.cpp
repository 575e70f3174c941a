// SPDX-License-Identifier: Apache-2.0
// Adds the weighted samples of eight source pixels to the pixels around them: one partial sum a source and target,
// samples in order, offsets in order. Called by PixelFilter, once a strip and group of channels.
#include "reyes/hider/filter_kernels.h"
#include "reyes/hider/simd8.h"

namespace reyes::hider::REYES_ISA {
namespace {

inline I8 lanesOf(uint32_t mask) {
  const I8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return (splat(static_cast<int32_t>(mask)) & bit) != 0;
}

/// kMasked: some pixels do not count. By value: a copy that stores to floats cannot change.
template <int kChannels, bool kMasked>
void add(const FilterStrip f) {
  const I8 lanes = lanesOf(f.lanes);
  for (int n = 0; n < f.offsetCount; ++n) {
    const FilterOffset& o = f.offsets[n];
    if (o.dy < f.dy0 || o.dy > f.dy1) continue;
    F8 sum[kChannels];
    for (int c = 0; c < kChannels; ++c) sum[c] = splat(0.0f);
    const float* w = f.weights + o.weights;
    const int columns = o.lastColumn - o.firstColumn + 1;
    for (int r = o.firstRow; r <= o.lastRow; ++r) {
      const ptrdiff_t first = static_cast<ptrdiff_t>(r * f.xs + o.firstColumn) * 8;
      for (ptrdiff_t k = 0; k < columns * 8; k += 8, w += 8) {
        const F8 weight = load(w);
        for (int c = 0; c < kChannels; ++c) sum[c] += weight * load(f.planes[c] + first + k);
      }
    }
    const ptrdiff_t to = -o.dy * f.rowStride - o.dx;
    for (int c = 0; c < kChannels; ++c) {
      float* t = f.sums[c] + to;
      if constexpr (kMasked) sum[c] = lanes ? sum[c] : splat(0.0f);
      store(t, load(t) + sum[c]);
    }
  }
}

template <int kChannels>
void addEither(const FilterStrip& f) {
  f.lanes == 0xff ? add<kChannels, false>(f) : add<kChannels, true>(f);
}

}  // namespace

void filterAdd(const FilterStrip& f) {
  switch (f.channels) {
    case 1:
      return addEither<1>(f);
    case 2:
      return addEither<2>(f);
    case 3:
      return addEither<3>(f);
    default:
      return addEither<4>(f);
  }
}

void filterAddTotals(const FilterStrip& f) {
  const I8 lanes = lanesOf(f.lanes);
  for (int n = 0; n < f.offsetCount; ++n) {
    const FilterOffset& o = f.offsets[n];
    if (o.dy < f.dy0 || o.dy > f.dy1) continue;
    const F8 total = lanes ? load(f.totals + n * 8) : splat(0.0f);
    const ptrdiff_t to = -o.dy * f.rowStride - o.dx;
    for (int c = 0; c < f.channels; ++c) store(f.sums[c] + to, load(f.sums[c] + to) + total);
  }
}

}  // namespace reyes::hider::REYES_ISA
