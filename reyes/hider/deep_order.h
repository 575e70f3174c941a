// SPDX-License-Identifier: Apache-2.0
// Keys that order the events of deep pixels: bits of a depth, then a number. Private to hider/: for event_row.cpp and
// deep_filter.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace reyes::hider {

inline uint32_t depthBits(float z) { return std::bit_cast<uint32_t>(std::max(z, 0.0f)); }
inline uint64_t depthKey(float z, size_t number) { return uint64_t{depthBits(z)} << 32 | number; }

/// Keys by value; their numbers rise. Depths go into 64 parts of their range, and those that many share into parts of
/// theirs. `scratch` has as much room.
inline void sortByDepth(uint64_t* keys, size_t count, uint64_t* scratch) {
  constexpr size_t kFew = 24, kParts = 64;
  if (count > kFew) {
    const auto [least, most] = std::minmax_element(keys, keys + count);
    const auto low = static_cast<uint32_t>(*least >> 32), range = static_cast<uint32_t>(*most >> 32) - low;
    if (range == 0) return;
    const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - 6);
    const auto partOf = [&](uint64_t key) { return (static_cast<uint32_t>(key >> 32) - low) >> shift; };
    uint32_t ends[kParts + 1] = {};
    for (size_t i = 0; i < count; ++i) ++ends[partOf(keys[i]) + 1];
    for (size_t p = 1; p <= kParts; ++p) ends[p] += ends[p - 1];
    for (size_t i = 0; i < count; ++i) scratch[ends[partOf(keys[i])]++] = keys[i];
    std::copy_n(scratch, count, keys);
    for (size_t p = 0, from = 0; p < kParts; from = ends[p++])
      if (ends[p] - from > 1) sortByDepth(keys + from, ends[p] - from, scratch);
    return;
  }
  for (size_t i = 1; i < count; ++i) {
    const uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

/// Keys that lie in sorted runs, run r from starts[r] to starts[r + 1], become one: `keys` and `scratch` are exchanged
/// as it goes, and the sorted ones returned. `starts` is changed.
inline uint64_t* mergeRuns(uint64_t* keys, uint64_t* scratch, uint32_t* starts, size_t runs) {
  while (runs > 1) {
    size_t made = 0;
    for (size_t r = 0; r < runs; r += 2) {
      const uint32_t from = starts[r], middle = starts[std::min(r + 1, runs)], to = starts[std::min(r + 2, runs)];
      std::merge(keys + from, keys + middle, keys + middle, keys + to, scratch + from);
      starts[made++] = from;
    }
    starts[made] = starts[runs];
    runs = made;
    std::swap(keys, scratch);
  }
  return keys;
}

/// Keys whose numbers rise, by depth: the same as mergeRuns() gives, for many. Depths lie between those given.
inline uint64_t* countingSort(uint64_t* keys, uint64_t* scratch, size_t count, uint32_t nearest, uint32_t furthest) {
  constexpr int kDigit = 11;
  uint32_t starts[1 << kDigit];
  for (int shift = 0; shift < static_cast<int>(std::bit_width(furthest - nearest)); shift += kDigit) {
    const auto digit = [&](uint64_t key) {
      return ((static_cast<uint32_t>(key >> 32) - nearest) >> shift) & ((1u << kDigit) - 1);
    };
    std::fill(std::begin(starts), std::end(starts), 0);
    for (size_t i = 0; i < count; ++i) ++starts[digit(keys[i])];
    for (uint32_t d = 0, sum = 0; d < 1u << kDigit; ++d) {
      const uint32_t here = starts[d];
      starts[d] = sum, sum += here;
    }
    for (size_t i = 0; i < count; ++i) scratch[starts[digit(keys[i])]++] = keys[i];
    std::swap(keys, scratch);
  }
  return keys;
}

}  // namespace reyes::hider
