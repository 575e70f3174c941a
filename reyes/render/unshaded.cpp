// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/unshaded.h"

#include "reyes/render/hidden_grid.h"
#include "reyes/render/open_node.h"
#include "reyes/render/parked_grid.h"

namespace reyes::render {
namespace {

constexpr int kMostPoints = 8192;  ///< of waiting grids: a hundred bytes each, which a core's cache should hold

/// Makes a grid small that may be seen later, here or elsewhere, unless somebody shades it or has shaded it.
void setAside(Worker& worker, Node& node) {
  NodeState s = NodeState::kDisplaced;
  if (!node.state.compare_exchange_strong(s, NodeState::kShading, std::memory_order_acquire)) return;
  if (node.work) park(worker, node);
  node.state.store(NodeState::kDisplaced, std::memory_order_release);
}

/// No sample of this bucket sees it.
void leave(Worker& worker, Node& node) {
  if (onlyHere(worker, node)) return dropGrid(worker, node);
  worker.stats.add(Counter::kGridsHidden);
  // Points and curves cannot be diced again, and are smaller when they are shaded.
  if (node.prim->drawsElements())
    shadeNode(worker, node);
  else
    setAside(worker, node);
}

}  // namespace

void Unshaded::clear() {
  grids_.clear();
  held_ = 0, points_ = 0;
}

void Unshaded::shade(Worker& worker, Waiting& grid) {
  shadeNode(worker, *grid.node);
  worker.hider->setValues(grid.place, grid.node->grid->micro);
  grid.shaded = true;
}

/// The oldest go: shaded, unless they are hidden by now.
void Unshaded::makeRoom(Worker& worker) {
  for (; points_ > kMostPoints; ++held_) {
    Waiting& oldest = grids_[held_];
    points_ -= oldest.points;
    if (isHidden(*worker.hider, *oldest.node))
      setAside(worker, *oldest.node);
    else
      shade(worker, oldest);
  }
}

void Unshaded::add(Worker& worker, Node& node, bool mayWait) {
  hider::BucketHider& hider = *worker.hider;
  const int64_t before = hider.hits();
  Waiting grid = {&node, -1, node.grid->micro.points()};
  {
    const StageTimer timer(worker.stats, Stage::kSample);
    grid.place = hider.rasterizeOpaque(node.grid->micro);
  }
  if (hider.hits() == before) return leave(worker, node);
  if (!mayWait || node.prim->drawsElements()) return shade(worker, grid);
  grids_.push_back(grid);
  points_ += grid.points;
  makeRoom(worker);
}

void Unshaded::shadeSeen(Worker& worker) {
  for (Waiting& g : grids_) {
    if (g.shaded) continue;
    if (worker.hider->isSeen(g.place))
      shade(worker, g);
    else
      leave(worker, *g.node);
  }
  clear();
}

}  // namespace reyes::render
