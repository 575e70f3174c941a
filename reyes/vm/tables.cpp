// SPDX-License-Identifier: Apache-2.0
// Builds the operand lists of all operations once, from opcodes.def and builtins.def.
#include "reyes/vm/tables.h"

#include <map>

namespace reyes::vm {

namespace {

constexpr uint32_t Pure = BuiltinInfo::Pure, Derivative = BuiltinInfo::Derivative, Services = BuiltinInfo::Services,
                   Effect = BuiltinInfo::Effect, Tokens = BuiltinInfo::Tokens, Values = BuiltinInfo::Values,
                   Repeat = BuiltinInfo::Repeat, Channel = BuiltinInfo::Channel, Varying = BuiltinInfo::Varying,
                   Planned = BuiltinInfo::Planned;

constexpr BuiltinInfo kBuiltins[] = {
#define REYES_BUILTIN(id, name, result, arguments, implicit, flags) \
  {Builtin::k_##id, #id, name, result, arguments, implicit, flags},
#include "reyes/vm/builtins.def"
#undef REYES_BUILTIN
};

enum Class { Lanes, Flow };
struct OpLine {
  const char* mnemonic;
  const char* operands;
  Class cls;
};
constexpr OpLine kOps[] = {
#define REYES_OP(id, mnemonic, operands, cls) {mnemonic, operands, cls},
#include "reyes/vm/opcodes.def"
#undef REYES_OP
};

OperandKind kindOf(char c) {
  switch (c) {
    case 'f':
      return OperandKind::kFloat;
    case 'm':
      return OperandKind::kMatrix;
    case 's':
      return OperandKind::kString;
    case '*':
      return OperandKind::kAny;
    case 'a':
      return OperandKind::kArray;
    case 'e':
      return OperandKind::kElement;
    case 'A':
      return OperandKind::kFree;
    default:
      return OperandKind::kTriple;  // c p v n g t T
  }
}

OpInfo fromOpcode(const OpLine& line) {
  OpInfo info;
  info.mnemonic = line.mnemonic;
  info.flow = line.cls == Flow;
  Access access = Access::kRead;
  bool optional = false;
  for (const char* p = line.operands; *p; ++p) {
    if (*p == ' ') continue;
    if (*p == '=' || *p == '+') {
      access = *p == '=' ? Access::kWrite : Access::kReadWrite;
    } else if (*p == '?') {
      optional = true;
      --info.required;
    } else {
      info.operands.push_back({kindOf(*p), access, false});
      access = Access::kRead;
      if (!optional) ++info.required;
    }
  }
  return info;
}

void addArguments(OpInfo& info, const char* arguments, bool channel) {
  Access access = Access::kRead;
  for (const char* p = arguments; *p; ++p) {
    if (*p == '=' || *p == '+') {
      access = *p == '=' ? Access::kWrite : Access::kReadWrite;
    } else if (*p == '[') {
      info.operands.back().arrayOf = true;
      ++p;
    } else {
      info.operands.push_back({kindOf(*p), access, false});
      access = Access::kRead;
      if (channel) info.operands.push_back({OperandKind::kFloat, Access::kRead, false});
      channel = false;
    }
  }
}

OpInfo fromBuiltin(const BuiltinInfo& b) {
  OpInfo info;
  info.mnemonic = b.mnemonic;
  info.builtin = &b;
  if (b.result[0] != '-') info.operands.push_back({kindOf(b.result[0]), Access::kWrite, false});
  addArguments(info, b.arguments, (b.flags & Channel) != 0);
  // Implicit globals: floats s and t, triples all others.
  for (const char* p = b.implicit; *p; ++p) {
    if (*p == ' ' || (p != b.implicit && p[-1] != ' ')) continue;
    const bool isFloat = (*p == 's' || *p == 't') && (p[1] == 0 || p[1] == ' ');
    info.operands.push_back({isFloat ? OperandKind::kFloat : OperandKind::kTriple, Access::kRead, false});
  }
  info.required = static_cast<int>(info.operands.size());
  info.tail = b.flags & Tokens   ? Tail::kTokens
              : b.flags & Values ? Tail::kValues
              : b.flags & Repeat ? Tail::kRepeat
                                 : Tail::kNone;
  return info;
}

struct Tables {
  std::vector<OpInfo> ops;
  std::map<std::string_view, int> index;

  Tables() {
    for (const OpLine& line : kOps) ops.push_back(fromOpcode(line));
    for (const BuiltinInfo& b : kBuiltins) ops.push_back(fromBuiltin(b));
    for (size_t i = 0; i < ops.size(); ++i) index.emplace(ops[i].mnemonic, static_cast<int>(i));
  }
};

const Tables& tables() {
  static const Tables t;
  return t;
}

}  // namespace

std::span<const BuiltinInfo> builtins() { return kBuiltins; }

const OpInfo& opInfo(Op op) { return tables().ops[static_cast<size_t>(op)]; }

int findOp(std::string_view mnemonic) {
  const auto it = tables().index.find(mnemonic);
  return it == tables().index.end() ? opCount() : it->second;
}

Access operandAccess(const OpInfo& info, size_t k) {
  return k < info.operands.size() ? info.operands[k].access : Access::kRead;
}

}  // namespace reyes::vm
