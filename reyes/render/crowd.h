// SPDX-License-Identifier: Apache-2.0
// Crowds: where a world has thousands of primitives, those that are small in the raster have no frame data and no root
// of their own. Those near each other lie in a crowd, a root node without a primitive; when a bucket opens it, its
// members become its children, and they go with the last bucket that the crowd touches. So what a frame keeps of a
// million primitives is their bounds. Made by frame_setup.cpp, opened by open_node.cpp.
#pragma once

#include <vector>

#include "reyes/render/frame_setup.h"

namespace reyes::render {

constexpr size_t kCrowded = 2048;  ///< primitives of a world: below, each has its root

struct CrowdMember {
  RasterBound bound;
  uint32_t index = 0;  ///< in World::primitives
};

/// True for a fresh root in the frame that a crowd may stand for: small, hidden by what is before it, and not
/// displaced.
bool mayJoinCrowd(const Node& root);
/// Sorts the members of all threads into crowds. Theirs are the numbers FrameShared::crowdMembers[begin, end).
void makeCrowds(FrameShared& shared, std::vector<std::vector<CrowdMember>>& members, FramePrimitives& to);
/// The members of a fresh crowd become its children.
NodeState openCrowd(Worker& worker, Node& node);

}  // namespace reyes::render
