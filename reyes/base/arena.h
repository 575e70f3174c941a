// SPDX-License-Identifier: Apache-2.0
// Bump allocator for data that dies together (a grid's temporaries, a bucket's lists). Not thread-safe: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace reyes {

class Arena {
 public:
  explicit Arena(size_t blockBytes = 256 * 1024) : blockBytes_(blockBytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// `bytes` aligned to `align` (a power of two, at most 64); valid until reset().
  void* allocate(size_t bytes, size_t align = 64);

  /// n value-initialised objects of a trivially destructible type.
  template <class T>
  std::span<T> make(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (n == 0) return {};
    T* p = static_cast<T*>(allocate(n * sizeof(T), alignof(T) > 64 ? alignof(T) : 64));
    for (size_t i = 0; i < n; ++i) new (p + i) T();
    return {p, n};
  }

  /// Forgets everything, keeps the memory for reuse.
  void reset() { current_ = 0, used_ = 0; }
  size_t bytesReserved() const { return reserved_; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t(64)); }
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> data;
    size_t size;
  };
  size_t blockBytes_;
  std::vector<Block> blocks_;
  size_t current_ = 0, used_ = 0, reserved_ = 0;
};

}  // namespace reyes
