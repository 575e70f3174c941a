// SPDX-License-Identifier: Apache-2.0
// Quantisation of one value, RI 3.2 section 4.1.2: round(one * v + dither * random), clamped. The random number is a
// hash of the absolute pixel and channel, so that crops and tiles get the same bits.
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/display/display.h"

namespace reyes::display {

float quantizeValue(float v, const QuantizeSpec& q, int x, int y, int channel) {
  if (q.floating || q.one == 0) return v;
  if (std::isnan(v)) v = 0;
  const auto key = (static_cast<uint64_t>(static_cast<uint32_t>(x)) << 32) | static_cast<uint32_t>(y);
  const float random = 2 * toUnitFloat(hashCombine(key, static_cast<uint64_t>(channel))) - 1;
  const float scaled = static_cast<float>(q.one) * v + (q.dither != 0 ? q.dither * random : 0.0f);
  // Clamped before rounding: infinities and values beyond an int are legal input.
  const auto low = static_cast<float>(q.min), high = static_cast<float>(q.max);
  return std::floor(std::fmin(std::fmax(scaled, low), high) + 0.5f);
}

}  // namespace reyes::display
