// SPDX-License-Identifier: Apache-2.0
// Boxes of face ranges: a tree over blocks of faces, a few bytes a face, built in one pass. For bound(begin, end).
#pragma once

#include <functional>
#include <vector>

#include "reyes/base/bound.h"

namespace reyes::geom {

class RangeBounds {
 public:
  using FaceBound = std::function<Bound3(int face)>;

  /// faceBound gives the box of one face in the key that this tree is for. Ranges that begin and end at multiples of
  /// `block` need no more than the tree; a box a block, and the same again, is what it takes.
  void build(int faces, const FaceBound& faceBound, int block = 8);
  Bound3 query(int begin, int end, const FaceBound& faceBound) const;

 private:
  int block_ = 8;
  int leaves_ = 0;             ///< blocks
  std::vector<Bound3> nodes_;  ///< a heap: children of i at 2i and 2i + 1, leaves from leaves_ on
};

}  // namespace reyes::geom
