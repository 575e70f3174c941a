// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/node.h"

#include "reyes/render/expand.h"

#include <algorithm>
#include <cmath>

namespace reyes::render {

Node::Node() = default;
Node::~Node() = default;

PixelRect pixelsOf(const RasterBound& b) {
  if (b.empty()) return {};
  return {static_cast<int>(std::floor(b.x0)), static_cast<int>(std::floor(b.y0)),
          static_cast<int>(std::floor(b.x1)) + 1, static_cast<int>(std::floor(b.y1)) + 1};
}

void Node::setBound(ViewBound b) {
  bound = b.box;
  straddles = b.straddles;
  pixels = pixelsOf(bound);
  const bool known = prim && !straddles && b.path.size() == prim->keys().size();
  path = known ? std::move(b.path) : std::vector<RasterBound>();
}

hider::MovingBound Node::moving() const {
  return path.empty() ? hider::MovingBound{} : hider::MovingBound{prim->shutterTimes(), path};
}

void Node::takeChildren(std::unique_ptr<Node[]> nodes, int count) {
  children = std::move(nodes);
  childCount = count;
  unknownChildren.store(count, std::memory_order_relaxed);
  for (int i = 0; i < count; ++i) children[static_cast<size_t>(i)].parent = this;
}

void Node::setReal(const PixelRect& r) {
  real = r;
  realKnown.store(true, std::memory_order_release);
  // Whoever makes the last child of a node known makes the node known.
  for (Node* p = parent; p && p->unknownChildren.fetch_sub(1, std::memory_order_acq_rel) == 1; p = p->parent) {
    PixelRect all;
    for (int i = 0; i < p->childCount; ++i) {
      const PixelRect& c = p->children[static_cast<size_t>(i)].real;
      if (c.empty()) continue;
      all = all.empty() ? c
                        : PixelRect{std::min(all.x0, c.x0), std::min(all.y0, c.y0), std::max(all.x1, c.x1),
                                    std::max(all.y1, c.y1)};
    }
    p->real = all;
    p->realKnown.store(true, std::memory_order_release);
  }
}

bool Node::missesReally(const PixelRect& r) const {
  return realKnown.load(std::memory_order_acquire) && intersect(real, r).empty();
}

}  // namespace reyes::render
