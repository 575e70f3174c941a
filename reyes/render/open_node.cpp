// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/open_node.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "reyes/render/cells.h"
#include "reyes/render/crowd.h"
#include "reyes/render/dice_rate.h"
#include "reyes/render/elements.h"
#include "reyes/render/expand.h"
#include "reyes/render/face_sides.h"
#include "reyes/render/grid_build.h"
#include "reyes/render/hidden_grid.h"
#include "reyes/render/parked_grid.h"

namespace reyes::render {
namespace {

constexpr int kRangeParts = 4;  ///< children of a range of faces
constexpr int kMaxDepth = 44;   ///< splits of a face: 22 in each direction

RasterBound intersection(const RasterBound& a, const RasterBound& b) {
  RasterBound r{std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1),
                std::min(a.y1, b.y1), std::max(a.z0, b.z0), std::min(a.z1, b.z1)};
  return r.x0 <= r.x1 && r.y0 <= r.y1 && r.z0 <= r.z1 ? r : RasterBound{};
}

/// Pixels by which points of a line may lie beyond a face whose side is only a part of the line.
float partialMargin(const PrimitiveFrame& prim) {
  return prim.geometry().hasPartialEdges() ? 0.01f + 1.5f * prim.longestEdgePixels() : 0.01f;
}

/// A range of one face is that face.
uint64_t rangePlace(const Node& n) { return n.isRange() ? static_cast<uint64_t>(n.begin) : hashPlace(n.begin, n.rect); }

NodeState splitRange(Worker& worker, Node& node) {
  const StageTimer timer(worker.stats, Stage::kSplit);
  // Ranges that begin and end at blocks have exact bounds where the geometry has cheap ones.
  const int faces = node.end - node.begin;
  const int block = node.prim->geometry().hasCells() && faces > geom::kCellBlock ? geom::kCellBlock : 1;
  const int share = (faces + kRangeParts - 1) / kRangeParts, step = (share + block - 1) / block * block;
  const int parts = block > 1 ? (faces + step - 1) / step : std::min(kRangeParts, faces);
  node.takeChildren(std::make_unique<Node[]>(static_cast<size_t>(parts)), parts);
  for (int i = 0; i < parts; ++i) {
    Node& c = node.children[static_cast<size_t>(i)];
    c.prim = node.prim;
    const auto at = [&](int k) {
      return block > 1 ? std::min(node.begin + k * step, node.end)
                       : node.begin + static_cast<int>(static_cast<int64_t>(faces) * k / parts);
    };
    c.begin = at(i), c.end = at(i + 1);
    c.place = rangePlace(c);
    setBoundWithin(worker, node, c, node.prim->bound(c.begin, c.end, partialMargin(*node.prim)));
  }
  return NodeState::kSplit;
}

/// A range of faces: one grid where they are small and few, else it is split.
NodeState openRange(Worker& worker, Node& node) {
  const NodeState s = node.prim->cells ? openCells(worker, node) : NodeState::kOpening;
  return s == NodeState::kOpening ? splitRange(worker, node) : s;
}

NodeState splitInTwo(Worker& worker, Node& node, Axis axis) {
  const StageTimer timer(worker.stats, Stage::kSplit);
  node.takeChildren(std::make_unique<Node[]>(2), 2);
  Node &low = node.children[0], &high = node.children[1];
  splitPiece(node, axis, low, high);
  for (Node* c : {&low, &high})
    setBoundWithin(worker, node, *c, c->prim->bound(c->begin, c->rect, sidePoints(*c, worker.samples)));
  for (SideRef& s : node.sides) s.line.reset();
  worker.stats.add(Counter::kSplits);
  return NodeState::kSplit;
}

/// A piece that no split takes away from the eye plane: lost, which matters if it would have been seen.
NodeState loseAtEye(const Node& node) {
  const RasterBound& b = node.bound;
  if (b.x1 - b.x0 > 1 || b.y1 - b.y0 > 1) node.prim->eyeLost = true;
  return NodeState::kFailed;
}

/// True where splits no longer take a piece away from the eye plane: split to the last along its much longer way, or so
/// small that its bound is rounding (a face with a corner 1e9 units away).
bool stuckAtEye(const Node& node, const DiceRate& rate, bool endU, bool endV) {
  constexpr float kMuchLonger = 1024, kRounding = 16;
  constexpr int kDeep = 20;
  if (endU && rate.cameraU > kMuchLonger * rate.cameraV) return true;
  if (endV && rate.cameraV > kMuchLonger * rate.cameraU) return true;
  if (node.depth < kDeep) return false;
  const MotionKey& key = node.prim->keys()[0];
  const Bound3 box = transformBound(key.cameraFromObject, node.prim->geometry().bound(node.begin, node.rect, key.from));
  const Vec3 size = box.max - box.min;
  return !box.empty() && std::max({size.x, size.y, size.z}) > kRounding * (rate.cameraU + rate.cameraV);
}

NodeState openFace(Worker& worker, Node& node) {
  DiceRate rate;
  {
    const StageTimer timer(worker.stats, Stage::kSplit);
    if (!node.hasSides) makeFaceSides(worker, node);
    rate = diceRate(node);
  }
  if (!rate.finite) {
    node.prim->notFinite = true;
    return NodeState::kFailed;
  }
  const bool endU = !canSplit(node, Axis::kU), endV = !canSplit(node, Axis::kV);
  if (endU || endV) rate = rateAtEnd(rate, endU, endV);
  const bool tooLarge = mustSplit(rate, worker.frame->view->gridSize);
  if (!node.straddles && !tooLarge) return buildGrid(worker, node, rate) ? NodeState::kDisplaced : NodeState::kFailed;
  // Split along the longer way; at the eye plane lengths in the raster say nothing.
  const bool uLonger = rate.nu != rate.nv ? rate.nu > rate.nv : rate.seenU >= rate.seenV;
  Axis axis = (node.straddles ? rate.cameraU >= rate.cameraV : uLonger) ? Axis::kU : Axis::kV;
  const bool stuck = node.straddles && stuckAtEye(node, rate, endU, endV);
  if (axis == Axis::kU ? endU : endV) axis = axis == Axis::kU ? Axis::kV : Axis::kU;
  if (stuck || (endU && endV) || node.depth >= kMaxDepth) {
    if (node.straddles) return loseAtEye(node);
    rate = held(rate, worker.frame->view->gridSize);
    return buildGrid(worker, node, rate) ? NodeState::kDisplaced : NodeState::kFailed;
  }
  if (node.straddles) worker.stats.add(Counter::kEyeSplits);
  return splitInTwo(worker, node, axis);
}

/// Waits, politely, until another thread has taken a node beyond `during`.
NodeState waitWhile(const Node& node, NodeState during) {
  for (int spins = 0;; ++spins) {
    const NodeState s = node.state.load(std::memory_order_acquire);
    if (s != during) return s;
    if (spins > 256)
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    else if (spins > 32)
      std::this_thread::yield();
  }
}

/// True where the bucket that opened a grid will have it shaded at once, as far as it knows.
bool seenHere(const Worker& worker, const Node& node) {
  if (worker.bucket < 0) return true;
  if (intersect(node.real, worker.frame->buckets->rect(worker.bucket)).empty()) return false;
  return !node.prim->attributes().cullHidden || !isHidden(*worker.hider, node);
}

}  // namespace

void setBoundWithin(Worker& worker, const Node& parent, Node& child, ViewBound b) {
  b.box = intersection(b.box, parent.bound);
  child.setBound(std::move(b));
  worker.stats.add(Counter::kNodes);
  if (child.bound.empty()) {
    child.state.store(NodeState::kFailed, std::memory_order_relaxed);
    child.setReal({});
    worker.stats.add(Counter::kCulledFrustum);
  }
}

NodeState openNode(Worker& worker, Node& node) {
  worker.parked = nullptr;
  NodeState s = node.state.load(std::memory_order_acquire);
  if (s == NodeState::kFresh && node.state.compare_exchange_strong(s, NodeState::kOpening, std::memory_order_acquire)) {
    node.opener = static_cast<uint16_t>(worker.thread);
    s = !node.prim                     ? openCrowd(worker, node)
        : node.prim->source().deferred ? expandNode(worker, node)
        : node.prim->drawsElements()   ? openElements(worker, node)
        : node.isRange()               ? openRange(worker, node)
                                       : openFace(worker, node);
    if (s == NodeState::kDisplaced) node.setReal(pixelsOf(node.grid->box));
    if (s == NodeState::kFailed) node.setReal({});
    if (s == NodeState::kDisplaced && !node.prim->drawsElements() && !seenHere(worker, node)) {
      if (onlyHere(worker, node)) {
        dropGrid(worker, node);
        s = NodeState::kFailed;
      } else {
        park(worker, node);
        worker.parked = &node;
      }
    }
    // A grid goes with the last bucket that it really touches, which may be over already; not before this one.
    worker.frame->buckets->keepUntilDone(node, s == NodeState::kDisplaced ? node.real : node.pixels, worker.bucket);
    node.state.store(s, std::memory_order_release);
    return s;
  }
  return s == NodeState::kOpening ? waitWhile(node, NodeState::kOpening) : s;
}

NodeState shadeNode(Worker& worker, Node& node) {
  for (;;) {
    NodeState s = NodeState::kDisplaced;
    if (node.state.compare_exchange_strong(s, NodeState::kShading, std::memory_order_acquire)) {
      const hider::GridKind kind = node.grid->micro.kind;
      if (kind == hider::GridKind::kQuads || kind == hider::GridKind::kCells)
        shadeGrid(worker, node);
      else
        shadeElements(worker, node);
      node.state.store(NodeState::kShaded, std::memory_order_release);
      return NodeState::kShaded;
    }
    if (s == NodeState::kShading) s = waitWhile(node, NodeState::kShading);
    if (s != NodeState::kDisplaced) return s;  // else somebody put it aside
  }
}

void makeRoot(const PrimitiveFrame& prim, Node& root) {
  root.prim = &prim;
  root.begin = 0, root.end = prim.geometry().faceCount();
  root.place = rangePlace(root);
  root.setBound(prim.bound(root.begin, root.end, partialMargin(prim)));
  if (root.end <= root.begin || root.bound.empty() || prim.throughInfinity())
    root.state.store(NodeState::kFailed, std::memory_order_relaxed);
}

}  // namespace reyes::render
