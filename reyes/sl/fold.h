// SPDX-License-Identifier: Apache-2.0
// Instructions whose operands are constants become copies of a constant; a few identities that keep every bit (x*1,
// x/1, x-0) become copies. Only operations whose result here is surely the machine's. Used by the propagation pass.
#pragma once

#include <map>
#include <vector>

#include "reyes/sl/ir.h"

namespace reyes::sl {

/// Arithmetic, comparison and logic that computes each component of its result from the same ones of its operands:
/// known here where those are constants, and safe to write over an operand.
bool isComponentwise(vm::Op op);

class Folder {
 public:
  explicit Folder(Ir& ir);
  /// Rewrites `in` to a copy where it can.
  void fold(IrInstr& in);

 private:
  bool constantOperands(const IrInstr& in) const;
  bool evaluate(const IrInstr& in, std::vector<float>& out) const;
  void identity(IrInstr& in);
  void divideByPowerOfTwo(IrInstr& in);
  int constant(vm::RegType type, const std::vector<float>& value);
  bool isConstant(int r) const { return ir_.reg(r).kind == RegKind::kConstant; }

  Ir& ir_;
  std::map<std::pair<int, std::vector<uint32_t>>, int> known_;
};

}  // namespace reyes::sl
