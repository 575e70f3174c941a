// SPDX-License-Identifier: Apache-2.0
// Uniform or varying, for registers and for regions, as a least fixed point.
#include <algorithm>
#include <set>

#include "reyes/base/format.h"
#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::BuiltinInfo;
using vm::Op;

class Inference {
 public:
  Inference(Ir& ir, Diagnostics& diag) : ir_(ir), diag_(diag) {}

  void run() {
    do {
      changed_ = false;
      for (const IrSymbol& s : ir_.symbols) sweep(s.defaultCode);
      sweep(ir_.code);
    } while (changed_);
  }

  void reportStrings() const {
    for (const IrReg& r : ir_.regs)
      if (r.type == vm::RegType::kString && r.varying)
        diag_.error("sl-varying-string", r.loc, format("string '{}' would differ from point to point", r.name),
                    Impact::kInput);
  }

  void reportMixed() const {
    for (const int r : mixed_)
      diag_.warning("sl-uniform-varying", ir_.reg(r).loc,
                    format("'{}' is declared uniform but its value varies", ir_.reg(r).name));
  }

 private:
  struct Open {
    int region;
    bool loop;
  };

  void makeVarying(int r) {
    IrReg& reg = ir_.reg(r);
    if (reg.varying || reg.kind == RegKind::kConstant) return;
    reg.varying = changed_ = true;
  }

  void makeRegionVarying(int region) {
    IrRegion& g = ir_.regions[static_cast<size_t>(region)];
    if (!g.varying) g.varying = changed_ = true;
  }
  bool regionVarying(int region) const { return ir_.regions[static_cast<size_t>(region)].varying; }

  void sweep(const std::vector<IrInstr>& code) {
    open_.clear();
    conditions_.clear();
    for (const IrInstr& in : code) {
      if (closesRegion(in.op) && !open_.empty()) open_.pop_back();
      if (in.op == Op::kEndIf && !conditions_.empty()) conditions_.pop_back();
      if (!opensRegion(in.op)) writes(in);
      flow(in);
      // The registers that a light statement sets are written outside of its mask.
      if (opensRegion(in.op)) lightWrites(in);
    }
  }

  void lightWrites(const IrInstr& in) {
    forEachWrite(in, [&](int r) { makeVarying(r); });
  }

  void flow(const IrInstr& in) {
    switch (in.op) {
      case Op::kIf:
        conditions_.push_back(ir_.reg(in.args[0]).varying);
        if (conditions_.back()) makeRegionVarying(in.region);
        open_.push_back({in.region, false});
        break;
      case Op::kElse:
        if (!conditions_.empty() && conditions_.back()) makeRegionVarying(in.region);
        open_.push_back({in.region, false});
        break;
      case Op::kLoopBegin:
        open_.push_back({in.region, true});
        break;
      case Op::kLoopTest:
        if (ir_.reg(in.args[0]).varying) leaveVarying(1, true);
        break;
      case Op::kBreak:
      case Op::kContinue:
        leaveVarying(in.target, false);
        break;
      case Op::kIlluminanceBegin:
        makeRegionVarying(in.region);
        open_.push_back({in.region, true});
        break;
      case Op::kIlluminateBegin:
      case Op::kSolarBegin:
        makeRegionVarying(in.region);
        open_.push_back({in.region, false});
        break;
      default:
        break;
    }
  }

  /// Lanes leave `levels` loops from here: those loops' masks vary where anything between does.
  void leaveVarying(int levels, bool always) {
    bool varying = always;
    for (size_t i = open_.size(); i-- > 0 && levels > 0;) {
      if (open_[i].loop) {
        if (varying) makeRegionVarying(open_[i].region);
        --levels;
      }
      varying = varying || regionVarying(open_[i].region);
    }
  }

  void writes(const IrInstr& in) {
    bool fromOperands = false, message = false;
    if (vm::isBuiltin(in.op)) {
      const BuiltinInfo& b = builtinOf(in.op);
      fromOperands = (b.flags & BuiltinInfo::Varying) != 0;
      message = isMessage(b);
    }
    forEachRead(in, [&](int r) { fromOperands = fromOperands || ir_.reg(r).varying; });
    for (size_t i = 0; i < in.args.size(); ++i) {
      const Access a = operandAccess(in.op, i);
      if (!a.write) continue;
      IrReg& dst = ir_.reg(in.args[i]);
      const bool messageValue = message && a.read && dst.detail != Detail::kUniform && dst.type != vm::RegType::kString;
      const bool fromValue = fromOperands || messageValue;
      if (fromValue && dst.detail == Detail::kUniform && dst.kind == RegKind::kVariable && !a.read)
        mixed_.insert(in.args[i]);
      if (fromValue || outsideMaskVaries(dst)) makeVarying(in.args[i]);
    }
  }

  /// Values of other shaders may vary; the variables that take them must be able to.
  static bool isMessage(const BuiltinInfo& b) {
    switch (b.id) {
      case vm::Builtin::k_atmosphere:
      case vm::Builtin::k_displacement:
      case vm::Builtin::k_lightsource:
      case vm::Builtin::k_surface:
      case vm::Builtin::k_incident:
      case vm::Builtin::k_opposite:
        return true;
      default:
        return false;
    }
  }

  /// True where the mask here may leave out lanes in which `dst` keeps an older value.
  bool outsideMaskVaries(const IrReg& dst) const {
    for (size_t i = open_.size(); i-- > 0;) {
      if (ir_.within(dst.region, open_[i].region)) return false;
      if (regionVarying(open_[i].region)) return true;
    }
    return false;
  }

  Ir& ir_;
  Diagnostics& diag_;
  std::vector<Open> open_;
  std::vector<bool> conditions_;
  std::set<int> mixed_;
  bool changed_ = false;
};

}  // namespace

void inferVarying(Ir& ir, Diagnostics& diag) {
  Inference inference(ir, diag);
  inference.run();
  inference.reportStrings();
}

void warnOfVaryingUniforms(Ir ir, Diagnostics& diag) {
  Inference inference(ir, diag);
  inference.run();
  inference.reportMixed();
}

}  // namespace reyes::sl
