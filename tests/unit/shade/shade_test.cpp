// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/shade/derivatives.h"
#include "reyes/shade/shader_runner.h"
#include "reyes/shade/spaces.h"
#include "reyes/vm/program.h"

using namespace reyes;
using namespace reyes::shade;

namespace {
uint16_t global(vm::ProgramBuilder& b, const char* name, Type type, bool output = false) {
  const uint16_t r = b.addRegister(vm::regTypeOf(type), true);
  vm::Symbol s;
  s.name = name;
  s.type = type;
  s.reg = r;
  s.kind = vm::SymbolKind::kGlobal;
  s.varying = true;
  s.output = output;
  b.addSymbol(s);
  return r;
}

scene::ShaderPtr instance(vm::ProgramBuilder& b, const Matrix4& worldFromShader = {}) {
  std::string error;
  const auto program = b.finish(error);
  REQUIRE_MESSAGE(program, error);
  auto s = std::make_shared<scene::ShaderInstance>();
  s->name = program->name;
  s->program = program;
  s->worldFromShader = worldFromShader;
  return s;
}

/// Ci = diffuse(N), Oi = Os.
scene::ShaderPtr diffuseSurface() {
  vm::ProgramBuilder b(vm::ShaderType::kSurface, "d");
  const uint16_t ci = global(b, "Ci", Type::kColor), oi = global(b, "Oi", Type::kColor),
                 os = global(b, "Os", Type::kColor);
  const uint16_t n = global(b, "N", Type::kNormal), p = global(b, "P", Type::kPoint);
  b.beginMain();
  b.emit(vm::Builtin::k_diffuse, {ci, n, p});
  b.emit(vm::Op::kMov, {oi, os});
  return instance(b);
}

/// illuminate(origin of the light) Cl = 1.
scene::ShaderPtr pointLight(Vec3 from) {
  vm::ProgramBuilder b(vm::ShaderType::kLight, "l");
  const uint16_t l = global(b, "L", Type::kVector), cl = global(b, "Cl", Type::kColor);
  const uint16_t ps = global(b, "Ps", Type::kPoint), p = global(b, "P", Type::kPoint);
  b.beginMain();
  const int begin = b.emit(vm::Op::kIlluminateBegin, {l, ps, p});
  b.emit(vm::Op::kMov, {cl, b.constant(Vec3{1, 1, 1})});
  b.setTarget(begin, b.emit(vm::Op::kIlluminateEnd));
  return instance(b, Matrix4::translate(from));
}

struct Bench {
  Arena arena;
  VarBlock vars{25};
  scene::World world;
  scene::View view;
  scene::Primitive primitive;
  std::shared_ptr<scene::Attributes> attributes = std::make_shared<scene::Attributes>();

  /// A 4x4 grid on the unit square at z = 5, facing the eye.
  Bench() {
    for (const auto& [name, type] : {std::pair{"P", Type::kPoint},
                                     {"dPdu", Type::kVector},
                                     {"dPdv", Type::kVector},
                                     {"Ng", Type::kNormal},
                                     {"u", Type::kFloat},
                                     {"v", Type::kFloat}})
      vars.add({name, type, Storage::kVarying, 0}, arena);
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) {
        const int k = j * 5 + i;
        const float u = 0.25f * float(i), v = 0.25f * float(j);
        vars.find("P")->plane(0)[k] = u;
        vars.find("P")->plane(1)[k] = v;
        vars.find("P")->plane(2)[k] = 5;
        vars.find("dPdu")->plane(0)[k] = 1;
        vars.find("dPdv")->plane(1)[k] = 1;
        vars.find("Ng")->plane(2)[k] = -1;
        vars.find("u")->plane(0)[k] = u;
        vars.find("v")->plane(0)[k] = v;
      }
    view.projection = scene::ProjectionType::kPerspective;
    attributes->surface = diffuseSurface();
    attributes->opacity = {0.5f, 0.5f, 0.5f};
    primitive.attributes = attributes;
  }
  ShadeGrid grid() { return {4, 4, 0.25f, 0.25f, &vars, &arena, &primitive, Matrix4::translate({0, 0, 5}), 0, 7}; }
  FrameServices services() { return {&world, &view, nullptr, nullptr, Isa::kSse4}; }
};
}  // namespace

TEST_CASE("diffuse light of a point light follows the cosine, at every point") {
  Bench b;
  b.world.lights.push_back({"1", pointLight({0.5f, 0.5f, 3}), 0});
  b.attributes->lights = {0};
  ShadeContext context(b.services());
  ShadeGrid grid = b.grid();
  context.shade(grid, {});
  const Var* ci = b.vars.find("Ci");
  REQUIRE(ci);
  for (int k = 0; k < 25; ++k) {
    const Vec3 p{b.vars.find("P")->plane(0)[k], b.vars.find("P")->plane(1)[k], 5};
    const Vec3 l = normalize(Vec3{0.5f, 0.5f, 3} - p);
    CHECK(ci->plane(1)[k] == doctest::Approx(dot(l, Vec3{0, 0, -1})).epsilon(1e-4));
    CHECK(b.vars.find("Oi")->plane(2)[k] == 0.5f);
  }
}

TEST_CASE("a light behind the surface gives nothing, and two lights add") {
  Bench b;
  b.world.lights.push_back({"1", pointLight({0.5f, 0.5f, 8}), 0});
  b.world.lights.push_back({"2", pointLight({0.5f, 0.5f, 3}), 1});
  ShadeContext context(b.services());
  b.attributes->lights = {0};
  ShadeGrid grid = b.grid();
  context.shade(grid, {});
  CHECK(b.vars.find("Ci")->plane(0)[12] == 0);
  b.attributes->lights = {1, 0, 1};
  context.shade(grid, {});
  CHECK(b.vars.find("Ci")->plane(0)[12] == doctest::Approx(2));
}

TEST_CASE("an illuminance loop sends values to its lights, and the loops after it see the scene's") {
  const auto assembled = [](const char* text, const Matrix4& m) {
    std::string error;
    const auto program = vm::assemble(text, error);
    REQUIRE_MESSAGE(program, error);
    auto s = std::make_shared<scene::ShaderInstance>();
    s->name = program->name, s->program = program, s->worldFromShader = m;
    return s;
  };
  Bench b;
  b.world.lights.push_back({"1",
                            assembled(R"(shader light "l"
reg r0 varying triple
reg r1 varying triple
reg r2 varying triple
reg r3 varying triple
reg r4 varying float
reg r5 uniform triple = 1 1 1
reg r6 varying triple
sym param float r4 "gain"
sym param output color r6 "__seen"
sym global vector r0 "L"
sym global color r1 "Cl"
sym global point r2 "Ps"
sym global point r3 "P"
0 illuminate_begin r0 r2 r3 ->3
1 multf r1 r5 r4
2 addt r6 r1 r1
3 illuminate_end
4 end
)",
                                      Matrix4::translate({0.5f, 0.5f, 3})),
                            0});
  b.attributes->lights = {0};
  b.attributes->surface = assembled(R"(shader surface "s"
reg r0 varying triple
reg r1 varying triple
reg r2 varying triple
reg r3 uniform string
reg r4 varying triple
reg r5 varying triple
reg r6 uniform string = "gain"
reg r7 varying float
reg r8 uniform string = "__seen"
reg r9 varying triple
reg r10 varying float
reg r11 varying triple
sym global vector r0 "L"
sym global color r1 "Cl"
sym global color r2 "Ol"
sym global point r4 "P"
sym global color r5 "Ci"
sym global color r11 "Oi"
sym global float r7 "u"
0 send_light r6 r7
1 illuminance_begin r0 r1 r2 r3 r4 ->5
2 addt r5 r5 r1
3 lightsource r10 r8 r9
4 illuminance_next ->1
5 illuminance_end
6 addt r5 r5 r9
7 illuminance_begin r0 r1 r2 r3 r4 ->10
8 addt r11 r11 r1
9 illuminance_next ->7
10 illuminance_end
11 end
)",
                                    {});
  ShadeContext context(b.services());
  ShadeGrid grid = b.grid();
  context.shade(grid, {});
  for (int k = 0; k < 25; ++k) {
    const float u = b.vars.find("u")->plane(0)[k];
    CHECK(b.vars.find("Ci")->plane(1)[k] == 3 * u);
    CHECK(b.vars.find("Oi")->plane(1)[k] == 0);
  }
}

TEST_CASE("wanted variables that no shader has are zero, those of the grid are kept") {
  Bench b;
  ShadeContext context(b.services());
  ShadeGrid grid = b.grid();
  scene::OutputVariable u, nothing;
  u.name = "u";
  u.type = Type::kFloat;
  nothing.name = "nothing";
  nothing.type = Type::kColor;
  const scene::OutputVariable wanted[] = {u, nothing};
  context.shade(grid, wanted);
  REQUIRE(b.vars.find("nothing"));
  CHECK(b.vars.find("nothing")->plane(2)[3] == 0);
  CHECK(b.vars.find("u")->plane(0)[4] == 1);
  CHECK(b.vars.find("Cs")->plane(0)[4] == 1);
}

TEST_CASE("an imager sees where its pixels lie in the picture") {
  Bench b;
  b.view.xResolution = 8, b.view.yResolution = 4;
  vm::ProgramBuilder builder(vm::ShaderType::kImager, "i");
  const uint16_t ci = global(builder, "Ci", Type::kColor), u = global(builder, "u", Type::kFloat);
  const uint16_t v = global(builder, "v", Type::kFloat), t = global(builder, "t", Type::kFloat);
  builder.beginMain();
  builder.emit(vm::Op::kTriple3, {ci, u, v, t});
  const scene::ShaderPtr imager = instance(builder);
  ShadeContext context(b.services());
  float x[16] = {0.5f, 7.5f}, y[16] = {0.5f, 3.5f}, planes[7][16] = {};
  float *c[3] = {planes[0], planes[1], planes[2]}, *o[3] = {planes[3], planes[4], planes[5]};
  context.image(*imager, 2, x, y, c, o, planes[6]);
  CHECK(c[0][0] == 0.0625f);
  CHECK(c[0][1] == 0.9375f);
  CHECK(c[1][1] == 0.875f);
  CHECK(c[2][0] == 0.125f);
}

TEST_CASE("spaces compose through current") {
  scene::World world;
  scene::View view;
  view.xResolution = 200, view.yResolution = 100;
  view.screenWindow[0] = -2, view.screenWindow[1] = 2;
  view.cameraFromWorld = Matrix4::translate({0, 0, 10});
  world.coordinateSystems["tip"] = Matrix4::translate({1, 0, 0});
  Spaces s{&world, &view, Matrix4::translate({0, 3, 0}), {}, 0};
  Matrix4 m;
  REQUIRE(s.between("world", "current", m));
  CHECK(transformPoint(m, {0, 0, 0}) == Vec3{0, 0, 10});
  REQUIRE(s.between("tip", "world", m));
  CHECK(transformPoint(m, {0, 0, 0}).x == doctest::Approx(1));
  REQUIRE(s.between("object", "current", m));
  CHECK(transformPoint(m, {0, 0, 0}).y == 3);
  REQUIRE(s.between("current", "raster", m));
  CHECK(transformPoint(m, {0, 0, 5}).x == doctest::Approx(100));
  CHECK(transformPoint(m, {2, 1, 5}).x == doctest::Approx(200));
  CHECK(transformPoint(m, {2, 1, 5}).y == doctest::Approx(0));
  REQUIRE(s.between("current", "NDC", m));
  CHECK(transformPoint(m, {0, 0, 5}).y == doctest::Approx(0.5));
  CHECK_FALSE(s.between("nowhere", "world", m));
  CHECK_FALSE(s.between("world", "nowhere", m));
}

TEST_CASE("a surface that moves points is told so, one that sets P to itself is not") {
  for (const float by : {0.0f, 0.5f}) {
    Bench b;
    vm::ProgramBuilder builder(vm::ShaderType::kSurface, "s");
    const uint16_t p = global(builder, "P", Type::kPoint, true);
    builder.beginMain();
    builder.emit(vm::Op::kAddT, {p, p, builder.constant(Vec3{0, 0, by})});
    b.attributes->surface = instance(builder);
    REQUIRE(b.attributes->surface->program->writes("P"));
    Diagnostics diag;
    diag.setPrinter({});
    FrameServices services = b.services();
    services.diag = &diag;
    ShadeContext context(services);
    ShadeGrid grid = b.grid();
    context.shade(grid, {});
    CHECK(diag.hasCode("surface-moves-points") == (by > 0));
    CHECK(b.vars.find("P")->plane(2)[0] == 5);
  }
}

TEST_CASE("a scoped space of the primitive comes before the world's, which lights see") {
  scene::World world;
  world.coordinateSystems["a"] = Matrix4::translate({1, 0, 0});
  world.coordinateSystems["b"] = Matrix4::translate({0, 2, 0});
  const scene::SpaceMap scoped{{"a", Matrix4::translate({7, 0, 0})}};
  Spaces spaces;
  spaces.world = &world;
  Matrix4 m;
  REQUIRE(spaces.between("a", "current", m));
  CHECK(transformPoint(m, {0, 0, 0}) == Vec3{1, 0, 0});
  spaces.scoped = &scoped;
  REQUIRE(spaces.between("a", "current", m));
  CHECK(transformPoint(m, {0, 0, 0}) == Vec3{7, 0, 0});
  REQUIRE(spaces.between("b", "current", m));
  CHECK(transformPoint(m, {0, 0, 0}) == Vec3{0, 2, 0});
  CHECK_FALSE(spaces.between("c", "current", m));
}

TEST_CASE("differences of a quadratic are exact inside and at the borders") {
  float v[35], d[35];
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 7; ++i) v[j * 7 + i] = float(i * i) + 3 * float(j);
  differences(v, 6, 4, true, 1, d);
  for (int i = 0; i < 7; ++i) CHECK(d[i] == doctest::Approx(2 * i));
  differences(v, 6, 4, false, 0.5f, d);
  for (int j = 0; j < 5; ++j) CHECK(d[j * 7] == doctest::Approx(6));
}

TEST_CASE("derivatives of moved points are taken anew, and normals keep their side") {
  Bench b;
  const Var* p = b.vars.find("P");
  for (int k = 0; k < 25; ++k) p->plane(2)[k] = 5 + p->plane(0)[k];  // a slope along u
  rederive(b.vars, 4, 4, 0.25f, 0.25f, true);
  CHECK(b.vars.find("dPdu")->plane(2)[7] == doctest::Approx(1));
  CHECK(b.vars.find("Ng")->plane(2)[7] < 0);
  CHECK(b.vars.find("Ng")->plane(0)[7] > 0);
}
