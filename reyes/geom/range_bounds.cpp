// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/range_bounds.h"

#include <algorithm>

namespace reyes::geom {

void RangeBounds::build(int faces, const FaceBound& faceBound, int block) {
  block_ = block;
  leaves_ = std::max(1, (faces + block_ - 1) / block_);
  nodes_.assign(static_cast<size_t>(leaves_) * 2, Bound3());
  for (int f = 0; f < faces; ++f) nodes_[static_cast<size_t>(leaves_ + f / block_)].add(faceBound(f));
  for (size_t i = static_cast<size_t>(leaves_) - 1; i > 0; --i) {
    nodes_[i] = nodes_[2 * i];
    nodes_[i].add(nodes_[2 * i + 1]);
  }
}

Bound3 RangeBounds::query(int begin, int end, const FaceBound& faceBound) const {
  Bound3 b;
  // Faces before the first whole block and after the last one.
  int first = (begin + block_ - 1) / block_, last = end / block_;
  if (first > last) first = last = 0;
  if (first == last) {
    for (int f = begin; f < end; ++f) b.add(faceBound(f));
    return b;
  }
  for (int f = begin; f < first * block_; ++f) b.add(faceBound(f));
  for (int f = last * block_; f < end; ++f) b.add(faceBound(f));
  // Whole blocks, bottom up.
  for (int lo = first + leaves_, hi = last + leaves_; lo < hi; lo /= 2, hi /= 2) {
    if (lo & 1) b.add(nodes_[static_cast<size_t>(lo++)]);
    if (hi & 1) b.add(nodes_[static_cast<size_t>(--hi)]);
  }
  return b;
}

}  // namespace reyes::geom
