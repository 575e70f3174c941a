// SPDX-License-Identifier: Apache-2.0
// The reader on ASCII: forms of arguments, declarations, and every kind of fault with its code and place.
#include "reyes/rib/reader.h"

#include <doctest/doctest.h>

#include "trace.h"

using namespace reyes;
using namespace reyes::rib;

namespace {
/// The calls of `rib`, which must be free of faults.
std::string calls(const std::string& rib) {
  const Outcome o = parse(rib);
  CHECK_MESSAGE(o.codes() == "", rib);
  CHECK(o.good);
  return o.text;
}
}  // namespace

TEST_CASE("reader: scalars with and without brackets") {
  CHECK(calls("Translate 0 0 5") == "Translate 0 0 5\n");
  CHECK(calls("Translate [0 0 5]") == "Translate 0 0 5\n");
  CHECK(calls("Sphere [1 -1 1 360] \"Ka\" 1") == "Sphere 1 -1 1 360 {uniform float Ka=[1]}\n");
  CHECK(calls("Surface [\"matte\"] \"Kd\" [.5]") == "Surface 'matte' {uniform float Kd=[0.5]}\n");
  CHECK(calls("Color 1 0 .5 Color [1 0 .5] Opacity .5 .5 .5") ==
        "Color [1 0 0.5]\nColor [1 0 0.5]\nOpacity [0.5 0.5 0.5]\n");
  CHECK(calls("Format 640 480 1 Format 64 48 -1 Format 10 10") ==
        "Format 640 480 1\nFormat 64 48 -1\nFormat 10 10 1\n");
  CHECK(calls("Transform 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1") == calls("Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]"));
  CHECK(calls("MotionBegin [0 1] MotionBegin 0 1") == "MotionBegin [0 1]\nMotionBegin [0 1]\n");
  CHECK(calls("Bound [0 1 0 1 0 1]Bound 0 1 0 1 0 1") == "Bound [0 1 0 1 0 1]\nBound [0 1 0 1 0 1]\n");
}

TEST_CASE("reader: optional, derived and renamed arguments") {
  CHECK(calls("DepthOfField DepthOfField 2.8 .05 3") == "DepthOfField inf 1 1\nDepthOfField 2.8 0.05 3\n");
  CHECK(calls("Polygon \"P\" [0 0 0 1 0 0 1 1 0]") == "Polygon 3 {vertex point P=[0 0 0 1 0 0 1 1 0]}\n");
  CHECK(calls("Points \"P\" [0 0 0 1 0 0] \"constantwidth\" 2") ==
        "Points 2 {vertex point P=[0 0 0 1 0 0] constant float constantwidth=[2]}\n");
  CHECK(calls("PatchMesh \"bilinear\" 2 \"nowrap\" 3 \"periodic\"") ==
        "PatchMesh 'bilinear' 2 'nonperiodic' 3 'periodic' {}\n");
  CHECK(calls("SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] \"Ka\" [1]") ==
        "SubdivisionMesh 'catmull-clark' [4] [0 1 2 3] [] [] [] [] {uniform float Ka=[1]}\n");
  CHECK(
      calls(
          "SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"crease\" \"interpolateboundary\"] [2 1 0 0] [0 1] [3]") ==
      "SubdivisionMesh 'catmull-clark' [4] [0 1 2 3] ['crease' 'interpolateboundary'] [2 1 0 0] [0 1] [3] {}\n");
  CHECK(calls("SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] \"interpolateboundary\" [0 0] [] []") ==
        "SubdivisionMesh 'catmull-clark' [4] [0 1 2 3] ['interpolateboundary'] [0 0] [] [] {}\n");
  CHECK(calls("Blobby 1 [1001 0] [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] [\"\"]") ==
        "Blobby 1 [1001 0] [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] [''] {}\n");
  CHECK(calls("Procedural \"DelayedReadArchive\" [\"a.rib\"] [-1 1 -1 1 -1 1]") ==
        "Procedural 'DelayedReadArchive' ['a.rib'] [-1 1 -1 1 -1 1]\n");
  CHECK(calls("MakeCubeFaceEnvironment \"a\" \"b\" \"c\" \"d\" \"e\" \"f\" \"out\" 95 \"gaussian\" 2 3") ==
        "MakeCubeFaceEnvironment ['a' 'b' 'c' 'd' 'e' 'f'] 'out' 95 gaussian:2:3 {}\n");
  CHECK(calls("Basis \"bezier\" 3 \"b-spline\" 1 Basis [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] 1 \"bezier\" 3") ==
        "Basis bezier 3 b-spline 1\nBasis [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] 1 bezier 3\n");
  CHECK(calls("LightSource \"a\" 1 LightSource \"b\" \"key\" Illuminate 1 0 Illuminate \"key\" 1") ==
        "LightSource 'a' 1 {}\nLightSource 'b' 'key' {}\nIlluminate 1 false\nIlluminate 'key' true\n");
  CHECK(calls("ErrorAbort ErrorHandler \"print\"") == "ErrorHandler 'abort'\nErrorHandler 'print'\n");
  CHECK(calls("EditBegin \"x\" [1 2] 3") == "Unsupported 'EditBegin' {? =['x'] ? =i[1 2] ? =i[3]}\n");
}

TEST_CASE("reader: declarations") {
  CHECK(calls("Declare \"shade\" \"uniform color\" Surface \"x\" \"shade\" [1 0 0]") ==
        "Declare 'shade' 'uniform color'\nSurface 'x' {uniform color shade=[1 0 0]}\n");
  CHECK(calls("Surface \"x\" \"varying float[2] st2\" [1 2] \"int n\" 7 \"unknown\" [1 .5] \"other\" [16777217] \"s2\" "
              "\"t\"") ==
        "Surface 'x' {varying float[2] st2=[1 2] uniform integer n=i[7] ? unknown=[1 0.5] ? other=i[16777217] ? "
        "s2=['t']}\n");
  CHECK(calls("Imager \"background\" \"color\" [1 0 0] \"background\" \"sky.tx\"") ==
        "Imager 'background' {? color=i[1 0 0] ? background=['sky.tx']}\n");
  CHECK(calls("Surface \"x\" \"Kd\" [] \"Ka\" 1 \"lightcolor\" 1 0 0") ==
        "Surface 'x' {uniform float Kd=[] uniform float Ka=[1] uniform color lightcolor=[1 0 0]}\n");
  // A new Declare counts from there on.
  CHECK(calls("Surface \"x\" \"q\" 1 Declare \"q\" \"float\" Surface \"x\" \"q\" 1") ==
        "Surface 'x' {? q=i[1]}\nDeclare 'q' 'float'\nSurface 'x' {uniform float q=[1]}\n");
  CHECK(parse("Declare \"a\" \"?\" Sides 1").codes() == "rib-bad-declaration@1:1");
}

TEST_CASE("reader: strings, comments and line ends") {
  CHECK(calls("ReadArchive \"a\\n\\\"b\\\\\\101\\x\"") == "ReadArchive 'a\n\"b\\Ax' {}\n");
  CHECK(calls("ReadArchive \"two\r\nlines \\\r\nand on\"") == "ReadArchive 'two\nlines and on' {}\n");
  CHECK(calls("ReadArchive \"|Geb\xc3\xa4ude [1] #2\"") == "ReadArchive '|Geb\xc3\xa4ude [1] #2' {}\n");
  CHECK(calls("##RenderMan RIB\n# note\nSides 1 # one\nSides 2") ==
        "ArchiveRecord 'structure' 'RenderMan RIB'\nArchiveRecord 'comment' ' note'\nSides 1\n"
        "ArchiveRecord 'comment' ' one'\nSides 2\n");
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Outcome o = parse("Sides 1" + end + end + "  Sides 2" + end + "#c" + end + "Bogus");
    REQUIRE(o.places.size() == 3);
    CHECK(o.places[1].line == 3);
    CHECK(o.places[1].column == 3);
    CHECK(o.codes() == "rib-unknown-request@5:1");
  }
}

TEST_CASE("reader: versions and number forms") {
  CHECK(calls("version 3.03999996185") == "version 3.04\n");
  CHECK(calls("Translate .5 5. -1.e-2") == "Translate 0.5 5 -0.01\n");
  const Outcome o = parse("Clipping .1 1e40");
  CHECK(o.codes() == "rib-number-range@1:13");
  CHECK(o.lines.size() == 1);
}

TEST_CASE("reader: faults name the place and reading goes on") {
  struct Case {
    const char *rib, *codes, *calls;
  };
  const Case cases[] = {
      {"Rotate NaN 0 1 0\nSides 1", "rib-bad-argument@1:8", "Sides 1\n"},
      {"Rotate -nan 0 1 0 Sides 1", "rib-bad-argument@1:8", "Sides 1\n"},
      {"Translate 1.#QNAN 0 0\nSides 1", "rib-bad-number@1:11", "Sides 1\n"},
      {"TransforBegin\nSides 1\nTransformEnd", "rib-unknown-request@1:1", "Sides 1\nTransformEnd\n"},
      {"ShadingRate SR\nSides 1", "rib-bad-argument@1:13", "Sides 1\n"},
      {"ShadingRate $(rate)\nSides 1", "rib-bad-argument@1:13", "Sides 1\n"},
      {"Translate 0 0\nSides 1", "rib-missing-argument@1:1", "Sides 1\n"},
      {"Translate 0 0\nTransforBegin\nSides 1", "rib-missing-argument@1:1 rib-unknown-request@2:1", "Sides 1\n"},
      {"Sides 1 2 3 Sides 2", "rib-extra-arguments@1:9", "Sides 1\nSides 2\n"},
      {"Translate \"a\" 0 0 Sides 1", "rib-bad-argument@1:11", "Sides 1\n"},
      {"Sides 1.5 Sides 1", "rib-bad-argument@1:7", "Sides 1\n"},
      {"Color [1 0 Sides 1", "rib-bad-array@1:1", "Sides 1\n"},
      {"Translate [0 0 1 Sides 1", "rib-bad-array@1:1", "Sides 1\n"},
      {"Color [1 NaN 0 NaN] Sides 1", "rib-bad-argument@1:10", "Sides 1\n"},
      {"Surface \"a\" \"string b\" 1 \"float c\" \"x\" \"Kd\" 1", "rib-type-mismatch@1:13 rib-type-mismatch@1:26",
       "Surface 'a' {uniform float Kd=[1]}\n"},
      {"Surface \"a\" \"point b\" [1 2] \"Kd\" 1", "rib-bad-count@1:13", "Surface 'a' {uniform float Kd=[1]}\n"},
      {"Surface \"a\" \"b\"\nSides 1", "rib-missing-value@1:13", "Surface 'a' {}\nSides 1\n"},
      {"Polygon \"N\" [0 0 1] Sides 1", "rib-missing-P@1:1", "Sides 1\n"},
      {"Bound [1 2 3] Sides 1", "rib-bad-count@1:1", "Sides 1\n"},
      {"SubdivisionMesh \"catmull-clark\" [4] [0 1 2 3] [\"crease\"] [2 1] [0] [3] Sides 1", "rib-bad-count@1:1",
       "Sides 1\n"},
      {"] 1 2 [3] \"x\"\nSides 1", "rib-no-request@1:1", "Sides 1\n"},
      {"\x01\x02 Sides 1", "rib-bad-byte@1:1", "Sides 1\n"},
      {"Sides 12abc\nSides 1", "rib-bad-number@1:7", "Sides 1\n"},
  };
  for (const Case& c : cases) {
    const Outcome o = parse(c.rib);
    CHECK_MESSAGE(o.codes() == c.codes, c.rib);
    CHECK_MESSAGE(o.text == c.calls, c.rib);
    CHECK_MESSAGE(o.good, c.rib);
  }
}

TEST_CASE("reader: a misspelt request is told what was meant") {
  const Outcome o = parse("TransforBegin");
  REQUIRE(o.faults.size() == 1);
  CHECK(o.faults[0].text == "unknown request TransforBegin; did you mean TransformBegin?");
  CHECK(parse("Xyzzyplugh").faults[0].text == "unknown request Xyzzyplugh");
}

TEST_CASE("reader: a string that is never closed is named where it began") {
  const Outcome o = parse("Sides 1\nSurface \"matte\nSides 2\n");
  CHECK_FALSE(o.good);
  CHECK(o.codes() == "rib-unterminated-string@2:9");
  CHECK(o.text == "Sides 1\n");
}

TEST_CASE("reader: garbage ends with an error, not a flood") {
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(1 + i % 7), bytes += ' ';
  const Outcome o = parse(bytes);
  CHECK_FALSE(o.good);
  CHECK(o.faults.size() < 300);
  CHECK(o.faults.back().code == "rib-garbage");
  std::string prose;
  for (int i = 0; i < 100000; ++i) prose += "word" + std::to_string(i) + "\n";
  const Outcome words = parse(prose);
  CHECK_FALSE(words.good);
  CHECK(words.faults.size() < 300);
}

TEST_CASE("reader: tokens that straddle the buffer") {
  std::string rib, expected;
  for (int pad = 65480; pad < 65540; ++pad) {
    const Outcome o = parse("#" + std::string(static_cast<size_t>(pad), 'x') +
                            "\r\nSurface \"a\\\"b\" \"Kd\" [0.25 -1e-3]\r\nSides 2");
    REQUIRE(o.codes() == "");
    REQUIRE(o.lines.size() == 3);
    REQUIRE(o.lines[1] == "Surface 'a\"b' {uniform float Kd=[0.25 -0.001]}");
    REQUIRE(o.places[2].line == 3);
    REQUIRE(o.places[2].column == 1);
  }
  // A long array over many buffers.
  std::string floats;
  for (int i = 0; i < 100000; ++i) floats += std::to_string(i) + ".5\n";
  const Outcome o = parse("PointsPolygons [3] [0 1 2] \"varying float q\" [" + floats + "]\nSides 1");
  CHECK(o.codes() == "");
  CHECK(o.places[1].line == 100002);
  CHECK(o.lines[0].size() > 700000);
}

TEST_CASE("reader: stops at WorldEnd or at a marker where asked") {
  ReaderOptions options;
  options.stopAtWorldEnd = true;
  CHECK(parse("WorldEnd Sides 1", options).text == "WorldEnd\n");
  options = {};
  options.stopAtMarker = true;
  CHECK(parse("Sides 1 \xff Sides 2", options).text == "Sides 1\n");
  CHECK(parse("Sides 1 \xff Sides 2").codes() == "rib-bad-byte@1:9");
}

TEST_CASE("reader: a missing file and a folder are errors") {
  Diagnostics diag;
  diag.setPrinter({});
  Declarations declarations;
  Trace trace;
  CHECK_FALSE(readRibFile("/no/such/file.rib", declarations, trace, diag));
  CHECK(diag.hasCode("rib-cannot-open"));
  CHECK_FALSE(readRibFile("/tmp", declarations, trace, diag));
  CHECK(diag.has(Impact::kInput));
}

TEST_CASE("long arrays are the same, and messages where they are, whoever reads them") {
  // Of 600 to 700 thousand bytes, so that blocks end at many places of them.
  const auto array = [](int count, uint32_t seed, const char* between) {
    std::string s;
    for (int i = 0; i < count; ++i) {
      seed = seed * 1664525u + 1013904223u;
      s +=
          format("{:.{}f}{}", (static_cast<double>(seed) / 4294967296.0 - 0.5) * 40, seed >> 29, i % 7 ? " " : between);
    }
    return s;
  };
  const std::string wrong = "]\nSphere 1 -1 1\nSphere [1] x\nFrameEnd\n";
  struct Case {
    const char *name, *between, *inside;
  };
  const Case cases[] = {{"blanks", " ", ""},
                        {"lines", "\n", ""},
                        {"lines of other systems", "\r\n", ""},
                        {"empty lines", "\n\n \t", ""},
                        {"a comment inside", "\n", " # half way 3 4 5\n"},
                        {"an exponent", "\n", " 1.5e3 -2E-2 7e30 "},
                        {"a word inside", "\n", " wrong "},
                        {"many digits", "\n", " 0.1234567890123456789012345 "},
                        {"a bracket inside", "\n", " ] \"s\" [ "}};
  Parallel two(2), five(5);
  int read = 0;
  for (const Case& c : cases)
    for (const int count : {70'000, 80'001, 3'000}) {
      CAPTURE(c.name);
      CAPTURE(count);
      const std::string text = "FrameBegin 1\nPoints \"P\" [" + array(count, 7, c.between) + c.inside +
                               array(count / 3, 9, c.between) + wrong;
      const Outcome alone = parse(text);
      read += alone.text.size() > 10'000;
      CHECK(alone.codes().size() > 20);
      for (Parallel* parallel : {&two, &five}) {
        ReaderOptions options;
        options.parallel = parallel;
        const Outcome together = parse(text, options);
        CHECK((together.text == alone.text));
        CHECK(together.codes() == alone.codes());
      }
    }
  CHECK(read > 10);
}
