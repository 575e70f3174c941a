// SPDX-License-Identifier: Apache-2.0
// A compiled shader: registers, symbols and instructions. Made by sl/ through ProgramBuilder (or read from a .slb
// file), immutable afterwards and shared by all threads; run by vm::Machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/matrix.h"
#include "reyes/base/name.h"
#include "reyes/vars/types.h"

namespace reyes::vm {

enum class ShaderType : uint8_t { kSurface, kLight, kDisplacement, kVolume, kImager };
const char* shaderTypeName(ShaderType t);

/// What a register holds. Booleans are floats 0 and 1; color, point, vector and normal are all triples.
enum class RegType : uint8_t { kFloat, kTriple, kMatrix, kString };
/// Planes a value takes: 1, 3, 16, 1 (a string is a 32-bit number of an entry in a string table).
constexpr int planeCount(RegType t) { return t == RegType::kTriple ? 3 : t == RegType::kMatrix ? 16 : 1; }
RegType regTypeOf(Type t);

struct Register {
  RegType type = RegType::kFloat;
  bool varying = false;
  int arrayLength = 0;  ///< 0: no array
  int planes() const { return planeCount(type) * (arrayLength > 0 ? arrayLength : 1); }
  bool operator==(const Register&) const = default;
};

/// Operations: the entries of opcodes.def, then the entries of builtins.def.
enum class Op : uint16_t {
#define REYES_OP(id, mnemonic, operands, cls) id,
#include "reyes/vm/opcodes.def"
#undef REYES_OP
  kBuiltinBase
};
enum class Builtin : uint16_t {
#define REYES_BUILTIN(id, name, result, arguments, implicit, flags) k_##id,
#include "reyes/vm/builtins.def"
#undef REYES_BUILTIN
  kCount
};
constexpr int kOpCount = static_cast<int>(Op::kBuiltinBase);
constexpr int kBuiltinCount = static_cast<int>(Builtin::kCount);
constexpr Op builtinOp(Builtin b) { return static_cast<Op>(kOpCount + static_cast<int>(b)); }
constexpr bool isBuiltin(Op op) { return static_cast<int>(op) >= kOpCount; }

/// One entry of builtins.def; see there for the letters.
struct BuiltinInfo {
  // NOLINTBEGIN(readability-identifier-naming): words of the table
  enum Flag : uint32_t {
    Pure = 1,
    Derivative = 2,
    Services = 4,
    Effect = 8,
    Tokens = 16,
    Values = 32,
    Repeat = 64,
    Channel = 128,
    Varying = 256,
    Planned = 512
  };
  // NOLINTEND(readability-identifier-naming)
  Builtin id;
  const char* mnemonic;  ///< unique: the first column of the table
  const char* name;      ///< as the shading language has it
  const char* result;
  const char* arguments;
  const char* implicit;  ///< names of globals, separated by blanks
  uint32_t flags;
};
std::span<const BuiltinInfo> builtins();
inline const BuiltinInfo& builtinInfo(Builtin b) { return builtins()[static_cast<size_t>(b)]; }

/// `nargs` register indices at args[firstArg...]; the meaning of `target` is in opcodes.def.
struct Instruction {
  Op op = Op::kEnd;
  uint16_t nargs = 0;
  uint32_t firstArg = 0;
  int32_t target = -1;
};

enum class SymbolKind : uint8_t { kParameter, kGlobal, kLocal };

/// A variable with a name: a parameter of the shader, a predefined (global) variable, or a local for debugging.
struct Symbol {
  Name name;
  Type type = Type::kFloat;
  uint16_t reg = 0;
  SymbolKind kind = SymbolKind::kLocal;
  bool output = false;
  bool varying = false;
  int arrayLength = 0;
  /// Parameters: instructions [defaultBegin, defaultEnd) set the register to the default value; they end with kEnd
  /// inside the range. Empty: the initial value of the register is the default.
  uint32_t defaultBegin = 0, defaultEnd = 0;
  /// Filled by ProgramBuilder::finish(): used by the main code (the default code of parameters counts as reading).
  bool read = false, written = false;
};

class Program {
 public:
  ShaderType type = ShaderType::kSurface;
  std::string name;
  uint64_t sourceHash = 0;         ///< of source, headers and defines; 0 unknown
  std::vector<std::string> files;  ///< sources, for messages
  std::vector<Register> registers;
  std::vector<Symbol> symbols;       ///< parameters in the order of the source, then globals, then locals
  std::vector<std::string> strings;  ///< entry 0 is ""
  /// Initial values of uniform registers: register r owns planes() values from uniformOffset[r] on (strings: index into
  /// `strings`, kept as bits of the float). 0xffffffff for varying registers.
  std::vector<float> uniforms;
  std::vector<uint32_t> uniformOffset;
  std::vector<Instruction> code;  ///< default code of parameters, then the main code from mainBegin on
  std::vector<uint16_t> args;
  uint32_t mainBegin = 0;
  std::vector<uint32_t> lines;  ///< an entry an instruction: file << 24 | line
  std::vector<std::pair<std::string, std::string>> annotations;

  const Symbol* find(Name symbol) const;
  /// True where the main code may write (read) the global variable or parameter.
  bool writes(Name symbol) const;
  bool reads(Name symbol) const;
  bool usesDerivatives = false, usesLights = false;  ///< filled by ProgramBuilder::finish()
};

/// Empty where all operands, types, jumps, nesting and tables of p are sound; else what is wrong. Every Program that
/// reaches the Machine has passed.
std::string verify(const Program& p);

/// Grows a Program. Indices are valid as soon as they are returned.
class ProgramBuilder {
 public:
  ProgramBuilder(ShaderType type, std::string name);

  /// The program so far; its plain fields (files, sourceHash, annotations, symbols) may be set directly.
  Program& program() { return *program_; }
  const Register& reg(uint16_t index) const { return program_->registers[index]; }

  /// A new register; uniform ones start as zero ("" for strings). 65535 at most: then index 0xffff and failed().
  uint16_t addRegister(const Register& r);
  uint16_t addRegister(RegType type, bool varying, int arrayLength = 0) {
    return addRegister(Register{type, varying, arrayLength});
  }
  /// Uniform registers with that value, shared between equal constants. Never write to them.
  uint16_t constant(float value);
  uint16_t constant(Vec3 value);
  uint16_t constant(const Matrix4& value);
  uint16_t constant(std::string_view text);
  /// Sets the initial value of a uniform register (all planes of all elements in order).
  void setInitial(uint16_t reg, std::span<const float> values);
  void setInitialString(uint16_t reg, int element, std::string_view text);

  /// Adds a symbol and returns its index in program().symbols.
  int addSymbol(const Symbol& s);
  /// Default code of a parameter: instructions emitted between the two. Must all come before beginMain().
  void beginDefault(int symbol);
  void endDefault(int symbol);  ///< emits kEnd
  void beginMain();             ///< the main code starts here; finish() ends it with kEnd

  /// Appends an instruction and returns its index.
  int emit(Op op, std::span<const uint16_t> args, int32_t target = -1);
  int emit(Op op, std::initializer_list<uint16_t> args = {}, int32_t target = -1) {
    return emit(op, std::span<const uint16_t>(args.begin(), args.size()), target);
  }
  int emit(Builtin b, std::span<const uint16_t> args) { return emit(builtinOp(b), args); }
  int emit(Builtin b, std::initializer_list<uint16_t> args) { return emit(builtinOp(b), args); }
  /// Index of the next instruction.
  int here() const { return static_cast<int>(program_->code.size()); }
  void setTarget(int instruction, int32_t target) { program_->code[static_cast<size_t>(instruction)].target = target; }
  /// Source line of the instructions emitted from now on; file is an index into program().files.
  void setLine(int line, int file = 0) {
    line_ = static_cast<uint32_t>(file & 0xff) << 24 | (static_cast<uint32_t>(line) & 0xffffff);
  }

  /// Analyses and verifies; null and a text in `error` where the program is not sound. The builder is spent.
  std::shared_ptr<const Program> finish(std::string& error);

 private:
  uint32_t addString(std::string_view text);
  std::shared_ptr<Program> program_;
  uint32_t line_ = 0;
  bool inMain_ = false, failed_ = false;
  std::vector<std::pair<std::string, uint16_t>> constants_;  // key bytes -> register
};

/// Recomputes Symbol::read/written and the uses... flags. finish() and deserialize() call it.
void analyse(Program& p);

/// The .slb file. deserialize never trusts its input: null and an error text where it is not a sound program.
std::string serialize(const Program& p);
std::shared_ptr<const Program> deserialize(std::string_view bytes, std::string& error);
/// True where the bytes begin like a .slb file.
bool looksLikeSlb(std::string_view bytes);

/// Readable text of a whole program, and back (assemble(disassemble(p)) equals p but for line numbers).
std::string disassemble(const Program& p);
std::shared_ptr<const Program> assemble(std::string_view text, std::string& error);

}  // namespace reyes::vm
