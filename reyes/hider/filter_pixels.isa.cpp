// SPDX-License-Identifier: Apache-2.0
// Adds the weighted samples of eight source pixels to the pixels around them: one partial sum a source and target,
// samples in order, offsets in order. Called by PixelFilter, once a strip and group of channels.
#include "reyes/base/lanes8.h"
#include "reyes/hider/filter_kernels.h"

namespace reyes::hider::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

inline I8 lanesOf(uint32_t mask) {
  const I8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return equal(splat(static_cast<int32_t>(mask)) & bit, bit);
}

/// Sums of an offset, samples row by row; kColumns of them in a row, or any number (0).
template <int kChannels, int kColumns>
[[gnu::always_inline]] inline void sumOffset(const FilterStrip& f, const FilterOffset& o, F8 sum[kChannels]) {
  for (int c = 0; c < kChannels; ++c) sum[c] = splat(0.0f);
  const float* w = f.weights + o.weights;
  const ptrdiff_t columns = kColumns ? kColumns : o.lastColumn - o.firstColumn + 1;
  const ptrdiff_t step = static_cast<ptrdiff_t>(f.xs) * 8;
  ptrdiff_t at = static_cast<ptrdiff_t>(o.firstRow * f.xs + o.firstColumn) * 8;
  for (const float* end = w + columns * 8 * (o.lastRow - o.firstRow + 1); w < end; w += 8 * columns, at += step)
    for (ptrdiff_t k = 0; k < columns; ++k) {
      const F8 weight = load(w + 8 * k);
      for (int c = 0; c < kChannels; ++c) sum[c] += weight * load(f.planes[c] + at + 8 * k);
    }
}

template <bool kMasked>
[[gnu::always_inline]] inline void addOnes(const FilterStrip& f, int offset, I8 lanes, ptrdiff_t to) {
  F8 total = load(f.totals + offset * 8);
  if constexpr (kMasked) total = choose(lanes, total, splat(0.0f));
  for (int c = 0; c < f.ones; ++c) store(f.onesSums[c] + to, load(f.onesSums[c] + to) + total);
}

/// No channel but ones.
void addOnesAlone(const FilterStrip& f) {
  const I8 lanes = lanesOf(f.lanes);
  for (int n = 0; n < f.offsetCount; ++n) {
    const FilterOffset& o = f.offsets[n];
    if (o.dy < f.dy0 || o.dy > f.dy1) continue;
    addOnes<true>(f, n, lanes, -o.dy * f.rowStride - o.dx);
  }
}

/// kMasked: some pixels do not count. By value: a copy that stores to floats cannot change.
template <int kChannels, bool kMasked>
void add(const FilterStrip f) {
  const I8 lanes = lanesOf(f.lanes);
  for (int n = 0; n < f.offsetCount; ++n) {
    const FilterOffset& o = f.offsets[n];
    if (o.dy < f.dy0 || o.dy > f.dy1) continue;
    F8 sum[kChannels];
    switch (o.lastColumn - o.firstColumn + 1) {
      case 2:
        sumOffset<kChannels, 2>(f, o, sum);
        break;
      case 4:
        sumOffset<kChannels, 4>(f, o, sum);
        break;
      default:
        sumOffset<kChannels, 0>(f, o, sum);
    }
    const ptrdiff_t to = -o.dy * f.rowStride - o.dx;
    if (f.ones > 0) addOnes<kMasked>(f, n, lanes, to);
    for (int c = 0; c < kChannels; ++c) {
      float* t = f.sums[c] + to;
      if constexpr (kMasked) sum[c] = choose(lanes, sum[c], splat(0.0f));
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
    case 0:
      return addOnesAlone(f);
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

bool filterDivide(const FilterRow& row) {
  I8 none = splat(0);
  for (int x = 0; x < row.count; x += 8) {
    const F8 weight = load(row.weights + x);
    const int pixels = row.count - x < 8 ? row.count - x : 8;
    const I8 here = less(I8{0, 1, 2, 3, 4, 5, 6, 7}, splat(pixels));
    none |= equal(weight, splat(0.0f)) & here;
    float* out = row.out + static_cast<ptrdiff_t>(x) * row.stride;
    for (int c = 0; c < row.channels; ++c) {
      alignas(32) float value[8];
      store(value, load(row.sums[c] + x) / weight);
      for (int l = 0; l < pixels; ++l) out[l * row.stride + c] = value[l];
    }
  }
  return bits(none) == 0;
}

}  // namespace reyes::hider::REYES_ISA
