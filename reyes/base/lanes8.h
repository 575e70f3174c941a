// SPDX-License-Identifier: Apache-2.0
// Eight lanes of float or int32 as compiler vectors, for *.isa.cpp files only: each is compiled once an instruction
// set, and this with it, inside namespace reyes::REYES_ISA, so nothing here has one definition across the program. Used
// by the kernels of hider/ and texture/, which name that namespace in a using directive.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi"

/// Vectors of 32 bytes stay in registers only where nothing is called.
#define REYES_INLINE __attribute__((always_inline)) inline

namespace reyes::REYES_ISA {

typedef float F8 __attribute__((vector_size(32)));
typedef int32_t I8 __attribute__((vector_size(32)));

REYES_INLINE F8 load(const float* p) {
  F8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
REYES_INLINE I8 load(const int32_t* p) {
  I8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
REYES_INLINE I8 load(const uint32_t* p) {
  I8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T, class V>
REYES_INLINE void store(T* p, V v) {
  std::memcpy(p, &v, sizeof v);
}
#if defined(__SSE4_1__) && !defined(__AVX__)
// Eight lanes from eight scalars would be stored one by one, and loaded from there.
typedef float Float4 __attribute__((vector_size(16)));
typedef int32_t Int4 __attribute__((vector_size(16)));
REYES_INLINE F8 splat(float f) {
  const Float4 half{f, f, f, f}, both[2] = {half, half};
  F8 v;
  std::memcpy(&v, both, sizeof v);
  return v;
}
REYES_INLINE I8 splat(int32_t i) {
  const Int4 half{i, i, i, i}, both[2] = {half, half};
  I8 v;
  std::memcpy(&v, both, sizeof v);
  return v;
}
#else
REYES_INLINE F8 splat(float f) { return F8{f, f, f, f, f, f, f, f}; }
REYES_INLINE I8 splat(int32_t i) { return I8{i, i, i, i, i, i, i, i}; }
#endif
REYES_INLINE F8 toFloats(I8 i) { return __builtin_convertvector(i, F8); }
REYES_INLINE I8 toInts(F8 f) { return __builtin_convertvector(f, I8); }
REYES_INLINE F8 asFloats(I8 i) { return reinterpret_cast<F8>(i); }

/// f(a, b) of eight lanes. Without registers that wide compilers take comparisons and choices apart lane by lane, but
/// not those of four lanes: there it goes by halves.
template <class R, class V, class F>
REYES_INLINE R byHalves(V a, V b, F f) {
#if defined(__SSE4_1__) && !defined(__AVX__)
  std::conditional_t<std::is_same_v<V, F8>, Float4, Int4> p[2], q[2];
  std::conditional_t<std::is_same_v<R, F8>, Float4, Int4> r[2];
  std::memcpy(p, &a, sizeof a);
  std::memcpy(q, &b, sizeof b);
  r[0] = f(p[0], q[0]), r[1] = f(p[1], q[1]);
  R v;
  std::memcpy(&v, r, sizeof v);
  return v;
#else
  return f(a, b);
#endif
}
/// All bits of a lane where a < b, a <= b, a == b; none elsewhere.
template <class V>
REYES_INLINE I8 less(V a, V b) {
  return byHalves<I8>(a, b, [](auto p, auto q) { return p < q; });
}
template <class V>
REYES_INLINE I8 atMost(V a, V b) {
  return byHalves<I8>(a, b, [](auto p, auto q) { return p <= q; });
}
template <class V>
REYES_INLINE I8 equal(V a, V b) {
  return byHalves<I8>(a, b, [](auto p, auto q) { return p == q; });
}
/// a in the lanes of a comparison's result, else b.
template <class V>
REYES_INLINE V choose(I8 mask, V a, V b) {
#if defined(__AVX__)
  return mask ? a : b;
#else
  return reinterpret_cast<V>((reinterpret_cast<I8>(a) & mask) | (reinterpret_cast<I8>(b) & ~mask));
#endif
}
/// a where a < b, else b; and the other way round.
REYES_INLINE F8 min(F8 a, F8 b) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(_mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
#else
  return byHalves<F8>(a, b, [](auto p, auto q) { return p < q ? p : q; });
#endif
}
REYES_INLINE F8 max(F8 a, F8 b) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(_mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
#else
  return byHalves<F8>(a, b, [](auto p, auto q) { return p > q ? p : q; });
#endif
}
REYES_INLINE I8 min(I8 a, I8 b) {
  return byHalves<I8>(a, b, [](auto p, auto q) { return p < q ? p : q; });
}
REYES_INLINE I8 max(I8 a, I8 b) {
  return byHalves<I8>(a, b, [](auto p, auto q) { return p > q ? p : q; });
}

/// a * b + c where the result is exact either way, so that fusing changes no bit.
REYES_INLINE F8 exactMadd(F8 a, F8 b, F8 c) {
#if defined(__FMA__)
  return reinterpret_cast<F8>(
      _mm256_fmadd_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b), reinterpret_cast<__m256>(c)));
#else
  return a * b + c;
#endif
}

REYES_INLINE F8 floor(F8 x) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(_mm256_floor_ps(reinterpret_cast<__m256>(x)));
#elif defined(__SSE4_1__)
  __m128 half[2];
  std::memcpy(half, &x, sizeof x);
  half[0] = _mm_floor_ps(half[0]), half[1] = _mm_floor_ps(half[1]);
  std::memcpy(&x, half, sizeof x);
  return x;
#else
  for (int i = 0; i < 8; ++i) x[i] = __builtin_floorf(x[i]);
  return x;
#endif
}
REYES_INLINE I8 asInts(F8 f) { return reinterpret_cast<I8>(f); }

REYES_INLINE F8 sqrt(F8 v) {
#if defined(__AVX__)
  return reinterpret_cast<F8>(_mm256_sqrt_ps(reinterpret_cast<__m256>(v)));
#elif defined(__SSE__)
  __m128 half[2];
  std::memcpy(half, &v, sizeof v);
  half[0] = _mm_sqrt_ps(half[0]), half[1] = _mm_sqrt_ps(half[1]);
  std::memcpy(&v, half, sizeof v);
  return v;
#else
  for (int i = 0; i < 8; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
#endif
}

/// One bit a lane of a comparison's result.
REYES_INLINE uint32_t bits(I8 m) {
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
REYES_INLINE void forBits(uint32_t m, F&& f) {
  for (; m; m &= m - 1) f(__builtin_ctz(m));
}
/// Which lane is the n-th of a mask: byte n * kBytes of [mask], and after it the other bytes of that lane.
template <class Word, int kLanes, int kBytes>
struct PackedLanes {
  alignas(16) Word of[1 << kLanes][kBytes * kLanes / sizeof(Word)];
  constexpr PackedLanes() : of() {
    for (uint32_t mask = 0; mask < 1u << kLanes; ++mask)
      for (uint32_t lane = 0, at = 0; lane < kLanes; ++lane)
        for (uint32_t byte = 0; mask >> lane & 1 && byte < kBytes; ++byte, ++at)
          of[mask][at / sizeof(Word)] |= static_cast<Word>(lane * kBytes + byte) << at % sizeof(Word) * 8;
  }
};
/// The lanes of a mask one after the other; eight words may be written.
REYES_INLINE void storePacked(uint32_t* to, I8 v, uint32_t mask) {
#if defined(__AVX512VL__)
  store(to, _mm256_maskz_compress_epi32(static_cast<__mmask8>(mask), reinterpret_cast<__m256i>(v)));
#elif defined(__AVX2__)
  static constexpr PackedLanes<uint64_t, 8, 1> kLanes;
  const __m128i lanes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kLanes.of[mask]));
  store(to, _mm256_permutevar8x32_epi32(reinterpret_cast<__m256i>(v), _mm256_cvtepu8_epi32(lanes)));
#elif defined(__SSE4_1__)
  static constexpr PackedLanes<uint64_t, 4, 4> kLanes;
  __m128i half[2];
  std::memcpy(half, &v, sizeof v);
  const auto packed = [](__m128i h, uint32_t m) {
    return _mm_shuffle_epi8(h, _mm_load_si128(reinterpret_cast<const __m128i*>(kLanes.of[m])));
  };
  store(to, packed(half[0], mask & 15));
  store(to + __builtin_popcount(mask & 15), packed(half[1], mask >> 4));
#else
  forBits(mask, [&](int n) { *to++ = static_cast<uint32_t>(v[n]); });
#endif
}
REYES_INLINE bool anyNegative(I8 v) { return bits(v) != 0; }

/// Eight words of 32 bits at byte offsets.
REYES_INLINE I8 gather(const char* base, I8 offsets) {
#if defined(__AVX2__)
  return reinterpret_cast<I8>(
      _mm256_i32gather_epi32(reinterpret_cast<const int*>(base), reinterpret_cast<__m256i>(offsets), 1));
#else
  I8 v;
  for (int i = 0; i < 8; ++i) {
    int32_t word;
    std::memcpy(&word, base + offsets[i], sizeof word);
    v[i] = word;
  }
  return v;
#endif
}

}  // namespace reyes::REYES_ISA
