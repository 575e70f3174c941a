// SPDX-License-Identifier: Apache-2.0
// Register allocation: linear scan over the structured code. A variable that lives across rounds of a loop keeps its
// register for the whole loop. The fewer varying registers, the more of them stay in the cache.
#include <algorithm>
#include <climits>

#include "reyes/sl/lower_impl.h"
#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

struct Life {
  int begin = INT_MAX, end = -1;
  bool firstIsPlainWrite = false;  ///< born as the result of an instruction that may overwrite a dying operand
};

struct Loop {
  int begin, end, region;
  bool repeats;  ///< else its body runs once (an inlined function with early returns)
};

std::vector<Loop> findLoops(const std::vector<IrInstr>& code) {
  std::vector<Loop> loops, open;
  for (int i = 0; i < static_cast<int>(code.size()); ++i) {
    const IrInstr& in = code[static_cast<size_t>(i)];
    if (in.op == vm::Op::kLoopBegin || in.op == vm::Op::kIlluminanceBegin)
      open.push_back({i, i, in.region, in.op == vm::Op::kIlluminanceBegin});
    if (in.op == vm::Op::kLoopNext) open.back().repeats = true;
    if (in.op == vm::Op::kLoopEnd || in.op == vm::Op::kIlluminanceEnd) {
      open.back().end = i;
      if (open.back().repeats) loops.push_back(open.back());
      open.pop_back();
    }
  }
  return loops;  // inner before outer
}

class Allocator {
 public:
  Allocator(const Ir& ir, bool share) : ir_(ir), share_(share) { result_.slotOf.assign(ir.regs.size(), -1); }

  Allocation run() {
    for (const IrSymbol& s : ir_.symbols) allocateCode(s.defaultCode);
    allocateCode(ir_.code);
    return std::move(result_);
  }

 private:
  static bool takesSlot(const IrReg& r) { return r.kind == RegKind::kTemp || r.kind == RegKind::kVariable; }

  void allocateCode(const std::vector<IrInstr>& code) {
    std::vector<int> regs;
    std::vector<Life> lives(ir_.regs.size());
    for (int i = 0; i < static_cast<int>(code.size()); ++i) {
      const IrInstr& in = code[static_cast<size_t>(i)];
      for (size_t a = 0; a < in.args.size(); ++a) {
        const int r = in.args[a];
        if (!takesSlot(ir_.reg(r))) continue;
        Life& life = lives[static_cast<size_t>(r)];
        if (life.end < 0) {
          regs.push_back(r);
          life.begin = i;
          life.firstIsPlainWrite = a == 0 && inPlaceSafe(in.op);
        }
        life.end = i;
      }
    }
    extendOverLoops(code, regs, lives);
    assign(regs, lives);
  }

  /// What is declared outside of a loop and met inside lives through all its rounds.
  void extendOverLoops(const std::vector<IrInstr>& code, const std::vector<int>& regs, std::vector<Life>& lives) const {
    for (const Loop& loop : findLoops(code))
      for (const int r : regs) {
        Life& life = lives[static_cast<size_t>(r)];
        if (life.end < loop.begin || life.begin > loop.end) continue;
        if (ir_.within(ir_.reg(r).region, loop.region)) continue;
        // Not a plain result any more: it is alive before that instruction.
        if (life.begin > loop.begin) life.begin = loop.begin, life.firstIsPlainWrite = false;
        life.end = std::max(life.end, loop.end);
      }
  }

  void assign(std::vector<int>& regs, const std::vector<Life>& lives) {
    std::stable_sort(regs.begin(), regs.end(), [&](int a, int b) {
      return lives[static_cast<size_t>(a)].begin < lives[static_cast<size_t>(b)].begin;
    });
    struct Busy {
      int end, slot;
    };
    std::vector<Busy> busy;
    std::vector<int> free;
    // Slots of earlier code segments are free again: they never run at the same time.
    for (size_t i = 0; i < result_.slots.size(); ++i) free.push_back(static_cast<int>(i));
    for (const int r : regs) {
      const Life& life = lives[static_cast<size_t>(r)];
      // A slot that dies in this very instruction may be reused by its result where the operation allows that.
      const int limit = life.firstIsPlainWrite ? life.begin : life.begin - 1;
      for (size_t i = 0; i < busy.size();) {
        if (busy[i].end > limit) {
          ++i;
          continue;
        }
        free.push_back(busy[i].slot);
        busy[i] = busy.back();
        busy.pop_back();
      }
      const int slot = takeSlot(r, free);
      result_.slotOf[static_cast<size_t>(r)] = slot;
      if (share_) busy.push_back({life.end, slot});
    }
  }

  int takeSlot(int r, std::vector<int>& free) {
    const IrReg& reg = ir_.reg(r);
    const vm::Register want{reg.type, reg.varying, reg.arrayLength};
    for (size_t i = free.size(); i-- > 0;) {
      if (!share_ || !(result_.slots[static_cast<size_t>(free[i])] == want)) continue;
      const int slot = free[i];
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
      return slot;
    }
    result_.slots.push_back(want);
    return static_cast<int>(result_.slots.size()) - 1;
  }

  const Ir& ir_;
  bool share_;
  Allocation result_;
};

}  // namespace

Allocation allocateRegisters(const Ir& ir, bool share) { return Allocator(ir, share).run(); }

}  // namespace reyes::sl
