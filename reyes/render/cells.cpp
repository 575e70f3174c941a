// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/cells.h"

#include <algorithm>
#include <cmath>

#include "reyes/render/elements.h"
#include "reyes/render/grid_build.h"

namespace reyes::render {
namespace {

constexpr int kCellsAGrid = 128;

enum class Gathered { kDone, kTooMany, kLarge };

/// Collects the faces of a range that some sample may see. What it finds depends on range, view and primitive alone.
class CellGatherer {
 public:
  CellGatherer(Worker& worker, const Node& node)
      : node_(node), prim_(*node.prim), sites_(*worker.frame->sites), room_(worker.cells) {
    const scene::Attributes& a = prim_.attributes();
    const bool flips = mirrors(prim_.keys()[0].cameraFromObject) != a.reverseOrientation;
    facing_ = a.sides == 1 ? (flips ? 1 : -1) : 0;
    dropsFacing_ = facing_ != 0 && a.cullBackfacing && !prim_.moving();
    const Projector& view = prim_.projector();
    still_ = !prim_.moving() && !(view.lensPixelsX() > 0 || view.lensPixelsY() > 0);
    // Somewhat less than what dice_rate.cpp and line.cpp take one step for.
    const float edge = 0.98f * prim_.edgePixels(0);
    rule_ = {edge * edge, view.near(), view.perspective()};
    room_.faces.clear(), room_.kept.clear();
  }

  Gathered range(int begin, int end);
  int facing() const { return facing_; }
  int64_t dropped() const { return dropped_; }

 private:
  Gathered leaf(int begin, int end);
  void place(int begin, int n, int key);
  bool facesAway(int i, int n) const;
  bool meetsSample(int i, int n) const;
  void keep(int face, int i, int n);

  const Node& node_;
  const PrimitiveFrame& prim_;
  const hider::SampleSites& sites_;
  CellRoom& room_;
  CellRule rule_;
  int facing_ = 0;
  bool dropsFacing_ = false, still_ = true;
  int64_t dropped_ = 0;
};

Gathered CellGatherer::range(int begin, int end) {
  if (end - begin <= geom::kCellBlock) return leaf(begin, end);
  const int share = (end - begin + 3) / 4, step = (share + geom::kCellBlock - 1) / geom::kCellBlock * geom::kCellBlock;
  for (int b = begin; b < end; b += step) {
    const int e = std::min(b + step, end);
    RasterBound box = prim_.bound(b, e, 0).box;
    box.x0 = std::max(box.x0, node_.bound.x0), box.x1 = std::min(box.x1, node_.bound.x1);
    box.y0 = std::max(box.y0, node_.bound.y0), box.y1 = std::min(box.y1, node_.bound.y1);
    if (!sites_.any(box)) {
      dropped_ += e - b;
      continue;
    }
    if (const Gathered r = range(b, e); r != Gathered::kDone) return r;
  }
  return Gathered::kDone;
}

/// Raster positions of the corners of n faces at one motion key.
void CellGatherer::place(int begin, int n, int k) {
  const MotionKey& key = prim_.keys()[static_cast<size_t>(k)];
  const size_t count = 4 * static_cast<size_t>(n);
  float* const p[3] = {room_.object.data(), room_.object.data() + count, room_.object.data() + 2 * count};
  prim_.geometry().cellCorners(begin, begin + n, key.from, p);
  if (key.fraction > 0) {
    float* const q[3] = {room_.next.data(), room_.next.data() + count, room_.next.data() + 2 * count};
    prim_.geometry().cellCorners(begin, begin + n, key.to, q);
    for (size_t c = 0; c < 3; ++c)
      for (size_t i = 0; i < count; ++i) p[c][i] = lerp(p[c][i], q[c][i], key.fraction);
  }
  gridKernels().transform(key.cameraFromObject.m, static_cast<int>(count), p);
  float* const to = room_.raster.data() + 3 * count * static_cast<size_t>(k);
  gridKernels().project(prim_.projector().numbers(false), static_cast<int>(count), p, to, to + count, to + 2 * count);
}

Gathered CellGatherer::leaf(int begin, int end) {
  const int n = end - begin, keys = prim_.keyCount();
  const size_t count = 4 * static_cast<size_t>(n);
  room_.object.resize(3 * count), room_.next.resize(3 * count);
  room_.raster.resize(3 * count * static_cast<size_t>(keys)), room_.box.resize(4 * static_cast<size_t>(n));
  for (int k = 0; k < keys; ++k) {
    place(begin, n, k);
    const float* at = room_.raster.data() + 3 * count * static_cast<size_t>(k);
    if (!gridKernels().cells(rule_, n, at, at + count, at + 2 * count, room_.box.data())) return Gathered::kLarge;
  }
  for (int i = 0; i < n; ++i) {
    if ((dropsFacing_ && facesAway(i, n)) || !meetsSample(i, n)) {
      ++dropped_;
      continue;
    }
    if (static_cast<int>(room_.faces.size()) == kCellsAGrid) return Gathered::kTooMany;
    keep(begin + i, i, n);
  }
  return Gathered::kDone;
}

/// As allFaceAway() of grid_build.cpp, of one micropolygon.
bool CellGatherer::facesAway(int i, int n) const {
  const float *x = room_.raster.data() + i, *y = x + 4 * n;
  const int v[4] = {0, n, 3 * n, 2 * n};
  for (int t = 0; t < 2; ++t) {
    const int a = v[0], b = v[1 + t], c = v[2 + t];
    const float area = (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]);
    if (facing_ > 0 ? !(area > 0) : !(area < 0)) return false;
  }
  return true;
}

bool CellGatherer::meetsSample(int i, int n) const {
  const auto at = static_cast<size_t>(i), all = static_cast<size_t>(n);
  // The hider's own units: a sample on the left or lower border belongs to the neighbour.
  const int32_t* b = room_.box.data();
  if (still_) return sites_.any(b[at] + 1, b[all + at], b[2 * all + at], b[3 * all + at] - 1);
  RasterBound box;
  for (size_t v = 0; v < 4 * static_cast<size_t>(prim_.keyCount()); ++v) {
    const float* p = room_.raster.data() + v / 4 * 12 * all + v % 4 * all + at;
    box.add(p[0], p[4 * all], p[8 * all]);
  }
  const Projector& view = prim_.projector();
  const float x = std::max(view.lensX(box.z0), view.lensX(box.z1)) + 0.02f;
  const float y = std::max(view.lensY(box.z0), view.lensY(box.z1)) + 0.02f;
  box.x0 -= x, box.x1 += x, box.y0 -= y, box.y1 += y;
  return sites_.any(box);
}

void CellGatherer::keep(int face, int i, int n) {
  room_.faces.push_back(static_cast<uint32_t>(face));
  const size_t planes = 12 * static_cast<size_t>(prim_.keyCount());
  for (size_t p = 0; p < planes; ++p)
    room_.kept.push_back(room_.raster[p * static_cast<size_t>(n) + static_cast<size_t>(i)]);
}

/// The kept faces as planes of a grid: x of all keys, of each key all corners, of each corner all faces; then y, z.
void fillGrid(const CellRoom& room, int keys, Grid& grid) {
  const size_t n = room.faces.size(), k = static_cast<size_t>(keys);
  float* to = grid.positions.get();
  for (size_t c = 0; c < 3; ++c)
    for (size_t key = 0; key < k; ++key)
      for (size_t corner = 0; corner < 4; ++corner)
        for (size_t i = 0; i < n; ++i) *to++ = room.kept[i * 12 * k + key * 12 + c * 4 + corner];
}

/// What the hider wants to know, as describe() of grid_build.cpp.
void describe(Node& node, int facing) {
  const PrimitiveFrame& prim = *node.prim;
  const scene::Attributes& a = prim.attributes();
  hider::MicroGrid& m = node.grid->micro;
  m.order = node.order(), m.tag = prim.tag;
  m.smooth = a.smoothShading, m.matte = a.matte;
  m.shareFrom = prim.source().shareFrom, m.shareTo = prim.source().shareTo;
  m.cullFacing = facing;
  RasterBound box;
  gridKernels().box(static_cast<int>(m.x.size()), m.x.data(), m.y.data(), m.z.data(), box);
  placeGrid(node, box, true);
}

}  // namespace

bool mayBeCells(const scene::Primitive& p, const PrimitiveFrame& frame, const scene::View& view) {
  if (!p.geometry->hasCells() || frame.displaces() || !frame.dicedByRaster() || !view.clippingPlanes.empty() ||
      takesUniform(p))
    return false;
  for (const MotionKey& k : frame.keys())
    if (k.projective) return false;
  return true;
}

NodeState openCells(Worker& worker, Node& node) {
  if (node.straddles) return NodeState::kOpening;
  const PrimitiveFrame& prim = *node.prim;
  // 1. Many faces are one grid only where there is no room for more samples than it may have cells.
  const RasterBound& b = node.bound;
  const float samples = (b.x1 - b.x0) * (b.y1 - b.y0) * static_cast<float>(worker.frame->sites->samples());
  if (node.end - node.begin > kCellsAGrid && !(samples <= kCellsAGrid)) return NodeState::kOpening;
  // 2. Those that may be seen.
  const StageTimer timer(worker.stats, Stage::kDice);
  CellGatherer gatherer(worker, node);
  if (gatherer.range(node.begin, node.end) != Gathered::kDone) return NodeState::kOpening;
  CellRoom& room = worker.cells;
  worker.stats.add(Counter::kMicropolygonsCulled, gatherer.dropped());
  if (room.faces.empty()) return NodeState::kFailed;
  // 3. Their corners, for the hider. Variables are diced when they are shaded.
  const int n = static_cast<int>(room.faces.size()), keys = prim.keyCount();
  const size_t all = 4 * static_cast<size_t>(n) * static_cast<size_t>(keys);
  node.grid = std::make_unique<Grid>();
  Grid& grid = *node.grid;
  grid.positionFloats = static_cast<uint32_t>(3 * all);
  grid.positions = worker.blocks.take(3 * all);
  grid.bytes = static_cast<int64_t>(sizeof(Grid) + 3 * all * sizeof(float) + room.faces.size() * sizeof(uint32_t));
  grid.parts().elements.assign(room.faces.begin(), room.faces.end());
  hider::MicroGrid& m = grid.micro;
  m.kind = hider::GridKind::kCells;
  m.nu = n, m.nv = 1, m.keys = keys, m.times = prim.shutterTimes();
  m.x = {grid.positions.get(), all}, m.y = {m.x.data() + all, all}, m.z = {m.y.data() + all, all};
  fillGrid(room, keys, grid);
  grid.whole = true;
  describe(node, gatherer.facing());
  worker.stats.add(Counter::kGridsDiced);
  worker.addGridBytes(grid.bytes);
  return NodeState::kDisplaced;
}

bool cellsHidden(const hider::BucketHider& hider, const hider::MicroGrid& m) {
  for (int i = 0; i < m.nu; ++i) {
    RasterBound b;
    for (size_t v = static_cast<size_t>(i); v < m.x.size(); v += static_cast<size_t>(m.nu))
      b.add(m.x[v], m.y[v], m.z[v]);
    b.x0 -= 0.01f, b.x1 += 0.01f, b.y0 -= 0.01f, b.y1 += 0.01f;
    if (!hider.hidden(b)) return false;
  }
  return true;
}

}  // namespace reyes::render
