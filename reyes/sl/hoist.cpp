// SPDX-License-Identifier: Apache-2.0
// Moves what is the same in every round of a loop in front of it: pure instructions that stand directly in the loop's
// body, whose operands the loop does not write and whose result is written once.
#include <algorithm>

#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::Op;

bool beginsLoop(Op op) { return op == Op::kLoopBegin || op == Op::kIlluminanceBegin; }
bool endsLoop(Op op) { return op == Op::kLoopEnd || op == Op::kIlluminanceEnd; }

class Hoister {
 public:
  explicit Hoister(Ir& ir) : ir_(ir), code_(ir.code) {}

  void run() {
    countWrites();
    // Inner loops first, so that what left one may leave the next.
    for (int depth = maxDepth(); depth >= 1; --depth) loopsAt(depth);
  }

 private:
  void countWrites() {
    writes_.assign(ir_.regs.size(), 0);
    for (const IrInstr& in : code_) forEachWrite(in, [&](int r) { ++writes_[static_cast<size_t>(r)]; });
  }

  int maxDepth() const {
    int depth = 0, most = 0;
    for (const IrInstr& in : code_) {
      if (beginsLoop(in.op)) most = std::max(most, ++depth);
      if (endsLoop(in.op)) --depth;
    }
    return most;
  }

  void loopsAt(int wanted) {
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i < code_.size(); ++i) {
      if (beginsLoop(code_[i].op) && ++depth == wanted) begin = i;
      if (endsLoop(code_[i].op) && depth-- == wanted) loop(begin, i);
    }
  }

  void loop(size_t begin, size_t end) {
    std::vector<bool> written(ir_.regs.size(), false);
    bool repeats = code_[begin].op == Op::kIlluminanceBegin;
    for (size_t i = begin; i < end; ++i) {
      repeats = repeats || code_[i].op == Op::kLoopNext;
      forEachWrite(code_[i], [&](int r) { written[static_cast<size_t>(r)] = true; });
    }
    if (!repeats) return;
    std::vector<bool> moves(end - begin, false);
    int nest = 0;
    for (size_t i = begin; i < end; ++i) {
      const IrInstr& in = code_[i];
      if (i > begin && closesRegion(in.op)) --nest;
      if (i > begin && opensRegion(in.op)) ++nest;
      if (nest != 0 || i == begin || !movable(in)) continue;
      bool invariant = true;
      forEachRead(in, [&](int r) { invariant = invariant && !written[static_cast<size_t>(r)]; });
      if (!invariant) continue;
      moves[i - begin] = true;
      written[static_cast<size_t>(in.args[0])] = false;
      ir_.reg(in.args[0]).region = ir_.regions[static_cast<size_t>(code_[begin].region)].parent;
    }
    std::vector<IrInstr> front, back;
    for (size_t i = begin; i < end; ++i) (moves[i - begin] ? front : back).push_back(std::move(code_[i]));
    front.insert(front.end(), std::make_move_iterator(back.begin()), std::make_move_iterator(back.end()));
    std::move(front.begin(), front.end(), code_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  bool movable(const IrInstr& in) const {
    if (!isPure(in) || in.op == Op::kMov) return false;
    return ir_.reg(in.args[0]).kind == RegKind::kTemp && writes_[static_cast<size_t>(in.args[0])] == 1;
  }

  Ir& ir_;
  std::vector<IrInstr>& code_;
  std::vector<int> writes_;
};

}  // namespace

void hoistInvariants(Ir& ir) { Hoister(ir).run(); }

}  // namespace reyes::sl
