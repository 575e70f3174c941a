// SPDX-License-Identifier: Apache-2.0
// The samples of the patterns by time stratum, as the kernels of moving and defocused grids want them, and bounds of
// each stratum. Made once a frame, when the first such grid comes (PatternTables::strata). Private to hider/.
#pragma once

#include <cstdint>
#include <vector>

namespace reyes::hider {

struct PatternTables;

/// Eight samples: of one stratum in the pixels of a strip, or of eight strata one after the other in a pixel.
struct alignas(32) StrataBlock {
  float x[8], y[8];  ///< units from the strip's corner, or the pixel's
  float time[8], lensX[8], lensY[8];
  int32_t cell[8];  ///< row of the lattice << 16 | column, from that corner
};

/// Sides of what bounds a stratum.
enum StratumSide { kTime0, kTime1, kLensX0, kLensY0, kLensX1, kLensY1, kStratumSides };

struct StrataTables {
  explicit StrataTables(const PatternTables& patterns);

  int padded, groups, paddedGroups;  ///< strata, and eights of strata, rounded up to eight
  std::vector<StrataBlock> blocks;   ///< [strip * n + stratum]
  std::vector<StrataBlock> eights;   ///< [pattern * groups + stratum / 8]
  /// [(class * kStratumSides + side) * padded + stratum]; all classes have the same times.
  std::vector<float> bounds;
  std::vector<float> eightBounds;  ///< the same of eights, all classes in one
};

}  // namespace reyes::hider
