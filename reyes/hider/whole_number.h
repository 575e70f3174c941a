// SPDX-License-Identifier: Apache-2.0
// Whole numbers of 32 bits as output variables of micropolygons: two planes, the lower and the upper 16 bits. Where all
// vertices have the same number, what a sample finds between them is at most a rounding away from it, and rounds back.
// Written by render/ when a grid is shaded, read by film and by deep pixels. Such planes are never added up or
// averaged.
#pragma once

#include <cmath>
#include <cstdint>

namespace reyes::hider {

inline constexpr int kWholeFloats = 2;

inline void splitWhole(uint32_t number, float& low, float& high) {
  low = static_cast<float>(number & 0xffff), high = static_cast<float>(number >> 16);
}

inline uint32_t joinWhole(float low, float high) {
  const auto part = [](float v) { return static_cast<uint32_t>(v > 0 ? (v < 65535 ? std::lround(v) : 65535) : 0); };
  return part(low) | part(high) << 16;
}

}  // namespace reyes::hider
