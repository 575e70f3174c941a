// SPDX-License-Identifier: Apache-2.0
// Crowds: where a world has thousands of primitives, those that are small in the raster have no frame data and no root
// of their own. Those near each other lie in a crowd, a root node without a primitive; when a bucket opens it, its
// members become its children, and they go with the last bucket that the crowd touches. So what a frame keeps of a
// million primitives is their bounds. Made by frame_setup.cpp, opened by open_node.cpp.
#pragma once

#include <tuple>
#include <vector>

#include "reyes/render/frame_setup.h"

namespace reyes::render {

constexpr size_t kCrowded = 2048;  ///< primitives of a world: below, each has its root

struct CrowdMember {
  RasterBound bound;
  int row = 0, column = 0;  ///< of the cell of the picture that its middle lies in
  uint32_t index = 0;       ///< in World::primitives

  CrowdMember(const RasterBound& b, uint32_t i);
  /// By rows of cells, then from near to far; equal ones in the order of the scene file.
  bool operator<(const CrowdMember& b) const {
    return std::tie(row, column, bound.z0, index) < std::tie(b.row, b.column, b.bound.z0, b.index);
  }
  bool sharesCell(const CrowdMember& b) const { return row == b.row && column == b.column; }
};

/// True for a fresh root in the frame that a crowd may stand for: small, hidden by what is before it, and not
/// displaced.
bool mayJoinCrowd(const Node& root);
/// Joins the members of all threads, sorted each, into crowds. Theirs are the numbers FrameShared::crowdMembers[begin,
/// end).
void makeCrowds(FrameShared& shared, std::vector<std::vector<CrowdMember>>& members, FramePrimitives& to);
/// The members of a fresh crowd become its children.
NodeState openCrowd(Worker& worker, Node& node);

}  // namespace reyes::render
