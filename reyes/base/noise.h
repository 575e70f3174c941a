// SPDX-License-Identifier: Apache-2.0
// The permutation of Ken Perlin's "Improving Noise" (SIGGRAPH 2002), which every noise kernel and test shares, so
// that looks carry over from other renderers that use the same lattice.
#pragma once

#include <array>
#include <cstdint>

namespace reyes {

/// Perlin's reference permutation of 0..255, written twice so that p[p[x] + y] needs no wrap.
extern const std::array<uint8_t, 512> kPerlinPermutation;

}  // namespace reyes
