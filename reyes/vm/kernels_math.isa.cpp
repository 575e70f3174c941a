// SPDX-License-Identifier: Apache-2.0
// Kernels of the mathematical functions (RI 3.2 section 15.1). Compiled once per instruction set.
#include "reyes/vm/lane_math.h"

namespace reyes::vm::REYES_ISA {
namespace {

#define REYES_KERNEL(Name, signature, params, ...)   \
  struct Name {                                      \
    static constexpr char sig[] = signature;         \
    REYES_LANE auto f params { return __VA_ARGS__; } \
  };
/// The same, with the numbers that have no result.
#define REYES_COUNTED(Name, signature, params, isBad, ...) \
  struct Name {                                            \
    static constexpr char sig[] = signature;               \
    REYES_LANE auto f params { return __VA_ARGS__; }       \
    REYES_LANE bool bad params { return isBad; }           \
  };

REYES_LANE float clampTo(float a, float lo, float hi) { return a < lo ? lo : a > hi ? hi : a; }
REYES_LANE float mixed(float a, float b, float x) { return (1.0f - x) * a + x * b; }

/// Remainder with the sign of b; 0 where b is 0.
REYES_LANE float modulo(float a, float b) {
  const float r = a - b * floorOf(a / b);
  const float fixed = r * b < 0.0f ? r + b : r;
  return b == 0.0f ? 0.0f : fixed;
}
/// What rounding leaves of 1 - x*x and the like is not worth a word.
constexpr float kRounding = 1e-5f;
REYES_LANE bool beyondOne(float a) { return absolute(a) > 1.0f + kRounding; }
REYES_LANE bool noPower(float a, float b) { return (a < 0.0f) & (b != floorOf(b)); }

REYES_KERNEL(Radians, "ff", (float a), a * 0.01745329251994329577f)
REYES_KERNEL(Degrees, "ff", (float a), a * 57.2957795130823208768f)
REYES_KERNEL(Sin, "ff", (float a), sine(a))
REYES_KERNEL(Cos, "ff", (float a), cosine(a))
REYES_KERNEL(Tan, "ff", (float a), tangent(a))
REYES_COUNTED(Asin, "ff", (float a), beyondOne(a), arcSine(a))
REYES_COUNTED(Acos, "ff", (float a), beyondOne(a), arcCosine(a))
REYES_KERNEL(Atan, "ff", (float a), arcTangent(a))
REYES_KERNEL(Atan2, "fff", (float a, float b), arcTangent2(a, b))
REYES_COUNTED(Pow, "fff", (float a, float b), noPower(a, b), power(a, b))
REYES_COUNTED(PowT, "ttf", (V3 a, float b), noPower(a.x, b) | noPower(a.y, b) | noPower(a.z, b),
              V3{power(a.x, b), power(a.y, b), power(a.z, b)})
REYES_KERNEL(Exp, "ff", (float a), exponential(a))
REYES_COUNTED(Sqrt, "ff", (float a), a < -kRounding, std::sqrt(a > 0.0f ? a : 0.0f))
REYES_COUNTED(InverseSqrt, "ff", (float a), a <= 0.0f, a > 0.0f ? 1.0f / std::sqrt(a > 0.0f ? a : 1.0f) : 0.0f)
REYES_COUNTED(Log, "ff", (float a), a <= 0.0f, logarithm(a))
REYES_COUNTED(LogBase, "fff", (float a, float b), (a <= 0.0f) | (b <= 0.0f), logarithm(a) / logarithm(b))
REYES_COUNTED(Mod, "fff", (float a, float b), (b == 0.0f) & (a == a), modulo(a, b))
REYES_KERNEL(Abs, "ff", (float a), absolute(a))
REYES_KERNEL(Sign, "ff", (float a), a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : 0.0f)
REYES_KERNEL(Min, "fff", (float a, float b), minimum(a, b))
REYES_KERNEL(Max, "fff", (float a, float b), maximum(a, b))
REYES_KERNEL(Clamp, "ffff", (float a, float b, float c), clampTo(a, b, c))
REYES_KERNEL(MinT, "ttt", (V3 a, V3 b), V3{minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z)})
REYES_KERNEL(MaxT, "ttt", (V3 a, V3 b), V3{maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z)})
REYES_KERNEL(ClampT, "tttt", (V3 a, V3 b, V3 c),
             V3{clampTo(a.x, b.x, c.x), clampTo(a.y, b.y, c.y), clampTo(a.z, b.z, c.z)})
REYES_KERNEL(Mix, "ffff", (float a, float b, float x), mixed(a, b, x))
REYES_KERNEL(MixT, "tttf", (V3 a, V3 b, float x), V3{mixed(a.x, b.x, x), mixed(a.y, b.y, x), mixed(a.z, b.z, x)})
REYES_KERNEL(MixTTT, "tttt", (V3 a, V3 b, V3 x), V3{mixed(a.x, b.x, x.x), mixed(a.y, b.y, x.y), mixed(a.z, b.z, x.z)})
REYES_KERNEL(Floor, "ff", (float a), floorOf(a))
REYES_KERNEL(Ceil, "ff", (float a), -floorOf(-a))
REYES_KERNEL(Round, "ff", (float a), floorOf(a + 0.5f))
REYES_KERNEL(Step, "fff", (float a, float x), x < a ? 0.0f : 1.0f)
REYES_KERNEL(SmoothStep, "ffff", (float a, float b, float x), smooth(a, b, x))

#undef REYES_COUNTED
#undef REYES_KERNEL

}  // namespace

void addMath(KernelTable& t) {
  addFull<Radians>(t, Builtin::k_radians), addFull<Degrees>(t, Builtin::k_degrees);
  addPlain<Sin>(t, Builtin::k_sin), addPlain<Cos>(t, Builtin::k_cos), addPlain<Tan>(t, Builtin::k_tan);
  addPlain<Asin>(t, Builtin::k_asin), addPlain<Acos>(t, Builtin::k_acos);
  addPlain<Atan>(t, Builtin::k_atan), addPlain<Atan2>(t, Builtin::k_atan2);
  addPlain<Pow>(t, Builtin::k_pow), addPlain<PowT>(t, Builtin::k_pow_t), addPlain<Exp>(t, Builtin::k_exp);
  addPlain<Log>(t, Builtin::k_log), addPlain<LogBase>(t, Builtin::k_log_base);
  addFull<Sqrt>(t, Builtin::k_sqrt), addFull<InverseSqrt>(t, Builtin::k_inversesqrt);
  addPlain<Mod>(t, Builtin::k_mod);
  addFull<Abs>(t, Builtin::k_abs), addFull<Sign>(t, Builtin::k_sign);
  addFull<Min>(t, Builtin::k_min), addFull<Max>(t, Builtin::k_max), addFull<Clamp>(t, Builtin::k_clamp);
  addFull<MinT>(t, Builtin::k_min_t), addFull<MaxT>(t, Builtin::k_max_t), addFull<ClampT>(t, Builtin::k_clamp_t);
  addFull<Mix>(t, Builtin::k_mix), addFull<MixT>(t, Builtin::k_mix_t), addFull<MixTTT>(t, Builtin::k_mix_ttt);
  addFull<Floor>(t, Builtin::k_floor), addFull<Ceil>(t, Builtin::k_ceil), addFull<Round>(t, Builtin::k_round);
  addFull<Step>(t, Builtin::k_step), addFull<SmoothStep>(t, Builtin::k_smoothstep);
}

}  // namespace reyes::vm::REYES_ISA
