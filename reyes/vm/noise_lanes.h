// SPDX-License-Identifier: Apache-2.0
// The widest vectors of an instruction set as compiler vectors, with the few operations that noise needs and the
// compiler does not find by itself. Included by kernels_noise*.isa.cpp alone; nothing here is shared between sets.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi"
#if defined(__GNUC__) && !defined(__clang__)
// GCC bug 105593: its own 512-bit intrinsics start from values that are undefined on purpose.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

namespace reyes::vm::REYES_ISA {
namespace {

#if defined(__AVX512BW__)
constexpr int kWide = 16;
#elif defined(__AVX2__)
constexpr int kWide = 8;
#else
constexpr int kWide = 4;
#endif

typedef float Fv __attribute__((vector_size(4 * kWide)));
typedef int32_t Iv __attribute__((vector_size(4 * kWide)));

#define REYES_WIDE [[gnu::always_inline]] inline

REYES_WIDE Fv splatF(float v) { return Fv{} + v; }
REYES_WIDE Iv splatI(int32_t v) { return Iv{} + v; }
template <class V, class T>
REYES_WIDE V loadWide(const T* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T>
REYES_WIDE void storeWide(T* p, V v) {
  std::memcpy(p, &v, sizeof v);
}
REYES_WIDE Iv toInts(Fv v) { return __builtin_convertvector(v, Iv); }

REYES_WIDE Fv floorWide(Fv v) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Fv>(_mm512_roundscale_ps(reinterpret_cast<__m512>(v), 9));
#elif defined(__AVX2__)
  return reinterpret_cast<Fv>(_mm256_floor_ps(reinterpret_cast<__m256>(v)));
#elif defined(__SSE4_1__)
  return reinterpret_cast<Fv>(_mm_floor_ps(reinterpret_cast<__m128>(v)));
#else
  for (int l = 0; l < kWide; ++l) v[l] = __builtin_floorf(v[l]);
  return v;
#endif
}

/// a * b + c where a * b is exact, so that fusing changes no bit.
REYES_WIDE Fv exactMadd(Fv a, Fv b, Fv c) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Fv>(
      _mm512_fmadd_ps(reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(c)));
#elif defined(__AVX2__) && defined(__FMA__)
  return reinterpret_cast<Fv>(
      _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  return a * b + c;
#endif
}

/// 16 bytes, once a group of four lanes.
REYES_WIDE Iv byteTable(const uint8_t (&t)[16]) {
  Iv v;
  for (int k = 0; k < kWide / 4; ++k) std::memcpy(reinterpret_cast<char*>(&v) + 16 * k, t, 16);
  return v;
}
/// Every byte k of `index` (0..15) becomes byte k of the table.
REYES_WIDE Iv pickBytes(Iv table, Iv index) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Iv>(_mm512_shuffle_epi8(reinterpret_cast<__m512i>(table), reinterpret_cast<__m512i>(index)));
#elif defined(__AVX2__)
  return reinterpret_cast<Iv>(_mm256_shuffle_epi8(reinterpret_cast<__m256i>(table), reinterpret_cast<__m256i>(index)));
#elif defined(__SSSE3__)
  return reinterpret_cast<Iv>(_mm_shuffle_epi8(reinterpret_cast<__m128i>(table), reinterpret_cast<__m128i>(index)));
#else
  uint8_t t[sizeof(Iv)], x[sizeof(Iv)];
  std::memcpy(t, &table, sizeof t);
  std::memcpy(x, &index, sizeof x);
  for (uint8_t& b : x) b = t[b & 15];
  std::memcpy(&index, x, sizeof x);
  return index;
#endif
}

}  // namespace
}  // namespace reyes::vm::REYES_ISA
