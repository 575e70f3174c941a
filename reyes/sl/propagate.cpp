// SPDX-License-Identifier: Apache-2.0
// One forward walk that replaces operands by earlier copies and constants, folds constant instructions and reuses
// values that were computed already. What holds in a region holds in the regions inside it; what a region wrote is
// forgotten at its end. Versions of registers (a number that grows with each write) tell whether a fact is still true.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "reyes/sl/fold.h"
#include "reyes/sl/passes.h"

namespace reyes::sl {
namespace {

using vm::Op;

class Propagator {
 public:
  Propagator(Ir& ir, std::vector<IrInstr>& code) : ir_(ir), code_(code), folder_(ir), versions_(ir.regs.size(), 0) {}

  void run() {
    matchEnds();
    open_.push_back({});
    std::vector<IrInstr> out;
    out.reserve(code_.size());
    for (size_t i = 0; i < code_.size(); ++i) {
      IrInstr in = std::move(code_[i]);
      if (i < skipUntil_) continue;
      if (closesRegion(in.op)) leave();
      if (droppedEnd(i)) continue;
      // Lanes that left a round early are back: what was found since the loop began holds for fewer lanes.
      if (in.op == Op::kLoopStep) leave(), open_.push_back({});
      replaceOperands(in);
      if (in.op == Op::kIf && constantIf(in, i)) continue;
      if (in.op == Op::kLoopBegin || in.op == Op::kIlluminanceBegin) forgetWrittenIn(i);
      if (opensRegion(in.op)) {
        recordWrites(in);
        open_.push_back({});
        out.push_back(std::move(in));
        continue;
      }
      simplify(in);
      out.push_back(std::move(in));
    }
    code_ = std::move(out);
  }

 private:
  struct Fact {
    int reg = -1;
    int version = 0;
  };
  struct Copy {
    int own = 0;  ///< version of the copy that the fact is about
    Fact source;
  };
  using Key = std::vector<int>;  ///< op, then register and version of each operand
  struct Region {
    std::vector<int> written;
    std::vector<Key> found;
  };

  int& version(int r) {
    if (static_cast<size_t>(r) >= versions_.size()) versions_.resize(static_cast<size_t>(r) + 1, 0);
    return versions_[static_cast<size_t>(r)];
  }

  /// Where each region's last instruction is.
  void matchEnds() {
    ends_.assign(code_.size(), 0);
    std::vector<size_t> stack;
    for (size_t i = 0; i < code_.size(); ++i) {
      if (closesRegion(code_[i].op)) {
        ends_[stack.back()] = i;
        stack.pop_back();
      }
      if (opensRegion(code_[i].op)) stack.push_back(i);
    }
  }

  void leave() {
    Region r = std::move(open_.back());
    open_.pop_back();
    for (const Key& k : r.found) table_.erase(k);
    for (const int w : r.written) {
      ++version(w);
      open_.back().written.push_back(w);
    }
  }

  void recordWrites(const IrInstr& in) {
    forEachWrite(in, [&](int r) {
      ++version(r);
      open_.back().written.push_back(r);
    });
  }

  void forgetWrittenIn(size_t begin) {
    for (size_t i = begin; i < ends_[begin]; ++i) {
      // Instructions of the loop were not visited yet, so their operands are as written.
      if (i == begin) continue;
      forEachWrite(code_[i], [&](int r) {
        ++version(r);
        open_.back().written.push_back(r);
      });
    }
  }

  void replaceOperands(IrInstr& in) {
    for (size_t i = 0; i < in.args.size(); ++i) {
      const Access a = operandAccess(in.op, i);
      if (a.write) continue;
      const auto it = copies_.find(in.args[i]);
      if (it == copies_.end()) continue;
      const Copy& c = it->second;
      if (c.own == version(in.args[i]) && c.source.version == version(c.source.reg)) in.args[i] = c.source.reg;
    }
  }

  /// `if` with a known condition: only the branch that runs is kept. Its markers go, its instructions stay.
  bool constantIf(const IrInstr& in, size_t at) {
    const IrReg& c = ir_.reg(in.args[0]);
    if (c.kind != RegKind::kConstant) return false;
    const bool yes = c.value[0] != 0;
    const size_t end = ends_[at];
    const bool hasElse = code_[end].op == Op::kElse;
    const size_t last = hasElse ? ends_[end] : end;
    if (yes) {
      // Skip from the else on when it comes; the endif too.
      skips_[end] = last + 1;
    } else if (hasElse) {
      skipUntil_ = end + 1;
      skips_[last] = last + 1;
    } else {
      skipUntil_ = last + 1;
      return true;
    }
    open_.push_back({});  // popped by the marker that is dropped
    return true;
  }

  /// True at the else or endif of an if whose markers are dropped.
  bool droppedEnd(size_t at) {
    const auto it = skips_.find(at);
    if (it == skips_.end()) return false;
    skipUntil_ = it->second;
    return true;
  }

  void simplify(IrInstr& in) {
    if (isFlow(in.op)) return;
    folder_.fold(in);
    if (in.op == Op::kMov) {
      recordWrites(in);
      recordCopy(in);
      return;
    }
    if (!isShareable(in)) {
      recordWrites(in);
      return;
    }
    Key key{static_cast<int>(in.op)};
    for (size_t i = 1; i < in.args.size(); ++i) {
      key.push_back(in.args[i]);
      key.push_back(version(in.args[i]));
    }
    const int dst = in.args[0];
    const bool selfRead = std::find(in.args.begin() + 1, in.args.end(), dst) != in.args.end();
    if (const auto it = table_.find(key); it != table_.end()) {
      const Fact& f = it->second;
      const IrReg& a = ir_.reg(f.reg);
      const IrReg& b = ir_.reg(dst);
      if (f.version == version(f.reg) && a.type == b.type && a.arrayLength == b.arrayLength) {
        in.op = Op::kMov;
        in.args = {dst, f.reg};
        recordWrites(in);
        recordCopy(in);
        return;
      }
    }
    recordWrites(in);
    if (selfRead) return;
    if (table_.insert_or_assign(key, Fact{dst, version(dst)}).second) open_.back().found.push_back(std::move(key));
  }

  void recordCopy(const IrInstr& mov) {
    const int dst = mov.args[0], src = mov.args[1];
    const IrReg& a = ir_.reg(dst);
    const IrReg& b = ir_.reg(src);
    if (dst == src || a.arrayLength > 0 || b.arrayLength > 0 || a.type != b.type) return;
    copies_[dst] = {version(dst), {src, version(src)}};
  }

  Ir& ir_;
  std::vector<IrInstr>& code_;
  Folder folder_;
  std::vector<int> versions_;
  std::vector<size_t> ends_;
  std::vector<Region> open_;
  std::map<Key, Fact> table_;
  std::unordered_map<int, Copy> copies_;
  std::map<size_t, size_t> skips_;
  size_t skipUntil_ = 0;
};

}  // namespace

void propagate(Ir& ir, std::vector<IrInstr>& code) { Propagator(ir, code).run(); }

}  // namespace reyes::sl
