// SPDX-License-Identifier: Apache-2.0
// Kernels of the Lanes operations of opcodes.def: moves, arithmetic, comparison, logic. Compiled once per instruction
// set.
#include "reyes/vm/lane_math.h"

namespace reyes::vm::REYES_ISA {
namespace {

#define REYES_KERNEL(Name, signature, params, ...)   \
  struct Name {                                      \
    static constexpr char sig[] = signature;         \
    REYES_LANE auto f params { return __VA_ARGS__; } \
  };

REYES_KERNEL(MovF, "ff", (float a), a)
REYES_KERNEL(MovT, "tt", (V3 a), a)
REYES_KERNEL(TripleF, "tf", (float a), V3{a, a, a})
REYES_KERNEL(Triple3, "tfff", (float a, float b, float c), V3{a, b, c})
REYES_KERNEL(GetX, "ft", (V3 a), a.x)
REYES_KERNEL(GetY, "ft", (V3 a), a.y)
REYES_KERNEL(GetZ, "ft", (V3 a), a.z)

REYES_KERNEL(AddF, "fff", (float a, float b), a + b)
REYES_KERNEL(SubF, "fff", (float a, float b), a - b)
REYES_KERNEL(MulF, "fff", (float a, float b), a* b)
REYES_KERNEL(DivF, "fff", (float a, float b), a / b)
REYES_KERNEL(NegF, "ff", (float a), -a)
REYES_KERNEL(MadF, "ffff", (float a, float b, float c), a* b + c)

REYES_KERNEL(AddT, "ttt", (V3 a, V3 b), V3{a.x + b.x, a.y + b.y, a.z + b.z})
REYES_KERNEL(SubT, "ttt", (V3 a, V3 b), V3{a.x - b.x, a.y - b.y, a.z - b.z})
REYES_KERNEL(MulT, "ttt", (V3 a, V3 b), V3{a.x * b.x, a.y* b.y, a.z* b.z})
REYES_KERNEL(DivT, "ttt", (V3 a, V3 b), V3{a.x / b.x, a.y / b.y, a.z / b.z})
REYES_KERNEL(NegT, "tt", (V3 a), V3{-a.x, -a.y, -a.z})
REYES_KERNEL(AddTF, "ttf", (V3 a, float b), V3{a.x + b, a.y + b, a.z + b})
REYES_KERNEL(SubTF, "ttf", (V3 a, float b), V3{a.x - b, a.y - b, a.z - b})
REYES_KERNEL(SubFT, "tft", (float a, V3 b), V3{a - b.x, a - b.y, a - b.z})
REYES_KERNEL(MulTF, "ttf", (V3 a, float b), V3{a.x * b, a.y* b, a.z* b})
REYES_KERNEL(DivTF, "ttf", (V3 a, float b), V3{a.x / b, a.y / b, a.z / b})
REYES_KERNEL(DivFT, "tft", (float a, V3 b), V3{a / b.x, a / b.y, a / b.z})
REYES_KERNEL(MadT, "tttt", (V3 a, V3 b, V3 c), V3{a.x * b.x + c.x, a.y* b.y + c.y, a.z* b.z + c.z})
REYES_KERNEL(MadTF, "ttft", (V3 a, float b, V3 c), V3{a.x * b + c.x, a.y* b + c.y, a.z* b + c.z})
REYES_KERNEL(Dot, "ftt", (V3 a, V3 b), dot(a, b))
REYES_KERNEL(Cross, "ttt", (V3 a, V3 b), cross(a, b))

REYES_KERNEL(EqF, "fff", (float a, float b), a == b ? 1.0f : 0.0f)
REYES_KERNEL(NeF, "fff", (float a, float b), a != b ? 1.0f : 0.0f)
REYES_KERNEL(LtF, "fff", (float a, float b), a < b ? 1.0f : 0.0f)
REYES_KERNEL(LeF, "fff", (float a, float b), a <= b ? 1.0f : 0.0f)
REYES_KERNEL(GtF, "fff", (float a, float b), a > b ? 1.0f : 0.0f)
REYES_KERNEL(GeF, "fff", (float a, float b), a >= b ? 1.0f : 0.0f)
REYES_KERNEL(EqT, "ftt", (V3 a, V3 b), ((a.x == b.x) & (a.y == b.y) & (a.z == b.z)) ? 1.0f : 0.0f)
REYES_KERNEL(NeT, "ftt", (V3 a, V3 b), ((a.x != b.x) | (a.y != b.y) | (a.z != b.z)) ? 1.0f : 0.0f)
REYES_KERNEL(And, "fff", (float a, float b), ((a != 0.0f) & (b != 0.0f)) ? 1.0f : 0.0f)
REYES_KERNEL(Or, "fff", (float a, float b), ((a != 0.0f) | (b != 0.0f)) ? 1.0f : 0.0f)
REYES_KERNEL(Not, "ff", (float a), a == 0.0f ? 1.0f : 0.0f)
REYES_KERNEL(SelectF, "ffff", (float c, float a, float b), c != 0.0f ? a : b)
REYES_KERNEL(SelectT, "tftt", (float c, V3 a, V3 b), select(c != 0.0f, a, b))

#undef REYES_KERNEL

/// Matrix operands are 16 planes: loops of their own, all varying or all uniform (n == 1).
void addM(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]], &b = c.regs[c.args[2]];
  for (int k = 0; k < 16; ++k) {
    REYES_LOOP
    for (int i = 0; i < c.n; ++i) o.data[k * o.stride + i] = a.data[k * a.stride + i] + b.data[k * b.stride + i];
  }
}
void subM(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]], &b = c.regs[c.args[2]];
  for (int k = 0; k < 16; ++k) {
    REYES_LOOP
    for (int i = 0; i < c.n; ++i) o.data[k * o.stride + i] = a.data[k * a.stride + i] - b.data[k * b.stride + i];
  }
}
void mulMF(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]], &b = c.regs[c.args[2]];
  for (int k = 0; k < 16; ++k) {
    REYES_LOOP
    for (int i = 0; i < c.n; ++i) o.data[k * o.stride + i] = a.data[k * a.stride + i] * b.data[i];
  }
}
void negM(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]];
  for (int k = 0; k < 16; ++k) {
    REYES_LOOP
    for (int i = 0; i < c.n; ++i) o.data[k * o.stride + i] = -a.data[k * a.stride + i];
  }
}
void matrixF(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]];
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i < c.n; ++i) o.data[k * o.stride + i] = k % 5 == 0 ? a.data[i] : 0.0f;
}
void matrix16(const KernelCall& c) {
  const Reg& o = c.regs[c.args[0]];
  for (int k = 0; k < 16; ++k)
    for (int i = 0; i < c.n; ++i) o.data[k * o.stride + i] = c.regs[c.args[1 + k]].data[i];
}
template <int Component>
void setComponent(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]];
  for (int i = 0; i < c.n; ++i) o.data[Component * o.stride + i] = a.data[i];
}

}  // namespace

void addArithmetic(KernelTable& t) {
  addFull<TripleF>(t, Op::kTripleF), addFull<Triple3>(t, Op::kTriple3);
  addFull<GetX>(t, Op::kGetX), addFull<GetY>(t, Op::kGetY), addFull<GetZ>(t, Op::kGetZ);
  addFull<GetX>(t, Builtin::k_xcomp), addFull<GetY>(t, Builtin::k_ycomp), addFull<GetZ>(t, Builtin::k_zcomp);
  addFull<AddF>(t, Op::kAddF), addFull<SubF>(t, Op::kSubF), addFull<MulF>(t, Op::kMulF), addFull<DivF>(t, Op::kDivF);
  addFull<NegF>(t, Op::kNegF), addFull<MadF>(t, Op::kMadF);
  addFull<AddT>(t, Op::kAddT), addFull<SubT>(t, Op::kSubT), addFull<MulT>(t, Op::kMulT), addFull<DivT>(t, Op::kDivT);
  addFull<NegT>(t, Op::kNegT), addFull<AddTF>(t, Op::kAddTF), addFull<SubTF>(t, Op::kSubTF);
  addFull<SubFT>(t, Op::kSubFT), addFull<MulTF>(t, Op::kMulTF), addFull<DivTF>(t, Op::kDivTF);
  addFull<DivFT>(t, Op::kDivFT), addFull<MadT>(t, Op::kMadT), addFull<MadTF>(t, Op::kMadTF);
  addFull<Dot>(t, Op::kDot), addFull<Cross>(t, Op::kCross);
  addFull<EqF>(t, Op::kEqF), addFull<NeF>(t, Op::kNeF), addFull<LtF>(t, Op::kLtF), addFull<LeF>(t, Op::kLeF);
  addFull<GtF>(t, Op::kGtF), addFull<GeF>(t, Op::kGeF), addFull<EqT>(t, Op::kEqT), addFull<NeT>(t, Op::kNeT);
  addFull<And>(t, Op::kAnd), addFull<Or>(t, Op::kOr), addFull<Not>(t, Op::kNot);
  // mov and sel of floats and triples; the decoder takes other types to the plane-by-plane kernels of the machine.
  addFull<MovF>(t, Op::kMov), addFull<SelectF>(t, Op::kSelect);
  addFull<MovT>(t, static_cast<Op>(kMovTripleSlot)), addFull<SelectT>(t, static_cast<Op>(kSelectTripleSlot));
  addPlain(t, Op::kAddM, addM, 2), addPlain(t, Op::kSubM, subM, 2), addPlain(t, Op::kMulMF, mulMF, 2);
  addPlain(t, Op::kNegM, negM, 1), addPlain(t, Op::kMatrixF, matrixF, 1), addPlain(t, Op::kMatrix16, matrix16, 16);
  addPlain(t, Op::kSetX, setComponent<0>, 1), addPlain(t, Op::kSetY, setComponent<1>, 1);
  addPlain(t, Op::kSetZ, setComponent<2>, 1);
  addPlain(t, builtinOp(Builtin::k_setxcomp), setComponent<0>, 1);
  addPlain(t, builtinOp(Builtin::k_setycomp), setComponent<1>, 1);
  addPlain(t, builtinOp(Builtin::k_setzcomp), setComponent<2>, 1);
}

}  // namespace reyes::vm::REYES_ISA
