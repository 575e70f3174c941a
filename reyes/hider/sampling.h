// SPDX-License-Identifier: Apache-2.0
// Where, when and through which part of the lens a pixel is sampled. Serves the hider (lattices of a bucket), its
// resolve and the pixel filter. Everything is a pure function of the absolute pixel and the sample number.
//
// Sample i lies in cell (i % xSamples, i / xSamples) of its pixel. Positions are whole units of 1/512 pixel, 1..511:
// never on a pixel's border, so that geometry which ends on a pixel border is exact, and so that edge functions of
// micropolygons are exact integers (see raster.h).
#pragma once

#include <cstdint>
#include <vector>

#include "reyes/base/hash.h"
#include "reyes/hider/hider.h"

namespace reyes::hider {

inline constexpr int kUnitBits = 9;
inline constexpr int kUnits = 1 << kUnitBits;  ///< sub-pixel positions a pixel side
inline constexpr int kMaxSamples = 128;        ///< a pixel side; more are clamped

/// Number of samples on each side after clamping to 1..kMaxSamples.
inline int clampSamples(int n) { return n < 1 ? 1 : n > kMaxSamples ? kMaxSamples : n; }

// Functions that kernels call are always inlined: a copy compiled for one instruction set must not serve another.

/// Bijection of 0..n-1 chosen by `seed`: odd multiplications and shifts within a power of two, walked until inside n.
[[gnu::always_inline]] inline uint32_t permute(uint32_t i, uint32_t n, uint32_t seed) {
  uint32_t bits = 1;
  while ((1u << bits) < n) ++bits;
  const uint32_t mask = (1u << bits) - 1, half = (bits + 1) / 2;
  do {
    i = (i * (seed | 1u) + (seed >> 8)) & mask;
    i ^= i >> half;
    i = (i * ((seed >> 12) | 1u) + (seed >> 20)) & mask;
    i ^= i >> half;
    i = (i * ((seed >> 5) | 1u) + (seed >> 27)) & mask;
  } while (i >= n);
  return i;
}

[[gnu::always_inline]] inline uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/// What all pixels share: cells, their unit ranges, inverse counts, lens cells of each stratum and class.
/// Arrays are xSamples * ySamples long, padded to a multiple of 16.
struct PatternTables {
  explicit PatternTables(const SamplingSpec& spec);
  int xs, ys, n;
  bool jitter;
  float inverseX, inverseY, inverseN, scaleX, scaleY;  ///< 1/xs, 1/ys, 1/n, units a cell
  std::vector<uint32_t> column, row;
  std::vector<float> columnF, rowF;
  std::vector<int32_t> loX, hiX, loY, hiY;  ///< units that a sample of the cell may take
  int lensColumns = 1, lensRows = 1;
  std::vector<float> lensColumn, lensRow;  ///< [class * padded + stratum]
  [[gnu::always_inline]] int padded() const { return (n + 15) & ~15; }
};

/// Pixels of one class pair lens cells with time strata alike.
inline constexpr int kLensClasses = 4;
inline int lensClass(int px, int py) { return (px & 1) | ((py & 1) << 1); }

/// Seeds of a pixel.
struct PixelSeeds {
  uint32_t x, y, time, jitter, timeJitter, lens;
  PixelSeeds(int px, int py) {
    const uint64_t pixel = (static_cast<uint64_t>(static_cast<uint32_t>(py)) << 32) | static_cast<uint32_t>(px);
    const uint64_t a = mix64(pixel), b = mix64(a), c = mix64(b);
    x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(a >> 32);
    time = static_cast<uint32_t>(b), jitter = static_cast<uint32_t>(b >> 32);
    timeJitter = static_cast<uint32_t>(c), lens = static_cast<uint32_t>(c >> 32);
  }
};

/// Patterns of a whole pixel; outputs are padded() long.
struct PatternKernels {
  /// Positions of samples 0..n-1 in units.
  void (*positions)(const PatternTables&, const PixelSeeds&, int32_t* ux, int32_t* uy);
  /// stratum[i] of sample i (a permutation), time[k] of stratum k.
  void (*times)(const PatternTables&, const PixelSeeds&, uint32_t* stratum, float* time);
  /// Lens point of stratum k.
  void (*lens)(const PatternTables&, const PixelSeeds&, int cls, float* x, float* y);
};
const PatternKernels& patternKernels(Isa isa);

}  // namespace reyes::hider
