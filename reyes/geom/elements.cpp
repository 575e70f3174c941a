// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/elements.h"

#include <algorithm>

namespace reyes::geom {
namespace {

constexpr int kAxisBits = 10;  ///< of a Z-order code

/// The bits of a 10-bit number, two zeros between each.
uint32_t spread(uint32_t v) {
  v = (v | v << 16) & 0x030000ffu;
  v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u;
  return (v | v << 2) & 0x09249249u;
}

}  // namespace

std::vector<uint32_t> spaceOrder(std::span<const Vec3> centres) {
  // 1. A code for each: the same scale along all axes, so that flat sets are not sorted by noise.
  Bound3 box;
  for (const Vec3& c : centres) box.add(c);
  const Vec3 size = box.empty() ? Vec3{} : box.max - box.min;
  const float longest = std::max({size.x, size.y, size.z});
  const float scale = longest > 0 ? static_cast<float>((1 << kAxisBits) - 1) / longest : 0;
  struct Coded {
    uint32_t code, index;
  };
  std::vector<Coded> all(centres.size()), next(centres.size());
  for (size_t i = 0; i < centres.size(); ++i) {
    const Vec3 p = (centres[i] - box.min) * scale;
    const auto cell = [](float f) { return spread(static_cast<uint32_t>(std::clamp(f, 0.0f, 1023.0f))); };
    all[i] = {cell(p.x) | cell(p.y) << 1 | cell(p.z) << 2, static_cast<uint32_t>(i)};
  }
  // 2. Sorted by ten bits at a time, from the lowest; stable.
  for (int shift = 0; shift < 3 * kAxisBits; shift += kAxisBits) {
    std::vector<uint32_t> start((1 << kAxisBits) + 1, 0);
    const auto digit = [shift](const Coded& c) { return c.code >> shift & ((1 << kAxisBits) - 1); };
    for (const Coded& c : all) ++start[digit(c) + 1];
    for (size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
    for (const Coded& c : all) next[start[digit(c)]++] = c;
    all.swap(next);
  }
  std::vector<uint32_t> order(all.size());
  for (size_t i = 0; i < all.size(); ++i) order[i] = all[i].index;
  return order;
}

void ElementTree::build(int count, const std::function<ElementBound(int)>& of) {
  const int blocks = (count + kBlock - 1) / kBlock;
  leaves_ = 1;
  while (leaves_ < blocks) leaves_ *= 2;
  nodes_.assign(static_cast<size_t>(leaves_) * 2, ElementBound());
  for (int e = 0; e < count; ++e) nodes_[static_cast<size_t>(leaves_ + e / kBlock)].add(of(e));
  for (size_t i = static_cast<size_t>(leaves_) - 1; i > 0; --i) {
    nodes_[i] = nodes_[2 * i];
    nodes_[i].add(nodes_[2 * i + 1]);
  }
}

ElementBound ElementTree::query(int begin, int end) const {
  ElementBound b;
  if (begin >= end) return b;
  for (int lo = begin / kBlock + leaves_, hi = (end - 1) / kBlock + 1 + leaves_; lo < hi; lo /= 2, hi /= 2) {
    if (lo & 1) b.add(nodes_[static_cast<size_t>(lo++)]);
    if (hi & 1) b.add(nodes_[static_cast<size_t>(--hi)]);
  }
  return b;
}

}  // namespace reyes::geom
