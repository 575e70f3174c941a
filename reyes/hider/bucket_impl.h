// SPDX-License-Identifier: Apache-2.0
// The inside of BucketHider: planes of the lattice, lists, the z pyramid, the grids seen. Private to hider/:
// bucket_hider.cpp fills it, resolve.cpp reads it.
#pragma once

#include <memory>
#include <vector>

#include "reyes/hider/raster.h"
#include "reyes/hider/resolve_kernels.h"

namespace reyes::hider {

class EventRow;

/// A transparent hit, 12 bytes; lists of a sample are chained from newest to oldest.
struct ListEntry {
  float z;
  uint32_t id;
  uint32_t next;
};

/// Entries of a bucket, in blocks: no copies and no more than a block to spare, however many there are.
class EntryPool {
 public:
  uint32_t add(const ListEntry& e) {
    const uint32_t at = count_++;
    if (at >> kBits == blocks_.size())
      blocks_.push_back(std::make_unique_for_overwrite<ListEntry[]>(size_t{1} << kBits));
    blocks_[at >> kBits][at & kMask] = e;
    return at;
  }
  const ListEntry& operator[](uint32_t at) const { return blocks_[at >> kBits][at & kMask]; }
  /// Forgets all; keeps some room for the next bucket.
  void clear() {
    count_ = 0;
    if (blocks_.size() > kKept) blocks_.resize(kKept);
  }
  size_t bytes() const { return (blocks_.size() * sizeof(ListEntry)) << kBits; }

 private:
  static constexpr uint32_t kBits = 12, kMask = (1u << kBits) - 1;
  static constexpr size_t kKept = 256;
  uint32_t count_ = 0;
  std::vector<std::unique_ptr<ListEntry[]>> blocks_;
};

struct GridRecord {
  MicroGrid grid;
  uint32_t idBase = 0;
  bool moving = false;
  bool repair = false;  ///< some value is no number
  PixelRect reach;      ///< pixels that it may have samples in, from the bucket's corner
};

/// Raster coordinate in whole units; `origin` in pixels. Non-finite positions never get here.
inline int32_t toUnits(float v, int origin) {
  const float u = std::min(std::max(v * static_cast<float>(kUnits), -kMaxUnits), kMaxUnits);
  return static_cast<int32_t>(__builtin_rintf(u)) - origin * kUnits;
}

/// Signed shift, in pixels a unit of lens, of a point at depth z (SamplingSpec::lensPixels).
inline float circleOfConfusion(const SamplingSpec& spec, float z) {
  constexpr float kMost = 1e6f;  // a lens touching the point: everything is spread, nothing is infinite
  const float c = spec.perspective ? 1 / spec.focalDistance - 1 / std::max(z, 1e-6f) : z / spec.focalDistance - 1;
  return std::min(std::max(c, -kMost), kMost);
}
inline bool hasLens(const SamplingSpec& spec) {
  return (spec.lensPixelsX > 0 || spec.lensPixelsY > 0) && spec.focalDistance > 0;
}

struct BucketHider::Impl {
  explicit Impl(const SamplingSpec& s);

  SamplingSpec spec;
  std::shared_ptr<const PatternTables> patterns;
  const PatternTables& pattern;
  PixelRect rect;
  const Kernels* kernel;
  RasterContext ctx;
  Stats stats;

  // The lattice.
  std::vector<float> sampleX, sampleY, z, z2;
  std::vector<uint32_t> id;
  // Times and lens points in lattice order, and the blocks of strips; filled when the first moving grid comes.
  bool motionReady = false;
  std::vector<float> sampleTime, sampleLensX, sampleLensY;
  std::vector<uint32_t> stripBlocks;   ///< StrataLattice::strip
  std::vector<uint32_t> stratumOrder;  ///< StrataLattice::byStratum
  std::unique_ptr<MovingScratch> movingScratch;
  // Transparent hits.
  std::vector<uint32_t> heads;
  EntryPool entries;
  bool anyList = false;
  // The pyramid: samples -> pixels -> bucket, brought up to date when asked.
  std::vector<float> pixelMax;
  std::vector<uint8_t> dirty;
  bool anyDirty = true;
  float bucketMax = kInf;
  std::vector<PathSegment> segments;  ///< scratch of hidden()
  // Grids of this bucket and scratch of the current one.
  std::vector<GridRecord> grids;
  uint32_t nextId = 0;
  std::vector<int32_t> vertexX, vertexY;
  std::vector<float> vertexZ, keyX, keyY, keyZ, keyCoc, keyRadius;
  std::vector<float> runX, runY, runZ;
  std::vector<uint8_t> vertexFlags;
  std::vector<MpClass> classes;
  std::vector<Hit> hits;
  bool checkClip = false;
  // Scratch of resolve: samples with nothing in front that see many grids, as they come and by grid.
  struct OpaqueSample {
    uint32_t at, grid;
    float* to;  ///< in the tile
  };
  std::vector<OpaqueSample> opaque, ordered;
  std::vector<uint32_t> gridOfBlock, gridStart;
  static constexpr size_t kNotPacked = SIZE_MAX, kTooFar = SIZE_MAX - 1;
  std::unique_ptr<EventRow> events;  ///< once deep samples were asked for
  std::vector<size_t> packedAt;      ///< of each grid: first of its vertices in `packed`
  std::vector<float> packed;         ///< ResolveGrid::packed, of so many floats at most, or of one grid
  static constexpr size_t kMostPacked = size_t{1} << 19;
  static constexpr size_t kMostOpaque = size_t{1} << 13;  ///< samples in `opaque` at a time

  int samples() const { return ctx.lattice.xs * ctx.lattice.ys; }
  size_t pixelAt(int px, int py, int i) const {  ///< lattice index; px, py from the bucket's corner
    const Lattice& l = ctx.lattice;
    return static_cast<size_t>(py * l.ys + i / l.xs) * static_cast<size_t>(l.stride) +
           static_cast<size_t>(px * l.xs + i % l.xs);
  }
  const GridRecord& recordOf(uint32_t triangle) const;
  /// The names of a grid's triangles begin with a block of their own.
  static constexpr uint32_t kBlockBits = 6;
  void takeIds(uint32_t triangles) {
    constexpr uint32_t kMask = (1u << kBlockBits) - 1;
    nextId += (triangles + kMask) & ~kMask;
  }
  /// Fills gridOfBlock; then gridIndexOf() finds the grid of a triangle at once.
  void indexGrids();
  uint32_t gridIndexOf(uint32_t triangle) const { return gridOfBlock[triangle >> kBlockBits]; }
  /// True where triangle a goes before b at equal depth.
  bool before(uint32_t a, uint32_t b) const;

  void reset(const PixelRect& r);
  void fillPositions();
  /// Rows of the patterns into the lattice, with a step a pixel added.
  void copyRows(const std::vector<float>& rows, int stepX, int stepY, float* to) const;
  void fillMotion();
  bool orderByStratum();
  void rasterize(const MicroGrid& grid);
  bool isSeen(size_t place) const;
  void setValues(size_t place, const MicroGrid& grid);
  bool prepareStill(const MicroGrid& grid, RasterBound& box);
  bool prepareMoving(const MicroGrid& grid, RasterBound& box);
  void classify(const MicroGrid& grid);
  // Discs and ribbons (element_grid.cpp).
  void rasterizeElements(const MicroGrid& grid);
  void rasterizeDiscs(const MicroGrid& grid);
  void rasterizeRibbons(const MicroGrid& grid);
  void rasterizeRun(const MicroGrid& grid, const RibbonRun& run, const RasterBound& box);
  bool prepareRun(const MicroGrid& grid, size_t first, size_t count);
  bool startElements(const MicroGrid& grid, const RasterBound& box);
  /// Whether some value of a grid is no number; those are counted.
  bool needsRepair(const MicroGrid& grid);
  RasterBound spreadByLens(RasterBound box) const;
  MpClass classOf(const MicroGrid& grid, size_t a, size_t b) const;
  /// The element of a triangle of a grid that has elements.
  static uint32_t elementOf(const GridRecord& record, uint32_t triangle);
  /// Tests what is set up in ctx against the samples in `box`, and takes the hits.
  void sampleGrid(bool moving, const RasterBound& box);
  static bool leavesClip(const MicroGrid& grid, const RasterBound& box);
  void addGrid(const MicroGrid& grid, bool moving, const PixelRect& reach);
  /// In 0..1, by the sample's place in the frame.
  float shareNumber(uint32_t sample) const;
  void drain();
  void insertOpaque(uint32_t sample, float depth, uint32_t triangle);
  PixelRect pixelsOf(const RasterBound& box) const;  ///< from the bucket's corner, inside it
  void markDirty(const RasterBound& box);
  // What is hidden (hidden.cpp).
  /// The farthest of a pixel, from the pyramid.
  float pixelTop(int px, int py);
  bool missesOpen(const RasterBound& b, int px, int py) const;
  PixelRect reachedBy(const RasterBound& bound) const;
  bool hidden(const RasterBound& bound);
  bool hidden(const RasterBound& all, const MovingBound& path);
  bool anyOpen(const PathSegment& s, size_t at, int count) const;
  bool anyOpen(int y, int x, int end, float nearest, int& budget);
  int worthAsking(const PixelRect& r, float nearest) const;
  SampleTile resolve(DeepTile* events);
  /// Whose the samples are that needed no compositing.
  void tagSamples(SampleTile& tile) const;
  /// Values of `opaque`, grid by grid.
  void resolveByGrid(SampleTile& tile);
  /// Corner v of a moving or defocused grid as sample `sample` sees it: whole units from the bucket's corner.
  void movedVertex(const MicroGrid& grid, size_t v, size_t sample, double& x, double& y) const;
};

}  // namespace reyes::hider
