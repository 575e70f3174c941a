// SPDX-License-Identifier: Apache-2.0
// Three-address code between the syntax tree and the machine: the machine's own operations over an unlimited number of
// registers, in one structured list. Made by the lowering, improved by the optimiser, read by the emitter and
// --dump=ir.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/sl/ast.h"
#include "reyes/vars/types.h"
#include "reyes/vm/program.h"

namespace reyes::sl {

enum class RegKind : uint8_t { kTemp, kVariable, kParameter, kGlobal, kConstant };

struct IrReg {
  vm::RegType type = vm::RegType::kFloat;
  int arrayLength = 0;
  RegKind kind = RegKind::kTemp;
  Detail detail = Detail::kDefault;  ///< as declared
  bool varying = false;              ///< as inferred
  bool local = false;                ///< declared in a body
  bool bare = false;                 ///< declared without a value: its first write is the zero it starts with
  int region = 0;                    ///< where it was declared: index in Ir::regions
  int symbol = -1;                   ///< parameters and globals: index in Ir::symbols
  std::vector<float> value;          ///< constants (and known initial values of parameters)
  std::string text;                  ///< string constants
  std::vector<std::string> texts;    ///< initial values of string parameters
  std::string_view name;
  SourceLoc loc;
};

/// A stretch of code with a mask of its own: a branch of an if, a loop, a light statement. Region 0 is the whole
/// shader.
struct IrRegion {
  int parent = -1;
  bool varying = false;  ///< its mask may differ from its parent's in some lanes only
};

struct IrInstr {
  vm::Op op = vm::Op::kEnd;
  int target = 0;  ///< kBreak, kContinue: levels
  int region = 0;  ///< kIf, kElse, kLoopBegin, k...Begin: the region they open
  std::vector<int> args;
  SourceLoc loc;
};

struct IrSymbol {
  std::string_view name;
  Type type = Type::kFloat;
  vm::SymbolKind kind = vm::SymbolKind::kGlobal;
  bool output = false;
  bool writable = false;  ///< globals: the shader's result, or its to change
  int reg = -1;
  std::vector<IrInstr> defaultCode;
};

struct Ir {
  vm::ShaderType type = vm::ShaderType::kSurface;
  std::string name;
  std::vector<IrReg> regs;
  std::vector<IrRegion> regions{IrRegion{}};
  std::vector<IrSymbol> symbols;
  std::vector<IrInstr> code;

  /// True where region `inner` is `outer` or lies within it.
  bool within(int inner, int outer) const {
    while (inner >= 0 && inner != outer) inner = regions[static_cast<size_t>(inner)].parent;
    return inner == outer;
  }
  IrReg& reg(int r) { return regs[static_cast<size_t>(r)]; }
  const IrReg& reg(int r) const { return regs[static_cast<size_t>(r)]; }
};

/// How an instruction uses its operand.
struct Access {
  bool read = true, write = false;
};
/// Of operand `i` of an instruction with `op`, from the machine's tables.
Access operandAccess(vm::Op op, size_t i);
/// Operands that every instruction with `op` has, the result included.
size_t operandCount(vm::Op op);
/// The builtin of an operation that is one.
const vm::BuiltinInfo& builtinOf(vm::Op op);
const char* opName(vm::Op op);

/// Calls f(reg) for each register that the instruction writes (reads).
template <class F>
void forEachWrite(const IrInstr& in, F&& f) {
  for (size_t i = 0; i < in.args.size(); ++i)
    if (operandAccess(in.op, i).write) f(in.args[i]);
}
template <class F>
void forEachRead(const IrInstr& in, F&& f) {
  for (size_t i = 0; i < in.args.size(); ++i)
    if (operandAccess(in.op, i).read) f(in.args[i]);
}

bool opensRegion(vm::Op op);   ///< kIf kElse kLoopBegin kIlluminanceBegin kIlluminateBegin kSolarBegin
bool closesRegion(vm::Op op);  ///< kElse kEndIf kLoopEnd kIlluminanceEnd kIlluminateEnd kSolarEnd
bool isFlow(vm::Op op);
/// True where the result depends on the operands alone, so that it may be shared, moved and dropped.
bool isPure(const IrInstr& in);
/// True where two executions with the same operands in one run give the same single result.
bool isShareable(const IrInstr& in);
bool hasEffect(const IrInstr& in);

std::string dumpIr(const Ir& ir);

}  // namespace reyes::sl
