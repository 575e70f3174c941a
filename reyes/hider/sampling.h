// SPDX-License-Identifier: Apache-2.0
// Where, when and through which part of the lens a pixel is sampled. Serves the hider (lattices of a bucket), its
// resolve and the pixel filter. Everything is a pure function of the absolute pixel and the sample number.
//
// Sample i lies in cell (i % xSamples, i / xSamples) of its pixel. Positions are whole units of 1/512 pixel, 1..511:
// never on a pixel's border, so that geometry which ends on a pixel border is exact, and so that edge functions of
// micropolygons are exact integers (see raster.h).
#pragma once

#include <cstdint>

#include "reyes/base/hash.h"
#include "reyes/hider/hider.h"

namespace reyes::hider {

inline constexpr int kUnitBits = 9;
inline constexpr int kUnits = 1 << kUnitBits;  ///< sub-pixel positions a pixel side
inline constexpr int kMaxSamples = 128;        ///< a pixel side; more are clamped

/// Number of samples on each side after clamping to 1..kMaxSamples.
inline int clampSamples(int n) { return n < 1 ? 1 : n > kMaxSamples ? kMaxSamples : n; }

/// Bijection of 0..n-1 chosen by `seed`: odd multiplications and shifts within a power of two, walked until inside n.
inline uint32_t permute(uint32_t i, uint32_t n, uint32_t seed) {
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

inline uint32_t mix32(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/// The patterns of one pixel. Arrays are xSamples * ySamples long.
class PixelPattern {
 public:
  PixelPattern(const SamplingSpec& spec, int px, int py);
  /// Units of 1/512 pixel.
  void positions(uint16_t* ux, uint16_t* uy) const;
  /// Stratum of time (and lens) that sample i has: a permutation of 0..n-1, another in each pixel.
  uint32_t stratum(int i) const { return permute(static_cast<uint32_t>(i), static_cast<uint32_t>(n_), seedTime_); }
  /// Time in [0,1) of stratum k.
  float time(uint32_t k) const;
  /// Lens point in the unit disc of stratum k; which lens cell goes with k differs between the 4 classes of pixels.
  void lens(uint32_t k, float& x, float& y) const;
  /// Pixels of one class pair lens cells with time strata alike.
  static int lensClass(int px, int py) { return (px & 1) | ((py & 1) << 1); }
  static constexpr int kLensClasses = 4;

 private:
  friend SamplePoint samplePoint(const SamplingSpec& spec, int px, int py, int i);
  void position(int i, uint32_t subX, uint32_t subY, uint16_t& ux, uint16_t& uy) const;

  int xs_, ys_, n_, class_;
  bool jitter_;
  uint32_t seedX_, seedY_, seedTime_, seedJitter_, seedTimeJitter_, seedLens_;
};

}  // namespace reyes::hider
