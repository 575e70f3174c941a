// SPDX-License-Identifier: Apache-2.0
#include "reyes/vm/pointwise.h"

#include <algorithm>

#include "reyes/vm/tables.h"

namespace reyes::vm {

bool asksForSpace(Builtin b) {
  switch (b) {
    case Builtin::k_transform:
    case Builtin::k_transform_ss:
    case Builtin::k_transform_sm:
    case Builtin::k_vtransform:
    case Builtin::k_vtransform_ss:
    case Builtin::k_vtransform_sm:
    case Builtin::k_ntransform:
    case Builtin::k_ntransform_ss:
    case Builtin::k_ntransform_sm:
    case Builtin::k_mtransform:
    case Builtin::k_mtransform_ss:
    case Builtin::k_depth:
      return true;
    default:
      return false;
  }
}

namespace {

bool isPointwise(Op op, const OpInfo& info) {
  if (!info.builtin) return op != Op::kIlluminanceBegin && op != Op::kIlluminateBegin && op != Op::kSolarBegin;
  constexpr uint32_t kNever = BuiltinInfo::Derivative | BuiltinInfo::Effect | BuiltinInfo::Varying;
  if (info.builtin->flags & kNever) return false;
  return (info.builtin->flags & BuiltinInfo::Pure) || asksForSpace(info.builtin->id);
}

/// One past the last instruction that may change the register: the last write, or the end of the loops around it.
size_t endOfWrites(const Program& p, uint16_t reg) {
  size_t end = p.mainBegin;
  int depth = 0;
  bool inLoop = false;
  for (size_t i = p.mainBegin; i < p.code.size(); ++i) {
    const Instruction& in = p.code[i];
    const OpInfo& info = opInfo(in.op);
    if (in.op == Op::kLoopBegin) ++depth;
    for (size_t k = 0; k < in.nargs; ++k)
      if (p.args[in.firstArg + k] == reg && operandAccess(info, k) != Access::kRead) end = i + 1, inLoop = depth > 0;
    if (in.op == Op::kLoopEnd && --depth == 0 && inLoop) end = i + 1, inLoop = false;
  }
  return end;
}

}  // namespace

bool isPointwise(const Program& p, Name symbol) {
  const Symbol* s = p.find(symbol);
  if (!s) return true;
  const Symbol *du = p.find("du"), *dv = p.find("dv");
  const size_t end = endOfWrites(p, s->reg);
  for (size_t i = 0; i < end; ++i) {
    const Instruction& in = p.code[i];
    if (!isPointwise(in.op, opInfo(in.op))) return false;
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = p.args[in.firstArg + k];
      if ((du && r == du->reg) || (dv && r == dv->reg)) return false;
    }
  }
  return true;
}

}  // namespace reyes::vm
