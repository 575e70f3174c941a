// SPDX-License-Identifier: Apache-2.0
// Where, when and through which part of the lens a pixel is sampled. Serves the hider (lattices of a bucket), its
// resolve and the pixel filter. Everything is a pure function of the absolute pixel and the sample number.
//
// Sample i lies in cell (i % xSamples, i / xSamples) of its pixel. Positions are whole units of 1/512 pixel, 1..511:
// never on a pixel's border, so that geometry which ends on a pixel border is exact, and so that edge functions of
// micropolygons are exact integers (see raster.h).
//
// A frame has some hundreds of patterns, made once. Eight pixels that start at a multiple of eight are a strip; a hash
// of the strip's place picks eight patterns for it. So pixels look unlike each other, a pixel costs a copy, and kernels
// that take eight pixels at a time find positions and filter weights side by side.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "reyes/base/hash.h"
#include "reyes/hider/hider.h"

namespace reyes::hider {

inline constexpr int kUnitBits = 9;
inline constexpr int kUnits = 1 << kUnitBits;  ///< sub-pixel positions a pixel side
inline constexpr int kMaxSamples = 128;        ///< a pixel side; more are clamped
inline constexpr int kStripPixels = 8;

/// Number of samples on each side after clamping to 1..kMaxSamples.
inline int clampSamples(int n) { return n < 1 ? 1 : n > kMaxSamples ? kMaxSamples : n; }

/// Pixels of one class pair lens cells with time strata alike.
inline constexpr int kLensClasses = 4;
inline int lensClass(int px, int py) { return (px & 1) | ((py & 1) << 1); }

/// Strip of patterns, of `strips`, for the pixels sx * 8 .. sx * 8 + 7 of row py. Its parity is py's, so that a pattern
/// has one lens class.
inline int stripAt(int strips, int sx, int py) {
  const uint64_t place = (static_cast<uint64_t>(static_cast<uint32_t>(py)) << 32) | static_cast<uint32_t>(sx);
  const uint32_t h = static_cast<uint32_t>(mix64(place) >> 32);
  return static_cast<int>((h & static_cast<uint32_t>(strips - 1) & ~1u) | (static_cast<uint32_t>(py) & 1u));
}

struct StrataTables;

/// The patterns of a frame.
struct PatternTables {
  explicit PatternTables(const SamplingSpec& spec);
  ~PatternTables();

  int xs, ys, n;  ///< samples along x and y, and of a pixel
  bool jitter;    ///< off: everything at the middle of its cell or stratum
  LensShape lens;
  ShutterShape shutter;
  int strips;  ///< a power of two; pattern = strip * 8 + pixel in strip
  int lensColumns = 1, lensRows = 1;
  std::vector<uint16_t> lensCell;               ///< [class * n + stratum]: row * lensColumns + column
  std::vector<uint16_t> unitX, unitY, stratum;  ///< [pattern * n + sample]
  std::vector<float> time, lensX, lensY;        ///< [pattern * n + stratum]: time 0..1, point of the unit disc
  /// Rows of a strip as the lattice wants them: [(strip * ys + row) * 8 xs + column]. Positions are units from the
  /// strip's corner; times and lens points those of the samples' strata.
  std::vector<float> rowX, rowY, rowTime, rowLensX, rowLensY;

  /// The samples by strata; made when first asked for, by whatever thread.
  const StrataTables& strata() const;

  int patterns() const { return strips * kStripPixels; }
  int stripAt(int sx, int py) const { return hider::stripAt(strips, sx, py); }
  int patternAt(int px, int py) const { return stripAt(px >> 3, py) * kStripPixels + (px & 7); }

 private:
  mutable std::once_flag strataOnce_;
  mutable std::unique_ptr<const StrataTables> strata_;
};

/// Those of the spec, or new ones where it has none that fit.
std::shared_ptr<const PatternTables> patternsOf(const SamplingSpec& spec);

}  // namespace reyes::hider
