// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace reyes::sl {
namespace {

using vm::Op;

std::vector<uint32_t> bitsOf(const std::vector<float>& v) {
  std::vector<uint32_t> bits;
  for (const float f : v) bits.push_back(std::bit_cast<uint32_t>(f));
  return bits;
}

bool foldable(Op op) {
  switch (op) {
    case Op::kTripleF:
    case Op::kTriple3:
    case Op::kGetX:
    case Op::kGetY:
    case Op::kGetZ:
    case Op::kEqT:
    case Op::kNeT:
    case Op::kEqS:
    case Op::kNeS:
      return true;
    default:
      return isComponentwise(op);
  }
}

/// a op b of one component; the arithmetic operations of all shapes.
float apply(Op op, float a, float b) {
  switch (op) {
    case Op::kAddF:
    case Op::kAddT:
    case Op::kAddTF:
      return a + b;
    case Op::kSubF:
    case Op::kSubT:
    case Op::kSubTF:
    case Op::kSubFT:
      return a - b;
    case Op::kMulF:
    case Op::kMulT:
    case Op::kMulTF:
      return a * b;
    case Op::kDivF:
    case Op::kDivT:
    case Op::kDivTF:
    case Op::kDivFT:
      return a / b;
    case Op::kEqF:
      return a == b;
    case Op::kNeF:
      return a != b;
    case Op::kLtF:
      return a < b;
    case Op::kLeF:
      return a <= b;
    case Op::kGtF:
      return a > b;
    case Op::kGeF:
      return a >= b;
    case Op::kAnd:
      return a != 0 && b != 0;
    case Op::kOr:
      return a != 0 || b != 0;
    default:
      return 0;
  }
}

}  // namespace

bool isComponentwise(Op op) {
  switch (op) {
    case Op::kAddF:
    case Op::kSubF:
    case Op::kMulF:
    case Op::kDivF:
    case Op::kNegF:
    case Op::kAddT:
    case Op::kSubT:
    case Op::kMulT:
    case Op::kDivT:
    case Op::kNegT:
    case Op::kAddTF:
    case Op::kSubTF:
    case Op::kSubFT:
    case Op::kMulTF:
    case Op::kDivTF:
    case Op::kDivFT:
    case Op::kEqF:
    case Op::kNeF:
    case Op::kLtF:
    case Op::kLeF:
    case Op::kGtF:
    case Op::kGeF:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return true;
    default:
      return false;
  }
}

Folder::Folder(Ir& ir) : ir_(ir) {
  for (size_t r = 0; r < ir.regs.size(); ++r)
    if (ir.regs[r].kind == RegKind::kConstant && ir.regs[r].type != vm::RegType::kString)
      known_.insert({{static_cast<int>(ir.regs[r].type), bitsOf(ir.regs[r].value)}, static_cast<int>(r)});
}

int Folder::constant(vm::RegType type, const std::vector<float>& value) {
  const auto [it, fresh] = known_.insert({{static_cast<int>(type), bitsOf(value)}, static_cast<int>(ir_.regs.size())});
  if (fresh) {
    IrReg r;
    r.type = type;
    r.kind = RegKind::kConstant;
    r.value = value;
    ir_.regs.push_back(std::move(r));
  }
  return it->second;
}

bool Folder::constantOperands(const IrInstr& in) const {
  return std::all_of(in.args.begin() + 1, in.args.end(), [&](int r) { return isConstant(r); });
}

bool Folder::evaluate(const IrInstr& in, std::vector<float>& out) const {
  const auto value = [&](size_t i) -> const std::vector<float>& { return ir_.reg(in.args[i]).value; };
  switch (in.op) {
    case Op::kTripleF:
      out.assign(3, value(1)[0]);
      return true;
    case Op::kTriple3:
      out = {value(1)[0], value(2)[0], value(3)[0]};
      return true;
    case Op::kGetX:
      out = {value(1)[0]};
      return true;
    case Op::kGetY:
      out = {value(1)[1]};
      return true;
    case Op::kGetZ:
      out = {value(1)[2]};
      return true;
    case Op::kNegF:
    case Op::kNegT:
      for (const float f : value(1)) out.push_back(-f);
      return true;
    case Op::kNot:
      out = {value(1)[0] != 0 ? 0.0f : 1.0f};
      return true;
    case Op::kEqT:
    case Op::kNeT: {
      bool equal = true;
      for (size_t c = 0; c < 3; ++c) equal = equal && value(1)[c] == value(2)[c];
      out = {equal == (in.op == Op::kEqT) ? 1.0f : 0.0f};
      return true;
    }
    case Op::kEqS:
    case Op::kNeS:
      out = {(ir_.reg(in.args[1]).text == ir_.reg(in.args[2]).text) == (in.op == Op::kEqS) ? 1.0f : 0.0f};
      return true;
    default:
      break;
  }
  const std::vector<float>& a = value(1);
  const std::vector<float>& b = value(2);
  for (size_t c = 0; c < std::max(a.size(), b.size()); ++c)
    out.push_back(apply(in.op, a[a.size() > 1 ? c : 0], b[b.size() > 1 ? c : 0]));
  return true;
}

/// x/4 is x*0.25 to the bit, and a product is much cheaper than a quotient.
void Folder::divideByPowerOfTwo(IrInstr& in) {
  std::vector<float> inverse;
  for (const float f : ir_.reg(in.args[2]).value) {
    int exponent = 0;
    if (std::fabs(std::frexp(f, &exponent)) != 0.5f || exponent < -100 || exponent > 100) return;
    inverse.push_back(1 / f);
  }
  in.op = in.op == Op::kDivF ? Op::kMulF : in.op == Op::kDivT ? Op::kMulT : Op::kMulTF;
  in.args[2] = constant(inverse.size() == 3 ? vm::RegType::kTriple : vm::RegType::kFloat, inverse);
}

/// x*1, x/1 and x-0 are x to the bit.
void Folder::identity(IrInstr& in) {
  const auto is = [&](size_t i, float f) {
    if (!isConstant(in.args[i])) return false;
    const std::vector<float>& v = ir_.reg(in.args[i]).value;
    return std::all_of(v.begin(), v.end(), [&](float x) { return x == f && !std::signbit(x); });
  };
  const auto copy = [&](int source) {
    in.args = {in.args[0], source};
    in.op = Op::kMov;
  };
  switch (in.op) {
    case Op::kMulF:
    case Op::kMulT:
      if (is(2, 1))
        copy(in.args[1]);
      else if (is(1, 1))
        copy(in.args[2]);
      break;
    case Op::kMulTF:
      if (is(2, 1)) copy(in.args[1]);
      break;
    case Op::kDivF:
    case Op::kDivT:
    case Op::kDivTF:
      if (is(2, 1))
        copy(in.args[1]);
      else if (isConstant(in.args[2]))
        divideByPowerOfTwo(in);
      break;
    case Op::kSubF:
    case Op::kSubT:
    case Op::kSubTF:
      if (is(2, 0)) copy(in.args[1]);
      break;
    default:
      break;
  }
}

void Folder::fold(IrInstr& in) {
  // xcomp and comp with a known index are plain component reads.
  if (vm::isBuiltin(in.op)) {
    const vm::Builtin b = builtinOf(in.op).id;
    if (b == vm::Builtin::k_xcomp) in.op = Op::kGetX;
    if (b == vm::Builtin::k_ycomp) in.op = Op::kGetY;
    if (b == vm::Builtin::k_zcomp) in.op = Op::kGetZ;
    if (b == vm::Builtin::k_comp && isConstant(in.args[2])) {
      const float i = ir_.reg(in.args[2]).value[0];
      if (i == 0 || i == 1 || i == 2) {
        in.op = i == 0 ? Op::kGetX : i == 1 ? Op::kGetY : Op::kGetZ;
        in.args.pop_back();
      }
    }
  }
  if (foldable(in.op)) {
    std::vector<float> value;
    if (constantOperands(in) && evaluate(in, value)) {
      const vm::RegType type = ir_.reg(in.args[0]).type;
      in.args = {in.args[0], constant(type, value)};
      in.op = Op::kMov;
      return;
    }
    identity(in);
  }
}

}  // namespace reyes::sl
