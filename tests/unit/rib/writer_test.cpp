// SPDX-License-Identifier: Apache-2.0
// parse -> write -> parse is the identity, in every encoding; the recorder replays what was recorded.
#include "reyes/rib/writer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "reyes/rib/recorder.h"
#include "trace.h"

using namespace reyes;
using namespace reyes::rib;

namespace {
std::string rewrite(const std::string& bytes, const WriterOptions& options) {
  Diagnostics diag;
  diag.setPrinter({});
  Declarations declarations;
  std::istringstream in(bytes);
  std::ostringstream out;
  {
    const auto writer = makeWriter(out, options);
    readRib(in, {}, declarations, *writer, diag);
  }
  return out.str();
}

void checkIdentity(const std::string& name, const std::string& bytes) {
  const Outcome first = parse(bytes);
  std::string binary;
  for (const Encoding encoding : {Encoding::kAscii, Encoding::kBinary})
    for (const bool gzip : {false, true}) {
      const std::string written = rewrite(bytes, {encoding, gzip});
      const Outcome again = parse(written);
      CHECK_MESSAGE(again.codes() == "", name);
      REQUIRE_MESSAGE(again.lines.size() == first.lines.size(), name);
      for (size_t i = 0; i < first.lines.size(); ++i) REQUIRE_MESSAGE(again.lines[i] == first.lines[i], name);
      // Written text is a fixed point.
      CHECK_MESSAGE(rewrite(written, {encoding, gzip}) == written, name);
    }
}

std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
}  // namespace

TEST_CASE("writer: our sample files, in all four forms") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(REYES_SOURCE_DIR "/tests/rib"))
    if (entry.path().extension() == ".rib") {
      checkIdentity(entry.path().filename(), slurp(entry.path()));
      CHECK_MESSAGE(parse(slurp(entry.path())).codes() == "", entry.path().filename());
      ++files;
    }
  CHECK(files >= 3);
}

TEST_CASE("writer: corners of values") {
  checkIdentity("floats",
                "Translate -0 1e-45 3.4028235e38 Translate 0.1 16777216 1e10 Surface \"a\" \"u\" [1.0 2.0] \"v\" [1 2] "
                "\"w\" [-0]");
  checkIdentity("ints", "Surface \"a\" \"int[5] i\" [0 -1 127 -128 2147483647 -2147483648 32768 -8388608 8388608 300]");
  checkIdentity(
      "strings",
      "Surface \"a\\\"b\\\\c\\nd\\001\\177\\000\" \"string s\" [\"\" \"x\" \"0123456789abcdef\" \"|\xc3\xa4\"]");
  checkIdentity("comments",
                "#a\n##b\n###c\n#\nArchiveRecord \"comment\" \"#x\"\nArchiveRecord \"verbatim\" \"l1\\nl2\"\n");
  checkIdentity(
      "redeclare",
      "Declare \"P\" \"varying color\" Surface \"a\" \"P\" [1 2 3] \"vertex point P\" [1 2 3] \"uniform float Kd\" 1");
  checkIdentity("mismatch", "Imager \"background\" \"background\" \"sky.tif\"");
  std::string many;
  for (int i = 0; i < 700; ++i)
    many += "Surface \"shader" + std::to_string(i % 350) + "\" \"float p" + std::to_string(i) + "\" [1 .5 2]\n";
  checkIdentity("many strings", many);
}

TEST_CASE("recorder: replay gives the calls at their places") {
  const std::string rib = slurp(REYES_SOURCE_DIR "/tests/rib/requests.rib");
  Diagnostics diag;
  diag.setPrinter({});
  Declarations declarations;
  Recording recording;
  std::istringstream in(rib);
  const auto recorder = makeRecorder(recording);
  REQUIRE(readRib(in, {}, declarations, *recorder, diag));
  const Outcome direct = parse(rib);
  Trace trace;
  recording.replay(trace);
  CHECK(trace.lines == direct.lines);
  REQUIRE(trace.places.size() == direct.places.size());
  for (size_t i = 0; i < direct.places.size(); ++i) CHECK(trace.places[i].line == direct.places[i].line);
}
