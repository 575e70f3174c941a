// SPDX-License-Identifier: Apache-2.0
// Peephole passes over neighbouring instructions of one region: a product that only a sum uses becomes multiply-add
// (rounded twice, so the same bits), and a result that is only copied goes straight to where it is copied to.
#include <algorithm>

#include "reyes/sl/lower_impl.h"
#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::Op;

/// Where registers are defined and used in one list of code.
struct Uses {
  explicit Uses(const Ir& ir, const std::vector<IrInstr>& code)
      : reads(ir.regs.size(), 0), writes(ir.regs.size(), 0), lastWrite(ir.regs.size(), -1) {
    for (const IrInstr& in : code) {
      forEachRead(in, [&](int r) { ++reads[static_cast<size_t>(r)]; });
      forEachWrite(in, [&](int r) { ++writes[static_cast<size_t>(r)]; });
    }
  }
  std::vector<int> reads, writes, lastWrite;
};

Op fusedOp(Op product, Op sum) {
  if (product == Op::kMulF && sum == Op::kAddF) return Op::kMadF;
  if (product == Op::kMulT && sum == Op::kAddT) return Op::kMadT;
  if (product == Op::kMulTF && sum == Op::kAddT) return Op::kMadTF;
  return Op::kEnd;
}

}  // namespace

void fuseMultiplyAdd(Ir& ir, std::vector<IrInstr>& code) {
  Uses uses(ir, code);
  std::vector<int> product(ir.regs.size(), -1);  // index of the product that defines a register
  std::vector<int> regionOf(code.size(), 0), regions{0};
  for (size_t i = 0; i < code.size(); ++i) {
    IrInstr& in = code[i];
    if (closesRegion(in.op)) regions.pop_back();
    regionOf[i] = regions.back();
    if (opensRegion(in.op)) regions.push_back(static_cast<int>(i) + 1);
    if (in.op == Op::kAddF || in.op == Op::kAddT)
      for (const size_t side : {size_t{1}, size_t{2}}) {
        const int t = in.args[side];
        const int at = product[static_cast<size_t>(t)];
        if (at < 0 || regionOf[static_cast<size_t>(at)] != regionOf[i] || uses.reads[static_cast<size_t>(t)] != 1)
          continue;
        IrInstr& mul = code[static_cast<size_t>(at)];
        const Op fused = fusedOp(mul.op, in.op);
        // The factors must still be what they were.
        const bool same = uses.lastWrite[static_cast<size_t>(mul.args[1])] < at &&
                          uses.lastWrite[static_cast<size_t>(mul.args[2])] < at;
        if (fused == Op::kEnd || !same) continue;
        in.args = {in.args[0], mul.args[1], mul.args[2], in.args[3 - side]};
        in.op = fused;
        mul.op = Op::kMov;
        mul.args = {t, t};  // dropped by dropDead
        break;
      }
    forEachWrite(in, [&](int r) { uses.lastWrite[static_cast<size_t>(r)] = static_cast<int>(i); });
    const bool isProduct = in.op == Op::kMulF || in.op == Op::kMulT || in.op == Op::kMulTF;
    if (isProduct && ir.reg(in.args[0]).kind == RegKind::kTemp && uses.writes[static_cast<size_t>(in.args[0])] == 1)
      product[static_cast<size_t>(in.args[0])] = static_cast<int>(i);
  }
}

void coalesceCopies(Ir& ir, std::vector<IrInstr>& code) {
  Uses uses(ir, code);
  for (size_t i = 1; i < code.size(); ++i) {
    IrInstr& mov = code[i];
    IrInstr& def = code[i - 1];
    if (mov.op != Op::kMov || isFlow(def.op) || def.args.empty()) continue;
    const int t = mov.args[1], x = mov.args[0];
    const bool plain = def.args[0] == t && operandAccess(def.op, 0).write && !operandAccess(def.op, 0).read;
    const bool temp = (ir.reg(t).kind == RegKind::kTemp || ir.reg(t).kind == RegKind::kVariable);
    if (!plain || !temp || t == x || uses.reads[static_cast<size_t>(t)] != 1 ||
        uses.writes[static_cast<size_t>(t)] != 1)
      continue;
    if (ir.reg(t).type != ir.reg(x).type || ir.reg(t).arrayLength != ir.reg(x).arrayLength) continue;
    const bool clash = std::find(def.args.begin() + 1, def.args.end(), x) != def.args.end();
    if (clash && !inPlaceSafe(def.op)) continue;
    def.args[0] = x;
    mov.args = {x, x};  // dropped by dropDead
  }
}

}  // namespace reyes::sl
