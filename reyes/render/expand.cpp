// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/expand.h"

#include "reyes/base/format.h"
#include "reyes/render/open_node.h"

namespace reyes::render {
namespace {

/// Whether content lies more than `slack` pixels beyond the bound it was declared with.
bool reachesBeyond(const RasterBound& content, const RasterBound& declared, float slack) {
  return content.x0 < declared.x0 - slack || content.y0 < declared.y0 - slack || content.x1 > declared.x1 + slack ||
         content.y1 > declared.y1 + slack;
}

}  // namespace

void reportExpansion(const Expansion& expansion, Diagnostics& diag, Stats& stats) {
  std::vector<const PrimitiveFrame*> frames;
  for (size_t i = 0; i < expansion.count; ++i) frames.push_back(&expansion.frames[i]);
  reportPrimitives(frames, diag, stats);
}

NodeState expandNode(Worker& worker, Node& node) {
  FrameShared& shared = *worker.frame;
  const scene::Primitive& source = node.prim->source();
  auto expansion = std::make_unique<Expansion>();
  expansion->primitives = source.deferred->expand();
  worker.stats.add(Counter::kExpansions);
  const size_t count = expansion->primitives.size();
  if (count == 0) return NodeState::kFailed;

  // 1. As the primitives of a world are prepared; a bound never reaches beyond that of the procedural.
  expansion->count = count;
  expansion->frames = std::make_unique<PrimitiveFrame[]>(count);
  auto roots = std::make_unique<Node[]>(count);
  AttributeFacts facts(*worker.shader, *shared.outputs, true);
  bool beyond = false;
  for (size_t i = 0; i < count; ++i) {
    Node& root = roots[i];
    preparePrimitive(worker, facts, expansion->primitives[i], expansion->frames[i], root);
    countPrimitive(worker.stats, root);
    if (root.bound.empty()) continue;
    beyond = beyond || reachesBeyond(root.bound, node.bound, 1 + 2 * expansion->frames[i].longestEdgePixels());
  }
  if (beyond && !shared.beyondSaid.exchange(true))
    shared.diag->error(
        "procedural-bound", source.loc,
        "the content of a procedural reaches beyond its bound: what is outside is not drawn (said once a frame)");

  // 2. Caches hold shaders by address: attributes stay to the end of the frame.
  {
    const std::lock_guard lock(shared.keptMutex);
    for (const scene::Primitive& p : expansion->primitives)
      if (shared.kept.empty() || shared.kept.back() != p.attributes) shared.kept.push_back(p.attributes);
  }
  node.expansion = std::move(expansion);
  node.takeChildren(std::move(roots), static_cast<int>(count));
  for (int i = 0; i < node.childCount; ++i) {
    Node& c = node.children[static_cast<size_t>(i)];
    if (c.state.load(std::memory_order_relaxed) == NodeState::kFailed)
      c.setReal({});
    else
      setBoundWithin(worker, node, c, {c.bound, c.straddles, std::move(c.path)});
  }
  return NodeState::kSplit;
}

}  // namespace reyes::render
