// SPDX-License-Identifier: Apache-2.0
// The order of the passes of -O1.
#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

/// A parameter whose default code has become one copy of a constant has that as its initial value.
void foldDefaults(Ir& ir) {
  for (IrSymbol& s : ir.symbols) {
    IrReg& r = ir.reg(s.reg);
    if (s.defaultCode.size() != 1 || s.defaultCode[0].op != vm::Op::kMov || r.varying || r.arrayLength > 0) continue;
    const IrReg& value = ir.reg(s.defaultCode[0].args[1]);
    if (value.kind != RegKind::kConstant) continue;
    r.value = value.value;
    r.texts = {value.text};
    s.defaultCode.clear();
  }
}

}  // namespace

void optimise(Ir& ir) {
  // A second round sees what the first one folded.
  for (int round = 0; round < 2; ++round) {
    for (IrSymbol& s : ir.symbols) propagate(ir, s.defaultCode);
    propagate(ir, ir.code);
    dropDead(ir);
  }
  foldDefaults(ir);
  hoistInvariants(ir);
  guardProducts(ir);
  dropDead(ir);
}

void combine(Ir& ir) {
  fuse(ir, ir.code);
  dropDead(ir);
  coalesceCopies(ir, ir.code);
  dropDead(ir);
}

}  // namespace reyes::sl
