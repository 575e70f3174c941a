// SPDX-License-Identifier: Apache-2.0
// Passes over the instructions of one region, when it is known what varies: two operations become one where the machine
// has one that does both (it rounds as they do, so the bits are the same), and a result that is only copied goes
// straight to where it is copied to.
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

/// An operation whose only use is operand `slot` of another, and the one that does both: its operands are those of the
/// first, then the others of the second. In the order of how many public shaders have them (scripts counted 388).
struct Pair {
  Op first, second;
  size_t slot;
  Op both;
};
constexpr Op kAbs = vm::builtinOp(vm::Builtin::k_abs), kMax = vm::builtinOp(vm::Builtin::k_max),
             kNormalize = vm::builtinOp(vm::Builtin::k_normalize), kForward = vm::builtinOp(vm::Builtin::k_faceforward),
             kForward3 = vm::builtinOp(vm::Builtin::k_faceforward3), kSmooth = vm::builtinOp(vm::Builtin::k_smoothstep);
constexpr Pair kPairs[] = {
    {Op::kMulF, Op::kAddF, 1, Op::kMadF},
    {Op::kMulF, Op::kAddF, 2, Op::kMadF},
    {Op::kMulT, Op::kAddT, 1, Op::kMadT},
    {Op::kMulT, Op::kAddT, 2, Op::kMadT},
    {Op::kMulTF, Op::kAddT, 1, Op::kMadTF},
    {Op::kMulTF, Op::kAddT, 2, Op::kMadTF},
    {Op::kSubF, Op::kMulF, 1, Op::kSubMulF},
    {Op::kSubF, Op::kMulF, 2, Op::kSubMulF},
    {Op::kMulF, Op::kSubF, 1, Op::kMulSubF},
    {Op::kMulF, Op::kSubF, 2, Op::kSubProductF},
    {Op::kMulF, kAbs, 1, Op::kAbsMulF},
    {Op::kAbsMulF, Op::kAddF, 1, Op::kAbsMadF},
    {Op::kAbsMulF, Op::kAddF, 2, Op::kAbsMadF},
    {Op::kMulTF, Op::kMadTF, 3, Op::kMadMadTF},
    {kNormalize, kForward, 1, Op::kNormForward},
    {kNormalize, kForward3, 1, Op::kNormForward},
    {Op::kMulF, Op::kMulF, 1, Op::kMulMulF},
    {Op::kMulF, Op::kMulF, 2, Op::kMulMulF},
    {Op::kMadTF, Op::kMulT, 1, Op::kMadMulTF},
    {Op::kMadTF, Op::kMulT, 2, Op::kMadMulTF},
    {Op::kAddF, Op::kMulF, 1, Op::kAddMulF},
    {Op::kAddF, Op::kMulF, 2, Op::kAddMulF},
    {kSmooth, Op::kMulF, 1, Op::kSmoothMulF},
    {kSmooth, Op::kMulF, 2, Op::kSmoothMulF},
    {Op::kDot, Op::kMulF, 1, Op::kDotMul},
    {Op::kDot, Op::kMulF, 2, Op::kDotMul},
    {Op::kMulTF, Op::kMadT, 1, Op::kMulMadTF},
    {Op::kMulTF, Op::kMadT, 2, Op::kMulMadTF},
    {Op::kMulTF, Op::kMulT, 1, Op::kMulMulTF},
    {Op::kMulTF, Op::kMulT, 2, Op::kMulMulTF},
    {Op::kMulMulTF, Op::kAddT, 1, Op::kMulMadTF},
    {Op::kMulMulTF, Op::kAddT, 2, Op::kMulMadTF},
    {Op::kDot, kMax, 1, Op::kDotMax},
    {Op::kDot, kMax, 2, Op::kMaxDot},
    {Op::kAddT, kNormalize, 1, Op::kNormAddT},
    {Op::kSubT, kNormalize, 1, Op::kNormSubT},
};

/// What is known of one list of code up to the instruction that is looked at.
struct Combiner {
  Combiner(Ir& inIr, std::vector<IrInstr>& inCode)
      : ir(inIr), code(inCode), uses(inIr, inCode), definedAt(inIr.regs.size(), -1), regionOf(inCode.size(), 0) {}

  /// Takes the operation that makes one of in's operands into it; false: there is none.
  bool combine(size_t i) {
    IrInstr& in = code[i];
    for (const Pair& p : kPairs) {
      if (p.second != in.op || p.slot >= in.args.size()) continue;
      const int t = in.args[p.slot];
      const int at = definedAt[static_cast<size_t>(t)];
      if (at < 0 || code[static_cast<size_t>(at)].op != p.first || !movable(t, static_cast<size_t>(at), i)) continue;
      IrInstr& first = code[static_cast<size_t>(at)];
      // max() of three and the like are other operations.
      if (first.args.size() - 1 + in.args.size() - 2 != operandCount(p.both) - 1) continue;
      std::vector<int> args{in.args[0]};
      args.insert(args.end(), first.args.begin() + 1, first.args.end());
      for (size_t k = 1; k < in.args.size(); ++k)
        if (k != p.slot) args.push_back(in.args[k]);
      in.args = std::move(args);
      in.op = p.both;
      first.op = Op::kMov;
      first.args = {t, t};  // dropped by dropDead
      return true;
    }
    return false;
  }

  /// True where instruction `at`, the only one that makes t, may as well run where the only one that reads t is.
  bool movable(int t, size_t at, size_t i) const {
    if (regionOf[at] != regionOf[i] || uses.reads[static_cast<size_t>(t)] != 1) return false;
    // What is the same in all points is worked out once.
    if (ir.reg(t).varying != ir.reg(code[i].args[0]).varying) return false;
    const std::vector<int>& args = code[at].args;
    return std::all_of(args.begin() + 1, args.end(),
                       [&](int r) { return uses.lastWrite[static_cast<size_t>(r)] < static_cast<int>(at); });
  }

  Ir& ir;
  std::vector<IrInstr>& code;
  Uses uses;
  std::vector<int> definedAt;  ///< instruction that defines a register which nothing else writes
  std::vector<int> regionOf;
};

}  // namespace

void fuse(Ir& ir, std::vector<IrInstr>& code) {
  Combiner c(ir, code);
  std::vector<int> regions{0};
  for (size_t i = 0; i < code.size(); ++i) {
    IrInstr& in = code[i];
    if (closesRegion(in.op)) regions.pop_back();
    c.regionOf[i] = regions.back();
    if (opensRegion(in.op)) regions.push_back(static_cast<int>(i) + 1);
    while (c.combine(i)) {
    }
    forEachWrite(in, [&](int r) { c.uses.lastWrite[static_cast<size_t>(r)] = static_cast<int>(i); });
    const bool defines = !isFlow(in.op) && isPure(in) && ir.reg(in.args[0]).kind == RegKind::kTemp &&
                         c.uses.writes[static_cast<size_t>(in.args[0])] == 1;
    if (defines) c.definedAt[static_cast<size_t>(in.args[0])] = static_cast<int>(i);
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
    if (ir.reg(t).varying != ir.reg(x).varying) continue;
    if (ir.reg(t).type != ir.reg(x).type || ir.reg(t).arrayLength != ir.reg(x).arrayLength) continue;
    const bool clash = std::find(def.args.begin() + 1, def.args.end(), x) != def.args.end();
    if (clash && !inPlaceSafe(def.op)) continue;
    def.args[0] = x;
    mov.args = {x, x};  // dropped by dropDead
  }
}

}  // namespace reyes::sl
