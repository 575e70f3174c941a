// SPDX-License-Identifier: Apache-2.0
// Runs every file of tests/lang: `// expect: v [v v]` lines compare the output parameter `result` of the shader with
// numbers, `// expect error: code [line]` lines the diagnostics of a shader that must not compile, `// expect warning:`
// those of one that must. Each value test runs at -O0 and at -O1, over a grid of points, in point 0.
#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reyes/sl/compiler.h"
#include "tests/unit/sl/run_shader.h"

using namespace reyes;

namespace {

struct Expectations {
  std::vector<float> values;
  std::vector<std::pair<std::string, int>> errors, warnings;
};

Expectations readExpectations(std::string source) {
  Expectations e;
  std::replace(source.begin(), source.end(), '\r', '\n');
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) {
    const auto rest = [&](const char* word) -> std::string {
      const size_t at = line.find(word);
      return at == std::string::npos ? "" : line.substr(at + std::string(word).size());
    };
    const auto codes = [](const std::string& text, auto& list) {
      std::istringstream words(text);
      std::string code;
      int lineNumber = 0;
      if (words >> code) {
        words >> lineNumber;
        list.push_back({code, lineNumber});
      }
    };
    codes(rest("// expect error:"), e.errors);
    codes(rest("// expect warning:"), e.warnings);
    std::istringstream numbers(rest("// expect:"));
    for (std::string word; numbers >> word;) {
      float f = std::nanf("");
      std::from_chars(word.data(), word.data() + word.size(), f);
      e.values.push_back(f);
    }
  }
  return e;
}

bool reported(const std::vector<Diagnostic>& all, Severity severity, const std::string& code, int line) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) {
    return d.severity == severity && d.code == code && (line == 0 || d.loc.line == line);
  });
}

void runFile(const std::filesystem::path& path, int optimise) {
  CAPTURE(path.string());
  CAPTURE(optimise);
  std::ifstream in(path, std::ios::binary);
  const std::string source((std::istreambuf_iterator<char>(in)), {});
  const Expectations want = readExpectations(source);
  REQUIRE((!want.values.empty() || !want.errors.empty() || !want.warnings.empty()));
  Diagnostics diag;
  std::string said;
  diag.setPrinter([&](const Diagnostic&, const std::string& line) { said += line + "\n"; });
  sl::CompileOptions options;
  options.optimise = optimise;
  const sl::CompileResult r = sl::compileFile(path.string(), options, diag);
  CAPTURE(said);
  const auto all = diag.all();
  for (const auto& [code, line] : want.errors) {
    CAPTURE(code);
    CHECK(reported(all, Severity::kError, code, line));
  }
  for (const auto& [code, line] : want.warnings) {
    CAPTURE(code);
    CHECK(reported(all, Severity::kWarning, code, line));
  }
  CHECK((r.program == nullptr) == !want.errors.empty());
  if (!r.program || want.values.empty()) return;
  const std::vector<float> got = test::runShader(r.program, "result");
  REQUIRE(got.size() == want.values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(got[i] == doctest::Approx(want.values[i]).epsilon(1e-5));
  }
}

}  // namespace

TEST_CASE("tests/lang: every shader gives what it says") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(REYES_SOURCE_DIR "/tests/lang"))
    if (entry.path().extension() == ".sl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 20);
  for (const auto& f : files)
    for (const int optimise : {0, 1}) runFile(f, optimise);
}
