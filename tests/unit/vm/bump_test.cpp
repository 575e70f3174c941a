// SPDX-License-Identifier: Apache-2.0
// bump(): the normal of a plane whose heights are a known function of s and t, against its own slopes.
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/vm/machine_state.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

/// Heights 0.3 s + 0.2 t, or waves; a map of 100 x 50 texels.
struct Heights : Services {
  bool waves = false;
  bool texture(const Lanes& l, const TextureCall& c) override {
    for (int i = 0; i < l.points; ++i)
      c.out[0][i] = waves ? 0.05f * std::sin(6 * c.s[i]) : 0.3f * c.s[i] + 0.2f * c.t[i];
    return c.channels == 1 && c.firstChannel == 2;
  }
  bool query(Query q, std::string_view, std::string_view field, RegType, QueryResult& r) override {
    if (q == Query::kTextureInfo && field == "resolution") r.numbers = {100, 50};
    return q == Query::kTextureInfo;
  }
};

Vec3 bumped(Heights& heights, const std::string& norm, const std::string& s, const std::string& t) {
  const std::string text =
      "shader surface \"t\"\nreg r0 uniform triple\nreg r1 uniform string = \"map\"\nreg r2 uniform float = 2\n"
      "reg r3 uniform triple = " +
      norm +
      "\nreg r4 uniform triple = 2 0 0\nreg r5 uniform triple = 0 1 0\n"
      "reg r6 uniform float = " +
      s + "\nreg r7 uniform float = " + t + "\nsym local normal r0 \"n\"\nbump_2 r0 r1 r2 r3 r4 r5 r6 r7\nend\n";
  std::string error;
  const auto program = assemble(text, error);
  REQUIRE_MESSAGE(program, error);
  Instance instance(program);
  instance.initialise(heights, bestIsa());
  Machine machine{bestIsa()};
  machine.begin(instance, {1, 1, 1, 1, 1, 0, false, 1000});
  machine.run(heights);
  const Value v = machine.value("n");
  return {v.at(0, 0), v.at(0, 1), v.at(0, 2)};
}

void checkAlong(Vec3 got, Vec3 wanted, float size) {
  CHECK(length(got) == doctest::Approx(size));
  CHECK(dot(normalize(got), normalize(wanted)) == doctest::Approx(1).epsilon(1e-5));
}

}  // namespace

TEST_CASE("bump() gives the normal of the raised surface, as long as the one it was given") {
  Heights heights;
  // P = (2 s, t, h): slopes of the height along x and y are 0.15 and 0.2.
  checkAlong(bumped(heights, "0 0 1", "0.5", "0.5"), {-0.15f, -0.2f, 1}, 1);
  checkAlong(bumped(heights, "0 0 3", "0.1", "0.9"), {-0.15f, -0.2f, 1}, 3);
  // A normal on the other side raises the surface the other way.
  checkAlong(bumped(heights, "0 0 -1", "0.5", "0.5"), {-0.15f, -0.2f, -1}, 1);
  heights.waves = true;
  checkAlong(bumped(heights, "0 0 1", "0.25", "0"), {-0.15f * std::cos(1.5f), 0, 1}, 1);
  CHECK(length(bumped(heights, "0 0 0", "0.25", "0")) == 0);
}
