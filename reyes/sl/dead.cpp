// SPDX-License-Identifier: Apache-2.0
// Drops instructions whose results nothing needs, and ifs that became empty. What is needed: everything with an effect,
// what the host reads (parameters and results of the shader), and what those are made of.
#include <algorithm>

#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::Op;

bool seenByHost(const Ir& ir, int r) {
  const IrReg& reg = ir.reg(r);
  if (reg.kind == RegKind::kParameter) return true;
  return reg.kind == RegKind::kGlobal && ir.symbols[static_cast<size_t>(reg.symbol)].writable;
}

/// Marks the registers whose values matter, over all code, until nothing is added.
std::vector<bool> neededRegisters(const Ir& ir) {
  std::vector<bool> needed(ir.regs.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    const auto visit = [&](const std::vector<IrInstr>& code) {
      for (size_t i = code.size(); i-- > 0;) {
        const IrInstr& in = code[i];
        bool live = hasEffect(in);
        if (!live) forEachWrite(in, [&](int r) { live = live || needed[static_cast<size_t>(r)] || seenByHost(ir, r); });
        if (!live) continue;
        forEachRead(in, [&](int r) {
          if (!needed[static_cast<size_t>(r)]) needed[static_cast<size_t>(r)] = changed = true;
        });
      }
    };
    for (const IrSymbol& s : ir.symbols) visit(s.defaultCode);
    visit(ir.code);
  }
  return needed;
}

void sweep(const Ir& ir, const std::vector<bool>& needed, std::vector<IrInstr>& code) {
  std::erase_if(code, [&](const IrInstr& in) {
    if (hasEffect(in)) return false;
    if (in.op == Op::kMov && in.args[0] == in.args[1]) return true;
    bool live = false;
    forEachWrite(in, [&](int r) { live = live || needed[static_cast<size_t>(r)] || seenByHost(ir, r); });
    return !live;
  });
}

/// Drops values that are overwritten before anything reads them, within a stretch without jumps.
void dropOverwritten(const Ir& ir, std::vector<IrInstr>& code) {
  std::vector<bool> dead(code.size(), false);
  std::vector<bool> overwritten(ir.regs.size(), false);
  std::vector<int> set;
  const auto clear = [&] {
    for (const int r : set) overwritten[static_cast<size_t>(r)] = false;
    set.clear();
  };
  for (size_t i = code.size(); i-- > 0;) {
    const IrInstr& in = code[i];
    if (isFlow(in.op)) {
      clear();
      continue;
    }
    if (isPure(in) && overwritten[static_cast<size_t>(in.args[0])]) {
      dead[i] = true;
      continue;
    }
    for (size_t a = 0; a < in.args.size(); ++a) {
      const Access access = operandAccess(in.op, a);
      // Only a result is written in every active lane for sure; messages may leave their variable alone.
      const bool whole = a == 0 && access.write && !access.read;
      if (whole && !overwritten[static_cast<size_t>(in.args[a])]) {
        overwritten[static_cast<size_t>(in.args[a])] = true;
        set.push_back(in.args[a]);
      }
    }
    forEachRead(in, [&](int r) { overwritten[static_cast<size_t>(r)] = false; });
  }
  size_t next = 0;
  std::erase_if(code, [&](const IrInstr&) { return dead[next++]; });
}

/// if/endif and if/else/endif with nothing between. True where any went.
bool dropEmptyIfs(std::vector<IrInstr>& code) {
  std::vector<IrInstr> kept;
  bool any = false;
  for (IrInstr& in : code) {
    if (in.op == Op::kEndIf && !kept.empty() && kept.back().op == Op::kElse) {
      kept.pop_back();
      any = true;
    }
    if (in.op == Op::kEndIf && !kept.empty() && kept.back().op == Op::kIf) {
      kept.pop_back();
      any = true;
      continue;
    }
    kept.push_back(std::move(in));
  }
  code = std::move(kept);
  return any;
}

}  // namespace

void dropDead(Ir& ir) {
  for (bool again = true; again;) {
    const std::vector<bool> needed = neededRegisters(ir);
    for (IrSymbol& s : ir.symbols) sweep(ir, needed, s.defaultCode);
    sweep(ir, needed, ir.code);
    dropOverwritten(ir, ir.code);
    again = dropEmptyIfs(ir.code);
    for (IrSymbol& s : ir.symbols) again = dropEmptyIfs(s.defaultCode) || again;
  }
}

}  // namespace reyes::sl
