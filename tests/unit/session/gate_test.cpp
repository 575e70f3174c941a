// SPDX-License-Identifier: Apache-2.0
// Conditions, inline archives, archives in files, search paths, expressions.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "reyes/session/expression.h"
#include "reyes/session/search_path.h"
#include "tests/unit/session/built_scene.h"

using namespace reyes;
using session::BuiltScene;

namespace {
std::string inWorld(const std::string& body) { return "WorldBegin\n" + body + "\nWorldEnd\n"; }

/// A folder for this test program, removed at the end.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("reyes_session_test_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return (path / name).string();
  }
};

bool truth(const std::string& text) {
  const auto lookup = [](const std::string& name) -> std::optional<session::ExpressionValue> {
    if (name == "user:n") return 3.0;
    if (name == "user:s") return std::string("abc");
    return {};
  };
  const session::ExpressionResult r = session::evaluateCondition(text, lookup);
  CHECK_MESSAGE(r.error.empty(), text, ": ", r.error);
  return r.value;
}
}  // namespace

TEST_CASE("expressions") {
  CHECK(truth("1"));
  CHECK_FALSE(truth("0"));
  CHECK(truth("1 + 2 * 3 == 7"));
  CHECK(truth("(1 + 2) * 3 == 9"));
  CHECK(truth("$user:n >= 3 && $user:n <= 3"));
  CHECK(truth("!defined(NAME)"));
  CHECK(truth("defined(user:n) || 0"));
  CHECK(truth("$user:s == 'abc'"));
  CHECK(truth("$user:s != \"abd\""));
  CHECK(truth("-1 < 0 && 6 / 4 == 1.5"));
  CHECK_FALSE(truth("$nothing"));
  const auto named = [](const std::string&) { return std::optional<session::ExpressionValue>("shadow_pass"); };
  CHECK(session::evaluateCondition("$user:pass =~ 'shadow'", named).value);
  CHECK(session::evaluateCondition("!($user:pass =~ '^beauty') && 12 =~ '^[0-9]+$'", named).value);
  CHECK_FALSE(session::evaluateCondition("$user:pass =~ '^pass'", named).value);
  const auto none = [](const std::string&) -> std::optional<session::ExpressionValue> { return {}; };
  for (const char* bad : {"", "(", "1 +", "'open", "1 1", "$", "defined()", "@", "((((((1)", "'a' =~ '('"})
    CHECK_FALSE(session::evaluateCondition(bad, none).error.empty());
  CHECK_FALSE(session::evaluateCondition(std::string(100000, '('), none).error.empty());
  CHECK_FALSE(session::evaluateCondition(std::string(100000, '!'), none).error.empty());
}

TEST_CASE("conditions choose branches, nested too") {
  const BuiltScene s(
      "Option \"user\" \"float lod\" [2]\n" +
      inWorld("IfBegin \"$user:lod == 1\"\nSphere 1 -1 1 360\nElseIf \"$user:lod == 2\"\nDisk 0 1 360\nElse\n"
              "Sphere 1 -1 1 360\nIfEnd\nIfBegin \"0\"\nIfBegin \"1\"\nSphere 1 -1 1 360\nElse\nSphere 1 -1 1 360\n"
              "IfEnd\nIfEnd"));
  CHECK(s.errors() == 0);
  REQUIRE(s.world().primitives.size() == 1);
  CHECK(s.primitive(0).loc.line == 6);
}

TEST_CASE("inline archives replay, and do not read themselves") {
  const BuiltScene s(
      inWorld("ArchiveBegin \"a\" Sphere 1 -1 1 360 ReadArchive \"a\" ArchiveEnd\n"
              "ReadArchive \"a\" Translate 1 0 0 ReadArchive \"a\""));
  CHECK(s.world().primitives.size() == 2);
  CHECK(s.diag.hasCode("rib-archive-recursion"));
}

TEST_CASE("archives are found by the working folder, the naming file and the path") {
  const Folder folder;
  folder.write("sub/deep.rib", "Sphere 1 -1 1 360\n");
  folder.write("lib/far.rib", "Translate 7 0 0\nReadArchive \"../sub/deep.rib\"\n");
  const std::string main = folder.write(
      "main.rib", "Option \"searchpath\" \"archive\" [\"lib:@\"]\n" +
                      inWorld("ReadArchive \"sub/deep.rib\"\nReadArchive \"far.rib\"\nReadArchive \"none.rib\"\n"
                              "Procedural \"DelayedReadArchive\" [\"sub/deep.rib\"] [-1 1 -1 1 -1 1]"));
  BuiltScene s;
  s.options.diag = &s.diag;
  s.options.onWorld = [&](const scene::World& w, const scene::View& v) { s.worlds.push_back(w), s.views.push_back(v); };
  session::Session session(s.options);
  session.run({main});
  REQUIRE(s.worlds.size() == 1);
  CHECK(s.world().primitives.size() == 3);
  CHECK(s.lines("rib-archive-missing").size() == 1);
  CHECK(s.primitive(0).loc.file.str() == (folder.path / "sub/deep.rib").string());
}

TEST_CASE("an archive file that reads itself") {
  const Folder folder;
  const std::string main = folder.write("loop.rib", "ReadArchive \"loop.rib\"\nReadArchive \"loop.rib\"\n");
  BuiltScene s;
  s.options.diag = &s.diag;
  session::Session session(s.options);
  session.run({main});
  CHECK(s.diag.hasCode("rib-archive-recursion"));
}

TEST_CASE("search paths") {
  using session::parseSearchPath;
  CHECK(parseSearchPath("a:@:b:&", {"std"}, {"p", "q"}) == session::Folders{"a", "std", "b", "p", "q"});
  CHECK(parseSearchPath("C:/x;d", {}, {}) == session::Folders{"C:/x", "d"});
  setenv("REYES_TEST_VAR", "/v", 1);
  CHECK(parseSearchPath("${REYES_TEST_VAR}/s:$REYES_TEST_VAR", {}, {}) == session::Folders{"/v/s", "/v"});
  session::DirMap map;
  map.add({"[\"UNC\" \"X:/\" \"/srv/x/\"]"});
  CHECK(map.apply("X:/a.tex") == "/srv/x/a.tex");
  CHECK(map.apply("/b") == "/b");
  CHECK(session::stemOf("/tmp/v1.2/sh.ader.sl") == "sh.ader");
}

TEST_CASE("check collects what a scene needs") {
  BuiltScene s;
  s.options.planOnly = false;
  s.options.checkOnly = true;
  s.build(
      "Display \"x.z\" \"zfile\" \"z\" WorldBegin Sphere 1 -1 1 360 WorldEnd MakeShadow \"x.z\" \"x.shd\"\n"
      "Display \"p.tif\" \"tiff\" \"rgb\" WorldBegin Surface \"nosuchshader\" Sphere 1 -1 1 360 WorldEnd\n");
  std::vector<std::string> seen;
  for (const auto& d : s.dependencies) seen.push_back(d.kind + " " + d.name + (d.path.empty() ? " missing" : ""));
  CHECK(seen == std::vector<std::string>{"output x.z", "texture x.z", "output x.shd", "shader nosuchshader missing",
                                         "output p.tif"});
  CHECK(s.diag.hasCode("shader-missing"));
}
