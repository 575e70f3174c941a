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

/// Ends the making of a child: a child never reaches beyond its parent.
void setBoundWithin(Worker& worker, const Node& parent, Node& child, ViewBound bound);

/// A primitive's root: all of its faces.
void makeRoot(const PrimitiveFrame& prim, Node& root);

}  // namespace reyes::render
