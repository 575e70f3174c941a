// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: every value is a pure function of its keys, so that pictures do not depend on
// threads, buckets or crops.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace reyes {

/// Finaliser of SplitMix64: a bijection of 64 bits with good avalanche.
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}
constexpr uint64_t hashCombine(uint64_t a, uint64_t b) { return mix64(a ^ mix64(b)); }
constexpr uint64_t hashCombine(uint64_t a, uint64_t b, uint64_t c) { return hashCombine(hashCombine(a, b), c); }

constexpr uint64_t hashBytes(std::string_view s, uint64_t seed = 0) {
  uint64_t h = 0xcbf29ce484222325ull ^ mix64(seed);
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return mix64(h);
}

/// Hash of many bytes, 32 at a step: for files, where hashBytes() would take as long as reading them.
inline uint64_t hashBulk(std::string_view s) {
  constexpr uint64_t kOdd[4] = {0x9e3779b97f4a7c15ull, 0xc2b2ae3d27d4eb4full, 0xd6e8feb86659fd93ull,
                                0xff51afd7ed558ccdull};
  uint64_t lane[4] = {1, 2, 3, 4};
  size_t i = 0;
  for (; i + 32 <= s.size(); i += 32) {
    uint64_t word[4];
    std::memcpy(word, s.data() + i, 32);
    for (int k = 0; k < 4; ++k) {
      lane[k] = (lane[k] ^ word[k]) * kOdd[k];
      lane[k] ^= lane[k] >> 29;
    }
  }
  const uint64_t all = hashCombine(hashCombine(lane[0], lane[1]), lane[2], lane[3]);
  return hashCombine(all, s.size(), hashBytes(s.substr(i)));
}

/// Uniform float in [0, 1) from the top 24 bits.
constexpr float toUnitFloat(uint64_t h) { return static_cast<float>(h >> 40) * 0x1p-24f; }

}  // namespace reyes
