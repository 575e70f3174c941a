// SPDX-License-Identifier: Apache-2.0
// Which surfaces are known to be opaque before they run: those that are said to be give exactly 1.
#include <doctest/doctest.h>

#include <algorithm>

#include "reyes/base/hash.h"
#include "reyes/vm/opaque.h"
#include "tests/unit/sl/run_shader.h"

using namespace reyes;

namespace {

std::shared_ptr<const vm::Program> surface(const std::string& body, int optimise = 1) {
  const std::string source =
      "void fill(output color to; float how) { to = how; }\n"
      "surface s(float one = 1, half = 0.5; color white = 1; varying float vary = 1; string map = \"\";)\n{\n" +
      body + "\n  Ci = Oi * Cs;\n}\n";
  const auto program = test::compiled(source, optimise);
  REQUIRE(program);
  return program;
}

bool opaque(const vm::Program& p) {
  const Name ones[] = {"Os", "one", "white"};
  return vm::leavesOpaque(p, ones);
}

}  // namespace

TEST_CASE("surfaces whose opacity is a product of ones are opaque") {
  for (const char* body : {"Oi = Os;", "Oi = 1;", "Oi = color (1, 1, 1);", "Oi = Os * one;", "Oi = one * white * Os;",
                           "color k = Os; Oi = k * one;", "Oi = 1; if (u > 0.5) Oi = Os;", "Oi = Os; Oi *= white;",
                           "Oi = Os / one;", "color k = Os * ambient(); Oi = Os;"}) {
    CAPTURE(body);
    CHECK(opaque(*surface(body)));
    CHECK(opaque(*surface(body, 0)));
  }
}

TEST_CASE("others are not known to be") {
  for (const char* body :
       {"", "Oi = half * Os;", "Oi = vary * Os;", "Oi = Os * u;", "if (u > 0.5) Oi = Os;", "Oi = Cs;", "Oi *= Os;",
        "Oi = Os; if (v > 0.5) Oi = 0;", "Oi = Os; setcomp(Oi, 1, half);", "Oi = Os + 0.1;", "Os = half; Oi = Os;",
        "Oi = texture(map);", "float i; for (i = 0; i < u * 3; i += 1) Oi = Os;",
        "float f = 1; if (u > 0.5) f = half; Oi = f * Os;", "fill(Oi, half);", "Oi = mix(Os, Cs, 0.5);"}) {
    CAPTURE(body);
    CHECK(!opaque(*surface(body)));
    CHECK(!opaque(*surface(body, 0)));
  }
  CHECK(!vm::leavesOpaque(*surface("Oi = Os * one;"), {}));
}

TEST_CASE("what is said to be opaque gives ones, whatever the body") {
  const std::vector<std::string> statements = {"Oi = Os;",
                                               "Oi = 1;",
                                               "Oi = Os * one;",
                                               "Oi = half * Os;",
                                               "k = Os;",
                                               "k = k * Oi;",
                                               "Oi = k;",
                                               "Oi *= k;",
                                               "if (u > 0.4) { Oi = Os; } else { Oi = k; }",
                                               "if (v > 0.4) k = half;",
                                               "f = one;",
                                               "if (u < v) f = half;",
                                               "Oi = f * Os;",
                                               "setcomp(Oi, 1, f);",
                                               "Oi = color (f, one, comp(k, 1));",
                                               "fill(Oi, f);",
                                               "fill(k, 1);",
                                               "for (f = 0; f < 2; f += 1) Oi = k;",
                                               "while (f > 1) f *= half;",
                                               "Os = k;",
                                               "k = white / one;"};
  int said = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    std::string body = "color k = 1; float f = 1;\n";
    for (uint64_t i = 0; i < 1 + mix64(seed) % 5; ++i)
      body += statements[mix64(seed * 71 + i) % statements.size()] + "\n";
    const auto p = surface(body, seed % 2 ? 1 : 0);
    if (!opaque(*p)) continue;
    ++said;
    for (const int lane : {0, 3, 6, 9, 12, 15}) {
      const std::vector<float> oi = test::runShader(p, "Oi", lane);
      CHECK_MESSAGE(std::all_of(oi.begin(), oi.end(), [](float v) { return v == 1; }), body);
    }
  }
  CHECK(said > 60);
}
