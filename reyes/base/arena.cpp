// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/arena.h"

#include <algorithm>

namespace reyes {

void* Arena::allocate(size_t bytes, size_t align) {
  for (; current_ < blocks_.size(); ++current_, used_ = 0) {
    const size_t at = (used_ + align - 1) & ~(align - 1);
    if (at + bytes <= blocks_[current_].size) {
      used_ = at + bytes;
      return blocks_[current_].data.get() + at;
    }
  }
  const size_t size = std::max(blockBytes_, bytes);
  auto* raw = static_cast<std::byte*>(::operator new[](size, std::align_val_t(64)));
  blocks_.push_back({std::unique_ptr<std::byte[], Free>(raw), size});
  reserved_ += size;
  current_ = blocks_.size() - 1;
  used_ = bytes;
  return raw;
}

}  // namespace reyes
