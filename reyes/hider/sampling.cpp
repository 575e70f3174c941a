// SPDX-License-Identifier: Apache-2.0
// Tables of the sampling pattern, and one sample of one pixel. Serves the hider's lattices, tests, and filters of tiles
// that carry no positions.
#include "reyes/hider/sampling.h"

#include <algorithm>

namespace reyes::hider {

#define REYES_PATTERN(isa)                                                            \
  namespace isa {                                                                     \
  void patternPositions(const PatternTables&, const PixelSeeds&, int32_t*, int32_t*); \
  void patternTimes(const PatternTables&, const PixelSeeds&, uint32_t*, float*);      \
  void patternLens(const PatternTables&, const PixelSeeds&, int, float*, float*);     \
  }
REYES_PATTERN(sse4)
REYES_PATTERN(avx2)
REYES_PATTERN(avx512)
#undef REYES_PATTERN

const PatternKernels& patternKernels(Isa isa) {
  static constexpr PatternKernels kAll[] = {{sse4::patternPositions, sse4::patternTimes, sse4::patternLens},
                                            {avx2::patternPositions, avx2::patternTimes, avx2::patternLens},
                                            {avx512::patternPositions, avx512::patternTimes, avx512::patternLens}};
  return kAll[static_cast<int>(isa)];
}

namespace {
/// The divisor of n nearest below its root: lens cells are a grid even where the pixel's cells are 1 x n.
uint32_t gridSide(uint32_t n) {
  uint32_t side = 1;
  for (uint32_t d = 2; d * d <= n; ++d)
    if (n % d == 0) side = d;
  return side;
}
}  // namespace

PatternTables::PatternTables(const SamplingSpec& spec)
    : xs(clampSamples(spec.xSamples)),
      ys(clampSamples(spec.ySamples)),
      n(xs * ys),
      jitter(spec.jitter),
      inverseX(1.0f / static_cast<float>(xs)),
      inverseY(1.0f / static_cast<float>(ys)),
      inverseN(1.0f / static_cast<float>(n)),
      scaleX(static_cast<float>(kUnits) / static_cast<float>(xs)),
      scaleY(static_cast<float>(kUnits) / static_cast<float>(ys)) {
  // A sample stays in its cell whatever the rounding, for the kernels find samples by their cells; and off the
  // pixel's border.
  const auto lowest = [](int cell, int cells) { return std::max(1, cell * kUnits / cells); };
  const auto highest = [](int cell, int cells) {
    return std::min(kUnits - 1, ((cell + 1) * kUnits + cells - 1) / cells - 1);
  };
  for (int i = 0; i < padded(); ++i) {
    const int cx = i % xs, cy = i / xs % ys;
    column.push_back(static_cast<uint32_t>(cx)), row.push_back(static_cast<uint32_t>(cy));
    columnF.push_back(static_cast<float>(cx)), rowF.push_back(static_cast<float>(cy));
    loX.push_back(lowest(cx, xs)), hiX.push_back(highest(cx, xs));
    loY.push_back(lowest(cy, ys)), hiY.push_back(highest(cy, ys));
  }
  const uint32_t count = static_cast<uint32_t>(n);
  lensColumns = static_cast<int>(gridSide(count)), lensRows = n / lensColumns;
  for (uint32_t c = 0; c < kLensClasses; ++c)
    for (uint32_t k = 0; k < static_cast<uint32_t>(padded()); ++k) {
      const uint32_t cell = permute(k % count, count, mix32(0x51ed270bu + c));
      lensColumn.push_back(static_cast<float>(cell % static_cast<uint32_t>(lensColumns)));
      lensRow.push_back(static_cast<float>(cell / static_cast<uint32_t>(lensColumns)));
    }
}

SamplePoint samplePoint(const SamplingSpec& spec, int px, int py, int i) {
  const PatternTables t(spec);
  const PixelSeeds seeds(px, py);
  const PatternKernels& k = patternKernels(Isa::kSse4);
  const size_t n = static_cast<size_t>(t.padded()), at = static_cast<size_t>(i);
  std::vector<int32_t> ux(n), uy(n);
  std::vector<uint32_t> stratum(n);
  std::vector<float> time(n), lx(n), ly(n);
  k.positions(t, seeds, ux.data(), uy.data());
  k.times(t, seeds, stratum.data(), time.data());
  k.lens(t, seeds, lensClass(px, py), lx.data(), ly.data());
  const size_t s = stratum[at];
  return {static_cast<float>(ux[at]) / kUnits, static_cast<float>(uy[at]) / kUnits, time[s], lx[s], ly[s]};
}

}  // namespace reyes::hider
