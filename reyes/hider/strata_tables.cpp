// SPDX-License-Identifier: Apache-2.0
// Makes the tables of strata. Called by PatternTables::strata().
#include "reyes/hider/strata_tables.h"

#include <algorithm>

#include "reyes/hider/sampling.h"

namespace reyes::hider {
namespace {

/// Samples of a pattern into its lane of a strip's blocks, and into blocks of its own.
void fillLane(const PatternTables& t, int pattern, StrataBlock* blocks, StrataBlock* eights) {
  const size_t n = static_cast<size_t>(t.n), at = static_cast<size_t>(pattern) * n;
  const int lane = pattern % kStripPixels;
  for (int i = 0; i < t.n; ++i) {
    const size_t from = at + static_cast<size_t>(i), k = t.stratum[from];
    StrataBlock& b = blocks[k];
    b.x[lane] = static_cast<float>(lane * kUnits + t.unitX[from]);
    b.y[lane] = static_cast<float>(t.unitY[from]);
    b.time[lane] = t.time[at + k], b.lensX[lane] = t.lensX[at + k], b.lensY[lane] = t.lensY[at + k];
    b.cell[lane] = (i / t.xs) << 16 | (lane * t.xs + i % t.xs);
    StrataBlock& e = eights[k / 8];
    const size_t to = k % 8;
    e.x[to] = static_cast<float>(t.unitX[from]), e.y[to] = b.y[lane], e.cell[to] = (i / t.xs) << 16 | i % t.xs;
    e.time[to] = b.time[lane], e.lensX[to] = b.lensX[lane], e.lensY[to] = b.lensY[lane];
  }
}

/// Bounds of nothing. Numbers, so that what is made from the padding is numbers, too.
void startBounds(std::vector<float>& bounds, size_t classes, size_t padded) {
  bounds.assign(classes * kStratumSides * padded, 2.0f);
  for (size_t c = 0; c < classes; ++c)
    for (const StratumSide side : {kTime1, kLensX1, kLensY1})
      std::fill_n(bounds.begin() + static_cast<ptrdiff_t>((c * kStratumSides + side) * padded), padded, -2.0f);
}

}  // namespace

StrataTables::StrataTables(const PatternTables& t)
    : padded((t.n + 7) & ~7), groups((t.n + 7) / 8), paddedGroups((groups + 7) & ~7) {
  const size_t n = static_cast<size_t>(t.n), strata = static_cast<size_t>(padded);
  blocks.resize(static_cast<size_t>(t.strips) * n);
  eights.resize(static_cast<size_t>(t.patterns()) * static_cast<size_t>(groups));
  // 1. Bounds of nothing.
  startBounds(bounds, kLensClasses, strata), startBounds(eightBounds, 1, static_cast<size_t>(paddedGroups));
  // 2. Grown by every pattern of the class.
  for (int p = 0; p < t.patterns(); ++p) {
    fillLane(t, p, &blocks[static_cast<size_t>(p / kStripPixels) * n],
             &eights[static_cast<size_t>(p) * static_cast<size_t>(groups)]);
    float* b = &bounds[static_cast<size_t>(lensClass(p, p / kStripPixels)) * kStratumSides * strata];
    const auto grow = [&](StratumSide low, StratumSide high, const std::vector<float>& values) {
      const float* v = &values[static_cast<size_t>(p) * n];
      for (size_t k = 0; k < n; ++k) {
        float &lo = b[low * strata + k], &hi = b[high * strata + k];
        lo = std::min(lo, v[k]), hi = std::max(hi, v[k]);
      }
    };
    grow(kTime0, kTime1, t.time), grow(kLensX0, kLensX1, t.lensX), grow(kLensY0, kLensY1, t.lensY);
  }
  // 3. Classes share their times.
  const size_t perClass = kStratumSides * strata;
  for (size_t k = 0; k < n; ++k) {
    float lo = 2, hi = -2;
    for (size_t c = 0; c < kLensClasses; ++c)
      lo = std::min(lo, bounds[c * perClass + kTime0 * strata + k]),
      hi = std::max(hi, bounds[c * perClass + kTime1 * strata + k]);
    for (size_t c = 0; c < kLensClasses; ++c)
      bounds[c * perClass + kTime0 * strata + k] = lo, bounds[c * perClass + kTime1 * strata + k] = hi;
  }
  // 4. Eights hold what their strata hold.
  const size_t eight = static_cast<size_t>(paddedGroups);
  for (size_t c = 0; c < kLensClasses; ++c)
    for (size_t k = 0; k < n; ++k) {
      const float* from = &bounds[c * perClass + k];
      float* to = &eightBounds[k / 8];
      for (const size_t side : {kTime0, kLensX0, kLensY0})
        to[side * eight] = std::min(to[side * eight], from[side * strata]);
      for (const size_t side : {kTime1, kLensX1, kLensY1})
        to[side * eight] = std::max(to[side * eight], from[side * strata]);
    }
}

}  // namespace reyes::hider
