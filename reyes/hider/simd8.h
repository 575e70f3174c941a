// SPDX-License-Identifier: Apache-2.0
// Eight lanes of float or int32 as compiler vectors, for the hider's *.isa.cpp files only: each is compiled once an
// instruction set, inside namespace REYES_ISA, so nothing here has one definition across the program.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi"

namespace reyes::hider::REYES_ISA {

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));

inline F8 load(const float* p) {
  F8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline I8 load(const int32_t* p) {
  I8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline I8 load(const uint32_t* p) {
  I8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T, class V>
inline void store(T* p, V v) {
  std::memcpy(p, &v, sizeof v);
}
inline F8 splat(float f) { return F8{f, f, f, f, f, f, f, f}; }
inline I8 splat(int32_t i) { return I8{i, i, i, i, i, i, i, i}; }
inline F8 toFloats(I8 i) { return __builtin_convertvector(i, F8); }
inline F8 min(F8 a, F8 b) { return a < b ? a : b; }
inline F8 max(F8 a, F8 b) { return a > b ? a : b; }
inline I8 min(I8 a, I8 b) { return a < b ? a : b; }
inline I8 max(I8 a, I8 b) { return a > b ? a : b; }

/// a * b + c where the result is exact either way, so that fusing changes no bit.
inline F8 exactMadd(F8 a, F8 b, F8 c) {
#if defined(__FMA__)
  return reinterpret_cast<F8>(
      _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  return a * b + c;
#endif
}

/// One bit a lane of a comparison's result.
inline uint32_t bits(I8 m) {
#if defined(__AVX__)
  return static_cast<uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(m)));
#elif defined(__SSE4_1__)
  __m128 lo, hi;
  std::memcpy(&lo, &m, 16);
  std::memcpy(&hi, reinterpret_cast<const char*>(&m) + 16, 16);
  return static_cast<uint32_t>(_mm_movemask_ps(lo)) | static_cast<uint32_t>(_mm_movemask_ps(hi)) << 4;
#else
  uint32_t r = 0;
  for (int i = 0; i < 8; ++i) r |= static_cast<uint32_t>(m[i] & 1) << i;
  return r;
#endif
}

/// Calls f(lane) for every set bit, lowest first.
template <class F>
inline void forBits(uint32_t m, F&& f) {
  for (; m; m &= m - 1) f(__builtin_ctz(m));
}

}  // namespace reyes::hider::REYES_ISA
