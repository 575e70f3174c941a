// SPDX-License-Identifier: Apache-2.0
// Kernels of the operations that stand for two or three others (opcodes.def). They round as their parts do, so that a
// program gives the same bits with and without them. Compiled once per instruction set.
#include "reyes/vm/lane_math.h"

namespace reyes::vm::REYES_ISA {
namespace {

#define REYES_KERNEL(Name, signature, params, ...)   \
  struct Name {                                      \
    static constexpr char sig[] = signature;         \
    REYES_LANE auto f params { return __VA_ARGS__; } \
  };

REYES_LANE V3 times(V3 a, V3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }

REYES_KERNEL(MulMulF, "ffff", (float a, float b, float c), a* b* c)
REYES_KERNEL(MulSubF, "ffff", (float a, float b, float c), a* b - c)
REYES_KERNEL(SubProductF, "ffff", (float a, float b, float c), c - a * b)
REYES_KERNEL(AddMulF, "ffff", (float a, float b, float c), (a + b) * c)
REYES_KERNEL(SubMulF, "ffff", (float a, float b, float c), (a - b) * c)
REYES_KERNEL(AbsMulF, "fff", (float a, float b), absolute(a* b))
REYES_KERNEL(AbsMadF, "ffff", (float a, float b, float c), absolute(a* b) + c)
REYES_KERNEL(MulMulTF, "ttft", (V3 a, float b, V3 c), times(mul(a, b), c))
REYES_KERNEL(MulMadTF, "ttftt", (V3 a, float b, V3 c, V3 d), add(times(mul(a, b), c), d))
REYES_KERNEL(MadMulTF, "ttftt", (V3 a, float b, V3 c, V3 d), times(add(mul(a, b), c), d))
REYES_KERNEL(MadMadTF, "ttftf", (V3 a, float b, V3 c, float d), add(mul(c, d), mul(a, b)))
REYES_KERNEL(DotMul, "fttf", (V3 a, V3 b, float c), dot(a, b) * c)
REYES_KERNEL(DotMax, "fttf", (V3 a, V3 b, float c), maximum(dot(a, b), c))
REYES_KERNEL(MaxDot, "fttf", (V3 a, V3 b, float c), maximum(c, dot(a, b)))
REYES_KERNEL(SmoothMulF, "fffff", (float lo, float hi, float x, float d), smooth(lo, hi, x) * d)

#undef REYES_KERNEL

struct NormAddT {
  static constexpr char sig[] = "ttt";
  REYES_LANE V3 f(V3 a, V3 b) { return normalized(add(a, b)); }
  REYES_LANE bool bad(V3 a, V3 b) { return dot(add(a, b), add(a, b)) == 0.0f; }
};
struct NormSubT {
  static constexpr char sig[] = "ttt";
  REYES_LANE V3 f(V3 a, V3 b) { return normalized(sub(a, b)); }
  REYES_LANE bool bad(V3 a, V3 b) { return dot(sub(a, b), sub(a, b)) == 0.0f; }
};
struct NormForward {
  static constexpr char sig[] = "tttt";
  REYES_LANE V3 f(V3 a, V3 I, V3 ref) { return forward(normalized(a), I, ref); }
  REYES_LANE bool bad(V3 a, V3, V3) { return dot(a, a) == 0.0f; }
};

}  // namespace

void addCombined(KernelTable& t) {
  addFull<MulMulF>(t, Op::kMulMulF), addFull<MulSubF>(t, Op::kMulSubF), addFull<SubProductF>(t, Op::kSubProductF);
  addFull<AddMulF>(t, Op::kAddMulF), addFull<SubMulF>(t, Op::kSubMulF);
  addFull<AbsMulF>(t, Op::kAbsMulF), addFull<AbsMadF>(t, Op::kAbsMadF);
  addFull<MulMulTF>(t, Op::kMulMulTF), addFull<MulMadTF>(t, Op::kMulMadTF);
  addFull<MadMulTF>(t, Op::kMadMulTF), addFull<MadMadTF>(t, Op::kMadMadTF);
  addFull<DotMul>(t, Op::kDotMul), addFull<DotMax>(t, Op::kDotMax), addFull<MaxDot>(t, Op::kMaxDot);
  addFull<NormAddT>(t, Op::kNormAddT), addFull<NormSubT>(t, Op::kNormSubT);
  addFull<NormForward>(t, Op::kNormForward), addFull<SmoothMulF>(t, Op::kSmoothMulF);
}

}  // namespace reyes::vm::REYES_ISA
