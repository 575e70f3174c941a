// SPDX-License-Identifier: Apache-2.0
// A program made ready to run on one instruction set: kernels chosen by which operands are varying, planes shared
// between temporaries, jumps for empty masks. Made once an Instance; read by the machine.
#pragma once

#include <memory>
#include <vector>

#include "reyes/base/isa.h"
#include "reyes/vm/kernel_api.h"
#include "reyes/vm/program.h"

namespace reyes::vm {

const KernelTable& kernelTable(Isa isa);

/// How the machine executes an instruction.
enum class Path : uint8_t {
  kFull,   ///< fn[masked] straight on the registers
  kPlain,  ///< fn[0] on spread sources; results through scratch planes where masked or where they may overlap
  kCall,   ///< a function of the machine
  kFlow,   ///< control flow
};

struct DecodedInstruction {
  Kernel fn[2] = {};
  const uint16_t* args = nullptr;
  Op op = Op::kEnd;
  uint16_t nargs = 0;
  Path path = Path::kFlow;
  bool uniform = false;   ///< all written operands are uniform: one lane
  bool maskable = false;  ///< results must leave inactive lanes alone
  bool scratchOut = false;
  bool wholeIf = false;  ///< if: all lanes go one way and none leaves from inside, so that masks stay as they are
  int32_t target = -1;
  int32_t skip = -1;  ///< break, continue and ends of blocks: where to go on if no lane is left
  int32_t body = -1;  ///< if, else, loop_test: the code that follows, in DecodedProgram::bodies; -1: it needs its grid
};

/// A branch or a loop that works point by point, so that it may run on the few points that take it, packed together.
struct Body {
  std::vector<uint16_t> registers;  ///< varying ones from outside
  std::vector<uint8_t> written;     ///< of each, whether the body may change it
  int planes = 0;                   ///< to copy in and out
  int cost = 0;                     ///< rough: cycles for eight points
};

struct DecodedProgram {
  std::shared_ptr<const Program> program;
  Isa isa = Isa::kSse4;
  const KernelTable* table = nullptr;
  std::vector<DecodedInstruction> code;
  std::vector<Body> bodies;
  std::vector<Register> registers;  ///< of the program, then those of local values (lifetimes.h)
  std::vector<uint16_t> args;
  std::vector<int32_t> plane;    ///< first plane of each varying register; -1 for uniform ones
  std::vector<uint16_t> zeroed;  ///< varying registers that must start as zero
  int planes = 0;
  int maxOperandPlanes = 0;     ///< of one instruction
  bool lightStatement = false;  ///< has illuminate or solar
};

std::shared_ptr<const DecodedProgram> decode(std::shared_ptr<const Program> program, Isa isa);

}  // namespace reyes::vm
