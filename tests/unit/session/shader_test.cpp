// SPDX-License-Identifier: Apache-2.0
// Shaders: where they are found, compiled and cached; their parameters; lights.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "reyes/session/shader_library.h"
#include "tests/unit/session/built_scene.h"

using namespace reyes;
using session::BuiltScene;

namespace {
/// A folder with a few small shaders, and a cache.
struct Shaders {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("reyes_shader_test_" + std::to_string(getpid()));
  Shaders() {
    std::filesystem::create_directories(path);
    setenv("REYES_CACHE", (path / "cache").c_str(), 1);
    write("plain.sl",
          "surface plain(float Kd = 1; color tint = 1; string map = \"\"; point where = point(0,0,0); float w[3] = "
          "{1,2,3};) { Ci = Kd * tint; Oi = 1; }\n");
    write("lamp.sl",
          "light lamp(float intensity = 1; point from = point(0,0,0);) { illuminate(from) { Cl = intensity; } }\n");
    write("faulty.sl", "surface faulty( { }\n");
    write("alien.slo", "binary");
  }
  ~Shaders() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  std::string rib(const std::string& body) const {
    return "Option \"searchpath\" \"shader\" [\"" + path.string() + ":@\"]\nWorldBegin\n" + body + "\nWorldEnd\n";
  }
};
const std::string kSphere = " Sphere 1 -1 1 360\n";
}  // namespace

TEST_CASE("a shader is compiled from source, and its parameters take its types") {
  const Shaders shaders;
  const BuiltScene s(
      shaders.rib("Translate 1 2 3 Surface \"plain\" \"Kd\" [.5] \"tint\" [.25] \"map\" [\"x\"] \"where\" [1 2 3] "
                  "\"w\" [4 5 6] \"nosuch\" [1] " +
                  kSphere));
  CHECK(s.errors() == 0);
  CHECK(s.lines("shader-unknown-parameter").size() == 1);
  const scene::ShaderInstance& i = *s.primitive(0).attributes->surface;
  CHECK(i.program->name == "plain");
  REQUIRE(i.params.all().size() == 5);
  CHECK(i.params.find("tint")->spec.type == Type::kColor);
  CHECK(i.params.find("tint")->floats == std::vector<float>{.25f, .25f, .25f});
  CHECK(i.params.find("where")->spec.type == Type::kPoint);
  CHECK(i.params.find("w")->spec.arraySize == 3);
  CHECK(transformPoint(i.worldFromShader.at(0), {0, 0, 0}) == Vec3{1, 2, 3});
  CHECK_FALSE(std::filesystem::is_empty(shaders.path / "cache/shaders"));
}

TEST_CASE("ill-typed parameters are left out with a warning") {
  const Shaders shaders;
  const BuiltScene s(shaders.rib("Surface \"plain\" \"Kd\" [\"x\"] \"tint\" [1 2] \"w\" [1]" + kSphere));
  CHECK(s.lines("shader-bad-parameter").size() == 3);
  CHECK(s.primitive(0).attributes->surface->params.empty());
}

TEST_CASE("missing, faulty, foreign and wrong shaders fall back to the default surface") {
  const Shaders shaders;
  const BuiltScene s(shaders.rib("Surface \"gone\"" + kSphere + "Surface \"gone\"" + kSphere + "Surface \"faulty\"" +
                                 kSphere + "Surface \"alien\"" + kSphere + "Surface \"lamp\"" + kSphere));
  CHECK(s.lines("shader-missing").size() == 3);
  CHECK(s.lines("shader-wrong-type").size() == 1);
  CHECK(s.diag.has(Impact::kPicture));
  CHECK(s.lines("shader-compile-failed").size() == 1);
  CHECK_FALSE(s.diag.has(Impact::kInput));  // the scene itself was understood
  REQUIRE(s.world().primitives.size() == 5);
  for (const auto& p : s.world().primitives) CHECK(p.attributes->surface->program->name == "defaultsurface");
  bool named = false;
  for (const Diagnostic& d : s.diag.all()) named = named || d.text.find("alien.sl'") != std::string::npos;
  CHECK(named);
}

TEST_CASE("frozen forbids compiling") {
  const Shaders shaders;
  BuiltScene s;
  s.options.frozen = true;
  s.build(shaders.rib("Surface \"plain\"" + kSphere));
  CHECK(s.diag.hasCode("shader-frozen"));
}

TEST_CASE("a compiled file is found before its source, unless it is stale") {
  const Shaders shaders;
  Diagnostics diag;
  diag.setPrinter({});
  session::ShaderLibraryOptions o;
  o.diag = &diag;
  const std::string source = (shaders.path / "plain.sl").string();
  const auto compiled = sl::compileFile(source, {}, diag).program;
  REQUIRE(compiled);
  shaders.write("plain.slb", vm::serialize(*compiled));
  session::ShaderLibrary fresh(o);
  CHECK(fresh.find("plain", {shaders.path.string()}, "", {}, {}).path == (shaders.path / "plain.slb").string());
  shaders.write("plain.sl", "surface plain(float other = 1) { Ci = other; Oi = 1; }\n");
  session::ShaderLibrary stale(o);
  const auto found = stale.find("plain.sl", {shaders.path.string()}, "", {}, {});
  REQUIRE(found.program);
  CHECK(found.program->find("other"));
}

TEST_CASE("lights: handles by number and by name, lists, handles used again, scope") {
  const Shaders shaders;
  const BuiltScene s(shaders.rib("LightSource \"lamp\" 1 \"intensity\" 1 LightSource \"lamp\" \"key\" \"intensity\" 2" +
                                 kSphere + "AttributeBegin LightSource \"lamp\" 3 Illuminate 1 0" + kSphere +
                                 "AttributeEnd" + kSphere + "Illuminate 3 1 LightSource \"lamp\" 1 \"intensity\" 9" +
                                 kSphere + "Illuminate \"none\" 1"));
  const auto on = [&](size_t i) { return s.primitive(i).attributes->lights; };
  CHECK(on(0) == std::vector<int>{0, 1});
  CHECK(on(1) == std::vector<int>{1, 2});
  CHECK(on(2) == std::vector<int>{0, 1});
  CHECK(on(3) == std::vector<int>{0, 1, 2, 3});  // both lights of handle 1
  REQUIRE(s.world().lights.size() == 4);
  CHECK(s.world().lights[1].handle == "key");
  CHECK(s.world().lights[3].shader->params.find("intensity")->floats[0] == 9);
  CHECK(s.lines("rib-unknown-handle").size() == 1);
}

TEST_CASE("shaders made before WorldBegin stand in camera space") {
  const Shaders shaders;
  const BuiltScene s("Option \"searchpath\" \"shader\" [\"" + shaders.path.string() +
                     "\"] LightSource \"lamp\" 1 Translate 0 0 5 " + "WorldBegin" + kSphere + "WorldEnd WorldBegin" +
                     kSphere + "WorldEnd\n");
  REQUIRE(s.worlds.size() == 2);
  for (const scene::World& w : s.worlds) {
    REQUIRE(w.lights.size() == 1);
    CHECK(transformPoint(w.lights[0].shader->worldFromShader.at(0), {0, 0, 0}).z == -5);
    CHECK(w.primitives[0].attributes->lights == std::vector<int>{0});
  }
}

TEST_CASE("null clears; primitives become the area of a light until the block ends") {
  const Shaders shaders;
  const BuiltScene s(
      shaders.rib("Displacement \"null\" Atmosphere \"\" Surface \"null\" AttributeBegin AreaLightSource \"lamp\" 1" +
                  kSphere + "Sphere 2 -2 2 360 AttributeEnd" + kSphere));
  CHECK(s.primitive(0).attributes->surface->program->name == "null");
  CHECK_FALSE(s.primitive(0).attributes->displacement);
  CHECK(s.diag.all().empty());
  REQUIRE(s.world().lights.size() == 1);
  REQUIRE(s.world().lights[0].area);
  CHECK(s.world().lights[0].area->area() == doctest::Approx(4 * 3.14159265 * 5).epsilon(0.01));
  CHECK(s.world().lights[0].samples == 16);
}
