// SPDX-License-Identifier: Apache-2.0
// Passes over three-address code between the lowering and the emitter. Each keeps the program's meaning.
#pragma once

#include <memory>

#include "reyes/base/diag.h"
#include "reyes/sl/ir.h"
#include "reyes/vm/program.h"

namespace reyes::sl {

/// Decides for every register whether it is uniform or varying, and for every region whether its mask may differ from
/// lane to lane: everything is uniform until something makes it varying. Strings that would vary are errors.
void inferVarying(Ir& ir, Diagnostics& diag);
/// Warns of variables that are declared uniform but vary. For code as written: the optimiser drops variables.
void warnOfVaryingUniforms(Ir ir, Diagnostics& diag);

/// Folding of constants, copies, common subexpressions (fold.cpp); moving invariant code out of loops (hoist.cpp);
/// values that a uniform 0 leaves unused (guard.cpp); dropping what nothing needs (dead.cpp).
void optimise(Ir& ir);
/// Operations that do the work of two or three (fuse.cpp). After inferVarying().
void combine(Ir& ir);
void propagate(Ir& ir, std::vector<IrInstr>& code);
void hoistInvariants(Ir& ir);
void guardProducts(Ir& ir);
void fuse(Ir& ir, std::vector<IrInstr>& code);
void coalesceCopies(Ir& ir, std::vector<IrInstr>& code);
void dropDead(Ir& ir);

/// Machine registers for IR registers, shared where their lives do not overlap. Constants and symbols are not in it.
struct Allocation {
  std::vector<int> slotOf;  ///< by IR register; -1: none
  std::vector<vm::Register> slots;
};
Allocation allocateRegisters(const Ir& ir, bool share);

/// The machine program; null with a message where it is not sound.
std::shared_ptr<vm::Program> emitProgram(const Ir& ir, const Allocation& allocation, Diagnostics& diag,
                                         const std::vector<std::pair<std::string, std::string>>& annotations,
                                         uint64_t sourceHash);

}  // namespace reyes::sl
