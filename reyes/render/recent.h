// SPDX-License-Identifier: Apache-2.0
// What one thread made last for edges and vertices of primitives, which the faces around them ask for again. Everything
// in it is a pure function of its key, so finding it or making it anew is the same. As large as it is, never larger.
#pragma once

#include <cstdint>
#include <vector>

#include "reyes/base/hash.h"
#include "reyes/render/primitive_frame.h"

namespace reyes::render {

template <class T>
class Recent {
 public:
  /// The value kept for a key, or null.
  T* find(const PrimitiveFrame& prim, uint64_t id) {
    if (slots_.empty()) return nullptr;
    Slot& s = slotOf(prim, id);
    return s.prim == &prim && s.path == prim.source().path && s.id == id ? &s.value : nullptr;
  }
  /// Takes the place of whatever was there.
  void keep(const PrimitiveFrame& prim, uint64_t id, T value) {
    if (slots_.empty()) slots_.resize(kSlots);
    slotOf(prim, id) = {&prim, prim.source().path, id, std::move(value)};
  }

 private:
  static constexpr size_t kSlots = 1024;
  struct Slot {
    const PrimitiveFrame* prim = nullptr;
    uint64_t path = 0;  ///< where a primitive that is gone has left its place to another
    uint64_t id = 0;
    T value{};
  };
  Slot& slotOf(const PrimitiveFrame& prim, uint64_t id) { return slots_[hashCombine(prim.source().path, id) % kSlots]; }
  std::vector<Slot> slots_;
};

}  // namespace reyes::render
