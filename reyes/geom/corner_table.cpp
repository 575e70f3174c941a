// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/corner_table.h"

#include <algorithm>

namespace reyes::geom {

CornerTable::CornerTable(const std::vector<std::array<int, 4>>& corners) : count_(static_cast<int>(corners.size())) {
  if (buildNear(corners)) return;
  bases_ = 0;
  words_ = {};
  words_.reserve(4 * corners.size());
  for (const std::array<int, 4>& face : corners)
    for (const int c : face) words_.push_back(static_cast<uint32_t>(c));
}

/// False where the numbers of some block are further apart than 16 bits hold.
bool CornerTable::buildNear(const std::vector<std::array<int, 4>>& corners) {
  const size_t n = corners.size(), blocks = (n + kBlock - 1) / kBlock;
  if (n < 2) return false;
  bases_ = static_cast<uint32_t>(blocks);
  words_.reserve(blocks + 2 * n);
  for (size_t first = 0; first < n; first += kBlock) {
    int lowest = corners[first][0], highest = lowest;
    for (size_t f = first; f < std::min(first + kBlock, n); ++f)
      for (const int c : corners[f]) lowest = std::min(lowest, c), highest = std::max(highest, c);
    if (static_cast<int64_t>(highest) - lowest > 0xffff) return false;
    words_.push_back(static_cast<uint32_t>(lowest));
  }
  for (size_t f = 0; f < n; ++f) {
    const int base = wide(f / kBlock);
    const auto two = [&](size_t k) {
      return static_cast<uint32_t>(corners[f][k] - base) | static_cast<uint32_t>(corners[f][k + 1] - base) << 16;
    };
    words_.push_back(two(0)), words_.push_back(two(2));
  }
  return true;
}

}  // namespace reyes::geom
