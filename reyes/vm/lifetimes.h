// SPDX-License-Identifier: Apache-2.0
// Which values of varying registers live within straight-line code alone. Each such value gets a register of its own,
// so that it can be computed on all lanes whatever the mask, and can share a plane. Called by the decoder.
#pragma once

#include <cstdint>
#include <vector>

#include "reyes/vm/program.h"

namespace reyes::vm {

struct Lifetimes {
  std::vector<Register> registers;  ///< those of the program, then one a local value
  std::vector<uint16_t> args;       ///< Program::args with local values renamed
  std::vector<bool> local;          ///< per register
  std::vector<uint16_t> zeroed;     ///< varying registers that a lane may read before it has written them
};

Lifetimes findLifetimes(const Program& p);

bool opensBlock(Op op);
bool closesBlock(Op op);

}  // namespace reyes::vm
