// SPDX-License-Identifier: Apache-2.0
#include "reyes/vm/opaque.h"

#include <algorithm>

#include "reyes/vm/tables.h"

namespace reyes::vm {
namespace {

/// Sources of an instruction, from operand `first` on, that must be 1 for its result to be; -1: it is anything.
int onesFrom(Op op) {
  switch (op) {
    case Op::kMov:
    case Op::kTripleF:
    case Op::kTriple3:
    case Op::kGetX:
    case Op::kGetY:
    case Op::kGetZ:
    case Op::kSetX:
    case Op::kSetY:
    case Op::kSetZ:
    case Op::kMulF:
    case Op::kMulT:
    case Op::kMulTF:
    case Op::kMulMulF:
    case Op::kMulMulTF:
    case Op::kDivF:
    case Op::kDivT:
    case Op::kDivTF:
    case Op::kDivFT:
      return 1;
    case Op::kSelect:
      return 2;  // after what chooses
    default:
      return -1;
  }
}

struct Registers {
  std::vector<bool> one;      ///< nothing but ones, as far as is known
  std::vector<bool> written;  ///< by the main code
};

bool startsAsOne(const Program& p, size_t r) {
  if (p.registers[r].varying || p.registers[r].arrayLength > 0 || p.registers[r].type == RegType::kString) return false;
  const float* value = &p.uniforms[p.uniformOffset[r]];
  return std::all_of(value, value + p.registers[r].planes(), [](float f) { return f == 1; });
}

/// Registers that may hold ones alone: by what they hold before the main code, or because that sets them, wherever it
/// goes, before anything looks.
Registers candidates(const Program& p, std::span<const Name> ones) {
  const size_t count = p.registers.size();
  Registers r{std::vector<bool>(count), std::vector<bool>(count)};
  std::vector<bool> touched(count);
  // 1. The first that the main code does with a register.
  int depth = 0;
  for (size_t i = p.mainBegin; i < p.code.size(); ++i) {
    const Instruction& in = p.code[i];
    const OpInfo& info = opInfo(in.op);
    if (in.op == Op::kIf || in.op == Op::kLoopBegin || in.op == Op::kIlluminanceBegin ||
        in.op == Op::kIlluminateBegin || in.op == Op::kSolarBegin)
      ++depth;
    if (in.op == Op::kEndIf || in.op == Op::kLoopEnd || in.op == Op::kIlluminanceEnd || in.op == Op::kIlluminateEnd ||
        in.op == Op::kSolarEnd)
      --depth;
    for (size_t k = in.nargs; k-- > 0;) {  // what is read comes before what is written
      const uint16_t reg = p.args[in.firstArg + k];
      const Access access = operandAccess(info, k);
      if (!touched[reg]) r.one[reg] = access == Access::kWrite && depth == 0;
      touched[reg] = true;
      if (access != Access::kRead) r.written[reg] = true;
    }
  }
  // 2. What is there before it.
  for (size_t reg = 0; reg < count; ++reg)
    if (startsAsOne(p, reg)) r.one[reg] = true;
  for (const Symbol& s : p.symbols) {
    if (s.kind == SymbolKind::kLocal) continue;
    if (std::find(ones.begin(), ones.end(), s.name) != ones.end())
      r.one[s.reg] = true;
    else if (s.kind == SymbolKind::kParameter || !r.written[s.reg])
      r.one[s.reg] = false;
  }
  return r;
}

}  // namespace

bool leavesOpaque(const Program& p, std::span<const Name> ones) {
  const Symbol* oi = p.find("Oi");
  if (!oi || p.registers[oi->reg].type != RegType::kTriple) return false;
  Registers r = candidates(p, ones);
  if (!r.written[oi->reg]) return false;
  // Whatever is given something else is out, and what it is given to, until nothing changes.
  for (bool changed = true; changed && r.one[oi->reg];) {
    changed = false;
    for (size_t i = p.mainBegin; i < p.code.size(); ++i) {
      const Instruction& in = p.code[i];
      const OpInfo& info = opInfo(in.op);
      const int from = onesFrom(in.op);
      bool one = from >= 0;
      for (size_t k = static_cast<size_t>(std::max(from, 0)); k < in.nargs && one; ++k)
        one = r.one[p.args[in.firstArg + k]];
      for (size_t k = 0; k < in.nargs && !one; ++k) {
        const uint16_t reg = p.args[in.firstArg + k];
        if (operandAccess(info, k) == Access::kRead || !r.one[reg]) continue;
        r.one[reg] = false;
        changed = true;
      }
    }
  }
  return r.one[oi->reg];
}

}  // namespace reyes::vm
