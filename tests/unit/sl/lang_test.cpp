// SPDX-License-Identifier: Apache-2.0
// Runs every file of tests/lang: `// expect: v [v v]` lines compare the output parameter `result` of the shader with
// numbers, `// expect error: code [line]` lines the diagnostics of a shader that must not compile, `// expect warning:`
// those of one that must compile (`no warning:` those it must not have, `// flags: -Wshadow` what is asked for),
// `// expect fault: code [line]` what the machine says when it runs (without such a line it must say nothing). Each
// value test runs at -O0 and at -O1, on every instruction set, over 4, 16, 64 and 256 points (`// points: 64` at
// least), and is looked at in point 0.
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
  std::vector<std::pair<std::string, int>> errors, warnings, noWarnings, faults;
  int points = 4;  ///< the smallest grid
  std::vector<std::string> flags;
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
    codes(rest("// expect no warning:"), e.noWarnings);
    codes(rest("// expect fault:"), e.faults);
    if (const std::string n = rest("// points:"); !n.empty()) e.points = std::stoi(n);
    std::istringstream flags(rest("// flags:"));
    for (std::string word; flags >> word;) e.flags.push_back(word.substr(2));
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

void checkValues(const std::shared_ptr<const vm::Program>& program, const Expectations& want, test::RunOptions how) {
  CAPTURE(how.side);
  CAPTURE(isaName(how.isa));
  std::vector<std::pair<std::string, int>> said;
  how.faults = &said;
  const std::vector<float> got = test::runShader(program, "result", 0, how);
  REQUIRE(got.size() == want.values.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    const bool bothNan = got[i] != got[i] && want.values[i] != want.values[i];
    CHECK((bothNan || got[i] == want.values[i] || got[i] == doctest::Approx(want.values[i]).epsilon(1e-5)));
  }
  for (const auto& [code, line] : want.faults) {
    CAPTURE(code);
    CHECK(std::any_of(said.begin(), said.end(),
                      [&](const auto& f) { return f.first == code && (line == 0 || f.second == line); }));
  }
  for (const auto& [code, line] : said) {
    CAPTURE(code);
    CAPTURE(line);
    CHECK((code == "not-built" ||
           std::any_of(want.faults.begin(), want.faults.end(), [&](const auto& f) { return f.first == code; })));
  }
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
  options.warnings = want.flags;
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
  for (const auto& [code, line] : want.noWarnings) {
    CAPTURE(code);
    CHECK_FALSE(reported(all, Severity::kWarning, code, line));
  }
  CHECK((r.program == nullptr) == !want.errors.empty());
  if (!r.program || want.values.empty()) return;
  for (const Isa isa : supportedIsas())
    for (const int side : {2, 4, 8, 16})
      if (side * side >= want.points) checkValues(r.program, want, {side, isa, nullptr});
}

}  // namespace

namespace {
std::vector<std::filesystem::path> shadersBelow(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(REYES_SOURCE_DIR) + folder))
    if (entry.path().extension() == ".sl") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}
std::shared_ptr<const vm::Program> compiledQuietly(const std::filesystem::path& file, int optimise) {
  Diagnostics diag;
  diag.setPrinter({});
  sl::CompileOptions options;
  options.optimise = optimise;
  options.includePaths = {REYES_SOURCE_DIR "/shaders/include"};
  return sl::compileFile(file.string(), options, diag).program;
}
}  // namespace

TEST_CASE("optimised and as written, on every instruction set, every shader gives the same values in every point") {
  std::vector<std::filesystem::path> files = shadersBelow("/tests/lang");
  for (const auto& f : shadersBelow("/shaders")) files.push_back(f);
  for (const auto& f : files) {
    const auto plain = compiledQuietly(f, 0), fast = compiledQuietly(f, 1);
    CAPTURE(f.string());
    REQUIRE((plain == nullptr) == (fast == nullptr));
    if (!plain) continue;
    for (const char* name : {"result", "Ci", "Oi", "P", "Cl"})
      for (int lane = 0; lane < 16; ++lane) {
        CAPTURE(name);
        const auto a = test::runShader(plain, name, lane);
        for (const Isa isa : lane < 2 ? supportedIsas() : std::vector<Isa>{bestIsa()}) {
          const auto b = test::runShader(fast, name, lane, {4, isa, nullptr});
          REQUIRE(a.size() == b.size());
          for (size_t i = 0; i < a.size(); ++i) CHECK((a[i] == b[i] || (a[i] != a[i] && b[i] != b[i])));
        }
      }
  }
}

TEST_CASE("tests/lang: every shader gives what it says") {
  const std::vector<std::filesystem::path> files = shadersBelow("/tests/lang");
  REQUIRE(files.size() > 20);
  for (const auto& f : files)
    for (const int optimise : {0, 1}) runFile(f, optimise);
}
