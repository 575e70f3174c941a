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
#include "reyes/hider/sampling.h"

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

/// Eight samples of a pixel, together what one test takes.
struct SampleBlock {
  float x[8], y[8];  ///< units from the bucket's corner
  float time[8], lensX[8], lensY[8];
  uint32_t sample[8];  ///< index into the lattice
};

/// One sample, for kernels that pick them one by one.
struct alignas(32) SampleRecord {
  float x, y, time;
  uint32_t sample;
  float lensX, lensY, unused[2];
};

/// Sides of what bounds a group of samples.
enum GroupSide { kTime0, kTime1, kLensX0, kLensY0, kLensX1, kLensY1, kGroupSides };

/// The samples again, eight to a block: block [pixel * groups + group]. A group holds the same strata in every pixel of
/// a class, so its times and lens points keep to bounds: [(class * kGroupSides + side) * padded + group].
struct SampleGroups {
  int groups = 0, padded = 0, classes = 1;
  const SampleBlock* blocks = nullptr;
  const float* bounds = nullptr;
};

/// Samples by time and by lens, and the bounds of single strata.
struct StrataLattice {
  int strata = 0, width = 0, height = 0;
  SampleGroups byTime;  ///< strata in order; no classes
  SampleGroups byLens;  ///< strata whose lens points are near each other; kLensClasses, empty without a lens
  SampleGroups single;  ///< bounds alone, of each stratum for itself
  const SampleRecord* records = nullptr;  ///< [pixel * strata + stratum]
  const float* pixelMax = nullptr;        ///< depth behind which nothing matters in a pixel, or farther
};

/// A grid in raster units from the bucket's corner.
struct RasterGrid {
  int nu = 0, nv = 0;
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
  uint32_t* queue = nullptr;  ///< candidates of the moving kernels, queueCapacity long
  int queueCapacity = 0;
  int queued = 0;
  int64_t tests = 0, hitTotal = 0, micropolygons = 0, culled = 0;

  [[gnu::always_inline]] void push(uint32_t sample, uint32_t id, float z) {
    if (hitCount == hitCapacity) flush(*this);
    hits[hitCount++] = {sample, id, z};
  }
};

/// One set a instruction set.
struct Kernels {
  void (*still)(RasterContext&);
  void (*moving)(RasterContext&);
  void (*discs)(RasterContext&);
  void (*movingDiscs)(RasterContext&);
};
const Kernels& kernels(Isa isa);

}  // namespace reyes::hider
