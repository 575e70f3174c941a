// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/crowd.h"

#include <algorithm>
#include <cmath>

#include "reyes/render/expand.h"

namespace reyes::render {
namespace {

constexpr float kSmall = 64;     ///< pixels: widest member
constexpr float kCell = 32;      ///< pixels: the middles of a crowd's members lie in one cell
constexpr size_t kMembers = 64;  ///< of a crowd at most

int cellOf(float a, float b) { return static_cast<int>(std::floor((a + b) / (2 * kCell))); }

}  // namespace

CrowdMember::CrowdMember(const RasterBound& b, uint32_t i)
    : bound(b), row(cellOf(b.y0, b.y1)), column(cellOf(b.x0, b.x1)), index(i) {}

bool mayJoinCrowd(const Node& root) {
  const RasterBound& b = root.bound;
  return root.state.load(std::memory_order_relaxed) == NodeState::kFresh && !root.straddles &&
         !root.prim->source().deferred && !root.prim->displaces() && root.prim->attributes().cullHidden &&
         b.x1 - b.x0 <= kSmall && b.y1 - b.y0 <= kSmall;
}

void makeCrowds(FrameShared& shared, std::vector<std::vector<CrowdMember>>& members, FramePrimitives& to) {
  // 1. All in an order that does not depend on threads.
  std::vector<CrowdMember> all = std::move(members.front());
  for (size_t w = 1; w < members.size(); ++w) {
    const auto middle = static_cast<std::ptrdiff_t>(all.size());
    all.insert(all.end(), members[w].begin(), members[w].end());
    std::inplace_merge(all.begin(), all.begin() + middle, all.end());
    members[w] = {};
  }
  // 2. Runs of a cell.
  std::vector<size_t> starts;
  for (size_t i = 0; i < all.size(); ++i) {
    if (starts.empty() || i - starts.back() >= kMembers || !all[i].sharesCell(all[i - 1])) starts.push_back(i);
  }
  to.crowdCount = static_cast<int>(starts.size());
  to.crowds = std::make_unique<Node[]>(starts.size());
  shared.crowdMembers.reserve(all.size());
  for (const CrowdMember& m : all) shared.crowdMembers.push_back(m.index);
  for (size_t c = 0; c < starts.size(); ++c) {
    Node& node = to.crowds[c];
    const size_t end = c + 1 < starts.size() ? starts[c + 1] : all.size();
    node.begin = static_cast<int>(starts[c]), node.end = static_cast<int>(end);
    ViewBound b;
    for (size_t i = starts[c]; i < end; ++i) b.box.add(all[i].bound);
    node.setBound(b);
  }
}

NodeState openCrowd(Worker& worker, Node& node) {
  const FrameShared& shared = *worker.frame;
  const auto count = static_cast<size_t>(node.end - node.begin);
  auto expansion = std::make_unique<Expansion>();
  expansion->count = count, expansion->crowd = true;
  expansion->frames = std::make_unique<PrimitiveFrame[]>(count);
  auto roots = std::make_unique<Node[]>(count);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t index = shared.crowdMembers[static_cast<size_t>(node.begin) + i];
    preparePrimitive(worker, *worker.facts, shared.world->primitives[index], expansion->frames[i], roots[i]);
  }
  node.expansion = std::move(expansion);
  node.takeChildren(std::move(roots), static_cast<int>(count));
  return NodeState::kSplit;
}

}  // namespace reyes::render
