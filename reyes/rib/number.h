// SPDX-License-Identifier: Apache-2.0
// Decimal text to numbers, exactly rounded and independent of the locale. Serves the lexer's inner loop: short decimals
// take one multiplication or division of doubles, the rest goes to std::from_chars.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

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
inline constexpr uint64_t kWholePowers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
inline constexpr double kFractions[] = {1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7};
inline bool isDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

/// The digits, eight at most, that `p` begins with, as a number; how many they are. Eight bytes a step instead of one
/// (D. Lemire, "Number Parsing at a Gigabyte per Second", 2021).
inline uint32_t leadingDigits(const char* p, int& count) {
  uint64_t bytes;
  std::memcpy(&bytes, p, 8);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  const uint64_t digits = bytes ^ 0x3030303030303030u;
  // The first byte whose highest bit is set here is no digit.
  const uint64_t others = ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
  count = others ? std::countr_zero(others) >> 3 : 8;
  if (count == 0) return 0;
  uint64_t v = digits << (8 * (8 - count));  // zeros in front
  v = v * 10 + (v >> 8);
  constexpr uint64_t kEvenPairs = 0x000000ff000000ffu;
  return static_cast<uint32_t>(
      ((v & kEvenPairs) * 0x000f424000000064u + ((v >> 16) & kEvenPairs) * 0x0000271000000001u) >> 32);
}
}  // namespace number_detail

/// Parses `[+-]digits[.digits][e[+-]digits]` (either side of the point may be empty) at `p`; the text must be followed
/// by a byte that cannot belong to a number, and kNumberPadding bytes that can be read. Returns its end, or null where
/// there is no number.
inline constexpr int kNumberPadding = 8;
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
    int count;
    const uint32_t value = leadingDigits(p, count);
    mantissa = mantissa * kWholePowers[count] + value;
    p += count;
    while (count == 8 && isDigit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
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

/// The float at `p`, where it has up to 7 digits behind its point and no exponent, as nearly all in scenes; its end, or
/// null for any other text, which is parseNumber()'s. The same value as that gives, without a division. What follows is
/// as there.
inline const char* parseShortFloat(const char* p, float& out) {
  using namespace number_detail;
  const bool negative = *p == '-';
  p += negative;
  const char* first = p;
  uint64_t mantissa = 0;
  while (isDigit(*p)) mantissa = mantissa * 10 + static_cast<uint64_t>(*p++ - '0');
  int digits = static_cast<int>(p - first), fraction = 0;
  if (*p == '.') {
    const uint32_t value = leadingDigits(++p, fraction);
    mantissa = mantissa * kWholePowers[fraction] + value;
    p += fraction, digits += fraction;
  }
  if (digits == 0 || digits > 15 || fraction > 7 || (*p | 0x20) == 'e') return nullptr;
  // The mantissa is exact, the product wrong by two units of its 53 bits at most: enough for the 24 of a float, unless
  // it is that close to halfway between two floats.
  const double d = static_cast<double>(static_cast<int64_t>(mantissa)) * kFractions[fraction];
  const uint64_t bits = std::bit_cast<uint64_t>(d);
  if ((bits & 0x1fffffff) - 0x0ffffff8 <= 0x10) return nullptr;
  // Without a branch: half of all numbers have a sign, and no processor guesses which.
  out = static_cast<float>(std::bit_cast<double>(bits | uint64_t{negative} << 63));
  return p;
}

}  // namespace reyes::rib
