// SPDX-License-Identifier: Apache-2.0
// An array whose elements are made one by one, by the threads that fill them: the system clears the pages of a large
// array at first touch, and that is not to wait for one thread. Of frame_setup.h.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace reyes::render {

template <class T>
class Slots {
 public:
  Slots() = default;
  /// Room for `count` elements, none of them made.
  explicit Slots(size_t count) : count_(count), data_(std::allocator<T>().allocate(count)) {}
  Slots(Slots&& o) noexcept : count_(o.count_), data_(o.data_) { o.count_ = 0, o.data_ = nullptr; }
  Slots& operator=(Slots&& o) noexcept {
    std::swap(count_, o.count_), std::swap(data_, o.data_);
    return *this;
  }
  ~Slots() {
    if (!data_) return;
    std::destroy_n(data_, count_);
    std::allocator<T>().deallocate(data_, count_);
  }

  /// Makes element i. Each is to be made once before the array goes.
  T& make(size_t i) { return *new (data_ + i) T(); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* get() { return data_; }

 private:
  size_t count_ = 0;
  T* data_ = nullptr;
};

}  // namespace reyes::render
