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
  // What the cache would not hold is as fast made anew, unless it is slow to make.
  const size_t most = filter.separable() ? size_t{1} << 20 : size_t{1} << 24;
  const size_t strips = static_cast<size_t>(patterns->strips);
  if (weightsOfStrip * strips > most) return;
  weights.resize(weightsOfStrip * strips), totals.resize(totalsOfStrip() * strips);
  for (size_t s = 0; s < strips; ++s)
    weigh(static_cast<int>(s), &weights[s * weightsOfStrip], &totals[s * totalsOfStrip()]);
}

void PixelFilter::Tables::weigh(int strip, float* weightsOut, float* totalsOut) const {
  const PatternTables& p = *patterns;
  const bool separable = filter.separable();
  const float *tableX = filter.table(true).data(), *tableY = filter.table(false).data();
  const size_t n = static_cast<size_t>(p.n), first = static_cast<size_t>(strip * kStripPixels) * n;
  float* total = totalsOut;
  for (const FilterOffset& o : offsets) {
    std::fill_n(total, 8, 0.0f);
    for (int r = o.firstRow; r <= o.lastRow; ++r)
      for (int c = o.firstColumn; c <= o.lastColumn; ++c, weightsOut += 8)
        for (size_t l = 0; l < 8; ++l) {
          const size_t at = first + l * n + static_cast<size_t>(r * p.xs + c);
          const int ux = p.unitX[at], uy = p.unitY[at];
          weightsOut[l] = separable ? tableX[(o.dx + xReach) * kUnits + ux] * tableY[(o.dy + yReach) * kUnits + uy]
                                    : filter(offsetOf(o.dx, ux), offsetOf(o.dy, uy));
          total[l] += weightsOut[l];
        }
    total += 8;
  }
}

}  // namespace reyes::hider
