// SPDX-License-Identifier: Apache-2.0
// parseNumber against std::from_chars, bit for bit.
#include "reyes/rib/number.h"

#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

using reyes::rib::Number;

namespace {
/// Parses at the beginning of `text`; the length of what was read, or -1.
int parse(const std::string& text, Number& n) {
  const std::string padded = text + std::string(1 + reyes::rib::kNumberPadding, '\0');
  const char* end = reyes::rib::parseNumber(padded.c_str(), n);
  return end ? static_cast<int>(end - padded.c_str()) : -1;
}

float reference(const std::string& text) {
  const char* p = text.data() + (text[0] == '+');
  float v = 0;
  std::from_chars(p, text.data() + text.size(), v);
  return v;
}

void checkSame(const std::string& text) {
  Number n;
  REQUIRE_MESSAGE(parse(text, n) == static_cast<int>(text.size()), text);
  REQUIRE_MESSAGE(std::bit_cast<uint32_t>(n.value) == std::bit_cast<uint32_t>(reference(text)), text);
  const std::string padded = text + std::string(1 + reyes::rib::kNumberPadding, '\0');
  float quick = 0;
  if (const char* end = reyes::rib::parseShortFloat(padded.c_str(), quick)) {
    REQUIRE(end == padded.c_str() + text.size());
    REQUIRE_MESSAGE(std::bit_cast<uint32_t>(quick) == std::bit_cast<uint32_t>(n.value), text);
  }
}
}  // namespace

TEST_CASE("numbers: forms that RIB files use") {
  for (const char* text : {"0",
                           "-0",
                           "1",
                           "-1",
                           "+1",
                           ".5",
                           "-.5",
                           "5.",
                           "1e5",
                           "1E+5",
                           "1e-5",
                           "-1.25e2",
                           "0.1",
                           "3.4028234e38",
                           "1e-45",
                           "1.17549435e-38",
                           "16777217",
                           "16777219",
                           "8388608.5",
                           "0.000000000000000000000000001",
                           "123456789012345678901234567890",
                           "1e38",
                           "0.30000001192092896",
                           "9007199254740993",
                           "7.0064923216240854e-46"})
    checkSame(text);
}

TEST_CASE("numbers: integers stay exact") {
  Number n;
  parse("2147483647", n);
  CHECK(n.isInteger);
  CHECK(n.integer == 2147483647);
  parse("-2147483648", n);
  CHECK(n.isInteger);
  CHECK(n.integer == std::numeric_limits<int>::min());
  parse("2147483648", n);
  CHECK_FALSE(n.isInteger);
  parse("1.0", n);
  CHECK_FALSE(n.isInteger);
}

TEST_CASE("numbers: beyond float") {
  Number n;
  for (const char* text :
       {"1e39", "123e400", "1e99999999999", "0.0001e50", "9999999999999999999999999999999999999999999"}) {
    REQUIRE(parse(text, n) > 0);
    CHECK_MESSAGE(n.outOfRange, text);
    CHECK(n.value == std::numeric_limits<float>::max());
  }
  for (const char* text : {"1e-60", "1e-99999999999", "100000e-80", "0.0e99", "0e500"}) {
    REQUIRE(parse(text, n) > 0);
    CHECK_MESSAGE(!n.outOfRange, text);
    CHECK(n.value == 0);
  }
}

TEST_CASE("numbers: digits end at whatever is none") {
  Number n;
  for (const std::string digits : {"", "1", "12", "1234567", "12345678", "123456789", "12345678901234567"})
    for (int c = 0; c < 256; ++c) {
      if (c >= '0' && c <= '9') continue;
      if (c == 'e' || c == 'E') continue;
      const std::string number = "3." + digits, text = number + static_cast<char>(c) + "99999999";
      REQUIRE(parse(text, n) == static_cast<int>(number.size()));
      CHECK(n.value == reference(number));
    }
}

TEST_CASE("numbers: what is none") {
  Number n;
  for (const char* text : {"", "-", "+", ".", "-.", "e5", "1e", "1e+", "x"}) CHECK_MESSAGE(parse(text, n) < 0, text);
}

TEST_CASE("numbers: any float printed in several ways, and decimals halfway between two floats") {
  std::mt19937 random(7);
  char text[128];
  for (int i = 0; i < 200000; ++i) {
    const float v = std::bit_cast<float>(static_cast<uint32_t>(random()));
    if (!std::isfinite(v)) continue;
    const char* forms[] = {"%.9g", "%.6g", "%.7f", "%.3f", "%.17g"};
    std::snprintf(text, sizeof text, forms[i % 5], static_cast<double>(v));
    checkSame(text);
    // Exactly halfway to the next float, where it is short enough.
    const float scaled = static_cast<float>(random() % 20000000u) / 4;
    const double halfway = (static_cast<double>(scaled) + std::nextafter(scaled, 1e9f)) / 2;
    std::snprintf(text, sizeof text, "%.9f", halfway);
    checkSame(text);
  }
}
