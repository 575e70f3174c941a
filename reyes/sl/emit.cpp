// SPDX-License-Identifier: Apache-2.0
// From three-address code with allocated registers to a vm::Program.
#include <algorithm>
#include <map>

#include "reyes/base/format.h"
#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::Op;

class Emitter {
 public:
  Emitter(const Ir& ir, const Allocation& allocation, Diagnostics& diag)
      : ir_(ir), allocation_(allocation), diag_(diag), builder_(ir.type, ir.name), indexOf_(ir.regs.size(), -1) {}

  std::shared_ptr<vm::Program> run(const std::vector<std::pair<std::string, std::string>>& annotations, uint64_t hash) {
    findUsed();
    for (const IrSymbol& s : ir_.symbols)
      if (s.kind == vm::SymbolKind::kParameter) symbol(s);
    for (const IrSymbol& s : ir_.symbols)
      if (s.kind == vm::SymbolKind::kGlobal && used_[static_cast<size_t>(s.reg)]) symbol(s);
    for (const vm::Register& slot : allocation_.slots) slots_.push_back(builder_.addRegister(slot));
    for (size_t i = 0; i < ir_.symbols.size(); ++i) {
      if (ir_.symbols[i].defaultCode.empty()) continue;
      builder_.beginDefault(symbolOf_.at(static_cast<int>(i)));
      code(ir_.symbols[i].defaultCode);
      builder_.endDefault(symbolOf_.at(static_cast<int>(i)));
    }
    builder_.beginMain();
    code(ir_.code);
    vm::Program& p = builder_.program();
    p.sourceHash = hash;
    p.annotations = annotations;
    p.files = files_;
    std::string error;
    std::shared_ptr<const vm::Program> done = builder_.finish(error);
    if (!done) {
      diag_.error("sl-internal", {Name(files_.empty() ? std::string() : files_[0]), 0, 0},
                  format("shader '{}' gave an unsound program: {}", ir_.name, error), Impact::kInternal);
      return nullptr;
    }
    return std::const_pointer_cast<vm::Program>(done);
  }

 private:
  void findUsed() {
    used_.assign(ir_.regs.size(), false);
    const auto mark = [&](const std::vector<IrInstr>& list) {
      for (const IrInstr& in : list)
        for (const int a : in.args) used_[static_cast<size_t>(a)] = true;
    };
    for (const IrSymbol& s : ir_.symbols) mark(s.defaultCode);
    mark(ir_.code);
  }

  void symbol(const IrSymbol& s) {
    const IrReg& r = ir_.reg(s.reg);
    vm::Symbol out;
    out.name = Name(s.name);
    out.type = s.type;
    out.kind = s.kind;
    out.output = s.output;
    out.varying = r.varying;
    out.arrayLength = r.arrayLength;
    out.reg = builder_.addRegister(r.type, r.varying, r.arrayLength);
    indexOf_[static_cast<size_t>(s.reg)] = out.reg;
    if (!r.varying && !r.value.empty()) builder_.setInitial(out.reg, r.value);
    for (size_t i = 0; i < r.texts.size() && r.type == vm::RegType::kString; ++i)
      builder_.setInitialString(out.reg, static_cast<int>(i), r.texts[i]);
    symbolOf_[r.symbol] = builder_.addSymbol(out);
  }

  uint16_t regIndex(int r) {
    int& index = indexOf_[static_cast<size_t>(r)];
    if (index >= 0) return static_cast<uint16_t>(index);
    const IrReg& reg = ir_.reg(r);
    if (reg.kind != RegKind::kConstant) {
      index = slots_[static_cast<size_t>(allocation_.slotOf[static_cast<size_t>(r)])];
    } else if (reg.type == vm::RegType::kString) {
      index = builder_.constant(reg.text);
    } else if (reg.type == vm::RegType::kFloat) {
      index = builder_.constant(reg.value[0]);
    } else if (reg.type == vm::RegType::kTriple) {
      index = builder_.constant(Vec3{reg.value[0], reg.value[1], reg.value[2]});
    } else {
      Matrix4 m;
      for (size_t i = 0; i < 16; ++i) m.m[i / 4][i % 4] = reg.value[i];
      index = builder_.constant(m);
    }
    return static_cast<uint16_t>(index);
  }

  int fileIndex(Name file) {
    const auto it = std::find(files_.begin(), files_.end(), file.str());
    if (it != files_.end()) return static_cast<int>(it - files_.begin());
    files_.push_back(file.str());
    return static_cast<int>(files_.size()) - 1;
  }

  void code(const std::vector<IrInstr>& list) {
    struct Open {
      int begin;
      Op op;
    };
    std::vector<Open> open;                  // begins and elses that wait for their end
    std::vector<std::pair<int, int>> waits;  // instruction, index in `open` of the loop whose end it targets
    for (const IrInstr& in : list) {
      if (!in.loc.file.empty()) builder_.setLine(in.loc.line, fileIndex(in.loc.file));
      std::vector<uint16_t> args;
      for (const int a : in.args) args.push_back(regIndex(a));
      const int at = builder_.emit(in.op, args);
      switch (in.op) {
        case Op::kIf:
        case Op::kLoopBegin:
        case Op::kIlluminanceBegin:
        case Op::kIlluminateBegin:
        case Op::kSolarBegin:
          open.push_back({at, in.op});
          break;
        case Op::kElse:
          builder_.setTarget(open.back().begin, at);
          open.back() = {at, in.op};
          break;
        case Op::kLoopTest:
        case Op::kLoopStep:
          waits.push_back({at, static_cast<int>(open.size()) - 1});
          break;
        case Op::kLoopNext:
        case Op::kIlluminanceNext:
          builder_.setTarget(at, open.back().begin);
          break;
        case Op::kBreak:
        case Op::kContinue:
          builder_.setTarget(at, in.target);
          break;
        case Op::kEndIf:
        case Op::kLoopEnd:
        case Op::kIlluminanceEnd:
        case Op::kIlluminateEnd:
        case Op::kSolarEnd:
          builder_.setTarget(open.back().begin, at);
          open.pop_back();
          while (!waits.empty() && waits.back().second == static_cast<int>(open.size())) {
            builder_.setTarget(waits.back().first, at);
            waits.pop_back();
          }
          break;
        default:
          break;
      }
    }
  }

  const Ir& ir_;
  const Allocation& allocation_;
  Diagnostics& diag_;
  vm::ProgramBuilder builder_;
  std::vector<int> indexOf_;
  std::vector<uint16_t> slots_;
  std::vector<bool> used_;
  std::map<int, int> symbolOf_;
  std::vector<std::string> files_;
};

}  // namespace

std::shared_ptr<vm::Program> emitProgram(const Ir& ir, const Allocation& allocation, Diagnostics& diag,
                                         const std::vector<std::pair<std::string, std::string>>& annotations,
                                         uint64_t sourceHash) {
  return Emitter(ir, allocation, diag).run(annotations, sourceHash);
}

}  // namespace reyes::sl
