// SPDX-License-Identifier: Apache-2.0
// Instance: a program with the parameter values of a scene, and the default code of those that have none.
#include <bit>

#include "reyes/vm/decode.h"
#include "reyes/vm/machine.h"

namespace reyes::vm {

Instance::Instance(std::shared_ptr<const Program> program)
    : program_(std::move(program)),
      uniforms_(program_->uniforms),
      strings_(program_->strings),
      set_(program_->symbols.size()) {
  for (const Symbol& s : program_->symbols) {
    varyingOffset_.push_back(static_cast<uint32_t>(varyingDefaults_.size()));
    if (s.kind == SymbolKind::kParameter && s.varying)
      varyingDefaults_.resize(varyingDefaults_.size() + static_cast<size_t>(program_->registers[s.reg].planes()));
  }
}
Instance::~Instance() = default;
Instance::Instance(Instance&&) noexcept = default;
Instance& Instance::operator=(Instance&&) noexcept = default;

uint32_t Instance::internString(std::string_view s) {
  for (size_t i = 0; i < strings_.size(); ++i)
    if (strings_[i] == s) return static_cast<uint32_t>(i);
  strings_.emplace_back(s);
  return static_cast<uint32_t>(strings_.size() - 1);
}

namespace {

/// Takes a triple or a matrix from shader space to current space, by its type.
void toCurrent(Type type, float* v, const Matrix4& m) {
  if (type == Type::kMatrix) {
    Matrix4 a;
    for (int i = 0; i < 16; ++i) a.m[i / 4][i % 4] = v[i];
    a = a * m;
    for (int i = 0; i < 16; ++i) v[i] = a.m[i / 4][i % 4];
    return;
  }
  const Vec3 p{v[0], v[1], v[2]};
  const Vec3 r = type == Type::kPoint    ? transformPoint(m, p)
                 : type == Type::kVector ? transformVector(m, p)
                 : type == Type::kNormal ? transformNormal(inverse(m), p)
                                         : p;
  v[0] = r.x, v[1] = r.y, v[2] = r.z;
}

}  // namespace

Instance::Set Instance::set(const Param& value, const Matrix4& currentFromShader) {
  const Symbol* sym = program_->find(value.spec.name);
  if (!sym || sym->kind != SymbolKind::kParameter) return Set::kUnknown;
  const size_t index = static_cast<size_t>(sym - program_->symbols.data());
  const Register& g = program_->registers[sym->reg];
  float* to = g.varying ? varyingDefaults_.data() + varyingOffset_[index]
                        : uniforms_.data() + program_->uniformOffset[sym->reg];
  const size_t room = static_cast<size_t>(g.planes());

  if (g.type == RegType::kString) {
    if (value.strings.empty()) return Set::kTypeMismatch;
    for (size_t i = 0; i < room && i < value.strings.size(); ++i)
      to[i] = std::bit_cast<float>(internString(value.strings[i]));
    markSet(index);
    return value.strings.size() < room ? Set::kTooFew : Set::kDone;
  }

  // Numbers: the declared type must be of the same kind (all triples are one kind, integers count as floats).
  const Type t = value.spec.type;
  if (value.floats.empty() || (t != Type::kUnknown && (t == Type::kString || t == Type::kHPoint)))
    return Set::kTypeMismatch;
  if (t != Type::kUnknown && regTypeOf(t) != g.type && !(g.type == RegType::kTriple && regTypeOf(t) == RegType::kFloat))
    return Set::kTypeMismatch;
  std::vector<float> v = value.floats;
  if (g.type == RegType::kTriple && g.arrayLength == 0 && v.size() == 1) v.assign(3, v[0]);
  const size_t width = static_cast<size_t>(planeCount(g.type));
  const size_t whole = std::min(v.size(), room) / width * width;
  if (whole == 0) return Set::kTooFew;
  for (size_t i = 0; i < whole; i += width)
    if (width > 1) toCurrent(sym->type, v.data() + i, currentFromShader);
  std::copy(v.begin(), v.begin() + static_cast<ptrdiff_t>(whole), to);
  markSet(index);
  return whole < room ? Set::kTooFew : Set::kDone;
}

void Instance::markSet(size_t symbol) {
  if (!set_[symbol] && program_->symbols[symbol].varying) setVarying_.push_back(static_cast<uint32_t>(symbol));
  set_[symbol] = true;
}

Instance::Set Instance::setFloats(Name parameter, std::span<const float> values) {
  Param p;
  p.spec.name = parameter;
  p.floats.assign(values.begin(), values.end());
  return set(p);
}

Instance::Set Instance::setString(Name parameter, std::string_view value) {
  Param p;
  p.spec.name = parameter;
  p.strings.emplace_back(value);
  return set(p);
}

// Default code runs on a grid of one point, each parameter in the order of the source, so that a default may use the
// parameters before it.
void Instance::initialise(Services& services, Isa isa, const Instance* sibling) {
  const bool same = sibling && sibling->program_ == program_ && sibling->decoded_ && sibling->decoded_->isa == isa;
  decoded_ = same ? sibling->decoded_ : decode(program_, isa);
  Machine machine(isa);
  for (size_t i = 0; i < program_->symbols.size(); ++i) {
    const Symbol& s = program_->symbols[i];
    if (s.kind != SymbolKind::kParameter || s.varying || set_[i] || s.defaultBegin == s.defaultEnd) continue;
    machine.runDefault(*this, s, services);
    const Value v = machine.value(s.name);
    float* to = uniforms_.data() + program_->uniformOffset[s.reg];
    const std::vector<std::string> texts(v.strings.begin(), v.strings.end());
    for (size_t e = 0; e < texts.size(); ++e) to[e] = std::bit_cast<float>(internString(texts[e]));
    const int planes = program_->registers[s.reg].planes();
    if (v.data) std::copy(v.data, v.data + planes, to);
  }
}

Value Instance::parameter(Name name) const {
  Value v;
  const Symbol* s = program_->find(name);
  if (!s || s->kind != SymbolKind::kParameter) return v;
  const Register& g = program_->registers[s->reg];
  const size_t index = static_cast<size_t>(s - program_->symbols.data());
  if (g.varying && !set_[index]) return v;
  const float* data =
      g.varying ? varyingDefaults_.data() + varyingOffset_[index] : uniforms_.data() + program_->uniformOffset[s->reg];
  v.type = g.type;
  v.arrayLength = g.arrayLength;
  if (g.type != RegType::kString) {
    v.data = data;
    return v;
  }
  for (int e = 0; e < v.elements(); ++e) v.strings.push_back(strings_[std::bit_cast<uint32_t>(data[e])]);
  return v;
}

}  // namespace reyes::vm
