// SPDX-License-Identifier: Apache-2.0
// The uncommon numbers: exponents, many digits, halfway cases, subnormals.
#include "reyes/rib/number.h"

#include <charconv>
#include <limits>

namespace reyes::rib::number_detail {
namespace {

/// Digits before the point of the number [p, end) once its exponent is applied; negative below 0.1.
int64_t decimalMagnitude(const char* p, const char* end) {
  int64_t magnitude = 0;
  while (p < end && *p == '0') ++p;
  for (; p < end && isDigit(*p); ++p) ++magnitude;
  if (p < end && *p == '.') {
    ++p;
    if (magnitude == 0)
      for (; p < end && *p == '0'; ++p) --magnitude;
    while (p < end && isDigit(*p)) ++p;
  }
  if (p == end) return magnitude;
  // At the 'e': clamp the exponent, its sign is all that matters beyond some thousands.
  const bool negative = *++p == '-';
  if (*p == '+' || *p == '-') ++p;
  int64_t exponent = 0;
  for (; p < end; ++p)
    if (exponent < 1'000'000'000) exponent = exponent * 10 + (*p - '0');
  return magnitude + (negative ? -exponent : exponent);
}

}  // namespace

const char* parseSlow(const char* begin, Number& out) {
  const bool negative = *begin == '-';
  const char* first = *begin == '-' || *begin == '+' ? begin + 1 : begin;

  // Find the end as parseNumber's grammar has it, and whether the digits after an 'e' make it an exponent.
  const char* p = first;
  while (isDigit(*p)) ++p;
  bool integer = true;
  if (*p == '.') {
    integer = false;
    for (++p; isDigit(*p);) ++p;
  }
  const char* end = p;
  if ((*p | 0x20) == 'e') {
    ++p;
    if (*p == '+' || *p == '-') ++p;
    if (!isDigit(*p)) return nullptr;
    while (isDigit(*p)) ++p;
    integer = false;
    end = p;
  }

  out.isInteger = false;
  out.outOfRange = false;
  if (integer) {
    int64_t whole = 0;
    const auto [stop, error] = std::from_chars(first, end, whole);
    const int64_t limit = int64_t{0x7fffffff} + (negative ? 1 : 0);
    out.isInteger = error == std::errc() && stop == end && whole <= limit && !(negative && whole == 0);
    if (out.isInteger) out.integer = static_cast<int32_t>(negative ? -whole : whole);
  }
  float value = 0;
  const auto [stop, error] = std::from_chars(first, end, value);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero; too large is the largest float, and said so.
    out.outOfRange = decimalMagnitude(first, end) > 0;
    value = out.outOfRange ? std::numeric_limits<float>::max() : 0.0f;
  }
  out.value = negative ? -value : value;
  return end;
}

}  // namespace reyes::rib::number_detail
