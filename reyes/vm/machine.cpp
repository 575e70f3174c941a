// SPDX-License-Identifier: Apache-2.0
// Machine: starting a run, binding variables, reading results.
#include "reyes/vm/machine.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "reyes/vm/machine_state.h"

namespace reyes::vm {

struct Machine::Impl {
  explicit Impl(Isa isa) : s(isa) {}
  MachineState s;
  const Instance* instance = nullptr;

  bool spread(const Symbol& sym, const float* values, int count);
  bool bind(const Symbol& sym, const Var& var);
  bool bindPlanes(const Symbol& sym, float* data, int stride);
};

Machine::Machine(Isa isa) : impl_(std::make_unique<Impl>(isa)) {}
Machine::~Machine() = default;

Isa Machine::isa() const { return impl_->s.isa_; }
const MachineStats& Machine::stats() const { return impl_->s.stats_; }

void Machine::begin(const Instance& instance, const GridInfo& grid) {
  MachineState& s = impl_->s;
  impl_->instance = &instance;
  s.program_ = instance.decoded_.get();
  s.grid_ = grid;
  s.grid_.points = std::max(grid.points, 1);
  if (static_cast<int64_t>(grid.nu) * grid.nv != s.grid_.points || grid.nu < 1)
    s.grid_.nu = s.grid_.points, s.grid_.nv = 1;
  s.lanes_ = padLanes(s.grid_.points);
  s.numbers_ = {s.grid_.points,
                s.grid_.nu,
                s.grid_.nv,
                grid.du != 0 ? 1 / grid.du : 0,
                grid.dv != 0 ? 1 / grid.dv : 0,
                grid.du,
                grid.dv,
                grid.flipNormals ? -1.0f : 1.0f,
                grid.seed,
                grid.elements,
                grid.runs.data(),
                static_cast<int>(grid.runs.size()) - 1,
                grid.cells,
                {grid.facing[0], grid.facing[1], grid.facing[2]}};
  s.randomCalls_ = 0, s.rounds_ = 0;
  s.warned_.clear();
  if (!s.pendingSends_.values.empty()) s.pendingSends_ = {};
  s.sends_.clear();
  if (!s.runStrings_.empty()) s.runIndex_.clear(), s.runStrings_.clear(), s.runText_ = 0;
  s.baseStrings_ = &instance.strings_;

  // Planes: a distance that is no large power of two, so that the planes of a triple do not fall on one cache set.
  const DecodedProgram& d = *s.program_;
  s.stride_ = s.lanes_ % 128 == 0 ? s.lanes_ + kLanePad : s.lanes_;
  const size_t floats = static_cast<size_t>(d.planes) * static_cast<size_t>(s.stride_) + kLanePad;
  if (s.planeMemory_.size() < floats) s.planeMemory_.resize(floats);
  s.planes_ = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(s.planeMemory_.data()) + 63) / 64 * 64);
  s.uniforms_.assign(instance.uniforms_.begin(), instance.uniforms_.end());

  const Program& p = s.source();
  const size_t count = d.registers.size();
  s.regs_.resize(count);
  s.filled_.assign(count, 0);
  float* const uniforms = s.uniforms_.data();
  float* const planes = s.planes_;
  const int stride = s.stride_;
  Reg* const regs = s.regs_.data();
  for (size_t r = 0; r < count; ++r)
    regs[r] = d.plane[r] < 0 && !d.registers[r].varying
                  ? Reg{uniforms + p.uniformOffset[r], 1, true}
                  : Reg{planes + static_cast<ptrdiff_t>(std::max(d.plane[r], 0)) * stride, stride, false};
  s.resetMasks();

  // Values that the scene gave to varying parameters.
  for (const uint32_t i : instance.setVarying_)
    impl_->spread(p.symbols[i], instance.varyingDefaults_.data() + instance.varyingOffset_[i],
                  p.registers[p.symbols[i].reg].planes());
}

bool Machine::Impl::spread(const Symbol& sym, const float* values, int count) {
  const Reg& r = s.regs_[sym.reg];
  for (int c = 0; c < count; ++c) {
    float* p = r.data + static_cast<ptrdiff_t>(c) * r.stride;
    if (r.uniform)
      p[0] = values[c];
    else
      s.isa()->fill(p, values[c], s.lanes_);
  }
  s.filled_[sym.reg] = 1;
  return true;
}

void Machine::bind(const VarBlock& vars, bool globalsOnly) {
  for (const Symbol& sym : impl_->s.source().symbols) {
    if (sym.kind == SymbolKind::kLocal || (globalsOnly && sym.kind != SymbolKind::kGlobal)) continue;
    if (const Var* v = vars.find(sym.name)) impl_->bind(sym, *v);
  }
}

bool Machine::bind(Name symbol, const Var& var) {
  const Symbol* sym = impl_->s.source().find(symbol);
  return sym && sym->kind != SymbolKind::kLocal && impl_->bind(*sym, var);
}

bool Machine::Impl::bind(const Symbol& sym, const Var& var) {
  const Register& g = s.source().registers[sym.reg];
  if (regTypeOf(var.spec.type) != g.type || var.spec.type == Type::kHPoint || var.spec.arraySize != g.arrayLength)
    return false;

  if (g.type == RegType::kString) {
    for (size_t e = 0; e < var.strings.size() && e < static_cast<size_t>(g.planes()); ++e) {
      const float id = s.intern(var.strings[e].str());
      const Reg& r = s.regs_[sym.reg];
      if (r.uniform)
        r.data[e] = id;
      else
        s.isa()->fill(r.data + static_cast<ptrdiff_t>(e) * r.stride, id, s.lanes_);
    }
    s.filled_[sym.reg] = 1;
    return true;
  }
  if (!var.data) return false;
  if (!var.uniform) return g.varying && bindPlanes(sym, var.data, var.stride);
  return spread(sym, var.data, g.planes());
}

bool Machine::bindPlanes(Name symbol, float* data, int stride) {
  const Symbol* sym = impl_->s.source().find(symbol);
  return sym && impl_->bindPlanes(*sym, data, stride);
}

bool Machine::Impl::bindPlanes(const Symbol& sym, float* data, int stride) {
  if (!s.source().registers[sym.reg].varying) return false;
  s.regs_[sym.reg] = {data, stride, false};
  s.filled_[sym.reg] = 1;
  return true;
}

bool Machine::bindFloat(Name symbol, float value) {
  const Symbol* sym = impl_->s.source().find(symbol);
  if (!sym || impl_->s.source().registers[sym->reg] != Register{RegType::kFloat, sym->varying, 0}) return false;
  return impl_->spread(*sym, &value, 1);
}

bool Machine::bindTriple(Name symbol, Vec3 value) {
  const Symbol* sym = impl_->s.source().find(symbol);
  if (!sym || impl_->s.source().registers[sym->reg] != Register{RegType::kTriple, sym->varying, 0}) return false;
  const float v[3] = {value.x, value.y, value.z};
  return impl_->spread(*sym, v, 3);
}

bool Machine::has(Name symbol) const { return impl_->s.source().find(symbol) != nullptr; }

void Machine::run(Services& services) {
  MachineState& s = impl_->s;
  s.services_ = &services;
  const Program& p = s.source();
  Profile* const profile = services.profile();
  s.profileRows_.assign(profile ? p.code.size() : 0, {});
  ++s.stats_.runs;
  s.stats_.points += s.grid_.points;

  // Variables that may be read before they are written start as zero.
  for (const uint16_t r : s.program_->zeroed) {
    if (s.filled_[r]) continue;
    for (int c = 0; c < p.registers[r].planes(); ++c)
      std::memset(s.regs_[r].data + static_cast<ptrdiff_t>(c) * s.regs_[r].stride, 0,
                  static_cast<size_t>(s.lanes_) * sizeof(float));
  }
  for (const Symbol& sym : p.symbols)
    if (sym.kind == SymbolKind::kParameter && sym.varying && sym.defaultEnd > sym.defaultBegin && !s.filled_[sym.reg])
      s.execute(sym.defaultBegin);
  s.execute(p.mainBegin);
  if (!s.faults_.empty()) s.tellFaults();
  if (profile) profile->add(s.program_->program, s.grid_.points, s.profileRows_);
  s.services_ = nullptr;
}

void Machine::runDefault(const Instance& instance, const Symbol& parameter, Services& services) {
  begin(instance, {1, 1, 1, 1, 1, 0, false, 1 << 20});
  MachineState& s = impl_->s;
  s.profileRows_.clear();
  s.services_ = &services;
  for (const uint16_t r : s.program_->zeroed)
    for (int c = 0; c < s.source().registers[r].planes(); ++c)
      std::memset(s.regs_[r].data + static_cast<ptrdiff_t>(c) * s.regs_[r].stride, 0,
                  static_cast<size_t>(s.lanes_) * sizeof(float));
  s.execute(parameter.defaultBegin);
  if (!s.faults_.empty()) s.tellFaults();
  s.services_ = nullptr;
}

Value Machine::value(Name name) const {
  const MachineState& s = impl_->s;
  if (!s.program_) return {};
  const Symbol* sym = s.source().find(name);
  return sym ? s.valueOf(sym->reg) : Value{};
}

std::span<const uint8_t> Machine::lit() const {
  MachineState& s = impl_->s;
  s.litBytes_.assign(static_cast<size_t>(s.lanes_), 0);
  s.isa()->maskToBytes(s.litBytes_.data(), s.lit_.lanes, s.lanes_);
  return s.litBytes_;
}

bool Machine::isAmbientLight() const { return !impl_->s.program_->lightStatement; }

}  // namespace reyes::vm
