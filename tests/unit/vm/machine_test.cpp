// SPDX-License-Identifier: Apache-2.0
// The machine end to end: programs written in assembler, run over small grids, checked lane by lane.
#include "reyes/vm/machine.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

std::shared_ptr<const Program> program(const std::string& text) {
  std::string error;
  auto p = assemble(text, error);
  REQUIRE_MESSAGE(p, error);
  return p;
}

/// A program with its machine over nu x nv points; variables live in a block.
struct Bench {
  Arena arena;
  VarBlock vars;
  Services none;
  Services* services = &none;
  Instance instance;
  Machine machine;
  GridInfo grid;

  Bench(const std::string& text, int nu, int nv, Isa isa = Isa::kSse4)
      : vars(nu * nv), instance(program(text)), machine(isa), grid{nu * nv, nu, nv, 1, 1, 7, false, 1 << 20} {}
  float* add(const char* declaration) { return vars.add(*parseDeclaration(declaration), arena).data; }
  void run() {
    instance.initialise(*services, machine.isa());
    machine.begin(instance, grid);
    machine.bind(vars);
    machine.run(*services);
  }
  float at(const char* name, int lane, int component = 0) { return machine.value(name).at(lane, component); }
};

const char* const kHeader = R"(shader surface "t"
reg r0 varying float
reg r1 varying float
reg r2 varying triple
reg r3 uniform float = 1
reg r4 uniform float = 2
reg r5 uniform float = 3
reg r6 varying float
reg r7 varying float
reg r8 uniform float
reg r9 uniform float
sym global float r0 "x"
sym global float r1 "y"
sym global point r2 "P"
sym global float r6 "z"
)";

}  // namespace

TEST_CASE("arithmetic on varying and uniform registers") {
  Bench b(std::string(kHeader) + "addf r6 r0 r4\nmulf r1 r6 r6\ntf r2 r1\nmultf r2 r2 r5\nend\n", 5, 3);
  float* x = b.add("varying float x");
  for (int i = 0; i < 15; ++i) x[i] = static_cast<float>(i);
  b.run();
  for (int i = 0; i < 15; ++i) {
    const float v = (static_cast<float>(i) + 2) * (static_cast<float>(i) + 2);
    CHECK(b.at("y", i) == v);
    CHECK(b.at("P", i, 2) == 3 * v);
  }
}

TEST_CASE("bound planes are written in place, padding is harmless") {
  Bench b(std::string(kHeader) + "addf r0 r0 r3\nend\n", 4, 4);
  float* x = b.add("varying float x");
  b.run();
  for (int i = 0; i < 16; ++i) CHECK(x[i] == 1);
}

TEST_CASE("if and else mask lanes") {
  Bench b(std::string(kHeader) +
              "0 ltf r7 r0 r5\n1 if r7 ->4\n2 mov r1 r3\n3 mov r6 r0\n4 else ->6\n5 mov r1 r4\n6 endif\n7 addf r1 r1 "
              "r3\n8 end\n",
          7, 1);
  float* x = b.add("varying float x");
  for (int i = 0; i < 7; ++i) x[i] = static_cast<float>(i);
  b.run();
  for (int i = 0; i < 7; ++i) {
    CHECK(b.at("y", i) == (i < 3 ? 2 : 3));
    CHECK(b.at("z", i) == (i < 3 ? static_cast<float>(i) : 0));
  }
}

TEST_CASE("loops with break and continue") {
  const std::string text = std::string(kHeader) + "reg r10 uniform float = 5\n" + R"(
0 loop_begin ->15
1 ltf r7 r1 r0
2 loop_test r7 ->15
3 gef r7 r1 r10
4 if r7 ->6
5 break ->1
6 endif
7 eqf r7 r1 r4
8 if r7 ->10
9 continue ->1
10 endif
11 addf r6 r6 r3
12 loop_step ->15
13 addf r1 r1 r3
14 loop_next ->0
15 loop_end
16 end
)";
  Bench b(text, 10, 1);
  float* x = b.add("varying float x");
  for (int i = 0; i < 10; ++i) x[i] = static_cast<float>(i);
  b.run();
  for (int i = 0; i < 10; ++i) {
    float y = 0, z = 0;
    for (; y < static_cast<float>(i); y += 1) {
      if (y >= 5) break;
      if (y == 2) continue;
      z += 1;
    }
    CHECK(b.at("y", i) == y);
    CHECK(b.at("z", i) == z);
  }
}

TEST_CASE("an endless loop ends with a warning") {
  struct Counting : Services {
    int warnings = 0;
    void warn(const char* code, std::string_view, std::string_view, int) override {
      warnings += std::string(code) == "vm-loop-limit";
    }
  } services;
  Bench b(std::string(kHeader) + "0 loop_begin ->3\n1 addf r6 r6 r3\n2 loop_next ->0\n3 loop_end\n4 end\n", 4, 1);
  b.services = &services;
  b.grid.maxLoopRounds = 1000;
  b.run();
  CHECK(services.warnings == 1);
}

TEST_CASE("derivatives are exact for quadratics, borders too") {
  Bench b(std::string(kHeader) + "Du r1 r0\nDv r6 r0\nend\n", 6, 5);
  float* x = b.add("varying float x");
  b.grid.du = 0.5f, b.grid.dv = 0.25f;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 6; ++i) {
      const float u = 0.5f * static_cast<float>(i), v = 0.25f * static_cast<float>(j);
      x[j * 6 + i] = u * u + 2 * v * v + u * v;
    }
  b.run();
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 6; ++i) {
      const float u = 0.5f * static_cast<float>(i), v = 0.25f * static_cast<float>(j);
      CHECK(b.at("y", j * 6 + i) == doctest::Approx(2 * u + v));
      CHECK(b.at("z", j * 6 + i) == doctest::Approx(4 * v + u));
    }
}

TEST_CASE("parameters: defaults run once, values override, space of points") {
  const std::string text = R"(shader surface "t"
reg r0 uniform float = 1
reg r1 uniform float
reg r2 uniform triple
reg r3 uniform string = "abc"
reg r4 varying float
sym param float r0 "Ka"
sym param float r1 "Kd" default 0 2
sym param point r2 "from"
sym param string r3 "map"
sym global float r4 "y"
0 addf r1 r0 r0
1 end
main
2 addf r4 r0 r1
3 end
)";
  Services services;
  Instance a(program(text));
  a.initialise(services);
  CHECK(a.parameter("Kd").at(0) == 2);
  Instance b(program(text));
  CHECK(b.setFloats("Ka", std::vector<float>{5.0f}) == Instance::Set::kDone);
  CHECK(b.setFloats("nope", std::vector<float>{5.0f}) == Instance::Set::kUnknown);
  CHECK(b.setString("map", "tex.exr") == Instance::Set::kDone);
  CHECK(b.setString("Ka", "tex.exr") == Instance::Set::kTypeMismatch);
  Param from;
  from.spec = *parseDeclaration("uniform point from");
  from.floats = {1, 2, 3};
  CHECK(b.set(from, Matrix4::translate({10, 0, 0})) == Instance::Set::kDone);
  b.initialise(services);
  CHECK(b.parameter("Kd").at(0) == 10);
  CHECK(b.parameter("from").at(0, 0) == 11);
  CHECK(b.parameter("map").strings[0] == "tex.exr");
  Machine m(Isa::kSse4);
  m.begin(b, {3, 3, 1, 1, 1, 0, false, 1000});
  m.run(services);
  CHECK(m.value("y").at(2) == 15);
}

namespace {
/// Two directional lights of which the second does not reach odd lanes, and an ambient one.
struct ThreeLights : Services {
  std::vector<float> planes;
  std::vector<uint8_t> odd;
  int lightCount() override { return 3; }
  std::string_view lightCategory(int i) override { return i == 0 ? "key,main" : ""; }
  bool light(int i, const Lanes& l, const float* const[3], LightSample& s) override {
    planes.assign(static_cast<size_t>(l.lanes) * 6, 0.0f);
    odd.assign(static_cast<size_t>(l.lanes), 1);
    for (int k = 0; k < l.lanes; ++k) {
      planes[static_cast<size_t>(2 * l.lanes + k)] = 2;
      for (int c = 3; c < 6; ++c) planes[static_cast<size_t>(c * l.lanes + k)] = i == 0 ? 1.0f : i == 1 ? 10.0f : 0.5f;
      odd[static_cast<size_t>(k)] = k % 2 == 0;
    }
    for (int c = 0; c < 3; ++c) s.L[c] = planes.data() + c * l.lanes, s.Cl[c] = planes.data() + (3 + c) * l.lanes;
    s.lit = i == 1 ? odd.data() : nullptr;
    s.ambient = i == 2;
    return true;
  }
};
}  // namespace

TEST_CASE("illuminance visits lit lanes; diffuse and ambient agree with it") {
  const std::string text = R"(shader surface "t"
reg r0 varying triple
reg r1 varying triple
reg r2 varying triple
reg r3 uniform string
reg r4 varying triple
reg r5 varying triple
reg r6 uniform triple = 0 0 1
reg r7 uniform float = 1.5707963
reg r8 varying triple
reg r9 varying triple
reg r10 uniform string = "-key"
reg r11 varying triple
sym global vector r0 "L"
sym global color r1 "Cl"
sym global color r2 "Ol"
sym global point r4 "P"
sym global color r5 "Ci"
sym global color r8 "D"
sym global color r9 "A"
sym global color r11 "other"
0 illuminance_begin r0 r1 r2 r3 r4 r6 r7 ->3
1 addt r5 r5 r1
2 illuminance_next ->0
3 illuminance_end
4 diffuse r8 r6 r4
5 ambient r9 r4
6 illuminance_begin r0 r1 r2 r10 r4 ->9
7 addt r11 r11 r1
8 illuminance_next ->6
9 illuminance_end
10 end
)";
  ThreeLights lights;
  Bench b(text, 6, 1);
  b.services = &lights;
  b.run();
  for (int i = 0; i < 6; ++i) {
    const float want = i % 2 == 0 ? 11.0f : 1.0f;
    CHECK(b.at("Ci", i, 1) == want);
    CHECK(b.at("D", i, 1) == doctest::Approx(want));
    CHECK(b.at("A", i, 1) == 0.5f);
    CHECK(b.at("other", i) == want - 1);
  }
  CHECK(b.instance.program().usesLights);
}

TEST_CASE("illuminate sets L and the lit lanes") {
  const std::string text = R"(shader light "t"
reg r0 varying triple
reg r1 varying triple
reg r2 uniform triple = 0 0 0
reg r3 uniform triple = 0 0 1
reg r4 uniform float = 0.5
reg r5 varying triple
reg r6 uniform triple = 1 2 3
sym global vector r0 "L"
sym global point r1 "Ps"
sym global color r5 "Cl"
0 illuminate_begin r0 r1 r2 r3 r4 ->2
1 mov r5 r6
2 illuminate_end
3 end
)";
  Bench b(text, 2, 1);
  float* p = b.add("varying point Ps");
  const int stride = b.vars.stride();
  p[0] = 0, p[2 * stride] = 4;         // on the axis
  p[1] = 4, p[2 * stride + 1] = 0.5f;  // far off it
  b.run();
  CHECK(b.machine.lit()[0] == 1);
  CHECK(b.machine.lit()[1] == 0);
  CHECK(b.at("L", 0, 2) == 4);
  CHECK(b.at("Cl", 0, 2) == 3);
  CHECK(b.at("Cl", 1, 2) == 0);
  CHECK(!b.machine.isAmbientLight());
}

TEST_CASE("arrays clamp their index and count it") {
  const std::string text = R"(shader surface "t"
reg r0 varying float[3]
reg r1 varying float
reg r2 varying float
reg r3 uniform float = 1
sym global float r1 "x"
sym global float r2 "y"
stelem r0 r1 r1
ldelem r2 r0 r1
end
)";
  Bench b(text, 5, 1);
  float* x = b.add("varying float x");
  for (int i = 0; i < 5; ++i) x[i] = static_cast<float>(i) - 1;
  b.run();
  for (int i = 0; i < 5; ++i) CHECK(b.at("y", i) == x[i]);
  CHECK(b.machine.stats().indexClamps == 4);
}

TEST_CASE("printf, format, concat, match") {
  struct Printer : Services {
    std::string all;
    void print(std::string_view s) override { all += s; }
  } out;
  const std::string text = R"(shader surface "t"
reg r0 uniform string = "a%f|%.2p|%s|%d\012"
reg r1 uniform float = 1.5
reg r2 uniform triple = 1 2 3
reg r3 uniform string = "xyz"
reg r4 uniform string
reg r5 varying float
reg r6 uniform string = "^x.z$"
sym global float r5 "m"
printf r0 r1 r2 r3 r1
concat r4 r3 r3 r3
printf r4
match r5 r6 r3
format r4 r0 r1 r2 r3 r1
end
)";
  Bench b(text, 3, 1);
  b.services = &out;
  b.run();
  CHECK(out.all == "a1.500000|1.00 2.00 3.00|xyz|1\nxyzxyzxyz");
  CHECK(b.at("m", 1) == 1);
}

TEST_CASE("random: the same for the same seed, different from call to call and point to point") {
  const std::string text = std::string(kHeader) + "random r1\nrandom r6\nend\n";
  Bench a(text, 4, 1), b(text, 4, 1);
  a.run(), b.run();
  for (int i = 0; i < 4; ++i) {
    CHECK(a.at("y", i) == b.at("y", i));
    CHECK(a.at("y", i) != a.at("z", i));
    CHECK(a.at("y", i) >= 0);
    CHECK(a.at("y", i) < 1);
  }
  CHECK(a.at("y", 0) != a.at("y", 1));
}

TEST_CASE("splines go through their knots") {
  const std::string text = R"(shader surface "t"
reg r0 varying float
reg r1 varying float
reg r2 uniform float = 1
reg r3 uniform float = 4
reg r4 uniform float[5] = 0 1 4 9 16
reg r5 varying float
reg r6 uniform string = "linear"
reg r7 varying float
sym global float r0 "x"
sym global float r1 "y"
sym global float r5 "a"
sym global float r7 "l"
spline r1 r0 r2 r2 r3 r3
spline_a r5 r0 r4
spline_sa r7 r6 r0 r4
end
)";
  Bench b(text, 3, 1);
  float* x = b.add("varying float x");
  x[0] = 0, x[1] = 0.5f, x[2] = 2;
  b.run();
  CHECK(b.at("y", 0) == 1);
  CHECK(b.at("y", 2) == 4);
  CHECK(b.at("a", 0) == 1);
  CHECK(b.at("a", 1) == 4);
  CHECK(b.at("a", 2) == 9);
  CHECK(b.at("l", 1) == 4);
}

TEST_CASE("calculatenormal of a plane and at a pole") {
  const std::string text =
      std::string(kHeader) + "reg r10 varying triple\nsym global normal r10 \"N\"\ncalculatenormal r10 r2\nend\n";
  Bench b(text, 5, 4);
  float* p = b.add("varying point P");
  const int s = b.vars.stride();
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 5; ++i) {
      // Row 0 is a pole: all its points are one.
      p[j * 5 + i] = static_cast<float>(i) * static_cast<float>(j);
      p[s + j * 5 + i] = static_cast<float>(j);
    }
  b.run();
  for (int i = 0; i < 20; ++i) CHECK(b.at("N", i, 2) > 0);
}
