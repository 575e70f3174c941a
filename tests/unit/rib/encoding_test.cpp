// SPDX-License-Identifier: Apache-2.0
// Binary tokens one by one, gzip in all its ways of being joined and broken.
#include <doctest/doctest.h>

#include <algorithm>

#include "reyes/rib/writer.h"
#include "trace.h"

using namespace reyes;
using namespace reyes::rib;

namespace {
/// A string with embedded zeros.
template <size_t N>
std::string bytes(const char (&literal)[N]) {
  return {literal, N - 1};
}

std::string gzip(const std::string& rib) {
  Diagnostics diag;
  diag.setPrinter({});
  Declarations declarations;
  std::istringstream in(rib);
  std::ostringstream out;
  {
    const auto writer = makeWriter(out, {Encoding::kAscii, true});
    readRib(in, {}, declarations, *writer, diag);
  }
  return out.str();
}

std::string calls(const std::string& rib) {
  const Outcome o = parse(rib);
  CHECK(o.codes() == "");
  return o.text;
}
}  // namespace

TEST_CASE("binary: integers and fixed point") {
  CHECK(calls("Sides" + bytes("\x80\x02")) == "Sides 2\n");
  CHECK(calls("FrameBegin" + bytes("\x81\x01\x00")) == "FrameBegin 256\n");
  CHECK(calls("FrameBegin" + bytes("\x80\xff")) == "FrameBegin -1\n");
  CHECK(calls("FrameBegin" + bytes("\x83\x80\x00\x00\x00")) == "FrameBegin -2147483648\n");
  CHECK(calls("ShadingRate" + bytes("\x85\x01\x80")) == "ShadingRate 1.5\n");  // one byte after the point
  CHECK(calls("ShadingRate" + bytes("\x84\x40")) == "ShadingRate 0.25\n");
  CHECK(calls("ShadingRate" + bytes("\x85\xff\x80")) == "ShadingRate -0.5\n");
  CHECK(calls("ShadingRate" + bytes("\x8b\x00\x01\x00\x00")) == "ShadingRate 1\n");
}

TEST_CASE("binary: reals, arrays, strings, definitions") {
  CHECK(calls("ShadingRate" + bytes("\xa4\x3f\x80\x00\x00")) == "ShadingRate 1\n");
  CHECK(calls("ShadingRate" + bytes("\xa5\x3f\xe0\x00\x00\x00\x00\x00\x00")) == "ShadingRate 0.5\n");
  CHECK(calls("Color" + bytes("\xc8\x03\x3f\x80\x00\x00\x00\x00\x00\x00\x3f\x00\x00\x00")) == "Color [1 0 0.5]\n");
  CHECK(calls("Translate" + bytes("\xc9\x00\x03\x3f\x80\x00\x00\x00\x00\x00\x00\x3f\x00\x00\x00 Sides 1")) ==
        "Translate 1 0 0.5\nSides 1\n");
  CHECK(calls("Color [1 " + bytes("\xa4\x3f\x00\x00\x00") + " " + bytes("\x80\x02") + "]") == "Color [1 0.5 2]\n");
  CHECK(calls("Surface" + bytes("\x93") + "abc" + bytes("\xa0\x11") + "0123456789abcdefg 1") ==
        "Surface 'abc' {? 0123456789abcdefg=i[1]}\n");
  CHECK(calls(bytes("\xcc\x07\x95") + "Sides" + bytes("\xa6\x07\x80\x01\xa6\x07") + "2") == "Sides 1\nSides 2\n");
  CHECK(calls(bytes("\xcc\x07") + "\"Sides\" " + bytes("\xa6\x07") + "1") == "Sides 1\n");
  CHECK(calls(bytes("\xcd\x01\x94") + "matt" + "Surface" + bytes("\xcf\x01") + "ReadArchive" + bytes("\xcf\x01")) ==
        "Surface 'matt' {}\nReadArchive 'matt' {}\n");
  CHECK(calls(bytes("\xce\x01\x00\x94") + "matt" + "Surface" + bytes("\xd0\x01\x00")) == "Surface 'matt' {}\n");
}

TEST_CASE("binary: faults") {
  CHECK(parse(bytes("\xa6\x07 Sides 1")).codes() == "rib-bad-binary@1:1");
  CHECK(parse("Surface" + bytes("\xcf\x07") + " Sides 1").text == "Sides 1\n");
  CHECK(parse(bytes("\xcc\x07") + "Sides 1").text == "Sides 1\n");
  for (const std::string& cut : {bytes("Translate \xa4\x3f\x80"), bytes("Color \xcb\xff\xff\xff\xff\x3f\x80\x00\x00"),
                                 bytes("Surface \xa3\x7f\xff\xff\xff"
                                       "abc"),
                                 bytes("Sides \x83\x00"), bytes("\xcc"),
                                 bytes("\xcd\x01\x95"
                                       "ab"),
                                 bytes("\xa6")}) {
    // A request that the break may have cut short is not called.
    const Outcome o = parse("Sides 1\nSides 2\n" + cut);
    CHECK_FALSE(o.good);
    CHECK(o.text.starts_with("Sides 1\n"));
    REQUIRE(o.faults.size() == 1);
    CHECK(o.faults[0].code == "rib-truncated");
  }
  // Not a number inside a float array: one fault, the rest goes on.
  const Outcome o = parse("Color" + bytes("\xc8\x03\x7f\xc0\x00\x00\x7f\xc0\x00\x00\x3f\x00\x00\x00") + "Sides 1");
  CHECK(o.faults.size() == 1);
  CHECK(o.text == "Sides 1\n");
  // Definitions do not nest, however deep the bytes try to.
  std::string nested;
  for (int i = 0; i < 200000; ++i) nested += bytes("\xcd\x01");
  CHECK_FALSE(parse(nested).faults.empty());
}

TEST_CASE("gzip: members joined, mixed with text, padded") {
  const std::string one = gzip("Sides 1\n"), two = gzip("Sides 2\n");
  CHECK(calls(one) == "Sides 1\n");
  CHECK(calls(one + two) == "Sides 1\nSides 2\n");
  CHECK(calls("Sides 3\n" + one + two + "Sides 4\n" + one) == "Sides 3\nSides 1\nSides 2\nSides 4\nSides 1\n");
  CHECK(calls(one + std::string(512, '\0')) == "Sides 1\n");
  CHECK(calls(gzip("")) == "");
  // A request may run over the seam.
  CHECK(calls("Translate 1 2\n" + gzip("# x\n") + "3") == "Translate 1 2 3\nArchiveRecord 'comment' ' x'\n");
}

TEST_CASE("gzip: truncated anywhere is an error, damaged too; nothing hangs") {
  std::string rib;
  for (int i = 0; i < 3000; ++i)
    rib += "Translate " + std::to_string(i * 7919 % 10007) + " 0.25 " + std::to_string(i) + "\n";
  const std::string whole = gzip(rib);
  REQUIRE(whole.size() > 10000);
  for (size_t cut = 3; cut < whole.size(); cut += 997) {
    const Outcome o = parse(whole.substr(0, cut));
    CHECK_FALSE(o.good);
    REQUIRE(o.faults.size() == 1);
    CHECK(o.faults[0].code == "rib-gzip-truncated");
    CHECK(o.faults[0].impact == Impact::kInput);
    CHECK(rib.starts_with(o.text));
  }
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
  const Outcome o = parse(damaged);
  CHECK_FALSE(o.good);
  CHECK(std::any_of(o.faults.begin(), o.faults.end(), [](auto& d) { return d.impact == Impact::kInput; }));
  std::string checksum = whole;
  checksum[whole.size() - 6] = static_cast<char>(checksum[whole.size() - 6] ^ 1);
  CHECK_FALSE(parse(checksum).good);
}
