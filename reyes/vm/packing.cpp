// SPDX-License-Identifier: Apache-2.0
// A branch or loop that few points take runs on those points alone: its variables are gathered into short planes, the
// body runs as on a small grid with all lanes active, and what it changed is scattered back. Lanes do not depend on
// each other there (decode.cpp chooses the bodies), so the bits are the same.
#include <algorithm>

#include "reyes/vm/machine_state.h"

namespace reyes::vm {

void MachineState::pack(const DecodedInstruction& d) {
  if (d.body < 0 || packing_.body || now_.count == 0 || !partial()) return;
  const Body& body = program_->bodies[static_cast<size_t>(d.body)];
  const int packed = padLanes(now_.count);
  // Copying takes about two cycles a number and a start; the body takes its cost a vector that is left out.
  constexpr int64_t kStart = 150, kCopy = 2, kVector = 8;
  const int64_t spent = kStart + lanes_ / 4 + kCopy * now_.count * body.planes;
  const int64_t saved = static_cast<int64_t>(body.cost) * (lanes_ - packed) / kVector;
  const bool worth =
      grid_.pack == GridInfo::Pack::kWhereWorth ? saved >= 2 * spent : grid_.pack == GridInfo::Pack::kAlways;
  if (!worth) return;
  ++stats_.packed;

  Packing& p = packing_;
  p.body = &body, p.lanes = lanes_, p.points = grid_.points;
  p.places.clear();
  for (int i = 0; i < lanes_; ++i)
    if (now_.lanes[i]) p.places.push_back(i);
  size_t floats = 0;
  for (const uint16_t r : body.registers) floats += static_cast<size_t>(program_->registers[r].planes() * packed);
  if (p.memory.size() < floats) p.memory.resize(floats);
  p.registers.clear();
  float* to = p.memory.data();
  for (const uint16_t r : body.registers) {
    const Reg from = regs_[r];
    p.registers.push_back(from);
    regs_[r] = {to, packed, false};
    for (int c = 0; c < program_->registers[r].planes(); ++c, to += packed) {
      const float* plane = from.data + static_cast<ptrdiff_t>(c) * from.stride;
      for (size_t k = 0; k < p.places.size(); ++k) to[k] = plane[p.places[k]];
      std::fill(to + p.places.size(), to + packed, to[0]);
    }
  }
  lanes_ = packed;
  grid_.points = now_.count;
  std::fill_n(now_.lanes, now_.count, ~0u);
  std::fill_n(now_.lanes + now_.count, packed - now_.count, 0u);
  Frame& f = frames_.back();
  f.packed = true;
  if (f.op == Op::kLoopBegin) copy(f.active, now_);
}

void MachineState::unpack() {
  Frame& f = frames_.back();
  if (!f.packed) return;
  f.packed = false;
  Packing& p = packing_;
  for (size_t k = 0; k < p.body->registers.size(); ++k) {
    const uint16_t r = p.body->registers[k];
    const Reg from = regs_[r], to = p.registers[k];
    regs_[r] = to;
    if (!p.body->written[k]) continue;
    for (int c = 0; c < program_->registers[r].planes(); ++c) {
      const float* values = from.data + static_cast<ptrdiff_t>(c) * from.stride;
      float* plane = to.data + static_cast<ptrdiff_t>(c) * to.stride;
      for (size_t i = 0; i < p.places.size(); ++i) plane[p.places[i]] = values[i];
    }
  }
  lanes_ = p.lanes, grid_.points = p.points;
  p.body = nullptr;
}

}  // namespace reyes::vm
