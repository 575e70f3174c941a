// SPDX-License-Identifier: Apache-2.0
// Chooses kernels and lays out planes. Temporaries that live within straight-line code share planes and are computed on
// all lanes, whatever the mask: their inactive lanes are never seen, and derivatives inside branches find neighbours.
#include "reyes/vm/decode.h"

#include <algorithm>
#include <map>

#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

/// Life of a register, as instruction indices.
struct Life {
  int32_t first = -1, last = -1;
  int32_t firstBlock = -1, lastBlock = -1;
  bool writtenFirst = false;   ///< the first instruction that names it only writes it
  bool topLevelFirst = false;  ///< ... outside of any branch or loop, in the main code
  bool local = false;
};

class Decoder {
 public:
  Decoder(std::shared_ptr<const Program> program, Isa isa) : out_(std::make_shared<DecodedProgram>()), p_(*program) {
    out_->program = std::move(program);
    out_->isa = isa;
    out_->table = &kernelTable(isa);
  }

  std::shared_ptr<const DecodedProgram> run() {
    findLives();
    layOutPlanes();
    for (size_t i = 0; i < p_.code.size(); ++i) instruction(i);
    findSkips();
    return out_;
  }

 private:
  void findLives();
  void layOutPlanes();
  void instruction(size_t i);
  void findSkips();
  void chooseKernel(DecodedInstruction& d, const OpInfo& info);
  const Register& reg(const Instruction& in, size_t k) const { return p_.registers[p_.args[in.firstArg + k]]; }

  std::shared_ptr<DecodedProgram> out_;
  const Program& p_;
  std::vector<Life> lives_;
};

bool opensBlock(Op op) {
  return op == Op::kIf || op == Op::kLoopBegin || op == Op::kIlluminanceBegin || op == Op::kIlluminateBegin || op == Op::kSolarBegin;
}
bool closesBlock(Op op) {
  return op == Op::kEndIf || op == Op::kLoopEnd || op == Op::kIlluminanceEnd || op == Op::kIlluminateEnd || op == Op::kSolarEnd;
}

void Decoder::findLives() {
  lives_.resize(p_.registers.size());
  int32_t block = 0, depth = 0;
  for (size_t i = 0; i < p_.code.size(); ++i) {
    const Instruction& in = p_.code[i];
    const OpInfo& info = opInfo(in.op);
    for (size_t k = 0; k < in.nargs; ++k) {
      Life& l = lives_[p_.args[in.firstArg + k]];
      const bool onlyWrites = operandAccess(info, k) == Access::kWrite;
      if (l.first < 0) {
        l.first = static_cast<int32_t>(i), l.firstBlock = block;
        l.writtenFirst = onlyWrites && !info.flow;
        l.topLevelFirst = l.writtenFirst && depth == 0 && i >= p_.mainBegin;
      } else if (l.first == static_cast<int32_t>(i) && !onlyWrites) {
        l.writtenFirst = l.topLevelFirst = false;
      }
      l.last = static_cast<int32_t>(i), l.lastBlock = block;
    }
    if (!info.flow) continue;
    ++block;
    depth += opensBlock(in.op) - closesBlock(in.op);
    out_->lightStatement |= in.op == Op::kIlluminateBegin || in.op == Op::kSolarBegin;
  }
  for (Life& l : lives_) l.local = l.first >= 0 && l.writtenFirst && l.firstBlock == l.lastBlock;
  for (const Symbol& s : p_.symbols) lives_[s.reg].local = false;
}

void Decoder::layOutPlanes() {
  out_->plane.assign(p_.registers.size(), -1);

  // Variables own their planes.
  for (size_t r = 0; r < p_.registers.size(); ++r) {
    if (!p_.registers[r].varying || lives_[r].local) continue;
    out_->plane[r] = out_->planes;
    out_->planes += p_.registers[r].planes();
    if (!lives_[r].topLevelFirst) out_->zeroed.push_back(static_cast<uint16_t>(r));
  }

  // Temporaries take the plane that was freed last, which is still in the cache.
  std::map<int, std::vector<int32_t>> freePlanes;
  for (size_t i = 0; i < p_.code.size(); ++i) {
    const Instruction& in = p_.code[i];
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = p_.args[in.firstArg + k];
      if (!p_.registers[r].varying || !lives_[r].local || out_->plane[r] >= 0) continue;
      std::vector<int32_t>& list = freePlanes[p_.registers[r].planes()];
      if (list.empty()) {
        list.push_back(out_->planes);
        out_->planes += p_.registers[r].planes();
      }
      out_->plane[r] = list.back();
      list.pop_back();
    }
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = p_.args[in.firstArg + k];
      Life& l = lives_[r];
      if (!p_.registers[r].varying || !l.local || l.last != static_cast<int32_t>(i)) continue;
      freePlanes[p_.registers[r].planes()].push_back(out_->plane[r]);
      l.last = -1;  // freed once, however often the instruction names it
    }
  }
}

void Decoder::instruction(size_t i) {
  const Instruction& in = p_.code[i];
  const OpInfo& info = opInfo(in.op);
  DecodedInstruction d;
  d.args = p_.args.data() + in.firstArg;
  d.op = in.op;
  d.nargs = in.nargs;
  d.target = in.target;

  // Written operands decide how many lanes there are, and whether the mask matters.
  bool anyWritten = false, varyingWritten = false, uniformWritten = false, varyingRead = false, variableWritten = false;
  int written = 0, planes = 0;
  for (size_t k = 0; k < in.nargs; ++k) {
    const Register& g = reg(in, k);
    planes += g.planes();
    if (operandAccess(info, k) == Access::kRead) {
      varyingRead |= g.varying;
      continue;
    }
    anyWritten = true;
    ++written;
    varyingWritten |= g.varying;
    uniformWritten |= !g.varying;
    variableWritten |= g.varying && !lives_[p_.args[in.firstArg + k]].local;
  }
  out_->maxOperandPlanes = std::max(out_->maxOperandPlanes, planes);
  d.uniform = anyWritten ? !varyingWritten : !varyingRead;
  d.maskable = variableWritten;
  if (!info.flow) {
    d.path = Path::kCall;
    chooseKernel(d, info);
    d.scratchOut = written > 1 || (varyingWritten && uniformWritten) ||
                   (info.builtin && (info.builtin->flags & BuiltinInfo::Derivative));
  }
  out_->code.push_back(d);
}

// The table of kernels has those that work on whole registers; everything else is a call of the machine.
void Decoder::chooseKernel(DecodedInstruction& d, const OpInfo& info) {
  int slot = static_cast<int>(d.op);
  const Register& first = p_.registers[d.nargs ? d.args[0] : 0];
  if (d.op == Op::kMov || d.op == Op::kSelect) {
    if (first.arrayLength || first.type == RegType::kMatrix) return;
    if (first.type == RegType::kTriple) slot = d.op == Op::kMov ? kMovTripleSlot : kSelectTripleSlot;
  }
  const KernelSet& set = out_->table->sets[slot];
  if (!set.present) return;
  if (info.tail == Tail::kRepeat && d.nargs > info.operands.size()) return;
  if (!set.full) {
    d.path = Path::kPlain;
    d.fn[0] = d.fn[1] = set.fn[0][0];
    return;
  }
  unsigned pattern = 0;
  for (int k = 0; k < set.sources; ++k)
    if (p_.registers[d.args[1 + k]].varying) pattern |= 1u << k;
  d.path = Path::kFull;
  d.fn[0] = set.fn[pattern][0];
  d.fn[1] = set.fn[pattern][1];
}

// Where the program goes on when break or continue has left no lane: at the else, step, test, next or end of the block
// around it. The end of a block needs that too, because lanes that left an outer loop inside of it do not come back.
void Decoder::findSkips() {
  std::vector<size_t> waiting;
  std::vector<size_t> marks;  // waiting.size() when each open block began
  for (size_t i = 0; i < p_.code.size(); ++i) {
    const Op op = p_.code[i].op;
    const bool boundary = op == Op::kElse || op == Op::kLoopStep || op == Op::kLoopTest || op == Op::kLoopNext ||
                          op == Op::kIlluminanceNext || closesBlock(op) || op == Op::kEnd;
    if (boundary) {
      const size_t from = marks.empty() ? 0 : std::min(marks.back(), waiting.size());
      for (size_t w = from; w < waiting.size(); ++w) out_->code[waiting[w]].skip = static_cast<int32_t>(i);
      waiting.resize(from);
    }
    if (closesBlock(op) && !marks.empty()) marks.pop_back();
    if (opensBlock(op)) marks.push_back(waiting.size());
    if (op == Op::kBreak || op == Op::kContinue || closesBlock(op)) waiting.push_back(i);
  }
  for (const size_t w : waiting) out_->code[w].skip = static_cast<int32_t>(p_.code.size() - 1);
}

}  // namespace

std::shared_ptr<const DecodedProgram> decode(std::shared_ptr<const Program> program, Isa isa) {
  return Decoder(std::move(program), isa).run();
}

}  // namespace reyes::vm
