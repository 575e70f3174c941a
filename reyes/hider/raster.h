// SPDX-License-Identifier: Apache-2.0
// What the sampling kernels (*.isa.cpp) and the bucket share: the sample lattice, a grid in raster units, hits.
// Private to hider/.
//
// Watertight by exact arithmetic. Vertices are rounded to whole units of 1/512 pixel and samples lie on whole units,
// so the edge function of a micropolygon is an integer; floats hold it exactly for micropolygons up to 4 pixels wide,
// doubles for any other. A sample on an edge belongs to the side that contains (x - e^2, y + e): E >= 0 for edges whose
// direction has dx > 0 or dx = 0, dy >= 0, E > 0, that is E - 1 >= 0, for the others. Being exact, the rule tiles the
// plane: a sample of a region is in exactly one of the triangles that tile it, and no result depends on the bucket,
// the kernel or the instruction set.
#pragma once

#include <cstdint>
#include <limits>

#include "reyes/hider/hider.h"
#include "reyes/hider/moving_scratch.h"
#include "reyes/hider/sampling.h"
#include "reyes/hider/strata_tables.h"

namespace reyes::hider {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
/// Widest micropolygon of the float kernels, units.
inline constexpr int kSmallUnits = 4 * kUnits - 1;
/// Raster coordinates are clamped here, units (about 260,000 pixels).
inline constexpr float kMaxUnits = 0x1p27f;
/// Floats that kernels may read beyond the end of a plane.
inline constexpr int kLanePad = 16;

/// A candidate: sample `sample` of the lattice sees triangle `id` at depth z.
struct Hit {
  uint32_t sample;
  uint32_t id;
  float z;
};

/// The last two are as the two before them, for micropolygons on the border of an outline: hits ask it.
enum class MpClass : uint8_t { kSkip = 0, kOpaque = 1, kList = 2, kCutOpaque = 3, kCutList = 4 };

/// Lattice of a bucket: row r, column c is cell (c % xs, r % ys) of pixel (c / xs, r / ys). Planes of stride * rows
/// floats and kLanePad more; z of padding is -inf, so that nothing ever lands there.
struct Lattice {
  int xs = 1, ys = 1;
  int columns = 0, rows = 0, stride = 0;
  int originX = 0, originY = 0;            ///< first pixel
  const float *x = nullptr, *y = nullptr;  ///< units from the bucket's corner
  float* z = nullptr;                      ///< nearest opaque depth
  const float* limit = nullptr;            ///< depth behind which nothing matters (z, or the second depth for midpoint)
  uint32_t* id = nullptr;                  ///< nearest opaque micropolygon
};

/// Bounds of strata, or of eights of them.
struct StrataBounds {
  int count = 0, padded = 0;
  const float* sides = nullptr;  ///< StrataTables::bounds, or eightBounds
};

/// Samples by time, for grids that move or are out of focus.
struct StrataLattice {
  int strata = 0;             ///< of a pixel
  int width = 0, height = 0;  ///< pixels of the bucket
  // Strips of a row of pixels: the first lane of the first (pixels from the bucket's corner, 0 or less), the lanes of
  // the first and last that are in the bucket, and the strip of the patterns: [row * strips + strip].
  int strips = 0, firstLane = 0;
  uint32_t firstMask = 0xff, lastMask = 0xff;
  const uint32_t* strip = nullptr;
  StrataBounds single, eight;
  const StrataBlock *blocks = nullptr, *eights = nullptr;           ///< StrataTables
  const float *time = nullptr, *lensX = nullptr, *lensY = nullptr;  ///< in lattice order
  MovingScratch* scratch = nullptr;
};

/// A grid in raster units from the bucket's corner.
struct RasterGrid {
  int nu = 0, nv = 0;
  int stepU = 1, stepV = 0, points = 0;  ///< as MicroGrid has them
  const int32_t *x = nullptr, *y = nullptr;
  const float* z = nullptr;
  const MpClass* classes = nullptr;  ///< nu * nv, or null: all opaque
  uint32_t idBase = 0;               ///< triangle ids are idBase + 2 * micropolygon + triangle
  int cullFacing = 0;
  // Moving or defocused: planes of `keys`, absolute units, not rounded.
  int keys = 1;
  const float *fx = nullptr, *fy = nullptr, *fz = nullptr, *coc = nullptr;
  const float* times = nullptr;
  bool lens = false;
  float lensX = 0, lensY = 0;  ///< units of shift for coc 1
  // Discs: nu of them, centres fx, fy, fz and coc as above (still ones too), radii in units.
  const float* radius = nullptr;
  float aspect = 1;  ///< radius along y / radius along x
};

/// Everything a kernel reads and writes.
struct RasterContext {
  Lattice lattice;
  StrataLattice strata;
  RasterGrid grid;
  float near = 0, far = kInf;
  bool hitsOnly = false;  ///< no direct writes: every candidate goes through `hits`
  Hit* hits = nullptr;
  int hitCount = 0, hitCapacity = 0;
  void (*flush)(RasterContext&) = nullptr;
  void* owner = nullptr;
  int64_t tests = 0, hitTotal = 0, micropolygons = 0, culled = 0;

  [[gnu::always_inline]] void push(uint32_t sample, uint32_t id, float z) {
    if (hitCount == hitCapacity) flush(*this);
    hits[hitCount++] = {sample, id, z};
  }
};

/// A box on its way from one key to the next (MovingBound), in whole units from the bucket's corner: hidden.cpp.
struct PathSegment {
  float from, to;                                      ///< samples of these times
  float start, inverse;                                ///< a sample is (time - start) * inverse of the way along it
  float low[2], lowChange[2], high[2], highChange[2];  ///< x, y
  float z, zChange;                                    ///< nearest
  float least, leastChange, most, mostChange;          ///< circles of confusion
  float spread[2];                                     ///< units a lens point of 1 moves where that is 1
};

/// Samples of a row of the lattice; lens points only with a lens. Eight lanes may be read from the last.
struct PathSamples {
  const float *x, *y, *time, *lensX, *lensY, *limit;
  int count;
};

/// One set a instruction set.
struct Kernels {
  void (*still)(RasterContext&);
  void (*moving)(RasterContext&);
  void (*discs)(RasterContext&);
  void (*movingDiscs)(RasterContext&);
  bool (*pathOpen)(const PathSegment&, const PathSamples&);
};
const Kernels& kernels(Isa isa);

}  // namespace reyes::hider
