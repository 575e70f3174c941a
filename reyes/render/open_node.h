// SPDX-License-Identifier: Apache-2.0
// Opening a node, once in the frame: it is split, or it becomes a grid, or it turns out to be nothing. And shading it,
// once. Whoever comes first does it; others wait for the result. Called by the bucket loop.
#pragma once

#include "reyes/render/worker.h"

namespace reyes::render {

/// State after opening: kSplit, kDisplaced (or further), or kFailed.
NodeState openNode(Worker& worker, Node& node);
/// State after shading: kShaded or kFailed.
NodeState shadeNode(Worker& worker, Node& node);

/// A primitive's root: all of its faces.
/// Bounds a child that its parent has taken: a child never reaches beyond its parent. Failed where nothing is left.
void setBoundWithin(Worker& worker, const Node& parent, Node& child, ViewBound b);

void makeRoot(const PrimitiveFrame& prim, Node& root);

}  // namespace reyes::render
