// SPDX-License-Identifier: Apache-2.0
// Kernels of the geometric functions (RI 3.2 section 15.2) and of small triples. Compiled once per instruction set.
#include "reyes/vm/lane_math.h"

namespace reyes::vm::REYES_ISA {
namespace {

#define REYES_KERNEL(Name, signature, params, ...)   \
  struct Name {                                      \
    static constexpr char sig[] = signature;         \
    REYES_LANE auto f params { return __VA_ARGS__; } \
  };

REYES_LANE float lengthOf(V3 a) { return std::sqrt(dot(a, a)); }

/// Direction of refraction; the zero vector at total reflection.
REYES_LANE V3 refracted(V3 I, V3 N, float eta) {
  const float c = dot(I, N);
  const float k = 1.0f - eta * eta * (1.0f - c * c);
  const float s = eta * c + std::sqrt(k > 0.0f ? k : 0.0f);
  return select(k < 0.0f, V3{0, 0, 0}, sub(mul(I, eta), mul(N, s)));
}
/// Distance from Q to the segment P0 P1.
REYES_LANE float segmentDistance(V3 p0, V3 p1, V3 q) {
  const V3 d = sub(p1, p0), e = sub(q, p0);
  const float dd = dot(d, d);
  float t = dd > 0.0f ? dot(e, d) / dd : 0.0f;
  t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
  return lengthOf(sub(e, mul(d, t)));
}
/// Q turned by `angle` (radians) about the line through p0 and p1.
REYES_LANE V3 rotated(V3 q, float angle, V3 p0, V3 p1) {
  const V3 axis = normalized(sub(p1, p0)), e = sub(q, p0);
  const float s = sine(angle), c = cosine(angle);
  const V3 along = mul(axis, dot(axis, e) * (1.0f - c));
  return add(p0, add(add(mul(e, c), mul(cross(axis, e), s)), along));
}
REYES_LANE bool outside(float i) { return !((i >= 0.0f) & (i < 3.0f)); }
REYES_LANE float component(V3 a, float i) { return i < 1.0f ? a.x : i < 2.0f ? a.y : a.z; }
/// specularbrdf(L, N, V, roughness): one light's part of specular(); all are unit vectors. As sharp as other renderers
/// have it (decision 0025).
REYES_LANE float highlight(V3 L, V3 N, V3 V, float roughness) {
  const float d = dot(N, normalized(add(L, V)));
  return power(d > 0.0f ? d : 0.0f, 8.0f / (roughness > 1e-4f ? roughness : 1e-4f));
}

REYES_KERNEL(Length, "ft", (V3 a), lengthOf(a))
struct Normalize {
  static constexpr char sig[] = "tt";
  REYES_LANE V3 f(V3 a) { return normalized(a); }
  REYES_LANE bool bad(V3 a) { return dot(a, a) == 0.0f; }
};
REYES_KERNEL(Distance, "ftt", (V3 a, V3 b), lengthOf(sub(a, b)))
REYES_KERNEL(FaceForward, "tttt", (V3 N, V3 I, V3 ref), forward(N, I, ref))
REYES_KERNEL(Reflect, "ttt", (V3 I, V3 N), sub(I, mul(N, 2.0f * dot(I, N))))
REYES_KERNEL(Refract, "tttf", (V3 I, V3 N, float eta), refracted(I, N, eta))
REYES_KERNEL(PtLined, "fttt", (V3 p0, V3 p1, V3 q), segmentDistance(p0, p1, q))
REYES_KERNEL(Rotate, "ttftt", (V3 q, float angle, V3 p0, V3 p1), rotated(q, angle, p0, p1))
struct Comp {
  static constexpr char sig[] = "ftf";
  REYES_LANE float f(V3 a, float i) { return component(a, i); }
  REYES_LANE bool bad(V3, float i) { return outside(i); }
};
REYES_KERNEL(Luminance, "ft", (V3 c), 0.2125f * c.x + 0.7154f * c.y + 0.0721f * c.z)
REYES_KERNEL(SpecularBrdf3, "ftttf", (V3 L, V3 N, V3 V, float r), highlight(L, N, V, r))

#undef REYES_KERNEL

/// fresnel(I, N, eta, =Kr, =Kt [, =R, =T]): the dielectric formula for unpolarised light; Kt = 1 - Kr.
void fresnel(const KernelCall& c) {
  const In<'t', true> I(c.regs[c.args[0]]), N(c.regs[c.args[1]]);
  const In<'f', true> eta(c.regs[c.args[2]]);
  float *kr = c.regs[c.args[3]].data, *kt = c.regs[c.args[4]].data;
  REYES_LOOP
  for (int i = 0; i < c.n; ++i) {
    const float cosine1 = absolute(dot(I(i), N(i))), n = 1.0f / eta(i);
    const float g2 = n * n - 1.0f + cosine1 * cosine1;
    const float g = std::sqrt(g2 > 0.0f ? g2 : 0.0f);
    const float a = (g - cosine1) / (g + cosine1);
    const float b = (cosine1 * (g + cosine1) - 1.0f) / (cosine1 * (g - cosine1) + 1.0f);
    const float f = 0.5f * a * a * (1.0f + b * b);
    const float r = !(g2 > 0.0f) || !(f < 1.0f) ? 1.0f : f;
    kr[i] = r;
    kt[i] = 1.0f - r;
  }
  if (c.nargs < 7) return;
  const Reg &R = c.regs[c.args[5]], &T = c.regs[c.args[6]];
  for (int i = 0; i < c.n; ++i) {
    const V3 r = sub(I(i), mul(N(i), 2.0f * dot(I(i), N(i)))), t = refracted(I(i), N(i), eta(i));
    R.data[i] = r.x, R.data[R.stride + i] = r.y, R.data[2 * R.stride + i] = r.z;
    T.data[i] = t.x, T.data[T.stride + i] = t.y, T.data[2 * T.stride + i] = t.z;
  }
}
void setComp(const KernelCall& c) {
  const Reg& o = c.regs[c.args[0]];
  const float *index = c.regs[c.args[1]].data, *value = c.regs[c.args[2]].data;
  for (int i = 0; i < c.n; ++i) {
    const int k = index[i] < 1.0f ? 0 : index[i] < 2.0f ? 1 : 2;
    if (outside(index[i])) *c.faults += c.n == 1 ? 1 : c.mask[i] & 1u;
    o.data[k * o.stride + i] = value[i];
  }
}
/// The highlight is a float; the language calls it a color.
void specularBrdf(const KernelCall& c) {
  kernel<SpecularBrdf3, 15, false, true>(c);
  const Reg& o = c.regs[c.args[0]];
  for (int i = 0; i < c.n; ++i) o.data[2 * o.stride + i] = o.data[o.stride + i] = o.data[i];
}

}  // namespace

void addGeometry(KernelTable& t) {
  addFull<Length>(t, Builtin::k_length), addFull<Normalize>(t, Builtin::k_normalize);
  addFull<Distance>(t, Builtin::k_distance), addFull<Reflect>(t, Builtin::k_reflect);
  addFull<FaceForward>(t, Builtin::k_faceforward), addFull<FaceForward>(t, Builtin::k_faceforward3);
  addPlain<Refract>(t, Builtin::k_refract), addPlain<PtLined>(t, Builtin::k_ptlined);
  addPlain<Rotate>(t, Builtin::k_rotate), addFull<Comp>(t, Builtin::k_comp),
      addFull<Luminance>(t, Builtin::k_luminance);
  addPlain(t, builtinOp(Builtin::k_fresnel), fresnel, 3), addPlain(t, builtinOp(Builtin::k_fresnel_rt), fresnel, 3);
  addPlain(t, builtinOp(Builtin::k_setcomp), setComp, 2);
  addPlain(t, builtinOp(Builtin::k_specularbrdf), specularBrdf, 4);
}

}  // namespace reyes::vm::REYES_ISA
