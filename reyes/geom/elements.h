// SPDX-License-Identifier: Apache-2.0
// What Points and Curves share: elements (a point, a curve) in an order in which neighbours in space are neighbours in
// the list, and boxes of ranges of them. A box holds centre lines alone; beside it stands the widest radius, since
// which way an element is broad depends on the camera. Built by the factories, asked by render/.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "reyes/base/bound.h"

namespace reyes::geom {

struct ElementBound {
  Bound3 box;
  float radius = 0;
  void add(const ElementBound& b) { box.add(b.box), radius = radius > b.radius ? radius : b.radius; }
};

/// Indices of `centres` along a Z-order curve through their box; equal places keep their order.
std::vector<uint32_t> spaceOrder(std::span<const Vec3> centres);

class ElementTree {
 public:
  static constexpr int kBlock = 32;  ///< ranges that begin and end at multiples of this have exact boxes
  void build(int count, const std::function<ElementBound(int element)>& of);
  /// Of elements [begin, end), and the rest of the blocks that they begin and end in.
  ElementBound query(int begin, int end) const;

 private:
  int leaves_ = 0;
  std::vector<ElementBound> nodes_;  ///< a heap, as in RangeBounds
};

}  // namespace reyes::geom
