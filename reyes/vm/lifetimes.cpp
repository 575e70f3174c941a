// SPDX-License-Identifier: Apache-2.0
// Liveness by the usual backward data flow. It is done for one lane: each lane runs the program as a scalar one would,
// so a masked write is a full write for the lanes that make it.
#include "reyes/vm/lifetimes.h"

#include <algorithm>

#include "reyes/vm/tables.h"

namespace reyes::vm {

bool opensBlock(Op op) {
  return op == Op::kIf || op == Op::kLoopBegin || op == Op::kIlluminanceBegin || op == Op::kIlluminateBegin ||
         op == Op::kSolarBegin;
}
bool closesBlock(Op op) {
  return op == Op::kEndIf || op == Op::kLoopEnd || op == Op::kIlluminanceEnd || op == Op::kIlluminateEnd ||
         op == Op::kSolarEnd;
}

namespace {

/// A set of registers.
using Bits = std::vector<uint64_t>;
bool has(const Bits& b, size_t i) { return b[i / 64] >> (i % 64) & 1; }
void put(Bits& b, size_t i) { b[i / 64] |= uint64_t{1} << (i % 64); }
void drop(Bits& b, size_t i) { b[i / 64] &= ~(uint64_t{1} << (i % 64)); }

/// Straight-line code [begin, end); a control instruction is the last of its block.
struct Block {
  size_t begin = 0, end = 0;
  std::vector<uint32_t> next;  // blocks
  Bits in, out;
};

class Finder {
 public:
  explicit Finder(const Program& p) : p_(p), words_((p.registers.size() + 63) / 64) {}

  Lifetimes run() {
    out_.registers = p_.registers;
    out_.args = p_.args;
    makeBlocks();
    flowBackwards();
    rename();
    // What is alive where a region begins may be read before it is written.
    Bits entry(words_, 0);
    const auto add = [&](size_t at) {
      const Bits& b = blocks_[blockOf_[at]].in;
      for (size_t w = 0; w < words_; ++w) entry[w] |= b[w];
    };
    add(p_.mainBegin);
    for (const Symbol& s : p_.symbols)
      if (s.defaultEnd > s.defaultBegin) add(s.defaultBegin);
    // Symbols may be read by the host; and derivatives look at neighbours that have not written.
    for (size_t r = 0; r < p_.registers.size(); ++r)
      if (p_.registers[r].varying && (has(entry, r) || isSymbol_[r] || p_.usesDerivatives))
        out_.zeroed.push_back(static_cast<uint16_t>(r));
    out_.local.resize(out_.registers.size(), true);
    for (size_t r = 0; r < p_.registers.size(); ++r) out_.local[r] = false;
    return std::move(out_);
  }

 private:
  /// Written without being read, by an instruction that is no control flow.
  bool plainWrite(const Instruction& in, size_t k) const {
    const OpInfo& info = opInfo(in.op);
    return !info.flow && operandAccess(info, k) == Access::kWrite;
  }
  void makeBlocks();
  void link();
  void flowBackwards();
  void rename();
  void step(const Instruction& in, Bits& live) const;

  const Program& p_;
  size_t words_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> blockOf_;
  std::vector<bool> isSymbol_;
  Lifetimes out_;
};

void Finder::makeBlocks() {
  isSymbol_.assign(p_.registers.size(), false);
  for (const Symbol& s : p_.symbols) isSymbol_[s.reg] = true;
  std::vector<bool> starts(p_.code.size() + 1, false);
  starts[0] = starts[p_.mainBegin] = true;
  const bool continues =
      std::any_of(p_.code.begin(), p_.code.end(), [](const Instruction& in) { return in.op == Op::kContinue; });
  for (size_t i = 0; i < p_.code.size(); ++i) {
    const Op op = p_.code[i].op;
    if (!opInfo(op).flow) continue;
    // Lanes come from elsewhere to ends, else, step and next: each begins a block. To a test only after continue.
    const bool gathers = closesBlock(op) || op == Op::kElse || op == Op::kLoopStep || op == Op::kLoopNext ||
                         op == Op::kIlluminanceNext || (op == Op::kLoopTest && continues);
    if (gathers) starts[i] = true;
    starts[i + 1] = true;
  }
  blockOf_.resize(p_.code.size());
  for (size_t i = 0; i < p_.code.size(); ++i) {
    if (starts[i]) blocks_.push_back({i, i, {}, Bits(words_, 0), Bits(words_, 0)});
    blocks_.back().end = i + 1;
    blockOf_[i] = static_cast<uint32_t>(blocks_.size() - 1);
  }
  link();
}

void Finder::link() {
  std::vector<size_t> loops;  // instruction indices of open loops
  for (Block& b : blocks_) {
    const size_t i = b.end - 1;
    const Instruction& in = p_.code[i];
    const auto to = [&](size_t at) {
      if (at < p_.code.size()) b.next.push_back(blockOf_[at]);
    };
    const bool loop = in.op == Op::kLoopBegin || in.op == Op::kIlluminanceBegin;
    if (loop) loops.push_back(i);
    if (in.op == Op::kEnd) continue;
    if (in.op == Op::kBreak || in.op == Op::kContinue) {
      // The end of its loop, and every place in the loop where lanes gather: more than there is, never less.
      for (const size_t l : loops) {
        to(static_cast<size_t>(p_.code[l].target));
        for (size_t k = l + 1; k < static_cast<size_t>(p_.code[l].target); ++k) {
          const Op op = p_.code[k].op;
          if (op == Op::kLoopStep || op == Op::kLoopTest || op == Op::kLoopNext || op == Op::kIlluminanceNext) to(k);
        }
      }
      continue;
    }
    to(i + 1);
    if (!opInfo(in.op).flow) continue;
    if (in.target >= 0)
      to(static_cast<size_t>(in.target) + (in.op == Op::kLoopNext || in.op == Op::kIlluminanceNext ? 1 : 0));
    if (in.op == Op::kIf) to(static_cast<size_t>(in.target) + 1);  // into the else branch
    if ((in.op == Op::kLoopEnd || in.op == Op::kIlluminanceEnd) && !loops.empty()) loops.pop_back();
  }
}

/// One instruction backwards.
void Finder::step(const Instruction& in, Bits& live) const {
  for (size_t k = 0; k < in.nargs; ++k)
    if (plainWrite(in, k)) drop(live, p_.args[in.firstArg + k]);
  for (size_t k = 0; k < in.nargs; ++k)
    if (!plainWrite(in, k)) put(live, p_.args[in.firstArg + k]);
}

void Finder::flowBackwards() {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t n = blocks_.size(); n-- > 0;) {
      Block& b = blocks_[n];
      for (const uint32_t next : b.next)
        for (size_t w = 0; w < words_; ++w) b.out[w] |= blocks_[next].in[w];
      Bits live = b.out;
      for (size_t i = b.end; i-- > b.begin;) step(p_.code[i], live);
      if (live != b.in) b.in = std::move(live), changed = true;
    }
  }
}

// Within each block, backwards: a write whose value is dead at the end of the block begins a local value.
void Finder::rename() {
  std::vector<std::vector<size_t>> uses(p_.registers.size());  // args that read the value that is now looked for
  std::vector<uint16_t> touched;
  for (const Block& b : blocks_) {
    Bits dead(words_, ~uint64_t{0});
    for (size_t w = 0; w < words_; ++w) dead[w] = ~b.out[w];
    for (size_t i = b.end; i-- > b.begin;) {
      const Instruction& in = p_.code[i];
      for (size_t k = 0; k < in.nargs; ++k) {
        const size_t a = in.firstArg + k;
        const uint16_t r = p_.args[a];
        if (!plainWrite(in, k) || !p_.registers[r].varying || isSymbol_[r]) continue;
        if (has(dead, r) && out_.registers.size() < 0xfff0) {
          const uint16_t fresh = static_cast<uint16_t>(out_.registers.size());
          out_.registers.push_back(p_.registers[r]);
          out_.args[a] = fresh;
          for (const size_t use : uses[r]) out_.args[use] = fresh;
        }
        uses[r].clear();
        put(dead, r);  // before this write the old value is dead, until a read says otherwise
      }
      for (size_t k = 0; k < in.nargs; ++k) {
        const uint16_t r = p_.args[in.firstArg + k];
        if (plainWrite(in, k)) continue;
        uses[r].push_back(in.firstArg + k);
        touched.push_back(r);
      }
    }
    for (const uint16_t r : touched) uses[r].clear();
    touched.clear();
  }
}

}  // namespace

Lifetimes findLifetimes(const Program& p) { return Finder(p).run(); }

}  // namespace reyes::vm
