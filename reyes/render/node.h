// SPDX-License-Identifier: Apache-2.0
// A node of the lazily grown tree: a range of faces of a primitive, or a dyadic piece of one face, with the raster
// bound that holds whatever becomes of it. Opened once in the frame and shaded once, by whichever bucket comes first.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "reyes/hider/hider.h"
#include "reyes/render/line.h"
#include "reyes/shade/shader_runner.h"

namespace reyes::render {

enum class NodeState : uint8_t {
  kFresh,      ///< nobody has asked yet
  kOpening,    ///< one thread splits it, or dices and displaces it
  kSplit,      ///< has children
  kDisplaced,  ///< has a grid whose points are where they will be seen
  kShading,
  kShaded,  ///< its grid has colours
  kFailed,  ///< gives nothing: culled, degenerate, or lost
};

/// A grid between dicing and shading: its variables and the memory they live in. Reused from grid to grid.
struct GridWork {
  Arena arena{64 * 1024};
  VarBlock vars;
  shade::ShadeGrid grid;
  std::vector<int> runs;  ///< ShadeGrid::runs of curves
};

/// Variables that displacement wrote, of a grid that waits to be shaded (parked_grid.h).
struct ParkedGrid {
  std::vector<Var> vars;  ///< planes in the block
  std::unique_ptr<float[]> data;
  size_t floats = 0;
  int64_t bytes = 0;
};

/// What few grids have, and what it points to.
struct GridParts {
  hider::GridExtras shown;
  std::unique_ptr<float[]> trim;  ///< parameters of vertices, of surfaces cut by an outline
  std::vector<hider::RibbonRun> runs;
  std::vector<uint32_t> elements;  ///< of points and curves; of cells their faces
};

/// What the hider needs of a grid, and nothing else. Thousands wait for their buckets: its size counts.
struct Grid {
  hider::MicroGrid micro;  ///< spans into the two blocks
  std::unique_ptr<float[]> positions, colours;
  uint32_t positionFloats = 0, colourFloats = 0;  ///< of blocks that go back to a pool
  RasterBound box;     ///< where it really lies, within its node's bound: what hidden() is asked before shading
  bool whole = false;  ///< every vertex is there, at every key
  int64_t bytes = 0;
  std::unique_ptr<GridParts> rare;     ///< null: none of it
  std::unique_ptr<ParkedGrid> parked;  ///< displaced, and waits without Node::work

  /// Makes them, and shows them to the hider, where there are none yet.
  GridParts& parts() {
    if (!rare)
      rare = std::make_unique<GridParts>(), bytes += static_cast<int64_t>(sizeof(GridParts)),
      micro.extras = &rare->shown;
    return *rare;
  }
};

struct Expansion;

struct Node {
  std::atomic<NodeState> state{NodeState::kFresh};
  bool straddles = false;                ///< the eye plane
  uint8_t depth = 0;                     ///< splits above it
  uint16_t across = 0;                   ///< curves: micropolygons across each of them; 0: not known yet
  uint16_t opener = 0;                   ///< the thread that opened it, whose memory its grid and its children are
  const PrimitiveFrame* prim = nullptr;  ///< null: a crowd (crowd.h)
  int begin = 0, end = 0;                ///< faces; members
  geom::UvRect rect;                     ///< of the one face, or of each curve of a range
  bool hasSides = false;
  SideRef sides[4];               ///< as geom::Side counts
  RasterBound bound;              ///< never changes
  std::vector<RasterBound> path;  ///< ViewBound::path, of what is before the eye all the time
  PixelRect pixels;               ///< those that `bound` touches
  uint64_t place = 0;             ///< hash of face and rectangle: seeds, ties in depth

  /// Pixels of what it really became, often far fewer where its bound allows for displacement: of its grid, or of all
  /// its children once each of them is known. Buckets beyond need not look at it, whether it is known yet or not.
  PixelRect real;
  std::atomic<bool> realKnown{false};
  std::atomic<int> unknownChildren{0};
  Node* parent = nullptr;

  std::unique_ptr<Node[]> children;
  std::unique_ptr<Expansion> expansion;  ///< of a procedural or crowd: the primitives of its children
  int childCount = 0;
  std::unique_ptr<GridWork> work;
  std::unique_ptr<Grid> grid;

  Node* nextExpiring = nullptr;  ///< list of what dies with the same bucket (buckets.h)

  Node();
  ~Node();
  bool isRange() const { return end - begin > 1; }
  uint64_t order() const { return prim ? (prim->source().path << 32) | (place & 0xffffffffu) : 0; }
  void setBound(ViewBound b);
  /// `path` for the hider.
  hider::MovingBound moving() const;
  /// Before its children are opened.
  void takeChildren(std::unique_ptr<Node[]> nodes, int count);
  /// What it became: its pixels, none for one that gives nothing. Tells its ancestors.
  void setReal(const PixelRect& pixels);
  /// True where it is known to give nothing to the pixels of `r`.
  bool missesReally(const PixelRect& r) const;
};

PixelRect pixelsOf(const RasterBound& b);

}  // namespace reyes::render
