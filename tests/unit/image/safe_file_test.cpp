// SPDX-License-Identifier: Apache-2.0
// SafeFile: a name appears only when complete, also with several writers of one name.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "reyes/base/format.h"
#include "reyes/image/image.h"

using namespace reyes;
using reyes::image::SafeFile;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path;
  TempFolder() : path(fs::temp_directory_path() / format("reyes_safe_test_{}", getpid())) {
    fs::create_directories(path);
  }
  ~TempFolder() { fs::remove_all(path); }
};

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
std::string get(const fs::path& path) {
  std::ostringstream s;
  s << std::ifstream(path).rdbuf();
  return s.str();
}
int entries(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("uncommitted files vanish, committed ones replace the old") {
  const TempFolder tmp;
  const fs::path target = tmp.path / "picture one.v2.exr";
  put(target, "old");
  {
    SafeFile file;
    REQUIRE(file.open(target.string()) == "");
    CHECK(file.temporaryPath().starts_with(target.string() + "."));
    CHECK(file.temporaryPath().ends_with(".part"));
    put(file.temporaryPath(), "half");
  }
  CHECK(get(target) == "old");
  CHECK(entries(tmp.path) == 1);
  SafeFile file;
  REQUIRE(file.open(target.string()) == "");
  put(file.temporaryPath(), "new");
  CHECK(file.commit() == "");
  CHECK(get(target) == "new");
  CHECK(entries(tmp.path) == 1);
  CHECK(file.commit() != "");
}

TEST_CASE("two writers of one name have files of their own; the last commit wins whole") {
  const TempFolder tmp;
  const std::string target = (tmp.path / "x.exr").string();
  SafeFile a, b;
  REQUIRE(a.open(target) == "");
  REQUIRE(b.open(target) == "");
  CHECK(a.temporaryPath() != b.temporaryPath());
  put(a.temporaryPath(), "aaaa");
  put(b.temporaryPath(), "bb");
  CHECK(b.commit() == "");
  CHECK(get(target) == "bb");
  CHECK(a.commit() == "");
  CHECK(get(target) == "aaaa");

  std::vector<std::thread> racers;
  for (int i = 0; i < 4; ++i)
    racers.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        SafeFile file;
        if (!file.open(target).empty()) continue;
        put(file.temporaryPath(), std::string(1000, static_cast<char>('a' + i)));
        file.commit();
      }
    });
  for (std::thread& t : racers) t.join();
  const std::string text = get(target);
  CHECK(text.size() == 1000);
  CHECK(text == std::string(1000, text[0]));
  CHECK(entries(tmp.path) == 1);
}

TEST_CASE("links keep pointing, long names are legal, one missing folder is made") {
  const TempFolder tmp;
  put((tmp.path / "real").string(), "1");
  fs::create_symlink(tmp.path / "real", tmp.path / "link");
  SafeFile file;
  REQUIRE(file.open((tmp.path / "link").string()) == "");
  put(file.temporaryPath(), "2");
  CHECK(file.commit() == "");
  CHECK(fs::is_symlink(tmp.path / "link"));
  CHECK(get(tmp.path / "real") == "2");

  SafeFile longName;
  const fs::path name = tmp.path / "sub" / std::string(255, 'n');
  REQUIRE(longName.open(name.string()) == "");
  CHECK(longName.commit() == "");
  CHECK(fs::exists(name));
}

TEST_CASE("removeTemporaries unlinks what is open") {
  const TempFolder tmp;
  SafeFile a, b;
  REQUIRE(a.open((tmp.path / "a").string()) == "");
  REQUIRE(b.open((tmp.path / "b").string()) == "");
  CHECK(entries(tmp.path) == 2);
  image::removeTemporaries();
  CHECK(entries(tmp.path) == 0);
  CHECK(a.commit() != "");
}
