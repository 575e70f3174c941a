// SPDX-License-Identifier: Apache-2.0
// Compiles a shader and runs it over a small grid without a renderer, for the tests of sl/.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/sl/compiler.h"
#include "reyes/vm/machine.h"

namespace reyes::test {

/// The first shader of `source`; null, and a failed check with what is wrong, where there is none.
inline std::shared_ptr<const vm::Program> compiled(const std::string& source, int optimise) {
  Diagnostics diag;
  std::string said;
  diag.setPrinter([&](const Diagnostic&, const std::string& line) { said += line + "\n"; });
  sl::CompileOptions options;
  options.optimise = optimise;
  options.warnings = {"none"};
  const auto r = sl::compileString(source, options, diag);
  CHECK_MESSAGE(r.program, said, source);
  return r.program;
}

/// How a shader is run: over side x side points, on an instruction set.
struct RunOptions {
  int side = 4;
  Isa isa = Isa::kSse4;
  std::vector<std::pair<std::string, int>>* faults = nullptr;  ///< codes and lines of numbers without a result
  vm::GridInfo::Pack pack = vm::GridInfo::Pack::kWhereWorth;
};

/// Remembers what the machine says.
struct ListeningServices : vm::Services {
  std::vector<std::pair<std::string, int>> said;
  void fault(const char* code, std::string_view, std::string_view, int line, int64_t) override {
    said.push_back({code, line});
  }
  void warn(const char* code, std::string_view, std::string_view, int line) override { said.push_back({code, line}); }
};

/// Values of variable `name` in grid point `lane` after a run over a square of points with P = (i, j, 0) (i, j of the
/// point), Ps = P, u = i/3, v = j/3, N = Ng = (0,0,1), I = (0,0,1), Cs = (1,0.5,0.25), Os = 1, s = u, t = v. Empty: no
/// such variable.
inline std::vector<float> runShader(std::shared_ptr<const vm::Program> program, const char* name, int lane = 0,
                                    const RunOptions& options = {}) {
  const int kSide = options.side, kPoints = kSide * kSide;
  ListeningServices services;
  vm::Instance instance(program);
  instance.initialise(services, options.isa);
  Arena arena;
  VarBlock vars(kPoints);
  const auto add = [&](const char* n, Type type, auto&& f) {
    Var& v = vars.add({Name(n), type, Storage::kVarying, 0}, arena);
    for (int p = 0; p < kPoints; ++p) {
      const Vec3 value = f(p % kSide, p / kSide);
      const float c[3] = {value.x, value.y, value.z};
      for (int k = 0; k < componentCount(type); ++k) v.plane(k)[p] = c[k];
    }
  };
  const auto f = [](int i) { return static_cast<float>(i); };
  add("P", Type::kPoint, [&](int i, int j) { return Vec3{f(i), f(j), 0}; });
  add("N", Type::kNormal, [](int, int) { return Vec3{0, 0, 1}; });
  add("Ng", Type::kNormal, [](int, int) { return Vec3{0, 0, 1}; });
  add("I", Type::kVector, [](int, int) { return Vec3{0, 0, 1}; });
  add("Cs", Type::kColor, [](int, int) { return Vec3{1, 0.5f, 0.25f}; });
  add("Os", Type::kColor, [](int, int) { return Vec3{1, 1, 1}; });
  add("Ps", Type::kPoint, [&](int i, int j) { return Vec3{f(i), f(j), 0}; });
  for (const char* n : {"Cl", "L"}) add(n, n[0] == 'L' ? Type::kVector : Type::kColor, [](int, int) { return Vec3{}; });
  add("Ci", Type::kColor, [](int, int) { return Vec3{}; });
  add("Oi", Type::kColor, [](int, int) { return Vec3{}; });
  for (const char* n : {"u", "s"}) add(n, Type::kFloat, [&](int i, int) { return Vec3{f(i) / 3, 0, 0}; });
  for (const char* n : {"v", "t"}) add(n, Type::kFloat, [&](int, int j) { return Vec3{f(j) / 3, 0, 0}; });
  vm::Machine machine(options.isa);
  vm::GridInfo grid;
  grid.points = kPoints;
  grid.nu = grid.nv = kSide;
  grid.du = grid.dv = 1.0f / 3;
  grid.pack = options.pack;
  machine.begin(instance, grid);
  machine.bind(vars);
  machine.run(services);
  if (options.faults) *options.faults = services.said;
  const vm::Value value = machine.value(Name(name));
  std::vector<float> out;
  if (!value || !value.data) return out;
  for (int e = 0; e < value.elements(); ++e)
    for (int c = 0; c < vm::planeCount(value.type); ++c) out.push_back(value.at(lane, c, e));
  return out;
}

}  // namespace reyes::test
