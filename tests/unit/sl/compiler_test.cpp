// SPDX-License-Identifier: Apache-2.0
// The compiler as its callers see it: the standard shaders, results, dumps, hashes, limits on hostile input.
#include "reyes/sl/compiler.h"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "reyes/base/format.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/program.h"
#include "tests/unit/sl/run_shader.h"

using namespace reyes;

namespace {
sl::CompileResult compile(const std::string& source, Diagnostics& diag, int optimise = 1) {
  diag.setPrinter({});
  sl::CompileOptions options;
  options.optimise = optimise;
  return sl::compileString(source, options, diag);
}
bool compiles(const std::string& source) {
  Diagnostics diag;
  return compile(source, diag).program != nullptr;
}
std::string repeat(const std::string& s, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += s;
  return out;
}
int countOps(const vm::Program& p, vm::Op op) {
  int n = 0;
  for (const vm::Instruction& in : p.code) n += in.op == op;
  return n;
}
}  // namespace

TEST_CASE("every standard shader compiles without a word, at both levels") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(REYES_SOURCE_DIR "/shaders")) {
    if (entry.path().extension() != ".sl") continue;
    ++count;
    for (const int optimise : {0, 1}) {
      Diagnostics diag;
      sl::CompileOptions options;
      options.optimise = optimise;
      options.includePaths = {REYES_SOURCE_DIR "/shaders/include"};
      options.warnings = {"all", "no-unused"};
      const auto r = sl::compileFile(entry.path().string(), options, diag);
      CAPTURE(entry.path().string());
      REQUIRE(r.program != nullptr);
      CHECK(diag.all().empty());
      CHECK(r.outputName == entry.path().stem().string());
      REQUIRE(!r.dependencies.empty());
      CHECK(r.dependencies[0] == entry.path().string());
      // A round trip through the file format keeps the program.
      std::string error;
      const auto again = vm::deserialize(vm::serialize(*r.program), error);
      REQUIRE(again != nullptr);
      CHECK(vm::disassemble(*again) == vm::disassemble(*r.program));
    }
  }
  CHECK(count >= 27);
}

TEST_CASE("parameters, their classes and defaults reach the program") {
  Diagnostics diag;
  const auto r = compile(
      "#pragma annotation Kd \"slider\"\n"
      "surface s(float Kd = .5; varying color c = color(1,0,0); output varying float o = 0; string n = \"x\"; float "
      "a[2] = {3,4};) { o = Kd; }",
      diag);
  REQUIRE(r.program);
  const vm::Program& p = *r.program;
  REQUIRE(p.find("Kd"));
  CHECK_FALSE(p.find("Kd")->varying);
  CHECK(p.find("c")->varying);
  CHECK(p.find("c")->type == Type::kColor);
  CHECK(p.find("o")->output);
  CHECK(p.find("a")->arrayLength == 2);
  CHECK(p.writes("o"));
  CHECK(p.reads("Kd"));
  REQUIRE(p.annotations.size() == 1);
  CHECK(p.annotations[0].second == "slider");
  CHECK(test::runShader(r.program, "a") == std::vector<float>{3, 4});
  CHECK(test::runShader(r.program, "c") == std::vector<float>{1, 0, 0});
  CHECK(test::runShader(r.program, "o") == std::vector<float>{.5f});
}

TEST_CASE("loops whose bounds are uniform stay uniform, invariants leave them, products and sums are one instruction") {
  Diagnostics diag;
  const auto r = compile(
      "surface s(output varying float o = 0; float k = 3;) {"
      " float i, sum = 0; for (i = 0; i < k; i += 1) sum += float noise(P * k) * i; o = sum; }",
      diag);
  REQUIRE(r.program);
  const vm::Program& p = *r.program;
  int begin = 0, noise = 0;
  for (size_t i = 0; i < p.code.size(); ++i) {
    const vm::Instruction& in = p.code[i];
    if (in.op == vm::Op::kLoopBegin) begin = static_cast<int>(i);
    if (in.op == vm::builtinOp(vm::Builtin::k_noise_p)) noise = static_cast<int>(i);
    if (in.op == vm::Op::kLoopTest) CHECK_FALSE(p.registers[p.args[in.firstArg]].varying);
  }
  CHECK(noise < begin);
  CHECK(countOps(p, vm::Op::kMadF) == 1);
}

TEST_CASE("common terms are worked out once, registers are shared") {
  Diagnostics diag;
  const auto r = compile(
      "surface s(output varying float o = 0;) { normal a = normalize(N); normal b = normalize(N);"
      " float x = a . b; float y = x + 1; float z = y * 2; o = z - 1; }",
      diag);
  REQUIRE(r.program);
  CHECK(countOps(*r.program, vm::builtinOp(vm::Builtin::k_normalize)) == 1);
  int varyingFloats = 0;
  for (const vm::Register& reg : r.program->registers) varyingFloats += reg.varying && reg.type == vm::RegType::kFloat;
  CHECK(varyingFloats <= 2);
}

TEST_CASE("standard lights give the light of RI 3.2") {
  const auto light = [](const char* name, const char* variable, int lane) {
    Diagnostics diag;
    const auto r = sl::compileFile(std::string(REYES_SOURCE_DIR "/shaders/") + name + ".sl", {}, diag);
    REQUIRE(r.program);
    return test::runShader(r.program, variable, lane);
  };
  const int lane = 2 * 4 + 1;  // P = (1, 2, 0)
  CHECK(light("ambientlight", "Cl", lane) == std::vector<float>{1, 1, 1});
  CHECK(light("distantlight", "Cl", lane) == std::vector<float>{1, 1, 1});
  CHECK(light("distantlight", "L", lane) == std::vector<float>{0, 0, 1});
  CHECK(light("pointlight", "L", lane) == std::vector<float>{1, 2, 0});
  CHECK(light("pointlight", "Cl", lane)[0] == doctest::Approx(0.2));
  // Outside of its cone a spotlight leaves Cl alone.
  CHECK(light("spotlight", "Cl", lane) == std::vector<float>{0, 0, 0});
}

TEST_CASE("a stale program is told by its hash") {
  const std::string dir = std::filesystem::temp_directory_path() / "reyes_sl_hash_test";
  std::filesystem::create_directories(dir);
  const auto write = [&](const char* name, const char* text) {
    FILE* f = std::fopen((dir + "/" + name).c_str(), "wb");
    REQUIRE(f);
    std::fputs(text, f);
    std::fclose(f);
  };
  write("a.h", "#define K 1\n");
  write("a.sl", "#include \"a.h\"\nsurface a() { Ci = K; }\n");
  Diagnostics diag;
  sl::CompileOptions options;
  const auto r = sl::compileFile(dir + "/a.sl", options, diag);
  REQUIRE(r.program);
  CHECK(r.dependencies.size() == 2);
  CHECK(r.program->sourceHash == sl::dependencyHash(dir + "/a.sl", options));
  options.defines = {"X=2"};
  CHECK(r.program->sourceHash != sl::dependencyHash(dir + "/a.sl", options));
  options.defines.clear();
  write("a.h", "#define K 2\n");
  CHECK(r.program->sourceHash != sl::dependencyHash(dir + "/a.sl", options));
  CHECK(sl::dependencyHash(dir + "/none.sl", options) == 0);
  std::filesystem::remove_all(dir);
}

TEST_CASE("options: defines, warnings as errors, names in messages") {
  Diagnostics diag;
  diag.setPrinter({});
  sl::CompileOptions options;
  options.defines = {"K=3", "FLAG"};
  options.sourceName = "here.sl";
  CHECK(sl::compileString("#if FLAG\nsurface s() { Ci = K; }\n#endif\n", options, diag).program);
  options.warningsAsErrors = true;
  CHECK_FALSE(sl::compileString("surface s(float k = 1;) { k = 2; Ci = k; }", options, diag).program);
  REQUIRE(diag.all().size() == 1);
  CHECK(diag.all()[0].severity == Severity::kError);
  CHECK(diag.all()[0].loc.file == Name("here.sl"));
  CHECK(diag.all()[0].loc.line == 1);
}

TEST_CASE("did you mean") {
  Diagnostics diag;
  compile("surface s(float roughness = 1;) { Ci = rougness * lenght(N); }", diag);
  bool variable = false, function = false;
  for (const Diagnostic& d : diag.all()) {
    variable = variable || d.text.find("'roughness'") != std::string::npos;
    function = function || d.text.find("'length'") != std::string::npos;
  }
  CHECK(variable);
  CHECK(function);
}

TEST_CASE("dumps show each stage") {
  Diagnostics diag;
  const std::string source = "surface s() { Ci = Cs * 2; }";
  CHECK(sl::dumpString(source, {}, sl::DumpStage::kTokens, diag).find("name Ci") != std::string::npos);
  CHECK(sl::dumpString(source, {}, sl::DumpStage::kAst, diag).find("assign =") != std::string::npos);
  CHECK(sl::dumpString(source, {}, sl::DumpStage::kIr, diag).find("multf") != std::string::npos);
  CHECK(sl::dumpString(source, {}, sl::DumpStage::kCode, diag).find("multf") != std::string::npos);
}

TEST_CASE("hostile input ends soon and without a crash") {
  const std::string head = "surface s() { float x = ", tail = "; Ci = x; }";
  CHECK_FALSE(compiles(head + repeat("(", 10000) + "1" + repeat(")", 10000) + tail));
  CHECK_FALSE(compiles(head + repeat("-", 10000) + "1" + tail));
  CHECK_FALSE(compiles(head + repeat("1+", 10000) + "1" + tail));
  CHECK(compiles(head + repeat("1+", 300) + "1" + tail));
  CHECK_FALSE(compiles("surface s() " + repeat("{", 10000)));
  CHECK_FALSE(compiles("surface s() {" + repeat("if (u) ", 10000)));
  CHECK_FALSE(compiles("surface s() {" + repeat("if (u) ; else ", 10000)));
  CHECK(compiles("surface s() { float " + repeat("x", 5000) + " = 1; Ci = " + repeat("x", 5000) + "; }"));
  CHECK(compiles("surface s() { string a = \"" + repeat("y", 5000) + "\"; if (a == \"y\") Ci = 1; }"));
  CHECK(compiles("surface s() { for (;;) {} }"));
  CHECK_FALSE(compiles("#if " + repeat("(", 20000) + "1" + repeat(")", 20000) + "\n#endif\n"));
  CHECK_FALSE(compiles("#define F(x) x\nsurface s() { Ci = " + repeat("F(", 5000) + "1" + repeat(")", 5000) + "; }"));
  CHECK_FALSE(compiles(repeat("#if 1\n", 5000)));
  CHECK_FALSE(compiles("#include \"/dev/zero\"\nsurface s() {}"));
  CHECK_FALSE(compiles(""));
  CHECK_FALSE(compiles(std::string("\0\1\2", 3)));
  // A chain of macros and a doubling of inlined functions.
  std::string chain, doubling = "void f0(output float x;) { x += 1; }\n";
  for (int i = 1; i < 5000; ++i) chain += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + "\n";
  CHECK(compiles("#define A0 1\n" + chain + "surface s() { Ci = A4999; }"));
  for (int i = 1; i < 40; ++i)
    doubling += "void f" + std::to_string(i) + "(output float x;) { f" + std::to_string(i - 1) + "(x); f" +
                std::to_string(i - 1) + "(x); }\n";
  CHECK_FALSE(compiles(doubling + "surface s() { float x = 0; f39(x); Ci = x; }"));
}

TEST_CASE("cut anywhere, a shader gives errors and nothing worse") {
  const std::string source =
      "#define F(a) ((a) * 2)\nfloat f(float x; output color c[3];) { c[1] = x; if (x > F(2)) return 1; return 2; }\n"
      "surface s(float Ka = 1, b[2] = {1, 2}; string n = \"abc\";) { color c[3]; illuminance(\"x\", P, N, PI / 2) { Ci "
      "+= Cl * f(Ka, c); }\n"
      " for (float i = 0; i < 3; i += 1) { Ci += color \"hsv\" (i, texture(n[0], s, t, \"blur\", 0.1), 1); continue; } "
      "}";
  CHECK(compiles(source));
  for (size_t n = 0; n < source.size(); ++n) {
    Diagnostics diag;
    compile(source.substr(0, n), diag);
    compile(source.substr(n), diag);
  }
}

TEST_CASE("messages come with their source line, the macro and the include that led there") {
  const auto dir = std::filesystem::temp_directory_path() / format("reyes_explain_{}", getpid());
  std::filesystem::create_directories(dir);
  std::ofstream(dir / "half.h") << "#define HALF(x) ((x) * half_)\nfloat twice(float x) { return x * nothing; }\n";
  std::ofstream(dir / "a.sl")
      << "#include \"half.h\"\nsurface a()\n{\n\tfloat x = 1 + HALF(u);\n    Ci = twice(x);\n}\n";
  Diagnostics diag;
  diag.setPrinter({});
  sl::CompileOptions options;
  std::vector<std::pair<std::string, std::vector<std::string>>> explained;
  options.explain = [&](const Diagnostic& d, const std::vector<std::string>& lines) {
    explained.emplace_back(d.code, lines);
  };
  CHECK_FALSE(sl::compileFile((dir / "a.sl").string(), options, diag).program);
  REQUIRE(explained.size() == 2);
  const auto& macro = explained[0].second;
  REQUIRE(macro.size() == 3);
  CHECK(macro[0] == "    4 | \tfloat x = 1 + HALF(u);");
  CHECK(macro[1] == "      | \t              ^");
  CHECK(macro[2].find("macro 'HALF', defined at " + (dir / "half.h").string() + ":1:9") != std::string::npos);
  const auto& header = explained[1].second;
  REQUIRE(header.size() == 3);
  CHECK(header[0] == "    2 | float twice(float x) { return x * nothing; }");
  CHECK(header[2].find("included at " + (dir / "a.sl").string() + ":1") != std::string::npos);
  std::filesystem::remove_all(dir);
}

TEST_CASE("warnings are asked for and turned off by name") {
  const std::string source = "surface s(float a = 1) { if (u > 0) { float a = 2; Ci = a; } }\n";
  const auto codes = [&](std::vector<std::string> words) {
    Diagnostics diag;
    diag.setPrinter({});
    sl::CompileOptions options;
    options.warnings = std::move(words);
    CHECK(sl::compileString(source, options, diag).program);
    std::string all;
    for (const Diagnostic& d : diag.all()) all += d.code + " ";
    return all;
  };
  CHECK(codes({}) == "");
  CHECK(codes({"shadow"}) == "sl-shadow ");
  CHECK(codes({"all"}) == "sl-shadow sl-unused sl-missing-oi ");
  CHECK(codes({"all", "no-unused"}) == "sl-shadow sl-missing-oi ");
  CHECK(codes({"all", "none"}) == "");
  CHECK(sl::knownWarning("no-uninitialized"));
  CHECK_FALSE(sl::knownWarning("everything"));
}

TEST_CASE("a highlight that is multiplied by 0 is not worked out") {
  struct Counting : vm::Services {
    int asked = 0;
    int lightCount() override { return ++asked, 0; }
  };
  Diagnostics diag;
  const auto program =
      compile(
          "surface s(float Ka = 0, Kd = 0.5, Ks = 0.5; color specularcolor = 1) { normal Nf = normalize(N);"
          " Ci = Cs * (Ka * ambient() + Kd * diffuse(Nf)) + specularcolor * Ks * specular(Nf, -I, 0.1); }",
          diag)
          .program;
  REQUIRE(program);
  const auto asked = [&](std::vector<std::pair<const char*, float>> values) {
    vm::Instance instance(program);
    for (const auto& [name, value] : values) instance.setFloats(name, {&value, 1});
    Counting services;
    instance.initialise(services);
    vm::Machine machine(Isa::kSse4);
    vm::GridInfo grid;
    grid.points = grid.nu = 16;
    machine.begin(instance, grid);
    machine.run(services);
    return services.asked;
  };
  CHECK(asked({}) == 2);
  CHECK(asked({{"Ks", 0}}) == 1);
  CHECK(asked({{"Ks", 0}, {"Kd", 0}}) == 0);
  CHECK(asked({{"Ka", 1}}) == 3);
}
