// SPDX-License-Identifier: Apache-2.0
// The loop of the machine, and what every instruction that is no plain kernel call needs: scratch planes, spread
// operands, results that leave inactive lanes alone.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/vm/faults.h"
#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {
int64_t clockNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
}  // namespace

void MachineState::execute(uint32_t begin) {
  if (profileRows_.empty())
    executeLoop<false>(begin);
  else
    executeLoop<true>(begin);
}

template <bool Timed>
void MachineState::executeLoop(uint32_t begin) {
  KernelCall c{};
  c.regs = regs_.data();
  c.grid = &numbers_;
  c.mask = now_.lanes;
  uint32_t faults = 0;
  c.faults = &faults;
  const DecodedInstruction* code = program_->code.data();
  int64_t instructions = 0, points = 0;
  for (int32_t pc = static_cast<int32_t>(begin); pc >= 0;) {
    const DecodedInstruction& d = code[pc];
    ++instructions;
    [[maybe_unused]] const int64_t start = Timed ? clockNow() : 0;
    switch (d.path) {
      case Path::kFull:
        c.args = d.args;
        c.nargs = d.nargs;
        c.n = d.uniform ? 1 : lanes_;
        points += c.n;
        d.fn[d.maskable && partial()](c);
        if (faults) [[unlikely]]
          fault(d, faults), faults = 0;
        ++pc;
        break;
      case Path::kPlain:
        points += d.uniform ? 1 : lanes_;
        plain(d);
        ++pc;
        break;
      case Path::kCall:
        points += d.uniform ? 1 : lanes_;
        resetScratch();
        call(d);
        ++pc;
        break;
      case Path::kFlow:
        pc = flow(d, pc);
        break;
    }
    if constexpr (Timed) {
      Profile::Row& row = profileRows_[static_cast<size_t>(&d - code)];
      row.nanoseconds += clockNow() - start, ++row.runs;
    }
  }
  stats_.instructions += instructions;
  stats_.pointInstructions += points;
}

float* MachineState::scratch(size_t n) {
  n = (n + kLanePad - 1) / kLanePad * kLanePad;
  while (scratchBlock_ < scratchBlocks_.size() && scratchUsed_ + n > scratchSizes_[scratchBlock_])
    ++scratchBlock_, scratchUsed_ = 0;
  if (scratchBlock_ == scratchBlocks_.size()) {
    const size_t size = std::max<size_t>(n, 64 * 1024);
    scratchBlocks_.push_back(std::make_unique<std::byte[]>(size * sizeof(float) + 64));
    scratchSizes_.push_back(size);
    scratchUsed_ = 0;
  }
  const uintptr_t base = (reinterpret_cast<uintptr_t>(scratchBlocks_[scratchBlock_].get()) + 63) / 64 * 64;
  float* p = reinterpret_cast<float*>(base) + scratchUsed_;
  scratchUsed_ += n;
  return p;
}

const float* MachineState::plane(const DecodedInstruction& d, int k, int component) {
  const Reg& r = reg(d, k);
  const float* p = r.data + static_cast<ptrdiff_t>(component) * r.stride;
  if (!r.uniform) return p;
  const int n = lanesOf(d);
  float* s = scratch(static_cast<size_t>(n));
  isa()->fill(s, p[0], n);
  return s;
}

float* MachineState::outPlane(const DecodedInstruction& d) {
  const int n = lanesOf(d);
  float* s = scratch(static_cast<size_t>(n));
  std::memset(s, 0, static_cast<size_t>(n) * sizeof(float));
  return s;
}

void MachineState::store(const DecodedInstruction& d, int k, int component, const float* values) {
  const Reg& r = reg(d, k);
  float* p = r.data + static_cast<ptrdiff_t>(component) * r.stride;
  if (r.uniform) {
    p[0] = values[d.uniform ? 0 : firstActive()];
  } else if (d.uniform) {
    isa()->blend(p, values, nullptr, kLanePad);
  } else {
    isa()->blend(p, values, d.maskable && partial() ? now_.lanes : nullptr, lanes_);
  }
}

void MachineState::storeUniform(const DecodedInstruction& d, int k, int component, float value) {
  const Reg& r = reg(d, k);
  if (r.uniform) {
    r.data[static_cast<ptrdiff_t>(component) * r.stride] = value;
    return;
  }
  float* s = scratch(static_cast<size_t>(lanes_));
  isa()->fill(s, value, lanes_);
  isa()->blend(r.data + static_cast<ptrdiff_t>(component) * r.stride, s, d.maskable && partial() ? now_.lanes : nullptr,
               lanes_);
}

int MachineState::firstActive() const {
  if (!partial()) return 0;
  for (int i = 0; i < grid_.points; ++i)
    if (now_.lanes[i]) return i;
  return 0;
}

float MachineState::scalar(const DecodedInstruction& d, int k, int component) const {
  const Reg& r = regs_[d.args[k]];
  return r.data[static_cast<ptrdiff_t>(component) * r.stride + (r.uniform ? 0 : firstActive())];
}

Lanes MachineState::lanes(const DecodedInstruction& d) {
  const int n = lanesOf(d);
  uint8_t* active = reinterpret_cast<uint8_t*>(scratch(static_cast<size_t>(n) / 4 + 1));
  if (d.uniform) {
    for (int i = 0; i < n; ++i) active[i] = i == 0;
  } else {
    isa()->maskToBytes(active, now_.lanes, n);
  }
  const uint32_t line = source().lines[static_cast<size_t>(&d - program_->code.data())];
  const size_t file = line >> 24;
  return {d.uniform ? 1 : grid_.points, n, active, static_cast<int>(line & 0xffffff),
          file < source().files.size() ? std::string_view(source().files[file]) : std::string_view()};
}

Value MachineState::valueOf(uint16_t r) const {
  const Register& g = program_->registers[r];
  Value v;
  v.type = g.type;
  v.arrayLength = g.arrayLength;
  v.uniform = regs_[r].uniform;
  v.stride = regs_[r].stride;
  if (g.type != RegType::kString) {
    v.data = regs_[r].data;
    return v;
  }
  v.uniform = true;
  for (int e = 0; e < v.elements(); ++e)
    v.strings.push_back(text(std::bit_cast<uint32_t>(regs_[r].data[static_cast<ptrdiff_t>(e) * regs_[r].stride])));
  return v;
}

// A kernel that wants every source varying and every result its own. Uniform sources are spread, and results that must
// leave lanes alone, or that may overlap with sources, are computed aside.
void MachineState::plain(const DecodedInstruction& d) {
  resetScratch();
  const OpInfo& info = opInfo(d.op);
  const int n = d.uniform ? 1 : lanes_;
  const bool masked = d.maskable && partial();
  const bool aside = masked || d.scratchOut;
  plainRegs_.clear(), plainArgs_.clear();
  for (int k = 0; k < d.nargs; ++k) {
    Reg r = reg(d, k);
    const int planes = type(d, k).planes();
    const Access access = operandAccess(info, static_cast<size_t>(k));
    const bool spread = r.uniform && !d.uniform;
    if ((access != Access::kRead && (aside || spread)) || spread) {
      const Reg from = r;
      r.stride = d.uniform ? 1 : lanes_;
      r.data = scratch(static_cast<size_t>(planes) * static_cast<size_t>(std::max(r.stride, 1)));
      r.uniform = d.uniform;
      for (int c = 0; c < planes && access != Access::kWrite; ++c) {
        float* to = r.data + static_cast<ptrdiff_t>(c) * r.stride;
        const float* p = from.data + static_cast<ptrdiff_t>(c) * from.stride;
        if (from.uniform)
          isa()->fill(to, p[0], n);
        else
          isa()->blend(to, p, nullptr, n);
      }
    }
    plainRegs_.push_back(r);
    plainArgs_.push_back(static_cast<uint16_t>(k));
  }

  KernelCall c{};
  c.regs = plainRegs_.data(), c.args = plainArgs_.data(), c.mask = now_.lanes, c.grid = &numbers_;
  c.n = n, c.nargs = d.nargs;
  uint32_t faults = 0;
  c.faults = &faults;
  if (info.builtin && info.builtin->flags & BuiltinInfo::Derivative)
    c.room = scratch(static_cast<size_t>(kRoomPlanes) * static_cast<size_t>(lanes_));
  d.fn[0](c);
  if (faults) fault(d, faults);

  // Results go home.
  for (int k = 0; k < d.nargs; ++k) {
    if (operandAccess(info, static_cast<size_t>(k)) == Access::kRead) continue;
    const Reg &from = plainRegs_[static_cast<size_t>(k)], &to = reg(d, k);
    if (from.data == to.data) continue;
    for (int p = 0; p < type(d, k).planes(); ++p) {
      const float* v = from.data + static_cast<ptrdiff_t>(p) * from.stride;
      float* o = to.data + static_cast<ptrdiff_t>(p) * to.stride;
      if (to.uniform)
        o[0] = v[d.uniform ? 0 : firstActive()];
      else
        isa()->blend(o, v, masked ? now_.lanes : nullptr, n);
    }
  }
}

void MachineState::call(const DecodedInstruction& d) {
  const bool done = callMove(*this, d) || callMath(*this, d) || callSpace(*this, d) || callColor(*this, d) ||
                    callLight(*this, d) || callMap(*this, d) || callText(*this, d) || callMessage(*this, d) ||
                    callPlanned(*this, d);
  if (!done) warn(d, "vm-not-implemented", format("{} is not in this machine", opInfo(d.op).mnemonic));
}

std::string_view MachineState::text(uint32_t id) const {
  if (id < baseStrings_->size()) return (*baseStrings_)[id];
  id -= static_cast<uint32_t>(baseStrings_->size());
  return id < runStrings_.size() ? std::string_view(runStrings_[id]) : std::string_view();
}

std::string_view MachineState::text(const DecodedInstruction& d, int k, int element) const {
  const Reg& r = reg(d, k);
  return text(
      std::bit_cast<uint32_t>(r.data[static_cast<ptrdiff_t>(element) * r.stride + (r.uniform ? 0 : firstActive())]));
}

float MachineState::intern(std::string_view s) {
  for (size_t i = 0; i < baseStrings_->size(); ++i)
    if ((*baseStrings_)[i] == s) return std::bit_cast<float>(static_cast<uint32_t>(i));
  if (const auto it = runIndex_.find(s); it != runIndex_.end()) return std::bit_cast<float>(it->second);
  // A shader that makes strings without end gets empty ones.
  if (runStrings_.size() >= kMaxRunStrings || runText_ + s.size() > kMaxRunText) return 0.0f;
  const uint32_t id = static_cast<uint32_t>(baseStrings_->size() + runStrings_.size());
  runText_ += s.size();
  runIndex_.emplace(runStrings_.emplace_back(s), id);
  return std::bit_cast<float>(id);
}

void MachineState::fault(const DecodedInstruction& d, int64_t points) {
  for (auto& [at, count] : faults_)
    if (at == &d) {
      count += points;
      return;
    }
  faults_.push_back({&d, points});
}

void MachineState::tellFaults() {
  for (const auto& [d, points] : faults_) {
    const uint32_t line = source().lines[static_cast<size_t>(d - program_->code.data())];
    const size_t file = line >> 24;
    const FaultText text = faultText(d->op);
    services_->fault(text.code, text.text,
                     file < source().files.size() ? std::string_view(source().files[file]) : std::string_view(),
                     static_cast<int>(line & 0xffffff), points);
  }
  faults_.clear();
}

void MachineState::warn(const DecodedInstruction& d, const char* code, std::string message) {
  const std::string_view key = std::string_view(code) == "not-built" ? std::string_view(message) : code;
  if (std::find(warned_.begin(), warned_.end(), key) != warned_.end()) return;
  warned_.emplace_back(key);
  const uint32_t line = source().lines[static_cast<size_t>(&d - program_->code.data())];
  const size_t file = line >> 24;
  services_->warn(code, message,
                  file < source().files.size() ? std::string_view(source().files[file]) : std::string_view(),
                  static_cast<int>(line & 0xffffff));
}

}  // namespace reyes::vm
