// SPDX-License-Identifier: Apache-2.0
// The verifier: after it has passed, the machine may index registers, strings, operands and jumps without a check.
#include <bit>

#include "reyes/base/format.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

constexpr size_t kMaxNesting = 200;
constexpr size_t kMaxUniformFloats = 1 << 22;
constexpr int64_t kMaxVaryingPlanes = 1 << 14;

/// One open construct of structured code.
struct Open {
  Op op;
  int32_t at;
  int32_t elseAt = -1;
  bool hasNext = false;
};

class Verifier {
 public:
  explicit Verifier(const Program& p) : p_(p) {}

  std::string run() {
    if (tables() && symbols() && code()) regions();
    return error_;
  }

 private:
  bool fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    return false;
  }
  bool failAt(size_t i, const char* what) { return fail(format("instruction {}: {}", i, what)); }
  const Register& reg(const Instruction& in, size_t k) const { return p_.registers[p_.args[in.firstArg + k]]; }

  bool tables();
  bool symbols();
  bool code();
  bool instruction(size_t i);
  bool operand(size_t i, size_t k, const OperandInfo& want, const Register*& any, const Register*& array);
  bool tail(size_t i, const OpInfo& info);
  bool uniformity(size_t i, const OpInfo& info);
  bool regions();
  bool region(size_t begin, size_t end);
  bool flow(size_t i, std::vector<Open>& open);
  bool close(size_t i, std::vector<Open>& open, Op begin);
  static bool isLoop(Op op) { return op == Op::kLoopBegin || op == Op::kIlluminanceBegin; }

  const Program& p_;
  std::string error_;
};

// Registers, their initial values and the strings they name.
bool Verifier::tables() {
  if (static_cast<int>(p_.type) > static_cast<int>(ShaderType::kImager)) return fail("unknown shader type");
  if (p_.registers.size() > 0xffff) return fail("too many registers");
  if (p_.uniformOffset.size() != p_.registers.size()) return fail("register table and offsets differ in length");
  if (p_.uniforms.size() > kMaxUniformFloats) return fail("too many uniform values");
  if (p_.strings.empty() || !p_.strings[0].empty()) return fail("string 0 must be empty");
  int64_t planes = 0;
  for (size_t r = 0; r < p_.registers.size(); ++r) {
    const Register& g = p_.registers[r];
    if (static_cast<int>(g.type) > static_cast<int>(RegType::kString))
      return fail(format("register {}: unknown type", r));
    if (g.arrayLength < 0 || g.arrayLength > (1 << 20)) return fail(format("register {}: bad array length", r));
    if (g.varying) {
      planes += g.planes();
      continue;
    }
    const uint64_t end = static_cast<uint64_t>(p_.uniformOffset[r]) + static_cast<uint64_t>(g.planes());
    if (end > p_.uniforms.size()) return fail(format("register {}: values out of range", r));
    if (g.type != RegType::kString) continue;
    for (uint64_t i = p_.uniformOffset[r]; i < end; ++i)
      if (std::bit_cast<uint32_t>(p_.uniforms[i]) >= p_.strings.size())
        return fail(format("register {}: bad string", r));
  }
  // Strings and numbers must not share storage, or a number would become an index. Offsets must therefore be disjoint.
  uint64_t next = 0;
  for (size_t r = 0; r < p_.registers.size(); ++r) {
    if (p_.registers[r].varying) continue;
    if (p_.uniformOffset[r] != next) return fail(format("register {}: values not in order", r));
    next += static_cast<uint64_t>(p_.registers[r].planes());
  }
  return planes <= kMaxVaryingPlanes || fail("too many varying values");
}

bool Verifier::symbols() {
  if (p_.mainBegin > p_.code.size()) return fail("main code out of range");
  if (p_.lines.size() != p_.code.size()) return fail("line table and code differ in length");
  for (const Symbol& s : p_.symbols) {
    if (s.reg >= p_.registers.size()) return fail("symbol without a register: " + s.name.str());
    const Register& g = p_.registers[s.reg];
    if (s.type == Type::kUnknown || s.type == Type::kHPoint ||
        static_cast<int>(s.type) > static_cast<int>(Type::kString))
      return fail("symbol of unknown type: " + s.name.str());
    if (static_cast<int>(s.kind) > static_cast<int>(SymbolKind::kLocal))
      return fail("unknown kind of symbol: " + s.name.str());
    if (regTypeOf(s.type) != g.type || s.varying != g.varying || s.arrayLength != g.arrayLength)
      return fail("symbol and register differ: " + s.name.str());
    if (s.defaultBegin > s.defaultEnd || s.defaultEnd > p_.mainBegin)
      return fail("default code out of range: " + s.name.str());
  }
  return true;
}

bool Verifier::code() {
  if (p_.code.size() > (1u << 24)) return fail("too much code");
  for (size_t i = 0; i < p_.code.size(); ++i)
    if (!instruction(i)) return false;
  return true;
}

bool Verifier::instruction(size_t i) {
  const Instruction& in = p_.code[i];
  if (static_cast<int>(in.op) >= opCount()) return failAt(i, "unknown operation");
  if (static_cast<uint64_t>(in.firstArg) + in.nargs > p_.args.size()) return failAt(i, "operands out of range");
  for (size_t k = 0; k < in.nargs; ++k)
    if (p_.args[in.firstArg + k] >= p_.registers.size()) return failAt(i, "no such register");
  const OpInfo& info = opInfo(in.op);

  // The fixed operands: all of them, or the required ones where the rest is absent.
  const size_t fixed = info.operands.size();
  const bool shortForm = in.nargs == static_cast<size_t>(info.required) && info.tail == Tail::kNone;
  if (in.nargs < fixed && !shortForm) return failAt(i, "too few operands");
  if (in.nargs > fixed && info.tail == Tail::kNone) return failAt(i, "too many operands");
  const Register *any = nullptr, *array = nullptr;
  for (size_t k = 0; k < std::min<size_t>(fixed, in.nargs); ++k)
    if (!operand(i, k, info.operands[k], any, array)) return false;
  // ldelem has the element before the array: look at the pair once both are known.
  if (in.op == Op::kLoadElement && reg(in, 0).type != array->type) return failAt(i, "element of another type");
  return tail(i, info) && uniformity(i, info);
}

bool Verifier::operand(size_t i, size_t k, const OperandInfo& want, const Register*& any, const Register*& array) {
  const Register& g = reg(p_.code[i], k);
  const bool isArray = g.arrayLength > 0;
  if (want.arrayOf != isArray && static_cast<int>(want.kind) <= static_cast<int>(OperandKind::kString))
    return failAt(i, want.arrayOf ? "array expected" : "array not expected");
  switch (want.kind) {
    case OperandKind::kFloat:
      return g.type == RegType::kFloat || failAt(i, "float expected");
    case OperandKind::kTriple:
      return g.type == RegType::kTriple || failAt(i, "triple expected");
    case OperandKind::kMatrix:
      return g.type == RegType::kMatrix || failAt(i, "matrix expected");
    case OperandKind::kString:
      return (g.type == RegType::kString || failAt(i, "string expected")) &&
             (!g.varying || p_.code[i].op == Op::kEqS || p_.code[i].op == Op::kNeS ||
              failAt(i, "uniform string expected"));
    case OperandKind::kAny:
      if (any && (any->type != g.type || any->arrayLength != g.arrayLength))
        return failAt(i, "operands differ in type");
      any = &g;
      return true;
    case OperandKind::kArray:
      array = &g;
      return isArray || failAt(i, "array expected");
    case OperandKind::kElement:
      return !isArray && (!array || array->type == g.type) ? true : failAt(i, "element of another type");
    case OperandKind::kFree:
      return true;
  }
  return true;
}

bool Verifier::tail(size_t i, const OpInfo& info) {
  const Instruction& in = p_.code[i];
  const size_t fixed = info.operands.size();
  if (in.nargs <= fixed) return true;
  if (info.tail == Tail::kTokens && (in.nargs - fixed) % 2) return failAt(i, "token without a value");
  for (size_t k = fixed; k < in.nargs; ++k) {
    const Register& g = reg(in, k);
    if (info.tail == Tail::kTokens && (k - fixed) % 2 == 0 &&
        (g.type != RegType::kString || g.varying || g.arrayLength))
      return failAt(i, "token must be a uniform string");
    if (g.type == RegType::kString && g.varying) return failAt(i, "uniform string expected");
    if (info.tail == Tail::kRepeat) {
      const Register *any = nullptr, *array = nullptr;
      if (!operand(i, k, info.operands.back(), any, array)) return false;
    }
    if (info.tail == Tail::kValues && g.arrayLength) return failAt(i, "array not expected");
  }
  return true;
}

// What is computed from varying operands must be varying itself.
bool Verifier::uniformity(size_t i, const OpInfo& info) {
  const Instruction& in = p_.code[i];
  bool varyingRead = false, uniformWritten = false;
  for (size_t k = 0; k < in.nargs; ++k) {
    if (k < info.operands.size() && info.operands[k].kind == OperandKind::kFree) continue;
    const Access access = operandAccess(info, k);
    if (access != Access::kRead) uniformWritten |= !reg(in, k).varying;
    if (access != Access::kWrite) varyingRead |= reg(in, k).varying;
  }
  if (info.flow && uniformWritten) return failAt(i, "varying result expected");
  if (in.op == Op::kStoreElement || in.op == Op::kLoadElement || !info.flow)
    if (varyingRead && uniformWritten && !(info.builtin && info.builtin->id == Builtin::k_printf))
      return failAt(i, "uniform result of varying operands");
  return true;
}

bool Verifier::regions() {
  for (const Symbol& s : p_.symbols)
    if (s.defaultBegin != s.defaultEnd && !region(s.defaultBegin, s.defaultEnd)) return false;
  return region(p_.mainBegin, p_.code.size());
}

// Structured code: every jump goes where the nesting says, and the region ends with its only `end`.
bool Verifier::region(size_t begin, size_t end) {
  if (begin >= end || p_.code[end - 1].op != Op::kEnd) return fail("code without an end");
  std::vector<Open> open;
  for (size_t i = begin; i < end; ++i) {
    if (!opInfo(p_.code[i].op).flow) continue;
    if (p_.code[i].op == Op::kEnd) {
      if (i + 1 != end) return failAt(i, "end inside the code");
      if (!open.empty()) return failAt(i, "end inside a block");
    } else if (!flow(i, open)) {
      return false;
    }
  }
  return true;
}

bool Verifier::close(size_t i, std::vector<Open>& open, Op begin) {
  if (open.empty() || open.back().op != begin) return failAt(i, "closes nothing");
  const int32_t want = begin == Op::kIf && open.back().elseAt >= 0 ? open.back().elseAt : open.back().at;
  if (p_.code[static_cast<size_t>(want)].target != static_cast<int32_t>(i))
    return failAt(i, "jump to this place expected");
  open.pop_back();
  return true;
}

bool Verifier::flow(size_t i, std::vector<Open>& open) {
  const Instruction& in = p_.code[i];
  const int32_t at = static_cast<int32_t>(i);
  if (open.size() >= kMaxNesting) return failAt(i, "nested too deeply");
  switch (in.op) {
    case Op::kIf:
    case Op::kLoopBegin:
    case Op::kIlluminanceBegin:
    case Op::kIlluminateBegin:
    case Op::kSolarBegin:
      open.push_back({in.op, at});
      return true;
    case Op::kElse:
      if (open.empty() || open.back().op != Op::kIf || open.back().elseAt >= 0) return failAt(i, "else without if");
      if (p_.code[static_cast<size_t>(open.back().at)].target != at) return failAt(i, "if must jump to its else");
      open.back().elseAt = at;
      return true;
    case Op::kEndIf:
      return close(i, open, Op::kIf);
    case Op::kLoopTest:
    case Op::kLoopStep: {
      if (open.empty() || open.back().op != Op::kLoopBegin || open.back().hasNext) return failAt(i, "not in a loop");
      if (in.target != p_.code[static_cast<size_t>(open.back().at)].target)
        return failAt(i, "must jump to the end of its loop");
      return true;
    }
    case Op::kLoopNext:
      if (open.empty() || open.back().op != Op::kLoopBegin || open.back().hasNext) return failAt(i, "not in a loop");
      if (in.target != open.back().at) return failAt(i, "must jump to the begin of its loop");
      if (i + 1 >= p_.code.size() || p_.code[i + 1].op != Op::kLoopEnd) return failAt(i, "must stand before loop_end");
      open.back().hasNext = true;
      return true;
    case Op::kLoopEnd:
      return close(i, open, Op::kLoopBegin);
    case Op::kIlluminanceNext:
      if (open.empty() || open.back().op != Op::kIlluminanceBegin || open.back().hasNext)
        return failAt(i, "not in illuminance");
      if (in.target != open.back().at) return failAt(i, "must jump to its illuminance");
      if (i + 1 >= p_.code.size() || p_.code[i + 1].op != Op::kIlluminanceEnd)
        return failAt(i, "must stand before its end");
      open.back().hasNext = true;
      return true;
    case Op::kIlluminanceEnd:
      if (!open.empty() && open.back().op == Op::kIlluminanceBegin && !open.back().hasNext)
        return failAt(i, "without next");
      return close(i, open, Op::kIlluminanceBegin);
    case Op::kIlluminateEnd:
      return close(i, open, Op::kIlluminateBegin);
    case Op::kSolarEnd:
      return close(i, open, Op::kSolarBegin);
    case Op::kBreak:
    case Op::kContinue: {
      int loops = 0;
      for (const Open& o : open) loops += isLoop(o.op);
      return in.target >= 1 && in.target <= loops ? true : failAt(i, "no loop to leave");
    }
    default:
      return true;
  }
}

}  // namespace

std::string verify(const Program& p) { return Verifier(p).run(); }

}  // namespace reyes::vm
