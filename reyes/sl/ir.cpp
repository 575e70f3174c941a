// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/ir.h"

#include <array>

#include "reyes/base/format.h"

namespace reyes::sl {
namespace {

struct OpRow {
  const char* mnemonic;
  bool flow;
  std::vector<Access> access;
};

/// Reads "=t t? f" (opcodes.def): one word an operand.
std::vector<Access> accessOfOperands(std::string_view words) {
  std::vector<Access> list;
  bool start = true;
  for (const char c : words) {
    if (c == ' ') {
      start = true;
      continue;
    }
    if (start) list.push_back({c != '=', c == '=' || c == '+'});
    start = false;
  }
  return list;
}

/// Reads result and arguments of builtins.def, with the channel operand.
std::vector<Access> accessOfBuiltin(const vm::BuiltinInfo& b) {
  std::vector<Access> list;
  if (b.result[0] != '-') list.push_back({false, true});
  Access next;
  bool first = true;
  for (const char* c = b.arguments; *c; ++c) {
    if (*c == '=')
      next = {false, true};
    else if (*c == '+')
      next = {true, true};
    else if (*c != '[' && *c != ']') {
      list.push_back(next);
      next = {};
      if (first && (b.flags & vm::BuiltinInfo::Channel)) list.push_back({});
      first = false;
    }
  }
  return list;
}

const std::vector<OpRow>& rows() {
  static const std::vector<OpRow> table = [] {
    enum Class { Lanes, Flow };
    std::vector<OpRow> t;
#define REYES_OP(id, mnemonic, operands, cls) t.push_back({mnemonic, cls == Flow, accessOfOperands(operands)});
#include "reyes/vm/opcodes.def"
#undef REYES_OP
    for (const vm::BuiltinInfo& b : vm::builtins()) t.push_back({b.mnemonic, false, accessOfBuiltin(b)});
    return t;
  }();
  return table;
}

const OpRow& row(vm::Op op) { return rows()[static_cast<size_t>(op)]; }

}  // namespace

Access operandAccess(vm::Op op, size_t i) {
  const auto& access = row(op).access;
  return i < access.size() ? access[i] : Access{};
}

size_t operandCount(vm::Op op) { return row(op).access.size(); }

const vm::BuiltinInfo& builtinOf(vm::Op op) {
  return vm::builtins()[static_cast<size_t>(op) - static_cast<size_t>(vm::kOpCount)];
}

const char* opName(vm::Op op) { return row(op).mnemonic; }

bool isFlow(vm::Op op) { return row(op).flow; }

bool opensRegion(vm::Op op) {
  using vm::Op;
  return op == Op::kIf || op == Op::kElse || op == Op::kLoopBegin || op == Op::kIlluminanceBegin ||
         op == Op::kIlluminateBegin || op == Op::kSolarBegin;
}

bool closesRegion(vm::Op op) {
  using vm::Op;
  return op == Op::kElse || op == Op::kEndIf || op == Op::kLoopEnd || op == Op::kIlluminanceEnd ||
         op == Op::kIlluminateEnd || op == Op::kSolarEnd;
}

bool isPure(const IrInstr& in) {
  if (isFlow(in.op)) return false;
  if (!vm::isBuiltin(in.op)) return !operandAccess(in.op, 0).read;
  const vm::BuiltinInfo& b = builtinOf(in.op);
  return (b.flags & vm::BuiltinInfo::Pure) && b.result[0] != '-';
}

bool isShareable(const IrInstr& in) {
  if (isPure(in)) return true;
  if (isFlow(in.op) || !vm::isBuiltin(in.op)) return false;
  const vm::BuiltinInfo& b = builtinOf(in.op);
  if (b.flags & vm::BuiltinInfo::Effect) return false;
  for (size_t i = 1; i < in.args.size(); ++i)
    if (operandAccess(in.op, i).write) return false;
  return b.result[0] != '-';
}

bool hasEffect(const IrInstr& in) {
  return isFlow(in.op) || (vm::isBuiltin(in.op) && (builtinOf(in.op).flags & vm::BuiltinInfo::Effect));
}

namespace {
std::string regText(const Ir& ir, int r) {
  const IrReg& g = ir.reg(r);
  if (g.kind == RegKind::kConstant) {
    if (g.type == vm::RegType::kString) return '"' + g.text + '"';
    std::string s;
    for (size_t i = 0; i < g.value.size() && i < 3; ++i) s += format("{}{}", i ? "," : "", g.value[i]);
    return g.value.size() > 1 ? "(" + s + ")" : s;
  }
  const std::string name = g.name.empty() ? "" : ":" + std::string(g.name);
  return format("{}{}{}", g.varying ? "v" : "u", r, name);
}

void dumpCode(const Ir& ir, const std::vector<IrInstr>& code, std::string& out) {
  int indent = 1;
  for (const IrInstr& in : code) {
    if (closesRegion(in.op)) --indent;
    out += std::string(static_cast<size_t>(std::max(0, indent)) * 2, ' ') + opName(in.op);
    for (const int a : in.args) out += " " + regText(ir, a);
    if (in.op == vm::Op::kBreak || in.op == vm::Op::kContinue) out += format(" {}", in.target);
    out += "\n";
    if (opensRegion(in.op)) ++indent;
  }
}
}  // namespace

std::string dumpIr(const Ir& ir) {
  std::string out = format("{} {}\n", vm::shaderTypeName(ir.type), ir.name);
  for (const IrSymbol& s : ir.symbols) {
    out += format("{} {} {} = {}\n", s.kind == vm::SymbolKind::kParameter ? "parameter" : "global", typeName(s.type),
                  s.name, regText(ir, s.reg));
    dumpCode(ir, s.defaultCode, out);
  }
  out += "main\n";
  dumpCode(ir, ir.code, out);
  return out;
}

}  // namespace reyes::sl
