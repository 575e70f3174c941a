// SPDX-License-Identifier: Apache-2.0
// Four numbers a face: which points, or values, its corners have. Meshes are many and large, and the corners of faces
// that follow each other lie near each other: 8 bytes a face where they do, 16 where not. Filled by the factories of
// straight-sided faces, read by BilinearGeometry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reyes::geom {

class CornerTable {
 public:
  CornerTable() = default;
  explicit CornerTable(const std::vector<std::array<int, 4>>& corners);

  bool empty() const { return count_ == 0; }
  int count() const { return count_; }
  std::array<int, 4> operator[](int face) const {
    const auto f = static_cast<size_t>(face);
    if (bases_ == 0) return {wide(4 * f), wide(4 * f + 1), wide(4 * f + 2), wide(4 * f + 3)};
    const int base = wide(f / kBlock);
    const uint32_t low = words_[bases_ + 2 * f], high = words_[bases_ + 2 * f + 1];
    return {base + static_cast<int>(low & 0xffff), base + static_cast<int>(low >> 16),
            base + static_cast<int>(high & 0xffff), base + static_cast<int>(high >> 16)};
  }

 private:
  static constexpr size_t kBlock = 64;  ///< faces that count from one number
  int wide(size_t at) const { return static_cast<int>(words_[at]); }
  bool buildNear(const std::vector<std::array<int, 4>>& corners);

  int count_ = 0;
  uint32_t bases_ = 0;  ///< blocks; 0: numbers are not near each other, and whole
  /// The lowest number of each block, then of each face the distances from it, two a word. Or four numbers a face.
  std::vector<uint32_t> words_;
};

}  // namespace reyes::geom
