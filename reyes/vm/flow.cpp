// SPDX-License-Identifier: Apache-2.0
// Structured control flow: which lanes are active, and where the program goes on. The verifier has checked the nesting.
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/vm/machine_state.h"

namespace reyes::vm {

Mask MachineState::newMask() {
  if (masksUsed_ == maskPlanes_.size())
    maskPlanes_.push_back(std::make_unique<uint32_t[]>(static_cast<size_t>(maskLanes_)));
  return {maskPlanes_[masksUsed_++].get(), 0};
}

void MachineState::copy(Mask& to, const Mask& from) {
  std::memcpy(to.lanes, from.lanes, static_cast<size_t>(lanes_) * sizeof(uint32_t));
  to.count = from.count;
}

void MachineState::subtract(Mask& from, const Mask& what) {
  if (from.count) from.count = isa()->maskSubtract(from.lanes, from.lanes, what.lanes, lanes_);
}

void MachineState::resetMasks() {
  // A larger grid than before needs longer planes. The masks of a run that ended in order are those of the next one.
  const bool same = maskLanes_ >= lanes_ && full_.count == grid_.points && maskPoints_ == grid_.points;
  if (maskLanes_ < lanes_) {
    maskPlanes_.clear();
    maskLanes_ = lanes_;
  }
  masksUsed_ = 0;
  frames_.clear();
  if (same && now_.count == full_.count && lit_.count == 0) {
    masksUsed_ = 3;
    return;
  }
  full_ = newMask(), now_ = newMask(), lit_ = newMask();
  maskPoints_ = grid_.points;
  const size_t points = static_cast<size_t>(grid_.points), padding = static_cast<size_t>(lanes_) - points;
  std::memset(full_.lanes, 0xff, points * sizeof(uint32_t));
  std::memset(full_.lanes + points, 0, padding * sizeof(uint32_t));
  std::memset(lit_.lanes, 0, static_cast<size_t>(lanes_) * sizeof(uint32_t));
  full_.count = grid_.points;
  copy(now_, full_);
}

Frame& MachineState::push(Op op) {
  Frame f;
  f.op = op;
  f.saved = newMask(), f.active = newMask();
  copy(f.saved, now_);
  if (op != Op::kIf) copy(f.active, now_);
  frames_.push_back(f);
  return frames_.back();
}

int MachineState::currentLight() const {
  for (size_t i = frames_.size(); i-- > 0;)
    if (frames_[i].op == Op::kIlluminanceBegin) return frames_[i].light;
  return -1;
}

// break and continue: the active lanes leave every block up to the loop; break takes them out of the loop as well.
int32_t MachineState::leave(const DecodedInstruction& d, int32_t pc) {
  int depth = d.target;
  for (size_t i = frames_.size(); i-- > 0;) {
    Frame& f = frames_[i];
    const bool loop = f.op == Op::kLoopBegin || f.op == Op::kIlluminanceBegin;
    if (loop && --depth == 0) {
      if (d.op == Op::kBreak) subtract(f.active, now_);
      break;
    }
    if (f.whole) continue;  // the decoder lets nothing leave one of these
    subtract(f.saved, now_);
    subtract(f.active, now_);
  }
  now_.count = 0;
  std::memset(now_.lanes, 0, static_cast<size_t>(lanes_) * sizeof(uint32_t));
  return d.skip > pc ? d.skip : pc + 1;
}

void MachineState::beginSends(Frame& frame) {
  if (pendingSends_.values.empty()) return;
  frame.sends = true;
  sends_.push_back(std::move(pendingSends_));
  pendingSends_ = {};
  services_->sendToLights(sends_.back().values);
}
void MachineState::endSends() {
  sends_.pop_back();
  services_->sendToLights(sends_.empty() ? std::span<const TokenValue>() : sends_.back().values);
}

// Goes to the next light that shines on an active lane; false after the last.
bool MachineState::illuminanceNext(const DecodedInstruction& begin) {
  Frame& f = frames_.back();
  const int count = services_->lightCount();
  const float* P[3];
  triple(begin, 4, P);
  while (f.active.count && ++f.light < count) {
    if (!categoryMatches(text(begin, 3), services_->lightCategory(f.light))) continue;
    resetScratch();
    copy(now_, f.active);
    triple(begin, 4, P);
    LightSample s;
    if (!services_->light(f.light, lanes(begin), P, s) || s.ambient || !s.L[0] || !s.Cl[0]) continue;

    // Lanes that are lit and within the cone.
    if (s.lit) now_.count = isa()->maskAndBytes(now_.lanes, now_.lanes, s.lit, lanes_);
    if (begin.nargs > 5 && now_.count) {
      const float* axis[3];
      triple(begin, 5, axis);
      now_.count = isa()->maskCone(now_.lanes, now_.lanes, s.L, axis, plane(begin, 6), 1.0f, lanes_);
    }
    if (!now_.count) continue;
    for (int c = 0; c < 3; ++c) {
      const Reg &L = reg(begin, 0), &Cl = reg(begin, 1), &Ol = reg(begin, 2);
      isa()->blend(L.data + c * L.stride, s.L[c], nullptr, lanes_);
      isa()->blend(Cl.data + c * Cl.stride, s.Cl[c], nullptr, lanes_);
      if (s.Ol[c])
        isa()->blend(Ol.data + c * Ol.stride, s.Ol[c], nullptr, lanes_);
      else
        isa()->fill(Ol.data + c * Ol.stride, 0.0f, lanes_);
    }
    return true;
  }
  return false;
}

int32_t MachineState::flow(const DecodedInstruction& d, int32_t pc) {
  const auto restore = [&]() -> int32_t {
    unpack();
    copy(now_, frames_.back().saved);
    if (frames_.back().sends) endSends();
    masksUsed_ -= 2;
    frames_.pop_back();
    return now_.count == 0 && d.skip > pc ? d.skip : pc + 1;
  };
  resetScratch();
  switch (d.op) {
    case Op::kEnd:
      return -1;
    case Op::kIf: {
      if (d.wholeIf) {
        Frame& whole = frames_.emplace_back();
        whole.op = Op::kIf, whole.whole = true, whole.taken = reg(d, 0).data[0] != 0.0f;
        return whole.taken ? pc + 1 : d.target;
      }
      Frame& f = push(Op::kIf);
      const Reg& cond = reg(d, 0);
      if (cond.uniform) {
        const bool taken = cond.data[0] != 0.0f;
        if (taken)
          f.active.count = 0, std::memset(f.active.lanes, 0, static_cast<size_t>(lanes_) * 4);
        else
          copy(f.active, f.saved), now_.count = 0;
      } else {
        now_.count = isa()->maskAnd(now_.lanes, f.saved.lanes, cond.data, lanes_);
        f.active.count = isa()->maskSubtract(f.active.lanes, f.saved.lanes, now_.lanes, lanes_);
      }
      pack(d);
      return now_.count ? pc + 1 : d.target;
    }
    case Op::kElse:
      if (frames_.back().whole) return frames_.back().taken ? d.target : pc + 1;
      unpack();
      copy(now_, frames_.back().active);
      pack(d);
      return now_.count ? pc + 1 : d.target;
    case Op::kEndIf:
      if (frames_.back().whole) {
        frames_.pop_back();
        return pc + 1;
      }
      [[fallthrough]];
    case Op::kLoopEnd:
    case Op::kIlluminanceEnd:
    case Op::kIlluminateEnd:
    case Op::kSolarEnd:
      return restore();

    case Op::kLoopBegin:
      push(Op::kLoopBegin);
      return pc + 1;
    case Op::kLoopTest: {
      Frame& f = frames_.back();
      const Reg& cond = reg(d, 0);
      if (!cond.uniform)
        f.active.count = isa()->maskAnd(f.active.lanes, f.active.lanes, cond.data, lanes_);
      else if (cond.data[0] == 0.0f)
        f.active.count = 0;
      copy(now_, f.active);
      pack(d);
      return now_.count ? pc + 1 : d.target;
    }
    case Op::kLoopStep:
      copy(now_, frames_.back().active);
      return now_.count ? pc + 1 : d.target;
    case Op::kLoopNext:
      copy(now_, frames_.back().active);
      if (++rounds_ > grid_.maxLoopRounds) {
        warn(d, "vm-loop-limit", format("loop left after {} rounds", grid_.maxLoopRounds));
        return pc + 1;
      }
      return now_.count ? d.target + 1 : pc + 1;
    case Op::kBreak:
    case Op::kContinue:
      return leave(d, pc);

    case Op::kIlluminanceBegin:
      beginSends(push(Op::kIlluminanceBegin));
      return illuminanceNext(d) ? pc + 1 : d.target;
    case Op::kIlluminanceNext:
      return illuminanceNext(program_->code[static_cast<size_t>(d.target)]) ? d.target + 1 : pc + 1;

    case Op::kIlluminateBegin:
    case Op::kSolarBegin: {
      push(d.op);
      const bool solar = d.op == Op::kSolarBegin;
      const int axisAt = solar ? 1 : 3;
      const Reg& L = reg(d, 0);
      const float *a[3], *b[3];
      // The direction of the light: from its place to the surface, or along the axis.
      if (!solar) {
        triple(d, 1, a), triple(d, 2, b);
        for (int c = 0; c < 3; ++c) {
          float* v = scratch(static_cast<size_t>(lanes_));
          for (int i = 0; i < lanes_; ++i) v[i] = a[c][i] - b[c][i];
          isa()->blend(L.data + c * L.stride, v, partial() ? now_.lanes : nullptr, lanes_);
        }
      } else if (d.nargs > axisAt) {
        triple(d, 1, a);
        for (int c = 0; c < 3; ++c) isa()->blend(L.data + c * L.stride, a[c], partial() ? now_.lanes : nullptr, lanes_);
      }
      if (!solar && d.nargs > axisAt) {
        const float *direction[3], *axis[3];
        triple(d, 0, direction), triple(d, axisAt, axis);
        now_.count = isa()->maskCone(now_.lanes, now_.lanes, direction, axis, plane(d, axisAt + 1), 1.0f, lanes_);
      }
      isa()->maskOr(lit_.lanes, lit_.lanes, now_.lanes, lanes_);
      lit_.count = 1;  // some: it is cleared before the next run
      return now_.count ? pc + 1 : d.target;
    }
    default:
      return pc + 1;
  }
}

bool categoryMatches(std::string_view wanted, std::string_view category) {
  const auto contains = [category](std::string_view name) {
    if (name == "*") return !category.empty();
    std::string_view rest = category;
    while (!rest.empty()) {
      const size_t comma = std::min(rest.find(','), rest.size());
      std::string_view word = rest.substr(0, comma);
      while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
      while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
      if (word == name) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return false;
  };
  bool anyPositive = false, found = false;
  while (!wanted.empty()) {
    const size_t comma = std::min(wanted.find(','), wanted.size());
    std::string_view word = wanted.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    wanted.remove_prefix(std::min(comma + 1, wanted.size()));
    if (word.empty()) continue;
    if (word.front() == '-') {
      if (contains(word.substr(1))) return false;
    } else {
      anyPositive = true;
      found |= contains(word);
    }
  }
  return found || !anyPositive;
}

}  // namespace reyes::vm
