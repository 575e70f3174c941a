// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/warnings.h"

#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/compiler.h"

namespace reyes::sl {
namespace {

constexpr WarningInfo kWarnings[] = {
    {"assign-parameter", "a parameter that is no output is changed", true},
    {"float-equal", "== or != between floats that are computed", false},
    {"ignored-token", "an optional argument that nothing knows", true},
    {"macro-redefined", "a macro is defined again, differently", true},
    {"missing-oi", "a surface sets Ci and leaves Oi", false},
    {"no-loop", "break or continue leaves more loops than there are", true},
    {"return", "a function never returns its value", true},
    {"several-shaders", "a file has more shaders than the one that is compiled", true},
    {"shadow", "a variable hides another one", false},
    {"uniform-varying", "a variable is declared uniform but varies", true},
    {"uninitialised", "a variable is read before it has a value", true},
    {"unused", "a variable or parameter that nothing reads", false},
    {"warning-directive", "#warning", true},
};

std::string_view british(std::string_view name) { return name == "uninitialized" ? "uninitialised" : name; }

const WarningInfo* find(std::string_view name) {
  const auto it = std::find_if(std::begin(kWarnings), std::end(kWarnings),
                               [&](const WarningInfo& w) { return british(name) == w.name; });
  return it == std::end(kWarnings) ? nullptr : it;
}

/// First write of each register, but for the zero that a bare declaration stands for, and whether anything reads it.
struct Uses {
  std::vector<size_t> firstWrite;
  std::vector<bool> read;

  explicit Uses(const Ir& ir) : firstWrite(ir.regs.size(), SIZE_MAX), read(ir.regs.size(), false) {
    std::vector<bool> declared(ir.regs.size(), false);
    for (const IrSymbol& s : ir.symbols)
      for (const IrInstr& in : s.defaultCode) forEachRead(in, [&](int r) { read[static_cast<size_t>(r)] = true; });
    for (size_t i = 0; i < ir.code.size(); ++i) {
      forEachRead(ir.code[i], [&](int r) { read[static_cast<size_t>(r)] = true; });
      forEachWrite(ir.code[i], [&](int r) {
        const auto at = static_cast<size_t>(r);
        if (ir.regs[at].bare && !declared[at])
          declared[at] = true;
        else
          firstWrite[at] = std::min(firstWrite[at], i);
      });
    }
  }
};

/// For each instruction the end of the outermost loop around it, or itself.
std::vector<size_t> loopEnds(const Ir& ir) {
  std::vector<size_t> ends(ir.code.size());
  for (size_t i = 0; i < ends.size(); ++i) ends[i] = i;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < ir.code.size(); ++i) {
    const vm::Op op = ir.code[i].op;
    if ((op == vm::Op::kLoopBegin || op == vm::Op::kIlluminanceBegin) && depth++ == 0) begin = i;
    if ((op == vm::Op::kLoopEnd || op == vm::Op::kIlluminanceEnd) && --depth == 0)
      for (size_t k = begin; k <= i; ++k) ends[k] = i;
  }
  return ends;
}

void uninitialised(const Ir& ir, const Uses& uses, Diagnostics& diag) {
  const std::vector<size_t> ends = loopEnds(ir);
  std::vector<bool> said(ir.regs.size(), false);
  for (size_t i = 0; i < ir.code.size(); ++i)
    for (size_t a = 0; a < ir.code[i].args.size(); ++a) {
      const auto r = static_cast<size_t>(ir.code[i].args[a]);
      const Access access = operandAccess(ir.code[i].op, a);
      // Elements and components are set one by one; a message may leave its variable alone on purpose.
      if (!access.read || access.write || !ir.regs[r].bare || ir.regs[r].arrayLength > 0 || said[r]) continue;
      if (uses.firstWrite[r] <= ends[i]) continue;
      said[r] = true;
      diag.warning("sl-uninitialised", ir.code[i].loc,
                   format("'{}' is read before it has a value: it is 0", ir.regs[r].name));
    }
}

}  // namespace

std::span<const WarningInfo> warningNames() { return kWarnings; }

bool knownWarning(std::string_view word) {
  if (word == "all" || word == "none") return true;
  return find(word.starts_with("no-") && !find(word) ? word.substr(3) : word) != nullptr;
}

bool warningWanted(std::string_view code, const std::vector<std::string>& words) {
  const std::string_view name = code.starts_with("sl-") ? code.substr(3) : code;
  const WarningInfo* info = find(name);
  bool wanted = !info || info->standard;
  for (const std::string& word : words) {
    if (word == "all" || word == "none")
      wanted = word == "all";
    else if (british(word) == name)
      wanted = true;
    else if (word.starts_with("no-") && british(std::string_view(word).substr(3)) == name)
      wanted = false;
  }
  return wanted;
}

void warnOfVariables(const Ir& ir, const SourceLoc& shader, Diagnostics& diag) {
  const Uses uses(ir);
  uninitialised(ir, uses, diag);
  for (size_t r = 0; r < ir.regs.size(); ++r) {
    const IrReg& reg = ir.regs[r];
    if (uses.read[r] || reg.name.empty() || !(reg.loc.file == shader.file)) continue;
    if (reg.local) diag.warning("sl-unused", reg.loc, format("nothing reads variable '{}'", reg.name));
    // Parameters whose names begin with "__" are for others to ask.
    const bool input = reg.kind == RegKind::kParameter && !ir.symbols[static_cast<size_t>(reg.symbol)].output;
    if (input && !reg.name.starts_with("__"))
      diag.warning("sl-unused", reg.loc, format("nothing reads parameter '{}'", reg.name));
  }
  const auto written = [&](std::string_view name) {
    for (const IrSymbol& s : ir.symbols)
      if (s.kind == vm::SymbolKind::kGlobal && s.name == name)
        return uses.firstWrite[static_cast<size_t>(s.reg)] != SIZE_MAX;
    return false;
  };
  if (ir.type == vm::ShaderType::kSurface && written("Ci") && !written("Oi"))
    diag.warning("sl-missing-oi", shader, format("surface '{}' sets Ci and leaves Oi as it is", ir.name));
}

}  // namespace reyes::sl
