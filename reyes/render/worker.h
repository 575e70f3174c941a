// SPDX-License-Identifier: Apache-2.0
// What one thread of a frame works with, and what all threads of a frame share. Plain data; render_frame.cpp fills it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "reyes/render/attribute_facts.h"
#include "reyes/render/block_pool.h"
#include "reyes/render/buckets.h"
#include "reyes/render/recent.h"
#include "reyes/render/unshaded.h"

namespace reyes::render {

/// Grids on their way, kept for reuse by one thread. A grid may be given to another thread's pool than it came from.
class GridWorkPool {
 public:
  std::unique_ptr<GridWork> take();
  void give(std::unique_ptr<GridWork> work);

 private:
  std::vector<std::unique_ptr<GridWork>> free_;
};

/// Faces on their way into a grid of cells (cells.cpp).
struct CellRoom {
  std::vector<float> object, next, raster;  ///< corners of a block of faces: one key, its next, all keys in the raster
  std::vector<int32_t> box;
  std::vector<uint32_t> faces;  ///< kept
  std::vector<float> kept;      ///< their corners: a face, a key, x y z, four corners
};

/// Shared by all threads of a frame.
struct FrameShared {
  const scene::World* world = nullptr;
  const scene::View* view = nullptr;
  const Projector* projector = nullptr;
  const OutputPlan* outputs = nullptr;
  Buckets* buckets = nullptr;
  const hider::SampleSites* sites = nullptr;
  Diagnostics* diag = nullptr;
  float rateScale = 1;
  std::atomic<bool> beyondSaid{false};  ///< a procedural whose content is larger than its bound
  std::mutex keptMutex;
  std::vector<scene::AttributesPtr> kept;               ///< of procedurals that are gone; under keptMutex
  std::vector<std::unique_ptr<Expansion>> troubled;     ///< crowds of which something is to be said; under keptMutex
  std::vector<uint32_t> crowdMembers;                   ///< places in World::primitives
  std::atomic<int64_t> gridBytes{0}, peakGridBytes{0};  ///< of all threads, as they told

  void addGridBytes(int64_t n) {
    const int64_t now = gridBytes.fetch_add(n, std::memory_order_relaxed) + n;
    int64_t peak = peakGridBytes.load(std::memory_order_relaxed);
    while (now > peak && !peakGridBytes.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }
};

/// One thread's own.
struct Worker {
  int thread = 0;  ///< its number
  FrameShared* frame = nullptr;
  std::unique_ptr<GridShader> shader;
  std::unique_ptr<AttributeFacts> facts;
  std::unique_ptr<hider::BucketHider> hider;
  Stats stats;
  BlockPool blocks;  ///< of grids
  GridWorkPool works;
  GridWork scratch;                   ///< for strips and further motion keys
  std::vector<float> camera, before;  ///< positions of a grid, and before displacement
  CellRoom cells;
  std::vector<int> sideIndex;  ///< of a side that is stitched
  std::vector<Vec3> sidePoints;
  std::vector<std::vector<Vec3>> samples;  ///< of the lines around a piece, a motion key
  int64_t untoldBytes = 0;                 ///< of grids made and dropped since the last tellGridBytes()
  int bucket = -1;                         ///< the one it renders, in order
  Unshaded unshaded;                       ///< of that bucket
  const Node* parked = nullptr;            ///< opened just now, and not seen in this bucket
  std::vector<float> elementValues;        ///< of points or curves, on their way to the hider
  Recent<LinePtr> edges;                   ///< short ones, by their id
  Recent<std::vector<Vec3>> vertices;      ///< displaced, at every motion key

  /// Counts bytes of grids. All threads together know of them with the next bucket, or megabyte: a number that every
  /// grid of every thread writes to would go from core to core.
  void addGridBytes(int64_t n) {
    constexpr int64_t kMuch = 1 << 20;
    untoldBytes += n;
    if (untoldBytes > kMuch) tellGridBytes();
  }
  void tellGridBytes() { frame->addGridBytes(std::exchange(untoldBytes, 0)); }
};

}  // namespace reyes::render
