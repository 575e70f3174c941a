// SPDX-License-Identifier: Apache-2.0
// Blocks of floats for grids, which come and go all the time: kept by size for the next grid. One thread's own; a block
// may end in the pool of another thread than it came from.
#pragma once

#include <array>
#include <memory>
#include <vector>

namespace reyes::render {

class BlockPool {
 public:
  /// A block of at least so many floats.
  std::unique_ptr<float[]> take(size_t floats) {
    const size_t c = classOf(floats);
    if (c >= kClasses) return std::make_unique_for_overwrite<float[]>(floats);
    std::vector<std::unique_ptr<float[]>>& free = free_[c];
    if (free.empty()) return std::make_unique_for_overwrite<float[]>((c + 1) * kStep);
    std::unique_ptr<float[]> block = std::move(free.back());
    free.pop_back();
    return block;
  }
  /// A block that take(floats) gave, of this pool or another.
  void give(std::unique_ptr<float[]> block, size_t floats) {
    const size_t c = classOf(floats);
    if (block && c < kClasses && free_[c].size() < kMost) free_[c].push_back(std::move(block));
  }

 private:
  static constexpr size_t kStep = 128, kClasses = 48, kMost = 64;  ///< up to 24 KB
  static size_t classOf(size_t floats) { return floats == 0 ? 0 : (floats - 1) / kStep; }
  std::array<std::vector<std::unique_ptr<float[]>>, kClasses> free_;
};

}  // namespace reyes::render
