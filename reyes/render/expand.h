// SPDX-License-Identifier: Apache-2.0
// Procedurals: a node whose primitive is deferred becomes the primitives that it stands for, as its children, and
// gives them up again when the last bucket that they touch is done. Called by open_node.cpp and buckets.cpp.
#pragma once

#include <memory>
#include <vector>

#include "reyes/render/frame_setup.h"

namespace reyes::render {

/// What a procedural, or a crowd, became. Lives as long as its node's children.
struct Expansion {
  scene::Primitives primitives;
  std::unique_ptr<PrimitiveFrame[]> frames;  ///< one a primitive
  size_t count = 0;
  bool crowd = false;  ///< of a crowd: the primitives are the world's
};

/// Says what is to be said of primitives that go.
void reportExpansion(const Expansion& expansion, Diagnostics& diag, Stats& stats);

/// Makes the content of a fresh node and bounds it. kSplit, or kFailed where there is none.
NodeState expandNode(Worker& worker, Node& node);

}  // namespace reyes::render
