// SPDX-License-Identifier: Apache-2.0
// One templated loop over lanes for every kernel. Included by *.isa.cpp files alone: everything is in a nameless
// namespace inside the namespace of the instruction set, so that no code compiled for one set is shared with another.
//
// An operation is a struct: `sig` names the result and the sources (f float, t triple, m matrix-free), and f() computes
// one lane from values. Loaders hold a uniform source in a register or read a varying one; the compiler vectorises.
#pragma once

#include <cmath>
#include <cstdint>

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
template <bool Masked, class F>
[[gnu::always_inline]] inline void storeLoop(const KernelCall& c, float* x, int n, F f) {
  const uint32_t* mask = c.mask;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const float r = f(i);
    x[i] = !Masked || mask[i] ? r : x[i];
  }
}
template <bool Masked, class F>
[[gnu::always_inline]] inline void storeLoop3(const KernelCall& c, float* x, float* y, float* z, int n, F f) {
  const uint32_t* mask = c.mask;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const V3 r = f(i);
    x[i] = !Masked || mask[i] ? r.x : x[i];
    y[i] = !Masked || mask[i] ? r.y : y[i];
    z[i] = !Masked || mask[i] ? r.z : z[i];
  }
}

/// Runs f over all lanes into register args[0]. Uniform results take one round; else n is a whole number of vectors,
/// said in a way that lets the compiler leave out remainders.
template <char T, bool MaybeOne, bool Masked, class F>
[[gnu::always_inline]] inline void results(const KernelCall& c, F f) {
  const Reg& out = c.regs[c.args[0]];
  float* x = out.data;
  float* y = x + out.stride;
  float* z = y + out.stride;
  if (MaybeOne && c.n == 1) {
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
    storeLoop<Masked>(c, x, n, f);
  else
    storeLoop3<Masked>(c, x, y, z, n, f);
}

// --- kernels
// -----------------------------------------------------------------------------------------------------------
template <class Op>
constexpr int sourcesOf() {
  int n = 0;
  while (Op::sig[n + 1]) ++n;
  return n;
}

template <class Op, unsigned P, bool Masked, bool MaybeOne>
void kernel(const KernelCall& c) {
  constexpr int n = sourcesOf<Op>();
  const Reg* r = c.regs;
  const uint16_t* a = c.args;
  if constexpr (n == 0) {
    results<Op::sig[0], MaybeOne, Masked>(c, [](int) { return Op::f(); });
  } else if constexpr (n == 1) {
    const In<Op::sig[1], (P & 1) != 0> s0(r[a[1]]);
    results<Op::sig[0], MaybeOne, Masked>(c, [=](int i) { return Op::f(s0(i)); });
  } else if constexpr (n == 2) {
    const In<Op::sig[1], (P & 1) != 0> s0(r[a[1]]);
    const In<Op::sig[2], (P & 2) != 0> s1(r[a[2]]);
    results<Op::sig[0], MaybeOne, Masked>(c, [=](int i) { return Op::f(s0(i), s1(i)); });
  } else if constexpr (n == 3) {
    const In<Op::sig[1], (P & 1) != 0> s0(r[a[1]]);
    const In<Op::sig[2], (P & 2) != 0> s1(r[a[2]]);
    const In<Op::sig[3], (P & 4) != 0> s2(r[a[3]]);
    results<Op::sig[0], MaybeOne, Masked>(c, [=](int i) { return Op::f(s0(i), s1(i), s2(i)); });
  } else {
    const In<Op::sig[1], true> s0(r[a[1]]);
    const In<Op::sig[2], true> s1(r[a[2]]);
    const In<Op::sig[3], true> s2(r[a[3]]);
    const In<Op::sig[4], true> s3(r[a[4]]);
    results<Op::sig[0], MaybeOne, Masked>(c, [=](int i) { return Op::f(s0(i), s1(i), s2(i), s3(i)); });
  }
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
  static_assert(sourcesOf<Op>() <= 3);
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
/// Unit vector; the zero vector stays zero.
REYES_LANE V3 normalized(V3 a) {
  const float l2 = dot(a, a);
  const float s = l2 > 0 ? 1.0f / std::sqrt(l2) : 0.0f;
  return mul(a, s);
}

}  // namespace
}  // namespace reyes::vm::REYES_ISA
