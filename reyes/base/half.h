// SPDX-License-Identifier: Apache-2.0
// IEEE half as plain bits, with conversions that round to nearest even. Portable; hot loops use F16C kernels.
#pragma once

#include <bit>
#include <cstdint>

namespace reyes {

struct Half {
  uint16_t bits = 0;
};

inline Half toHalf(float f) {
  const uint32_t x = std::bit_cast<uint32_t>(f);
  const uint32_t sign = (x >> 16) & 0x8000u;
  uint32_t a = x & 0x7fffffffu;
  if (a >= 0x7f800000u) return {static_cast<uint16_t>(sign | (a > 0x7f800000u ? 0x7e00u : 0x7c00u))};
  if (a >= 0x477ff000u) return {static_cast<uint16_t>(sign | 0x7c00u)};
  if (a < 0x38800000u) {  // denormal half
    const float scaled = std::bit_cast<float>(a) * 0x1p24f;
    uint32_t i = static_cast<uint32_t>(scaled);
    const float rest = scaled - static_cast<float>(i);
    if (rest > 0.5f || (rest == 0.5f && (i & 1))) ++i;
    return {static_cast<uint16_t>(sign | i)};
  }
  a += 0xfffu + ((a >> 13) & 1);
  return {static_cast<uint16_t>(sign | ((a - 0x38000000u) >> 13))};
}

inline float toFloat(Half h) {
  const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000u) << 16;
  const uint32_t e = (h.bits >> 10) & 31, m = h.bits & 1023;
  if (e == 31) return std::bit_cast<float>(sign | 0x7f800000u | (m << 13));
  if (e == 0) {
    const float v = static_cast<float>(m) * 0x1p-24f;
    return sign ? -v : v;
  }
  return std::bit_cast<float>(sign | ((e + 112) << 23) | (m << 13));
}

}  // namespace reyes
