// SPDX-License-Identifier: Apache-2.0
// The hider: micropolygon grids in, sample tiles out, pixels from tiles. Plain data: knows no attributes, no shaders.
// Called by render/, one BucketHider a bucket task; no locks here.
//
// Same picture always: sample positions, times and lens points are pure functions of the pixel (absolute in the frame)
// and the sample number; equal depths go to the lower `order`; filtering adds per (source pixel, target pixel) partial
// sums in source-pixel order. A micropolygon's hits do not depend on the bucket that asks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/base/bound.h"
#include "reyes/base/half.h"
#include "reyes/base/isa.h"
#include "reyes/base/stats.h"

namespace reyes::hider {

enum class DepthFilter { kMin, kMax, kAverage, kMidpoint };

/// What every bucket of a view shares. Immutable.
struct SamplingSpec {
  int xSamples = 2, ySamples = 2;  ///< 1..128 each; more are clamped
  bool jitter = true;
  float shutterOpen = 0, shutterClose = 0;
  /// Thin lens; at depth z the circle of confusion's radius in pixels is lensPixels * |1/z - 1/focalDistance|
  /// (perspective) or lensPixels * |z/focalDistance - 1| (orthographic), x and y apart for the pixel's aspect. Lens
  /// point l moves a corner by l * lensPixels * (1/focalDistance - 1/z). 0 is a pinhole. A bound for a bucket must grow
  /// by the radius and 1/256 pixel; bounds of focused grids, moving or not, need no margin.
  float lensPixelsX = 0, lensPixelsY = 0, focalDistance = 0;
  bool perspective = true;
  float near = 0, far = 1e30f;      ///< camera depths outside are not sampled
  float opacityThreshold = 0.996f;  ///< an accumulated opacity from which a sample is opaque
  float zThreshold = 0.996f;        ///< opacity from which a surface counts for z
  DepthFilter depthFilter = DepthFilter::kMin;
  int aovFloats = 0;  ///< floats a micropolygon vertex carries besides Ci, Oi
  Isa isa = Isa::kSse4;
};

/// Sample position inside its pixel (x, y in [0,1)), time in [0,1) of the shutter, lens point in the unit disc.
struct SamplePoint {
  float x, y, time, lensX, lensY;
};
/// Pure function of absolute pixel and sample number 0 <= i < xSamples * ySamples.
SamplePoint samplePoint(const SamplingSpec& spec, int px, int py, int i);

/// A diced, shaded grid. Vertices are (nu+1) x (nv+1), u fastest; planes of `keys` are one after the other:
/// x[key * points + vertex]. x, y are raster pixels absolute in the frame, already stitched at the borders; z is
/// camera depth. Times are in shutter units 0..1 (0 open, 1 close), increasing; one key is still.
/// Flat shading: micropolygon (i, j) takes the values of vertex (i, j); smooth: bilinear over its corners.
struct MicroGrid {
  uint64_t order = 0;  ///< primitive path and grid in it: breaks ties in depth
  int nu = 0, nv = 0, keys = 1;
  std::span<const float> times;
  std::span<const float> x, y, z;
  std::span<const float> ci, oi;  ///< three planes each of points floats; oi empty: opaque
  std::span<const float> aov;     ///< aovFloats planes
  bool smooth = true;
  bool matte = false;
  /// Cull by raster orientation at the sample's time: 0 none, +1 drop clockwise, -1 drop counter-clockwise (y down).
  int cullFacing = 0;
  /// Samples outside this raster box are dropped (a displacement beyond its declared bound). Empty box: no clip.
  RasterBound clip;
  bool hasClip = false;

  int points() const { return (nu + 1) * (nv + 1); }
};

/// The resolved samples of a bucket: per pixel, per sample colour, alpha, depth, output variables, after compositing.
/// Colour and opacity are composited front to back and truncated where every channel's opacity reaches
/// opacityThreshold. z is that of the nearest surface whose own opacity reaches zThreshold in every channel (midpoint:
/// half way to the next such surface, inf where there is none); output variables are those of that surface, else of the
/// nearest one. Matte surfaces add no colour, no opacity and zero output variables, but hide and have depth.
struct SampleTile {
  PixelRect rect;
  int samples = 0;            ///< a pixel
  int channels = 0;           ///< floats a sample: Ci 3, Oi 3 (accumulated), z, aov...
  std::vector<float> values;  ///< [(pixel * samples + sample) * channels + channel]; z is inf where nothing is hit
  std::vector<uint8_t> hit;   ///< [pixel * samples + sample]: anything there
  std::vector<uint16_t> unitX, unitY;  ///< [pixel * samples + sample]: position in 1/512 pixel; empty: from samplePoint
  static constexpr int kCi = 0, kOi = 3, kZ = 6, kAov = 7;
};

/// One bucket's samples. Single-threaded; memory is reused from bucket to bucket by reset().
class BucketHider {
 public:
  explicit BucketHider(const SamplingSpec& spec);
  ~BucketHider();
  BucketHider(const BucketHider&) = delete;
  BucketHider& operator=(const BucketHider&) = delete;

  /// Starts a bucket over `rect` (absolute pixels).
  void reset(const PixelRect& rect);
  /// True where every sample that `bound` could touch is already covered by something opaque and nearer.
  bool hidden(const RasterBound& bound) const;
  /// Bust and sample. All spans of the grid must live until resolve(), which reads positions and values again.
  void rasterize(const MicroGrid& grid);
  /// Composites every sample's list front to back, truncating at the opacity threshold.
  SampleTile resolve();
  /// Counts since construction (tests, hits, micropolygons, entries).
  const Stats& stats() const;
  size_t bytes() const;

  struct Impl;  ///< known to hider/ only

 private:
  std::unique_ptr<Impl> impl_;
};

/// Filters of RI 3.2 and friends, by the spec's formulas; any width in pixels. Unknown names: false from valid().
class Filter {
 public:
  Filter(const std::string& name, float xWidth, float yWidth);
  bool valid() const { return valid_; }
  float operator()(float x, float y) const;
  float xRadius() const { return xWidth_ / 2; }
  float yRadius() const { return yWidth_ / 2; }
  /// Pixels on each side of a target pixel whose samples reach it.
  int xReach() const;
  int yReach() const;
  static bool known(const std::string& name);
  /// True where operator()(x, y) is along(x, true) * along(y, false), bit for bit.
  bool separable() const;
  float along(float offset, bool x) const;
  /// True where an offset along an axis is inside the support.
  bool reaches(float offset, bool x) const;
  /// Of a separable filter, along() at the sample units of pixels -reach..reach: [(pixel + reach) * 512 + unit].
  /// Otherwise 1 inside the support.
  const std::vector<float>& table(bool x) const { return x ? xTable_ : yTable_; }

 private:
  int kind_ = 0;
  float xWidth_, yWidth_;
  bool valid_ = true;
  std::vector<float> xTable_, yTable_;
};

enum class FilterMode {
  kFilter,  ///< weighted mean of `channels` by the filter (colour of nothing is 0)
  kZMin,
  kZMax,
  kZAverage,
  kZMidpoint,  ///< depth by depth filter over the pixel's own samples; inf where nothing is
  kNearest,    ///< the value of the sample nearest in depth; nothing is averaged (ids, P, N when asked)
};

/// A group of tile channels that becomes image channels.
struct FilterJob {
  FilterMode mode = FilterMode::kFilter;
  int firstChannel = 0, channels = 3;  ///< in the tile
};

/// Filters pixels `target` from the tiles around them. `tileAt(px,py)` gives the tile holding a pixel, or null outside
/// the sampled region (then the filter is renormalised over what exists). out[job] holds target.width() * height() *
/// channels floats. Pure: same bits for any tiling.
void filterPixels(const SamplingSpec& spec, const Filter& filter, std::span<const FilterJob> jobs,
                  const PixelRect& target, const std::function<const SampleTile*(int px, int py)>& tileAt,
                  std::span<std::vector<float>> out);

}  // namespace reyes::hider
