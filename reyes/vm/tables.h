// SPDX-License-Identifier: Apache-2.0
// The tables opcodes.def and builtins.def in a form for programs: every operation as a list of operands. Used by the
// verifier, the decoder, the assembler and the disassembler.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "reyes/vm/program.h"

namespace reyes::vm {

enum class Access : uint8_t { kRead, kWrite, kReadWrite };

/// What an operand must be. kAny: all of one instruction share type and length; kArray, kElement: see opcodes.def;
/// kFree: any type at all (arguments `A` of functions).
enum class OperandKind : uint8_t { kFloat, kTriple, kMatrix, kString, kAny, kArray, kElement, kFree };

struct OperandInfo {
  OperandKind kind = OperandKind::kFloat;
  Access access = Access::kRead;
  bool arrayOf = false;  ///< an array of `kind`
};

enum class Tail : uint8_t { kNone, kTokens, kValues, kRepeat };

struct OpInfo {
  std::string_view mnemonic;
  std::vector<OperandInfo> operands;
  int required = 0;  ///< operands from here on may be absent (all or none of them)
  Tail tail = Tail::kNone;
  bool flow = false;
  const BuiltinInfo* builtin = nullptr;
};

/// Entry of any operation; op must be below opCount().
const OpInfo& opInfo(Op op);
constexpr int opCount() { return kOpCount + kBuiltinCount; }
/// opCount() where there is no such mnemonic.
int findOp(std::string_view mnemonic);

/// Access of operand k of a call with any tail.
Access operandAccess(const OpInfo& info, size_t k);

}  // namespace reyes::vm
