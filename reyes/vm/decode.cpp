// SPDX-License-Identifier: Apache-2.0
// Chooses kernels and lays out planes. Temporaries that live within straight-line code share planes and are computed on
// all lanes, whatever the mask: their inactive lanes are never seen, and derivatives inside branches find neighbours.
#include "reyes/vm/decode.h"

#include <algorithm>
#include <map>

#include "reyes/vm/lifetimes.h"
#include "reyes/vm/pointwise.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

class Decoder {
 public:
  Decoder(std::shared_ptr<const Program> program, Isa isa) : out_(std::make_shared<DecodedProgram>()), p_(*program) {
    out_->program = std::move(program);
    out_->isa = isa;
    out_->table = &kernelTable(isa);
  }

  std::shared_ptr<const DecodedProgram> run() {
    layOutPlanes();
    for (size_t i = 0; i < p_.code.size(); ++i) instruction(i);
    findSkips();
    findBodies();
    return out_;
  }

 private:
  void layOutPlanes();
  void instruction(size_t i);
  void findSkips();
  void findBodies();
  int32_t addBody(size_t begin, size_t end, int loops);
  bool leavesFrom(size_t begin) const;
  void chooseKernel(DecodedInstruction& d, const OpInfo& info);
  uint16_t arg(const Instruction& in, size_t k) const { return out_->args[in.firstArg + k]; }

  std::shared_ptr<DecodedProgram> out_;
  const Program& p_;
  std::vector<bool> local_;  ///< per register of out_
  size_t room_ = 1 << 20;    ///< instructions that addBody() may still look at
};

void Decoder::layOutPlanes() {
  Lifetimes life = findLifetimes(p_);
  local_ = std::move(life.local);
  out_->registers = std::move(life.registers);
  out_->args = std::move(life.args);
  out_->zeroed = std::move(life.zeroed);
  const std::vector<Register>& regs = out_->registers;
  out_->plane.assign(regs.size(), -1);

  // Variables own their planes, if any instruction or symbol names them.
  std::vector<int32_t> last(regs.size(), -1);
  for (size_t i = 0; i < p_.code.size(); ++i)
    for (size_t k = 0; k < p_.code[i].nargs; ++k) last[arg(p_.code[i], k)] = static_cast<int32_t>(i);
  for (const Symbol& s : p_.symbols) last[s.reg] = std::max(last[s.reg], 0);
  for (size_t r = 0; r < regs.size(); ++r) {
    if (!regs[r].varying || local_[r] || last[r] < 0) continue;
    out_->plane[r] = out_->planes;
    out_->planes += regs[r].planes();
  }
  std::erase_if(out_->zeroed, [this](uint16_t r) { return out_->plane[r] < 0; });

  // Local values take the plane that was freed last, which is still in the cache.
  std::map<int, std::vector<int32_t>> freePlanes;
  for (size_t i = 0; i < p_.code.size(); ++i) {
    const Instruction& in = p_.code[i];
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = arg(in, k);
      if (!regs[r].varying || !local_[r] || out_->plane[r] >= 0) continue;
      std::vector<int32_t>& list = freePlanes[regs[r].planes()];
      if (list.empty()) {
        list.push_back(out_->planes);
        out_->planes += regs[r].planes();
      }
      out_->plane[r] = list.back();
      list.pop_back();
    }
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = arg(in, k);
      if (!regs[r].varying || !local_[r] || last[r] != static_cast<int32_t>(i)) continue;
      freePlanes[regs[r].planes()].push_back(out_->plane[r]);
      last[r] = -1;  // freed once, however often the instruction names it
    }
  }
}

void Decoder::instruction(size_t i) {
  const Instruction& in = p_.code[i];
  const OpInfo& info = opInfo(in.op);
  DecodedInstruction d;
  d.args = out_->args.data() + in.firstArg;
  d.op = in.op;
  d.nargs = in.nargs;
  d.target = in.target;

  // Written operands decide how many lanes there are, and whether the mask matters.
  bool anyWritten = false, varyingWritten = false, uniformWritten = false, varyingRead = false, variableWritten = false;
  int written = 0, planes = 0;
  for (size_t k = 0; k < in.nargs; ++k) {
    const Register& g = out_->registers[arg(in, k)];
    planes += g.planes();
    if (operandAccess(info, k) == Access::kRead) {
      varyingRead |= g.varying;
      continue;
    }
    anyWritten = true;
    ++written;
    varyingWritten |= g.varying;
    uniformWritten |= !g.varying;
    variableWritten |= g.varying && !local_[arg(in, k)];
  }
  out_->maxOperandPlanes = std::max(out_->maxOperandPlanes, planes);
  d.uniform = anyWritten ? !varyingWritten : !varyingRead;
  d.maskable = variableWritten;
  out_->lightStatement |= in.op == Op::kIlluminateBegin || in.op == Op::kSolarBegin;
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
  const Register& first = out_->registers[d.nargs ? d.args[0] : 0];
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
    if (out_->registers[d.args[1 + k]].varying) pattern |= 1u << k;
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

// Branches and loops that may run on packed points.
void Decoder::findBodies() {
  std::vector<std::pair<size_t, int32_t>> loops;  // begin, body
  for (size_t i = 0; i < p_.code.size(); ++i) {
    const Instruction& in = p_.code[i];
    DecodedInstruction& d = out_->code[i];
    const bool uniformIf = in.op == Op::kIf && !out_->registers[d.args[0]].varying;
    d.wholeIf = uniformIf && !leavesFrom(i);
    const bool branch = (in.op == Op::kIf && !uniformIf) || in.op == Op::kElse;
    if (branch) d.body = addBody(i + 1, static_cast<size_t>(in.target), 0);
    if (in.op == Op::kLoopBegin) loops.push_back({i, addBody(i + 1, static_cast<size_t>(in.target), 1)});
    if (in.op == Op::kLoopTest && !loops.empty()) d.body = loops.back().second;
    if (in.op == Op::kLoopEnd && !loops.empty()) loops.pop_back();
  }
}

/// True where a break or continue in the branches of the `if` at `begin` goes on outside of them.
bool Decoder::leavesFrom(size_t begin) const {
  int blocks = 0, loops = 0;
  for (size_t i = begin; i < p_.code.size(); ++i) {
    const Op op = p_.code[i].op;
    const bool loop = op == Op::kLoopBegin || op == Op::kIlluminanceBegin;
    const bool loopEnd = op == Op::kLoopEnd || op == Op::kIlluminanceEnd;
    if ((op == Op::kBreak || op == Op::kContinue) && p_.code[i].target > loops) return true;
    loops += loop ? 1 : loopEnd ? -1 : 0;
    if (opensBlock(op)) ++blocks;
    if (closesBlock(op) && --blocks == 0) return false;
  }
  return true;
}

/// The code [begin, end), inside of `loops` loops that belong to it; -1 where it looks at neighbours, asks the
/// renderer, gives each point numbers of its place, or leaves for outside.
int32_t Decoder::addBody(size_t begin, size_t end, int loops) {
  constexpr uint32_t kNeedsGrid =
      BuiltinInfo::Derivative | BuiltinInfo::Services | BuiltinInfo::Effect | BuiltinInfo::Varying;
  constexpr int kRounds = 4, kMost = 1 << 20;
  // Hostile files may nest a great deal.
  if (end - begin > room_) return -1;
  room_ -= end - begin;
  std::map<uint16_t, bool> used;  // written?
  Body body;
  int weight = 1;
  for (size_t i = begin; i < end; ++i) {
    const Instruction& in = p_.code[i];
    const OpInfo& info = opInfo(in.op);
    const bool light = in.op == Op::kIlluminanceBegin || in.op == Op::kIlluminateBegin || in.op == Op::kSolarBegin;
    const bool leaves = (in.op == Op::kBreak || in.op == Op::kContinue) && in.target > loops;
    const bool needsGrid = info.builtin && info.builtin->flags & kNeedsGrid && !asksForSpace(info.builtin->id);
    if (light || leaves || needsGrid || in.op == Op::kEnd) return -1;
    if (in.op == Op::kLoopBegin) ++loops, weight = std::min(weight * kRounds, kMost);
    if (in.op == Op::kLoopEnd) --loops, weight = std::max(weight / kRounds, 1);
    const Path path = out_->code[i].path;
    const int dear = !info.builtin ? 1 : std::string_view(info.builtin->name).ends_with("noise") ? 8 : 1;
    body.cost = std::min(body.cost + weight * dear * (path == Path::kFull ? 4 : path == Path::kPlain ? 20 : 40), kMost);
    for (size_t k = 0; k < in.nargs; ++k) {
      const uint16_t r = arg(in, k);
      if (out_->registers[r].varying && !local_[r]) used[r] |= operandAccess(info, k) != Access::kRead;
    }
  }
  for (const auto& [r, written] : used) {
    body.registers.push_back(r);
    body.written.push_back(written);
    body.planes += out_->registers[r].planes() * (written ? 2 : 1);
  }
  out_->bodies.push_back(std::move(body));
  return static_cast<int32_t>(out_->bodies.size()) - 1;
}

}  // namespace

std::shared_ptr<const DecodedProgram> decode(std::shared_ptr<const Program> program, Isa isa) {
  return Decoder(std::move(program), isa).run();
}

}  // namespace reyes::vm
