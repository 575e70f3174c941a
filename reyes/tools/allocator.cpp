// SPDX-License-Identifier: Apache-2.0
// operator new and delete of the program, and of the libraries that it loads, by oneTBB's allocator. What a bucket
// makes is often freed by another thread: with the C library's heaps threads wait for each other there. Not in
// sanitizer builds, which watch the heap themselves. See docs/decisions/0022-allocator.md.
#include <oneapi/tbb/scalable_allocator.h>

#include <new>

namespace {

/// Asks the new-handler for room as long as there is one, as the standard wants it.
template <class Allocate>
void* insist(const Allocate& allocate) {
  for (;;) {
    if (void* p = allocate()) return p;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

void* plain(std::size_t size) {
  return insist([size] { return scalable_malloc(size > 0 ? size : 1); });
}
void* aligned(std::size_t size, std::align_val_t alignment) {
  return insist([=] { return scalable_aligned_malloc(size > 0 ? size : 1, static_cast<std::size_t>(alignment)); });
}

}  // namespace

void* operator new(std::size_t size) { return plain(size); }
void* operator new[](std::size_t size) { return plain(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return scalable_malloc(size > 0 ? size : 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return scalable_malloc(size > 0 ? size : 1); }
void* operator new(std::size_t size, std::align_val_t alignment) { return aligned(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return aligned(size, alignment); }

void operator delete(void* p) noexcept { scalable_free(p); }
void operator delete[](void* p) noexcept { scalable_free(p); }
void operator delete(void* p, std::size_t) noexcept { scalable_free(p); }
void operator delete[](void* p, std::size_t) noexcept { scalable_free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { scalable_free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { scalable_free(p); }
void operator delete(void* p, std::align_val_t) noexcept { scalable_aligned_free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { scalable_aligned_free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { scalable_aligned_free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { scalable_aligned_free(p); }
