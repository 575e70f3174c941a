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

/// When a face is one micropolygon (cells.h): no side longer than `edge` pixels as it is measured, all of it before
/// `near`.
struct CellRule {
  float edgeSquared = 1, near = 0;
  bool perspective = true;
};

struct GridKernels {
  /// n points by an affine matrix, the rows of a Matrix4, as transformPoint().
  void (*transform)(const float (*m)[4], int n, float* const p[3]);
  /// Faces with corners in raster planes of 4 n numbers. False where the rule does not hold for all of them; else `box`
  /// gets their least x, least y, most x, most y in the hider's 1/512 pixel, n of each.
  bool (*cells)(const CellRule& rule, int n, const float* x, const float* y, const float* z, int32_t* box);
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
