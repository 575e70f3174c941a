// SPDX-License-Identifier: Apache-2.0
// The sampling pattern of a pixel: correlated multi-jittered positions, jittered time strata in a permuted order, and
// jittered lens cells paired with them. Loops that the compiler vectorises. Called when a bucket is reset.
#include "reyes/hider/sampling.h"

#include <cmath>

namespace reyes::hider::REYES_ISA {
namespace {

/// out[i] = permute(in[i], count, seed) for i < n.
void permuteAll(const uint32_t* in, int n, uint32_t count, uint32_t seed, uint32_t* out) {
  uint32_t bits = 1;
  while ((1u << bits) < count) ++bits;
  const uint32_t mask = (1u << bits) - 1, half = (bits + 1) / 2;
  if (count != mask + 1) {
    for (int i = 0; i < n; ++i) out[i] = permute(in[i], count, seed);
    return;
  }
  const uint32_t m0 = seed | 1u, a0 = seed >> 8, m1 = (seed >> 12) | 1u, a1 = seed >> 20, m2 = (seed >> 5) | 1u,
                 a2 = seed >> 27;
  for (int i = 0; i < n; ++i) {
    uint32_t v = (in[i] * m0 + a0) & mask;
    v ^= v >> half;
    v = (v * m1 + a1) & mask;
    v ^= v >> half;
    out[i] = (v * m2 + a2) & mask;
  }
}

inline int32_t clampInt(int32_t v, int32_t lo, int32_t hi) { return v < lo ? lo : v > hi ? hi : v; }

}  // namespace

void patternPositions(const PatternTables& t, const PixelSeeds& seeds, int32_t* ux, int32_t* uy) {
  constexpr int kBlock = 64;
  uint32_t subX[kBlock], subY[kBlock];
  const int padded = t.padded();
  for (int base = 0; base < padded; base += kBlock) {
    const int n = padded - base < kBlock ? padded - base : kBlock;
    permuteAll(t.row.data() + base, n, static_cast<uint32_t>(t.ys), seeds.x, subX);
    permuteAll(t.column.data() + base, n, static_cast<uint32_t>(t.xs), seeds.y, subY);
    const float *columnF = t.columnF.data() + base, *rowF = t.rowF.data() + base;
    const int32_t *loX = t.loX.data() + base, *hiX = t.hiX.data() + base, *loY = t.loY.data() + base,
                  *hiY = t.hiY.data() + base;
    const float jitter = t.jitter ? 0x1p-16f : 0.0f, centre = t.jitter ? 0.0f : 0.5f, sub = t.jitter ? 1.0f : 0.0f;
    for (int i = 0; i < n; ++i) {
      const uint32_t r = mix32(seeds.jitter + static_cast<uint32_t>(base + i) * 0x9e3779b9u);
      const float jx = static_cast<float>(static_cast<int32_t>(r & 0xffff)) * jitter;
      const float jy = static_cast<float>(static_cast<int32_t>(r >> 16)) * jitter;
      const float x = (static_cast<float>(static_cast<int32_t>(subX[i])) * sub + jx) * t.inverseY + centre;
      const float y = (static_cast<float>(static_cast<int32_t>(subY[i])) * sub + jy) * t.inverseX + centre;
      ux[base + i] = clampInt(static_cast<int32_t>((columnF[i] + x) * t.scaleX), loX[i], hiX[i]);
      uy[base + i] = clampInt(static_cast<int32_t>((rowF[i] + y) * t.scaleY), loY[i], hiY[i]);
    }
  }
}

void patternTimes(const PatternTables& t, const PixelSeeds& seeds, uint32_t* stratum, float* time) {
  const int n = t.padded();
  const uint32_t last = static_cast<uint32_t>(t.n) - 1;
  for (int i = 0; i < n; ++i) stratum[i] = static_cast<uint32_t>(i) < last ? static_cast<uint32_t>(i) : last;
  permuteAll(stratum, n, static_cast<uint32_t>(t.n), seeds.time, stratum);
  const float jitter = t.jitter ? 0x1p-24f : 0.0f, centre = t.jitter ? 0.0f : 0.5f;
  for (int k = 0; k < n; ++k) {
    const uint32_t r = mix32(seeds.timeJitter + static_cast<uint32_t>(k) * 0x9e3779b9u);
    const float v =
        (static_cast<float>(k) + (static_cast<float>(static_cast<int32_t>(r >> 8)) * jitter + centre)) * t.inverseN;
    time[k] = v < 0x1.fffffep-1f ? v : 0x1.fffffep-1f;
  }
}

void patternLens(const PatternTables& t, const PixelSeeds& seeds, int cls, float* x, float* y) {
  const int n = t.padded();
  const float *column = t.lensColumn.data() + cls * n, *row = t.lensRow.data() + cls * n;
  const float jitter = t.jitter ? 0x1p-16f : 0.0f, centre = t.jitter ? 0.0f : 0.5f;
  const float scaleX = 2.0f / static_cast<float>(t.lensColumns), scaleY = 2.0f / static_cast<float>(t.lensRows);
  for (int k = 0; k < n; ++k) {
    const uint32_t r = mix32(seeds.lens + static_cast<uint32_t>(k) * 0x9e3779b9u);
    const float a = (column[k] + (static_cast<float>(static_cast<int32_t>(r & 0xffff)) * jitter + centre)) * scaleX - 1;
    const float b = (row[k] + (static_cast<float>(static_cast<int32_t>(r >> 16)) * jitter + centre)) * scaleY - 1;
    // Square to disc, area and neighbours kept (Shirley and Chiu's concentric map); own series for sine and cosine, so
    // that no library's choice of instructions changes a bit.
    const float absA = std::fabs(a), absB = std::fabs(b);
    const bool wide = absA > absB;
    const float radius = wide ? a : b, other = wide ? b : a;
    const float angle = 0.78539816339744831f * (other / (radius == 0 ? 1.0f : radius));
    const float q = angle * angle;
    const float sine = angle * (1 + q * (-1.0f / 6 + q * (1.0f / 120 + q * (-1.0f / 5040))));
    const float cosine = 1 + q * (-0.5f + q * (1.0f / 24 + q * (-1.0f / 720 + q * (1.0f / 40320))));
    x[k] = radius * (wide ? cosine : sine);
    y[k] = radius * (wide ? sine : cosine);
  }
}

}  // namespace reyes::hider::REYES_ISA
