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
#include <unordered_map>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/base/bound.h"
#include "reyes/base/half.h"
#include "reyes/base/isa.h"
#include "reyes/base/outline.h"
#include "reyes/base/stats.h"

namespace reyes::hider {

struct PatternTables;
struct SamplingSpec;
/// The sample patterns of a frame, to be shared by its buckets and filters through SamplingSpec::patterns.
std::shared_ptr<const PatternTables> makePatterns(const SamplingSpec& spec);

enum class DepthFilter { kMin, kMax, kAverage, kMidpoint };

/// Shape of the lens inside the unit disc: a polygon of `sides`, a corner at `angle` (degrees, from +x against the
/// clock on the screen); or, below 3 sides, the disc. roundness 0 has straight sides, 1 is the disc, -1 a star; density
/// 0 is even, -1 brightest in the middle, 1 at the rim.
struct LensShape {
  int sides = 0;
  float angle = 0, roundness = 0, density = 0;
  bool operator==(const LensShape&) const = default;
};

/// How much light a shutter lets through over 0..1: it opens until full[0], is wholly open until full[1] (0 <= full[0]
/// <= full[1] <= 1), and closes until 1. Evenly; or, `curved`, along two cubic Bezier curves of time and opening: from
/// (0, 0) to (full[0], 1) with the inner points (curve[0], curve[1]) and (curve[2], curve[3]), and from (full[1], 1) to
/// (1, 0) with the other four numbers. Inner points lie within the boxes of their ends.
struct ShutterShape {
  float full[2] = {0, 1};
  bool curved = false;
  float curve[8] = {};
  bool operator==(const ShutterShape&) const = default;
};

/// What every bucket of a view shares. Immutable.
struct SamplingSpec {
  int xSamples = 2, ySamples = 2;  ///< 1..128 each; more are clamped
  bool jitter = true;
  float shutterOpen = 0, shutterClose = 0;
  ShutterShape shutter;
  /// Thin lens; at depth z the circle of confusion's radius in pixels is lensPixels * |1/z - 1/focalDistance|
  /// (perspective) or lensPixels * |z/focalDistance - 1| (orthographic), x and y apart for the pixel's aspect. Lens
  /// point l moves a corner by l * lensPixels * (1/focalDistance - 1/z). 0 is a pinhole. A bound for a bucket must grow
  /// by the radius and 1/256 pixel; bounds of focused grids, moving or not, need no margin.
  float lensPixelsX = 0, lensPixelsY = 0, focalDistance = 0;
  LensShape lens;
  bool perspective = true;
  float near = 0, far = 1e30f;      ///< camera depths outside are not sampled
  float opacityThreshold = 0.996f;  ///< an accumulated opacity from which a sample is opaque
  float zThreshold = 0.996f;        ///< opacity from which a surface counts for z
  DepthFilter depthFilter = DepthFilter::kMin;
  int aovFloats = 0;  ///< floats a micropolygon vertex carries besides Ci, Oi
  /// Of each of them 0: that of the surface that gives the depth; 1, 2, 3: added up through what the red, green, blue
  /// of the opacities in front leave, as Ci is. Plus kAovOfMatte where matte surfaces have it, too. Empty: all 0.
  std::vector<uint8_t> aovThrough;
  bool tags = false;  ///< tiles keep whose their samples are: MicroGrid::tag
  bool depth = true;  ///< tiles keep depths, and which samples hit anything: for z and for FilterMode::kNearest
  int bandRows = 0;   ///< rows at the top and at the bottom of a tile that SampleTile::drop() frees apart
  Isa isa = Isa::kSse4;
  std::shared_ptr<const PatternTables> patterns;  ///< makePatterns(); null or of other counts: made where needed
};

inline constexpr uint8_t kAovThroughMask = 3, kAovOfMatte = 4;  ///< of SamplingSpec::aovThrough

/// Sample position inside its pixel (x, y in [0,1)), time in [0,1) of the shutter, lens point in the unit disc.
struct SamplePoint {
  float x, y, time, lensX, lensY;
};
/// Pure function of absolute pixel and sample number 0 <= i < xSamples * ySamples.
SamplePoint samplePoint(const SamplingSpec& spec, int px, int py, int i);

/// What the micropolygons of a grid are. Quads between neighbouring vertices; or unconnected discs, one a vertex: nv is
/// 1, nu the number of discs, values are flat; or ribbons: vertices 0..nu along their left borders (row 0) and right
/// ones (row 1), nv is 1, with micropolygons inside each run only; or cells: nu unconnected micropolygons, nv is 1, of
/// which all corners (0,0) come first, then all (1,0), (0,1), (1,1).
enum class GridKind : uint8_t { kQuads, kDiscs, kRibbons, kCells };

/// Consecutive vertices of one ribbon, and the box around both borders at all keys, without the lens.
struct RibbonRun {
  int first = 0, count = 0;
  RasterBound box;
};

/// What few grids have; whoever owns the grid owns it.
struct GridExtras {
  /// Samples outside this raster box are dropped (a displacement beyond its declared bound).
  RasterBound clip;
  bool hasClip = false;
  /// Quads of a trimmed surface: samples whose parameters are outside of the outline see nothing. Null: all see it.
  const Outline* outline = nullptr;
  std::span<const float> trimU, trimV;  ///< a vertex, with an outline

  std::span<const float> radius;  ///< discs: planes of `keys`, pixels along x
  float radiusAspect = 1;         ///< discs: radius along y / radius along x
  std::span<const RibbonRun> runs;
  /// Discs, or runs, in the order of the scene file: among grids with equal order >> 32, ties go to the lower element.
  std::span<const uint32_t> elements;
};
inline const GridExtras kNoExtras;

/// Where a diced grid is and how it is drawn, without its colours. Vertices are (nu+1) x (nv+1), u fastest; planes of
/// `keys` are one after the other: x[key * points + vertex]. x, y are raster pixels absolute in the frame, already
/// stitched at the borders; z is camera depth. Times are in shutter units 0..1 (0 open, 1 close), increasing; one key
/// is still. Flat shading: micropolygon (i, j) takes the values of vertex (i, j); smooth: bilinear over its corners.
struct GridShape {
  uint64_t order = 0;  ///< primitive path and grid in it: breaks ties in depth
  uint32_t tag = 0;    ///< below 2^31: whose it is, for SampleTile::shares()
  int nu = 0, nv = 0, keys = 1;
  GridKind kind = GridKind::kQuads;
  std::span<const float> times;
  std::span<const float> x, y, z;
  bool smooth = true;
  bool matte = false;
  /// Cull by raster orientation at the sample's time: 0 none, +1 drop clockwise, -1 drop counter-clockwise (y down).
  int cullFacing = 0;
  /// Of two grids that change over into each other some samples see the one, the others the other: those whose number,
  /// a hash of where they are in 0..1, lies in [shareFrom, shareTo).
  float shareFrom = 0, shareTo = 1;
  bool finiteValues = false;  ///< the caller knows that colours, opacities and output variables are numbers
  const GridExtras* extras = &kNoExtras;

  bool hasShare() const { return shareFrom > 0 || shareTo < 1; }
  int points() const { return kind == GridKind::kCells ? 4 * nu : kind == GridKind::kDiscs ? nu : (nu + 1) * (nv + 1); }
  /// From a vertex of a micropolygon to the next along u, and along v. Micropolygon mp has vertex mp / nu * (nu + 1) +
  /// mp % nu as its first, cells too.
  int stepU() const { return kind == GridKind::kCells ? nu : 1; }
  int stepV() const { return kind == GridKind::kCells ? 2 * nu : nu + 1; }
};

/// A diced, shaded grid.
struct MicroGrid : GridShape {
  std::span<const float> ci, oi;  ///< three planes each of points floats; oi empty: opaque
  std::span<const float> aov;     ///< aovFloats planes
};

/// How much of a sample's, or a pixel's, alpha (the mean of Oi's channels) is due to grids of a tag.
struct TagShare {
  uint32_t tag = 0;
  float share = 0;
};

/// The resolved samples of a bucket: per pixel, per sample colour, alpha, depth, output variables, after compositing.
/// Colour and opacity are composited front to back and truncated where every channel's opacity reaches
/// opacityThreshold. z is that of the nearest surface whose own opacity reaches zThreshold in every channel (midpoint:
/// half way to the next such surface, inf where there is none); output variables are those of that surface, else of the
/// nearest one, or composited as Ci (SamplingSpec::aovThrough). Matte surfaces add no colour, no opacity and, mostly,
/// zero output variables, but hide and have depth.
///
/// Pixels lie in strips of eight that start at multiples of eight, absolute: a strip has planes, a plane has samples, a
/// sample eight floats. What of a strip lies outside `rect` holds nothing (zeros, depth inf).
class SampleTile {
 public:
  static constexpr int kCi = 0, kOi = 3, kZ = 6, kAov = 7;
  enum State : uint8_t { kNothing, kSome, kOpaque };  ///< of a strip: no hits (its floats are not set), opaque all over

  SampleTile() = default;
  /// `grey`: the three channels of Oi are one plane. Without `depth`, kZ and hits are not kept.
  SampleTile(const PixelRect& rect, int samples, int aovFloats, bool grey, bool depth, int bandRows);

  PixelRect rect;
  int samples = 0;   ///< a pixel
  int channels = 0;  ///< floats a sample: Ci 3, Oi 3 (accumulated), z, aov...
  bool grey = false, depth = true;
  int strips = 0, planes = 0;  ///< strips of a row; planes of a strip

  int firstStrip() const { return rect.x0 >> 3; }
  /// Plane of a channel; -1 where it is not kept.
  int planeOf(int channel) const {
    if (channel < kOi) return channel;
    if (channel < kZ) return grey ? kOi : channel;
    const int z = grey ? kOi + 1 : kZ;
    return channel == kZ ? (depth ? z : -1) : z + (depth ? 1 : 0) + channel - kAov;
  }
  size_t planeFloats() const { return static_cast<size_t>(samples) * 8; }
  size_t stripFloats() const { return planeFloats() * static_cast<size_t>(planes); }
  /// Planes of strip k (from firstStrip()) in pixel row y.
  float* strip(int y, int k) { return row(y) + static_cast<size_t>(k) * stripFloats(); }
  const float* strip(int y, int k) const { return const_cast<SampleTile*>(this)->strip(y, k); }
  uint8_t& state(int y, int k) { return states_[stripIndex(y, k)]; }
  State state(int y, int k) const { return static_cast<State>(states_[stripIndex(y, k)]); }
  /// A byte a sample, a bit a pixel: anything there. Only with `depth`.
  uint8_t* hits(int y, int k) { return &hits_[stripIndex(y, k) * static_cast<size_t>(samples)]; }

  /// Starts to keep tags: of no sample yet.
  void keepTags();
  bool hasTags() const { return !tags_.empty(); }
  /// Shares of a sample, which must have none yet: of one tag once or more often, from front to back.
  void setShares(int x, int y, int sample, std::span<const TagShare> shares);
  std::span<const TagShare> shares(int x, int y, int sample) const;
  /// Equal for samples of equal shares, most often; -1 where there are none.
  int64_t sharesAt(int x, int y, int sample) const {
    const uint32_t at = tags_[tagAt(x, y, sample)];
    return at == kNoTag ? -1 : int64_t{at};
  }

  /// One value; what is not kept is inf for z, else 0.
  float value(int x, int y, int sample, int channel) const;
  bool hit(int x, int y, int sample) const;
  /// [(pixel * samples + sample) * channels + channel], for tests.
  std::vector<float> interleaved() const;
  /// Frees the first bandRows rows (0), the last ones (2), or those between (1), which are all where there are no more
  /// than 2 * bandRows; how many bytes. Two threads may do so at a time, with a band each.
  size_t drop(int band);
  size_t bytes() const;

 private:
  size_t stripIndex(int y, int k) const {
    return static_cast<size_t>(y - rect.y0) * static_cast<size_t>(strips) + static_cast<size_t>(k);
  }
  float* row(int y);
  size_t bandBytes(int band) const;
  size_t tagAt(int x, int y, int sample) const {
    return stripIndex(y, (x >> 3) - firstStrip()) * planeFloats() + static_cast<size_t>(sample) * 8 +
           static_cast<size_t>(x & 7);
  }

  int bandRows_ = 0;
  std::unique_ptr<float[]> bands_[3];  ///< of rows: the first, the middle, the last
  std::vector<uint8_t> states_, hits_;
  // Of each sample, [strip][sample][pixel]: a place in runs_, where a count as tag and that many shares are; or none.
  static constexpr uint32_t kNoTag = 0xffffffffu;
  std::vector<uint32_t> tags_;
  std::vector<TagShare> runs_;
  std::unordered_map<uint32_t, uint32_t> wholes_;  ///< runs of one tag that has a share of 1
};

class DeepTile;

/// What a bucket holds, bytes: places and times of samples, what is seen in front (depths and ids), transparent hits,
/// and what it works in: a few numbers a grid it was given, else of bounded size.
struct HiderBytes {
  size_t lattice = 0, opaque = 0, lists = 0, work = 0;
  size_t all() const { return lattice + opaque + lists + work; }
};

/// Where the samples of a frame are, whatever the bucket: what lies between them need not be drawn.
class SampleSites {
 public:
  explicit SampleSites(const SamplingSpec& spec);
  /// True where a sample lies in [x0, x1] x [y0, y1], in 1/512 pixel, absolute.
  bool any(int x0, int y0, int x1, int y1) const;
  /// The same of a box in pixels, a unit more on each side.
  bool any(const RasterBound& box) const;
  int samples() const { return samples_; }  ///< a pixel

 private:
  std::shared_ptr<const PatternTables> patterns_;
  int samples_;
};

/// Where something is while the shutter is open: a box at each key (`times`, in shutter units), straight from one to
/// the next, without what the lens does.
struct MovingBound {
  std::span<const float> times;
  std::span<const RasterBound> boxes;
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
  /// True where every sample that `bound` could touch is already covered by something opaque and nearer; so, too,
  /// where the bound lies between the samples that are not.
  bool hidden(const RasterBound& bound) const;
  /// The same of what moves or is out of focus: of each sample is asked what lies there at its own time, seen from its
  /// own point of the lens. `all` holds `path` at all times, as all of the lens sees it.
  bool hidden(const RasterBound& all, const MovingBound& path) const;
  /// Bust and sample. All spans of the grid must live until resolve(), which reads positions and values again. Returns
  /// the grid's place in this bucket, or -1 where it does not touch it.
  int rasterize(const MicroGrid& grid);
  /// The same of a grid without colours yet that is known to be opaque: setValues() follows where it isSeen().
  int rasterizeOpaque(const GridShape& shape);
  /// Samples that took something nearer than they had, since stats() was asked.
  int64_t hits() const;
  /// True where a sample sees something opaque of a grid, as far as is known now.
  bool isSeen(int place) const;
  /// Colours and output variables of a grid that was sampled without them; `grid` has no opacities.
  void setValues(int place, const MicroGrid& grid);
  /// Composites every sample's list front to back, truncating at the opacity threshold. `events`, if any, becomes what
  /// each surface adds to each sample, for deep pictures (hider/deep.h).
  SampleTile resolve(DeepTile* events = nullptr);
  /// Counts since construction (tests, hits, micropolygons, entries).
  const Stats& stats() const;
  HiderBytes bytesBy() const;
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

/// Shares of alpha of a rectangle's pixels, rows first: those of pixel p are shares[first[p]] to shares[first[p + 1]],
/// each tag once, in the order in which the filter meets them.
struct PixelShares {
  std::vector<uint32_t> first;
  std::vector<TagShare> shares;
};

/// A filter and its jobs made ready: weights of every pattern. Immutable, shared by all threads.
class PixelFilter {
 public:
  PixelFilter(const SamplingSpec& spec, const Filter& filter, std::span<const FilterJob> jobs);
  /// Filters pixels `target` from the tiles around them. `tileAt(px,py)` gives the tile holding a pixel, or null
  /// outside the sampled region (then the filter is renormalised over what exists). out[job] holds target.width() *
  /// target.height() * channels floats. Pure: same bits for any tiling.
  void operator()(const PixelRect& target, const std::function<const SampleTile*(int px, int py)>& tileAt,
                  std::span<std::vector<float>> out) const;
  /// Whose alpha the filtered alpha is, by the same weights: from tiles that keep tags.
  PixelShares shares(const PixelRect& target, const std::function<const SampleTile*(int px, int py)>& tileAt) const;

  struct Tables;  ///< known to hider/ only

 private:
  std::shared_ptr<const Tables> tables_;
};

}  // namespace reyes::hider
