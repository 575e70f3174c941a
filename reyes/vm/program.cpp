// SPDX-License-Identifier: Apache-2.0
// Program: look-ups by name and what its code reads and writes.
#include "reyes/vm/program.h"

#include "reyes/vm/tables.h"

namespace reyes::vm {

const char* shaderTypeName(ShaderType t) {
  switch (t) {
    case ShaderType::kSurface:
      return "surface";
    case ShaderType::kLight:
      return "light";
    case ShaderType::kDisplacement:
      return "displacement";
    case ShaderType::kVolume:
      return "volume";
    case ShaderType::kImager:
      return "imager";
  }
  return "unknown";
}

RegType regTypeOf(Type t) {
  if (isTriple(t)) return RegType::kTriple;
  if (t == Type::kMatrix) return RegType::kMatrix;
  if (t == Type::kString) return RegType::kString;
  return RegType::kFloat;
}

const Symbol* Program::find(Name symbol) const {
  for (const Symbol& s : symbols)
    if (s.name == symbol) return &s;
  return nullptr;
}

bool Program::writes(Name symbol) const {
  const Symbol* s = find(symbol);
  return s && s->written;
}

bool Program::reads(Name symbol) const {
  const Symbol* s = find(symbol);
  return s && s->read;
}

void analyse(Program& p) {
  std::vector<bool> read(p.registers.size()), written(p.registers.size());
  p.usesDerivatives = p.usesLights = false;

  // What every instruction does with its operands. Default code sets its parameter, which is no write of the shader's.
  for (size_t i = 0; i < p.code.size(); ++i) {
    const Instruction& in = p.code[i];
    const OpInfo& info = opInfo(in.op);
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = p.args[in.firstArg + k];
      const Access access = operandAccess(info, k);
      if (access != Access::kWrite) read[r] = true;
      if (access != Access::kRead && i >= p.mainBegin) written[r] = true;
    }
    p.usesLights |= in.op == Op::kIlluminanceBegin;
    if (!info.builtin) continue;
    p.usesDerivatives |= (info.builtin->flags & BuiltinInfo::Derivative) != 0;
    const Builtin b = info.builtin->id;
    p.usesLights |=
        b == Builtin::k_ambient || b == Builtin::k_diffuse || b == Builtin::k_specular || b == Builtin::k_phong;
  }
  for (Symbol& s : p.symbols) {
    s.read = read[s.reg];
    s.written = written[s.reg];
  }
}

}  // namespace reyes::vm
