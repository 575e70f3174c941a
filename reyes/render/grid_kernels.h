// SPDX-License-Identifier: Apache-2.0
// Loops over the vertices of a grid between dicing and the hider: into the raster, boxes, how far displacement went.
// One table an instruction set, each with the same bits. Called when grids are built.
#pragma once

#include "reyes/base/bound.h"
#include "reyes/base/isa.h"
#include "reyes/base/vec.h"

namespace reyes::render {

/// How Projector::toRaster() works, as numbers.
struct RasterNumbers {
  bool perspective = true;
  bool dropBehind = false;  ///< x of what lies before `eyeDepth` becomes no number
  float eyeDepth = 0, scaleX = 1, scaleY = 1, centreX = 0, centreY = 0;
};

struct GridKernels {
  /// Camera space to the raster: n points.
  void (*project)(const RasterNumbers& view, int n, const float* const camera[3], float* x, float* y, float* z);
  /// Adds to `box` the points whose coordinates are all finite; returns how many.
  int (*box)(int n, const float* x, const float* y, const float* z, RasterBound& box);
  /// The largest |after - before| of n numbers; `finite` becomes false where some `after` is not.
  float (*largestMove)(int n, const float* before, const float* after, bool& finite);
};

const GridKernels& gridKernels(Isa isa);
/// That of the best set of this machine.
const GridKernels& gridKernels();

}  // namespace reyes::render
