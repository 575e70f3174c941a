// SPDX-License-Identifier: Apache-2.0
// Decimal text to numbers, exactly rounded and independent of the locale. Serves the lexer's inner loop: short decimals
// take one multiplication or division of doubles, the rest goes to std::from_chars.
#pragma once

#include <bit>
#include <cstdint>

namespace reyes::rib {

struct Number {
  float value = 0;
  int32_t integer = 0;  ///< exact, where isInteger
  bool isInteger = false;
  bool outOfRange = false;  ///< the text is beyond float; value is the largest float
};

namespace number_detail {
const char* parseSlow(const char* begin, Number& out);

inline constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline bool isDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
}  // namespace number_detail

/// Parses `[+-]digits[.digits][e[+-]digits]` (either side of the point may be empty) at `p`; the text must be followed
/// by a byte that cannot belong to a number. Returns its end, or null where there is no number.
inline const char* parseNumber(const char* p, Number& out) {
  using namespace number_detail;
  const char* begin = p;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const char* first = p;
  uint64_t mantissa = 0;
  while (isDigit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
  int digits = static_cast<int>(p - first);
  int exponent = 0;
  const bool point = *p == '.';
  if (point) {
    const char* fraction = ++p;
    while (isDigit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
    exponent = -static_cast<int>(p - fraction);
    digits -= exponent;
  }
  if (digits == 0) return nullptr;
  if ((*p | 0x20) == 'e' || digits > 18) return parseSlow(begin, out);
  out.outOfRange = false;
  // "-0" is a float: as an integer it would lose its sign.
  out.isInteger = !point && mantissa <= 0x7fffffffu + static_cast<uint64_t>(negative) && !(negative && mantissa == 0);
  if (out.isInteger) out.integer = static_cast<int32_t>(negative ? -static_cast<int64_t>(mantissa) : mantissa);

  // Both operands are exact below 2^53, so the double is correctly rounded; the float then is too, unless the double
  // is halfway between two floats or the float would be subnormal.
  if (mantissa >> 53 == 0) {
    const double d = static_cast<double>(mantissa) / kPowers[-exponent];
    const bool halfway = (std::bit_cast<uint64_t>(d) & 0x1fffffff) == 0x10000000;
    if (!halfway && (d > 1e-37 || mantissa == 0)) {
      out.value = static_cast<float>(negative ? -d : d);
      return p;
    }
  }
  return parseSlow(begin, out);
}

}  // namespace reyes::rib
