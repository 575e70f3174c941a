// SPDX-License-Identifier: Apache-2.0
#include "reyes/hider/filter_tables.h"

#include <algorithm>

namespace reyes::hider {
namespace {

float offsetOf(int d, int unit) { return static_cast<float>(d) + static_cast<float>(unit) / kUnits - 0.5f; }

/// First and last cell (column or row of samples) with any weight at pixel offset `d` along an axis.
bool cellsReached(const std::vector<float>& table, int index, int cells, int& first, int& last) {
  first = cells, last = -1;
  const auto from = table.begin() + static_cast<ptrdiff_t>(index) * kUnits;
  for (int c = 0; c < cells; ++c) {
    const bool used = std::any_of(from + std::max(1, c * kUnits / cells), from + ((c + 1) * kUnits + cells - 1) / cells,
                                  [](float w) { return w != 0; });
    if (used) first = std::min(first, c), last = c;
  }
  return last >= first;
}

}  // namespace

PixelFilter::Tables::Tables(const SamplingSpec& spec, const Filter& f, std::span<const FilterJob> wanted)
    : patterns(patternsOf(spec)), isa(spec.isa), filter(f), jobs(wanted.begin(), wanted.end()) {
  for (const FilterJob& j : jobs)
    if (j.mode == FilterMode::kFilter)
      for (int c = 0; c < j.channels; ++c) channels.push_back(j.firstChannel + c);
  std::sort(channels.begin(), channels.end());
  channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
  if (channels.empty()) return;
  xReach = filter.xReach(), yReach = filter.yReach();
  const int xs = patterns->xs, ys = patterns->ys;
  for (int dy = -yReach; dy <= yReach; ++dy)
    for (int dx = -xReach; dx <= xReach; ++dx) {
      FilterOffset o;
      o.dx = dx, o.dy = dy;
      if (!cellsReached(filter.table(true), dx + xReach, xs, o.firstColumn, o.lastColumn) ||
          !cellsReached(filter.table(false), dy + yReach, ys, o.firstRow, o.lastRow))
        continue;
      o.weights = weightsOfStrip;
      weightsOfStrip += static_cast<size_t>((o.lastColumn - o.firstColumn + 1) * (o.lastRow - o.firstRow + 1)) * 8;
      offsets.push_back(o);
    }
  // 64 MB at most. To make them anew for each strip costs ten times as much as to use them.
  constexpr size_t kMost = size_t{1} << 24;
  const size_t strips = static_cast<size_t>(patterns->strips);
  if (weightsOfStrip * strips > kMost) return;
  weights.resize(weightsOfStrip * strips), totals.resize(totalsOfStrip() * strips);
  for (size_t s = 0; s < strips; ++s)
    weigh(static_cast<int>(s), &weights[s * weightsOfStrip], &totals[s * totalsOfStrip()]);
}

void PixelFilter::Tables::weigh(int strip, float* weightsOut, float* totalsOut) const {
  const PatternTables& p = *patterns;
  const size_t n = static_cast<size_t>(p.n), first = static_cast<size_t>(strip * kStripPixels) * n;
  // 1. Of a separable filter, its two factors: [offset][sample][pixel].
  const bool separable = filter.separable();
  std::vector<float> alongX, alongY;
  const auto factors = [&](int reach, const std::vector<float>& table, const auto& units, std::vector<float>& out) {
    out.resize(static_cast<size_t>(2 * reach + 1) * n * 8);
    float* to = out.data();
    for (int d = 0; d <= 2 * reach; ++d)
      for (size_t i = 0; i < n; ++i)
        for (size_t l = 0; l < 8; ++l) *to++ = table[static_cast<size_t>(d * kUnits + units[first + l * n + i])];
  };
  if (separable) {
    factors(xReach, filter.table(true), p.unitX, alongX);
    factors(yReach, filter.table(false), p.unitY, alongY);
  }
  // 2. Weights, and their sums.
  float* total = totalsOut;
  for (const FilterOffset& o : offsets) {
    float sum[8] = {};
    const size_t x = static_cast<size_t>(o.dx + xReach) * n, y = static_cast<size_t>(o.dy + yReach) * n;
    for (int r = o.firstRow; r <= o.lastRow; ++r)
      for (int c = o.firstColumn; c <= o.lastColumn; ++c, weightsOut += 8) {
        const auto i = static_cast<size_t>(r * p.xs + c);
        if (separable) {
          const float *wx = &alongX[(x + i) * 8], *wy = &alongY[(y + i) * 8];
          for (size_t l = 0; l < 8; ++l) weightsOut[l] = wx[l] * wy[l];
        } else {
          for (size_t l = 0; l < 8; ++l) {
            const size_t at = first + l * n + i;
            weightsOut[l] = filter(offsetOf(o.dx, p.unitX[at]), offsetOf(o.dy, p.unitY[at]));
          }
        }
        for (size_t l = 0; l < 8; ++l) sum[l] += weightsOut[l];
      }
    std::copy_n(sum, 8, total);
    total += 8;
  }
}

}  // namespace reyes::hider
