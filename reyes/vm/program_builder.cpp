// SPDX-License-Identifier: Apache-2.0
// ProgramBuilder: how sl/, the assembler and tests make programs.
#include <algorithm>
#include <bit>
#include <cstring>

#include "reyes/vm/program.h"

namespace reyes::vm {

namespace {
constexpr size_t kMaxRegisters = 0xffff;

std::string keyOf(char kind, const void* data, size_t bytes) {
  std::string key(1, kind);
  key.append(static_cast<const char*>(data), bytes);
  return key;
}
}  // namespace

ProgramBuilder::ProgramBuilder(ShaderType type, std::string name) : program_(std::make_shared<Program>()) {
  program_->type = type;
  program_->name = std::move(name);
  program_->strings.emplace_back();
}

uint16_t ProgramBuilder::addRegister(const Register& r) {
  if (program_->registers.size() >= kMaxRegisters || r.arrayLength < 0 || r.arrayLength > (1 << 20)) {
    failed_ = true;
    return 0xffff;
  }
  program_->registers.push_back(r);
  program_->uniformOffset.push_back(r.varying ? 0xffffffffu : static_cast<uint32_t>(program_->uniforms.size()));
  if (!r.varying) program_->uniforms.resize(program_->uniforms.size() + static_cast<size_t>(r.planes()), 0.0f);
  return static_cast<uint16_t>(program_->registers.size() - 1);
}

uint16_t ProgramBuilder::constant(float value) {
  const std::string key = keyOf('f', &value, sizeof value);
  for (const auto& [k, r] : constants_)
    if (k == key) return r;
  const uint16_t r = addRegister(RegType::kFloat, false);
  setInitial(r, {&value, 1});
  constants_.emplace_back(key, r);
  return r;
}

uint16_t ProgramBuilder::constant(Vec3 value) {
  const float v[3] = {value.x, value.y, value.z};
  const std::string key = keyOf('t', v, sizeof v);
  for (const auto& [k, r] : constants_)
    if (k == key) return r;
  const uint16_t r = addRegister(RegType::kTriple, false);
  setInitial(r, v);
  constants_.emplace_back(key, r);
  return r;
}

uint16_t ProgramBuilder::constant(const Matrix4& value) {
  const std::string key = keyOf('m', value.m, sizeof value.m);
  for (const auto& [k, r] : constants_)
    if (k == key) return r;
  const uint16_t r = addRegister(RegType::kMatrix, false);
  setInitial(r, {&value.m[0][0], 16});
  constants_.emplace_back(key, r);
  return r;
}

uint16_t ProgramBuilder::constant(std::string_view text) {
  const std::string key = keyOf('s', text.data(), text.size());
  for (const auto& [k, r] : constants_)
    if (k == key) return r;
  const uint16_t r = addRegister(RegType::kString, false);
  setInitialString(r, 0, text);
  constants_.emplace_back(key, r);
  return r;
}

void ProgramBuilder::setInitial(uint16_t reg, std::span<const float> values) {
  if (reg >= program_->registers.size() || program_->registers[reg].varying) return;
  const size_t n = std::min(values.size(), static_cast<size_t>(program_->registers[reg].planes()));
  if (n > 0) std::memcpy(program_->uniforms.data() + program_->uniformOffset[reg], values.data(), n * sizeof(float));
}

void ProgramBuilder::setInitialString(uint16_t reg, int element, std::string_view text) {
  if (reg >= program_->registers.size() || program_->registers[reg].varying) return;
  if (element < 0 || element >= program_->registers[reg].planes()) return;
  program_->uniforms[program_->uniformOffset[reg] + static_cast<size_t>(element)] =
      std::bit_cast<float>(addString(text));
}

uint32_t ProgramBuilder::addString(std::string_view text) {
  std::vector<std::string>& s = program_->strings;
  for (size_t i = 0; i < s.size(); ++i)
    if (s[i] == text) return static_cast<uint32_t>(i);
  s.emplace_back(text);
  return static_cast<uint32_t>(s.size() - 1);
}

int ProgramBuilder::addSymbol(const Symbol& s) {
  program_->symbols.push_back(s);
  return static_cast<int>(program_->symbols.size() - 1);
}

void ProgramBuilder::beginDefault(int symbol) {
  if (inMain_) failed_ = true;
  program_->symbols[static_cast<size_t>(symbol)].defaultBegin = static_cast<uint32_t>(here());
}

void ProgramBuilder::endDefault(int symbol) {
  emit(Op::kEnd);
  program_->symbols[static_cast<size_t>(symbol)].defaultEnd = static_cast<uint32_t>(here());
}

void ProgramBuilder::beginMain() {
  inMain_ = true;
  program_->mainBegin = static_cast<uint32_t>(here());
}

int ProgramBuilder::emit(Op op, std::span<const uint16_t> args, int32_t target) {
  if (args.size() > 0xffff) failed_ = true;
  Instruction in;
  in.op = op;
  in.nargs = static_cast<uint16_t>(args.size());
  in.firstArg = static_cast<uint32_t>(program_->args.size());
  in.target = target;
  program_->args.insert(program_->args.end(), args.begin(), args.end());
  program_->code.push_back(in);
  program_->lines.push_back(line_);
  return here() - 1;
}

std::shared_ptr<const Program> ProgramBuilder::finish(std::string& error) {
  // Without beginMain() the main code is what follows the default code.
  if (!inMain_)
    for (const Symbol& s : program_->symbols) program_->mainBegin = std::max(program_->mainBegin, s.defaultEnd);
  if (program_->code.size() == program_->mainBegin || program_->code.back().op != Op::kEnd) emit(Op::kEnd);
  if (failed_) {
    error = "the shader is too large: too many registers or operands";
    return nullptr;
  }
  error = verify(*program_);
  if (!error.empty()) return nullptr;
  analyse(*program_);
  return std::move(program_);
}

}  // namespace reyes::vm
