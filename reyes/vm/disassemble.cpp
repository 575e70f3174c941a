// SPDX-License-Identifier: Apache-2.0
// Program as text, for `reyes compile --dump=code` and for tests: header lines, one line a register, symbol and
// instruction. assemble() reads it back. The grammar is in assemble.cpp.
#include <bit>

#include "reyes/base/format.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      out += format("\\{:03o}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

const char* const kRegWords[] = {"float", "triple", "matrix", "string"};

/// Shortest text that reads back to the same bits; NaN by its bits.
std::string number(float v) { return v == v ? format("{}", v) : format("nan:{:08x}", std::bit_cast<uint32_t>(v)); }

void registerLine(std::string& out, const Program& p, size_t r) {
  const Register& g = p.registers[r];
  out += format("reg r{} {} {}", r, g.varying ? "varying" : "uniform", kRegWords[static_cast<int>(g.type)]);
  if (g.arrayLength) out += format("[{}]", g.arrayLength);
  if (!g.varying) {
    const float* v = p.uniforms.data() + p.uniformOffset[r];
    bool zero = true;
    for (int i = 0; i < g.planes(); ++i) zero &= std::bit_cast<uint32_t>(v[i]) == 0;
    if (!zero) out += " =";
    for (int i = 0; i < g.planes() && !zero; ++i)
      out += ' ' + (g.type == RegType::kString ? quoted(p.strings[std::bit_cast<uint32_t>(v[i])]) : number(v[i]));
  }
  out += '\n';
}

void symbolLine(std::string& out, const Symbol& s) {
  static const char* const kinds[] = {"param", "global", "local"};
  out += format("sym {} {}{} r{} {}", kinds[static_cast<int>(s.kind)], s.output ? "output " : "", typeName(s.type),
                s.reg, quoted(s.name.str()));
  if (s.defaultEnd > s.defaultBegin) out += format(" default {} {}", s.defaultBegin, s.defaultEnd);
  out += '\n';
}

}  // namespace

std::string disassemble(const Program& p) {
  std::string out = format("shader {} {}\n", shaderTypeName(p.type), quoted(p.name));
  if (p.sourceHash) out += format("hash {:016x}\n", p.sourceHash);
  for (const std::string& f : p.files) out += format("file {}\n", quoted(f));
  for (const auto& [key, value] : p.annotations) out += format("note {} {}\n", quoted(key), quoted(value));
  for (size_t r = 0; r < p.registers.size(); ++r) registerLine(out, p, r);
  for (const Symbol& s : p.symbols) symbolLine(out, s);

  // Instructions: index, mnemonic, registers, target; a comment names the source line where it changes.
  uint32_t line = 0;
  for (size_t i = 0; i < p.code.size(); ++i) {
    if (i == p.mainBegin) out += "main\n";
    const Instruction& in = p.code[i];
    std::string text = format("{:5}  {}", i, opInfo(in.op).mnemonic);
    for (size_t k = 0; k < in.nargs; ++k) text += format(" r{}", p.args[in.firstArg + k]);
    if (in.target >= 0) text += format(" ->{}", in.target);
    if (p.lines[i] != line && p.lines[i]) text += format("    ; line {}", p.lines[i] & 0xffffff);
    line = p.lines[i];
    out += text + '\n';
  }
  return out;
}

}  // namespace reyes::vm
