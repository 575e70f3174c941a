// SPDX-License-Identifier: Apache-2.0
// What is multiplied by a uniform value (Ks * specular(...)) is not worked out where that value is 0: the dear part of
// the product moves into an `if`. The value of a parameter is known when the shader runs, whether it comes from the
// source, the scene file or a primitive, so an instance with Ks 0 pays nothing for its highlight.
#include <algorithm>

#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::Builtin;
using vm::Op;

/// Functions that ask the renderer and are no message and no effect: they may wait until their value is wanted.
bool mayWait(const IrInstr& in) {
  if (isPure(in)) return true;
  if (!isShareable(in) || !vm::isBuiltin(in.op)) return false;
  switch (builtinOf(in.op).id) {
    case Builtin::k_surface:
    case Builtin::k_displacement:
    case Builtin::k_atmosphere:
    case Builtin::k_lightsource:
    case Builtin::k_incident:
    case Builtin::k_opposite:
      return false;
    default:
      return !(builtinOf(in.op).flags & vm::BuiltinInfo::Planned);
  }
}

/// Rough cost; an `if` is worth about kWorth.
constexpr int kWorth = 12;
int costOf(const IrInstr& in) {
  if (!vm::isBuiltin(in.op)) return 1;
  const vm::BuiltinInfo& b = builtinOf(in.op);
  const std::string_view name = b.name;
  if (name == "ambient" || name == "diffuse" || name == "specular" || name == "phong" || name == "texture" ||
      name == "environment" || name == "shadow" || name == "noise" || name == "pnoise" || name == "spline" ||
      name == "specularbrdf")
    return kWorth;
  return name == "pow" || name == "cellnoise" ? 6 : 2;
}

class Guard {
 public:
  explicit Guard(Ir& ir) : ir_(ir), varying_(ir.regs.size()) {
    Ir inferred = ir;
    Diagnostics silent;
    silent.setPrinter({});
    inferVarying(inferred, silent);
    for (size_t r = 0; r < varying_.size(); ++r) varying_[r] = inferred.regs[r].varying;
    reads_.assign(ir.regs.size(), 0), writes_.assign(ir.regs.size(), 0);
    for (const IrInstr& in : ir.code) {
      forEachRead(in, [&](int r) { ++reads_[static_cast<size_t>(r)]; });
      forEachWrite(in, [&](int r) { ++writes_[static_cast<size_t>(r)]; });
    }
  }

  void run() {
    std::vector<int> regions{0};
    for (IrInstr& in : ir_.code) {
      if (closesRegion(in.op)) regions.pop_back();
      if (!isFlow(in.op)) product(in, regions.back());
      if (opensRegion(in.op)) regions.push_back(in.region);
      if (isFlow(in.op)) start_ = out_.size() + 1;
      out_.push_back(std::move(in));
    }
    ir_.code = std::move(out_);
  }

 private:
  bool factor(int r) const {
    return static_cast<size_t>(r) < varying_.size() && !varying_[static_cast<size_t>(r)] &&
           ir_.reg(r).kind != RegKind::kConstant;
  }
  bool ownValue(int r) const {
    const auto at = static_cast<size_t>(r);
    return at < varying_.size() && varying_[at] && ir_.reg(r).kind == RegKind::kTemp && writes_[at] == 1 &&
           ir_.reg(r).arrayLength == 0;
  }

  void product(const IrInstr& in, int region) {
    if (in.op != Op::kMulF && in.op != Op::kMulT && in.op != Op::kMulTF) return;
    for (const size_t side : {size_t{1}, size_t{2}}) {
      const int u = in.args[side], x = in.args[3 - side];
      if (!factor(u) || !ownValue(x) || reads_[static_cast<size_t>(x)] != 1) continue;
      const std::vector<size_t> chain = chainOf(x);
      int cost = 0;
      for (const size_t k : chain) cost += costOf(out_[k]);
      if (cost >= kWorth) return wrap(chain, u, x, region, in.loc);
    }
  }

  /// Instructions since the last jump that only `x` needs, in order, and that may move behind all others.
  std::vector<size_t> chainOf(int x) const {
    std::vector<size_t> chain;
    std::vector<int> readInside(ir_.regs.size(), 0);
    std::vector<bool> writtenLater(ir_.regs.size(), false);
    readInside[static_cast<size_t>(x)] = 1;
    for (size_t k = out_.size(); k-- > start_;) {
      const IrInstr& in = out_[k];
      bool moves = mayWait(in);
      forEachWrite(in, [&](int r) {
        const auto at = static_cast<size_t>(r);
        moves = moves && ownValue(r) && readInside[at] > 0 && readInside[at] == reads_[at];
      });
      forEachRead(in, [&](int r) { moves = moves && !writtenLater[static_cast<size_t>(r)]; });
      if (!moves) {
        forEachWrite(in, [&](int r) { writtenLater[static_cast<size_t>(r)] = true; });
        continue;
      }
      chain.push_back(k);
      forEachRead(in, [&](int r) { ++readInside[static_cast<size_t>(r)]; });
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  int add(vm::RegType type, RegKind kind, int region) {
    IrReg r;
    r.type = type;
    r.kind = kind;
    r.region = region;
    if (kind == RegKind::kConstant) r.value.assign(type == vm::RegType::kTriple ? 3 : 1, 0.0f);
    ir_.regs.push_back(std::move(r));
    return static_cast<int>(ir_.regs.size()) - 1;
  }
  void emit(Op op, std::vector<int> args, const SourceLoc& loc, int region = 0) {
    IrInstr in;
    in.op = op;
    in.args = std::move(args);
    in.loc = loc;
    in.region = region;
    out_.push_back(std::move(in));
  }
  int newRegion(int parent) {
    ir_.regions.push_back({parent, false});
    return static_cast<int>(ir_.regions.size()) - 1;
  }

  void wrap(const std::vector<size_t>& chain, int u, int x, int region, const SourceLoc& loc) {
    std::vector<IrInstr> inside, before;
    size_t next = 0;
    for (size_t k = start_; k < out_.size(); ++k) {
      const bool moves = next < chain.size() && chain[next] == k;
      next += moves;
      (moves ? inside : before).push_back(std::move(out_[k]));
    }
    out_.resize(start_);
    for (IrInstr& in : before) out_.push_back(std::move(in));
    const bool triple = ir_.reg(u).type == vm::RegType::kTriple;
    const int wanted = add(vm::RegType::kFloat, RegKind::kTemp, region);
    emit(triple ? Op::kNeT : Op::kNeF, {wanted, u, add(ir_.reg(u).type, RegKind::kConstant, 0)}, loc);
    emit(Op::kIf, {wanted}, loc, newRegion(region));
    for (IrInstr& in : inside) out_.push_back(std::move(in));
    emit(Op::kElse, {}, loc, newRegion(region));
    emit(Op::kMov, {x, add(ir_.reg(x).type, RegKind::kConstant, 0)}, loc);
    emit(Op::kEndIf, {}, loc);
    ir_.reg(x).region = region;
    start_ = out_.size();
  }

  Ir& ir_;
  std::vector<bool> varying_;
  std::vector<int> reads_, writes_;
  std::vector<IrInstr> out_;
  size_t start_ = 0;
};

}  // namespace

void guardProducts(Ir& ir) { Guard(ir).run(); }

}  // namespace reyes::sl
