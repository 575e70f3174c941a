// SPDX-License-Identifier: Apache-2.0
// One templated loop over lanes for every kernel. Included by *.isa.cpp files alone: everything is in a nameless
// namespace inside the namespace of the instruction set, so that no code compiled for one set is shared with another.
//
// An operation is a struct: `sig` names the result and the sources (f float, t triple, m matrix-free), f() computes one
// lane from values, and bad(), where there is one, says which values have no result. Loaders hold a uniform source in a
// register or read a varying one; the compiler vectorises.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "reyes/vm/kernel_api.h"
#include "reyes/vm/program.h"

#define REYES_LANE [[gnu::always_inline]] static inline
/// Lanes of a loop do not depend on each other; clang finds out by itself.
#if defined(__clang__)
#define REYES_LOOP
#else
#define REYES_LOOP _Pragma("GCC ivdep")
#endif

namespace reyes::vm::REYES_ISA {
namespace {

struct V3 {
  float x, y, z;
};

// --- sources ---------------------------------------------------------------------------------------------------------
template <char T, bool Varying>
struct In;
template <>
struct In<'f', false> {
  float v;
  [[gnu::always_inline]] explicit In(const Reg& r) : v(r.data[0]) {}
  [[gnu::always_inline]] float operator()(int) const { return v; }
};
template <>
struct In<'f', true> {
  const float* p;
  [[gnu::always_inline]] explicit In(const Reg& r) : p(r.data) {}
  [[gnu::always_inline]] float operator()(int i) const { return p[i]; }
};
template <>
struct In<'t', false> {
  V3 v;
  [[gnu::always_inline]] explicit In(const Reg& r) : v{r.data[0], r.data[r.stride], r.data[2 * r.stride]} {}
  [[gnu::always_inline]] V3 operator()(int) const { return v; }
};
template <>
struct In<'t', true> {
  const float *x, *y, *z;
  [[gnu::always_inline]] explicit In(const Reg& r) : x(r.data), y(r.data + r.stride), z(r.data + 2 * r.stride) {}
  [[gnu::always_inline]] V3 operator()(int i) const { return {x[i], y[i], z[i]}; }
};

// --- results ---------------------------------------------------------------------------------------------------------
/// For operations that give every number a result.
struct NoFaults {};

template <bool Masked, class F, class B>
[[gnu::always_inline]] inline void storeLoop(const KernelCall& c, float* x, int n, F f, B bad) {
  const uint32_t* mask = c.mask;
  [[maybe_unused]] uint32_t faults = 0;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const float r = f(i);
    if constexpr (!std::is_same_v<B, NoFaults>) faults += static_cast<uint32_t>(bad(i)) & mask[i];
    x[i] = !Masked || mask[i] ? r : x[i];
  }
  if constexpr (!std::is_same_v<B, NoFaults>) *c.faults += faults;
}
template <bool Masked, class F, class B>
[[gnu::always_inline]] inline void storeLoop3(const KernelCall& c, float* x, float* y, float* z, int n, F f, B bad) {
  const uint32_t* mask = c.mask;
  [[maybe_unused]] uint32_t faults = 0;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const V3 r = f(i);
    if constexpr (!std::is_same_v<B, NoFaults>) faults += static_cast<uint32_t>(bad(i)) & mask[i];
    x[i] = !Masked || mask[i] ? r.x : x[i];
    y[i] = !Masked || mask[i] ? r.y : y[i];
    z[i] = !Masked || mask[i] ? r.z : z[i];
  }
  if constexpr (!std::is_same_v<B, NoFaults>) *c.faults += faults;
}

/// Runs f over all lanes into register args[0]. Uniform results take one round; else n is a whole number of vectors,
/// said in a way that lets the compiler leave out remainders.
template <char T, bool MaybeOne, bool Masked, class F, class B>
[[gnu::always_inline]] inline void results(const KernelCall& c, F f, B bad) {
  const Reg& out = c.regs[c.args[0]];
  float* x = out.data;
  float* y = x + out.stride;
  float* z = y + out.stride;
  if (MaybeOne && c.n == 1) {
    if constexpr (!std::is_same_v<B, NoFaults>) *c.faults += bad(0) ? 1u : 0u;
    if constexpr (T == 'f') {
      x[0] = f(0);
    } else {
      const V3 r = f(0);
      x[0] = r.x, y[0] = r.y, z[0] = r.z;
    }
    return;
  }
  const int n = c.n & ~15;
  if constexpr (T == 'f')
    storeLoop<Masked>(c, x, n, f, bad);
  else
    storeLoop3<Masked>(c, x, y, z, n, f, bad);
}

// --- kernels
// -----------------------------------------------------------------------------------------------------------
template <class Op>
constexpr int sourcesOf() {
  int n = 0;
  while (Op::sig[n + 1]) ++n;
  return n;
}

/// True for operations with a member bad(): the lanes where the sources have no result that mathematics knows.
template <class Op>
concept Counted = requires {
  &Op::bad;
};

template <class Op, bool Masked, bool MaybeOne, class... Sources>
[[gnu::always_inline]] inline void over(const KernelCall& c, Sources... s) {
  const auto f = [=](int i) { return Op::f(s(i)...); };
  if constexpr (Counted<Op>)
    results<Op::sig[0], MaybeOne, Masked>(c, f, [=](int i) { return Op::bad(s(i)...); });
  else
    results<Op::sig[0], MaybeOne, Masked>(c, f, NoFaults{});
}

template <class Op, unsigned P, bool Masked, bool MaybeOne>
void kernel(const KernelCall& c) {
  constexpr int n = sourcesOf<Op>();
  const Reg* r = c.regs;
  const uint16_t* a = c.args;
  using S0 = In<Op::sig[n > 0 ? 1 : 0], (P & 1) != 0>;
  using S1 = In<Op::sig[n > 1 ? 2 : 0], (P & 2) != 0>;
  using S2 = In<Op::sig[n > 2 ? 3 : 0], (P & 4) != 0>;
  using S3 = In<Op::sig[n > 3 ? 4 : 0], (P & 8) != 0>;
  if constexpr (n == 1)
    over<Op, Masked, MaybeOne>(c, S0(r[a[1]]));
  else if constexpr (n == 2)
    over<Op, Masked, MaybeOne>(c, S0(r[a[1]]), S1(r[a[2]]));
  else if constexpr (n == 3)
    over<Op, Masked, MaybeOne>(c, S0(r[a[1]]), S1(r[a[2]]), S2(r[a[3]]));
  else
    over<Op, Masked, MaybeOne>(c, S0(r[a[1]]), S1(r[a[2]]), S2(r[a[3]]), S3(r[a[4]]));
}

/// All patterns, masked and not: for operations that are cheap beside a load.
template <class Op, unsigned P = 0>
void addPatterns(KernelSet& k) {
  k.fn[P][0] = kernel<Op, P, false, P == 0>;
  k.fn[P][1] = kernel<Op, P, true, P == 0>;
  if constexpr (P + 1 < (1u << sourcesOf<Op>())) addPatterns<Op, P + 1>(k);
}
template <class Op>
void addFull(KernelTable& t, vm::Op op) {
  static_assert(sourcesOf<Op>() <= 4);
  KernelSet& k = t.sets[static_cast<int>(op)];
  k.sources = static_cast<uint8_t>(sourcesOf<Op>());
  k.full = k.present = true;
  addPatterns<Op>(k);
}
template <class Op>
void addFull(KernelTable& t, Builtin b) {
  addFull<Op>(t, static_cast<vm::Op>(kOpCount + static_cast<int>(b)));
}

/// One kernel, all sources varying: for operations that cost much more than spreading a uniform source.
inline void addPlain(KernelTable& t, vm::Op op, Kernel fn, int sources) {
  KernelSet& k = t.sets[static_cast<int>(op)];
  k.sources = static_cast<uint8_t>(sources);
  k.full = false;
  k.present = true;
  k.fn[0][0] = fn;
}
template <class Op>
void addPlain(KernelTable& t, vm::Op op) {
  addPlain(t, op, kernel<Op, 15, false, true>, sourcesOf<Op>());
}
template <class Op>
void addPlain(KernelTable& t, Builtin b) {
  addPlain<Op>(t, static_cast<vm::Op>(kOpCount + static_cast<int>(b)));
}

// --- small vector arithmetic
// --------------------------------------------------------------------------------------------
REYES_LANE V3 add(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
REYES_LANE V3 sub(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
REYES_LANE V3 mul(V3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
REYES_LANE float dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
REYES_LANE V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
REYES_LANE V3 select(bool c, V3 a, V3 b) { return {c ? a.x : b.x, c ? a.y : b.y, c ? a.z : b.z}; }
REYES_LANE V3 forward(V3 N, V3 I, V3 ref) { return select(dot(I, ref) > 0.0f, V3{-N.x, -N.y, -N.z}, N); }
/// Unit vector; the zero vector stays zero.
REYES_LANE V3 normalized(V3 a) {
  const float l2 = dot(a, a);
  const float s = l2 > 0 ? 1.0f / std::sqrt(l2) : 0.0f;
  return mul(a, s);
}

}  // namespace
}  // namespace reyes::vm::REYES_ISA
