// SPDX-License-Identifier: Apache-2.0
// Texels of eight lanes out of one tile, and the bilinear blend of four of them, for texture's *.isa.cpp files only.
// Bytes are blended along x in whole numbers: two texels beside each other are one load and one multiply-add, in
// 32768ths, which every instruction set gives alike. Called by taps.isa.cpp.
#pragma once

#include "reyes/base/lanes8.h"
#include "reyes/texture/tap_kernels.h"

namespace reyes::texture::REYES_ISA {
using namespace reyes::REYES_ISA;

constexpr int texelBytes(TexelType t) { return t == TexelType::kUint8 ? 1 : t == TexelType::kFloat ? 4 : 2; }

/// What blends are multiples of. Of bytes: the parts along x. Multiply-adds want weights of 16 bits with a sign, so the
/// parts that make up 32768 are taken below 0.
template <TexelType kType>
constexpr float kBlendUnit = kType != TexelType::kUint8 ? 1.0f :
#if defined(__AVX2__)
                                                        -32768.0f;
#else
                                                        32768.0f;
#endif

/// Halves in the low 16 bits of words to floats. Infinities and values that are no numbers stay such.
REYES_INLINE F8 fromHalf(I8 h) {
  const I8 magnitude = (h & 0x7fff) << 13;
  const I8 special = (h & 0x7c00) == 0x7c00;
  const F8 plain = asFloats(magnitude) * 0x1p112f;
  const I8 value = special ? magnitude | 0x7f800000 : reinterpret_cast<I8>(plain);
  return asFloats(value | (h & 0x8000) << 16);
}

/// The halves in the low and in the high 16 bits of words.
REYES_INLINE void fromHalves(I8 words, F8& low, F8& high) {
#if defined(__AVX2__) && defined(__F16C__)
  const __m128i order = _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
  const __m256i apart = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(words), _mm256_broadcastsi128_si256(order));
  const __m256i sorted = _mm256_permute4x64_epi64(apart, 0xd8);
  low = reinterpret_cast<F8>(_mm256_cvtph_ps(_mm256_castsi256_si128(sorted)));
  high = reinterpret_cast<F8>(_mm256_cvtph_ps(_mm256_extracti128_si256(sorted, 1)));
#else
  low = fromHalf(words & 0xffff), high = fromHalf((words >> 16) & 0xffff);
#endif
}

/// Channels of eight texels; `o` counts numbers from the start of the tile.
template <TexelType kType, int kChannels>
REYES_INLINE void texels(const char* base, I8 o, F8 v[kChannels]) {
  if constexpr (kType == TexelType::kUint8) {
    const I8 word = gather(base, o);
    for (int c = 0; c < kChannels; ++c) v[c] = toFloats((word >> (8 * c)) & 255);
  } else if constexpr (kType == TexelType::kFloat) {
    for (int c = 0; c < kChannels; ++c) v[c] = asFloats(gather(base + 4 * c, o * 4));
  } else {
    for (int c = 0; c < kChannels; c += 2) {
      const I8 word = gather(base + 2 * c, o * 2);
      F8 low, high;
      if constexpr (kType == TexelType::kHalf)
        fromHalves(word, low, high);
      else
        low = toFloats(word & 0xffff), high = toFloats((word >> 16) & 0xffff);
      v[c] = low;
      if (c + 1 < kChannels) v[c + 1] = high;
    }
  }
}

/// How far towards the second of two texels, in 32768ths; a rounded fraction may be 1.
REYES_INLINE I8 partOf(F8 f) { return min(toInts(f * 32768.0f), splat(32767)); }

/// Along x. Bytes in 32768ths: products and sums are whole numbers below 2^24.
template <TexelType kType, int kChannels>
REYES_INLINE void blendAlong(F8 f, const F8 v0[kChannels], const F8 v1[kChannels], F8 out[kChannels]) {
  if constexpr (kType == TexelType::kUint8) {
    const F8 second = toFloats(partOf(f)) * (kBlendUnit<kType> / 32768), first = kBlendUnit<kType> - second;
    for (int c = 0; c < kChannels; ++c) out[c] = v0[c] * first + v1[c] * second;
  } else {
    for (int c = 0; c < kChannels; ++c) out[c] = v0[c] + (v1[c] - v0[c]) * f;
  }
}

#if defined(__AVX2__)
/// Rows of bytes: four channels at most, two texels in eight bytes.
struct PairMasks {
  __m256i ab, cd;
  explicit PairMasks(int stride) {
    const auto mask = [stride](int c) {
      const auto at = [](int byte) { return static_cast<char>(byte); };
      const char z = -1;
      const __m128i half = _mm_setr_epi8(at(c), z, at(c + stride), z, at(c + 1), z, at(c + 1 + stride), z, at(c + 8), z,
                                         at(c + 8 + stride), z, at(c + 9), z, at(c + 9 + stride), z);
      return _mm256_broadcastsi128_si256(half);
    };
    ab = mask(0), cd = mask(2);
  }
};

/// Eight bytes from four places.
REYES_INLINE __m256i fourPairs(const char* base, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const auto two = [base](uint32_t low, uint32_t high) {
    const __m128i l = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(base + low));
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(l), reinterpret_cast<const __m64*>(base + high)));
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(two(a, b)), two(c, d), 1);
}

template <int kChannels>
REYES_INLINE void pairRow(const char* base, const uint32_t o[8], const PairMasks& masks, __m256i weights,
                          F8 out[kChannels]) {
  const __m256i low = fourPairs(base, o[0], o[1], o[4], o[5]), high = fourPairs(base, o[2], o[3], o[6], o[7]);
  for (int c = 0; c < kChannels; c += 2) {
    const __m256i mask = c == 0 ? masks.ab : masks.cd;
    const __m256 l = _mm256_castsi256_ps(_mm256_shuffle_epi8(low, mask));
    const __m256 h = _mm256_castsi256_ps(_mm256_shuffle_epi8(high, mask));
    const auto blended = [weights](__m256 texelsOfLanes) {
      const __m256i sums = _mm256_madd_epi16(_mm256_castps_si256(texelsOfLanes), weights);
      return reinterpret_cast<F8>(_mm256_cvtepi32_ps(sums));
    };
    out[c] = blended(_mm256_shuffle_ps(l, h, 0x88));
    if (c + 1 < kChannels) out[c + 1] = blended(_mm256_shuffle_ps(l, h, 0xdd));
  }
}
#else
struct PairMasks {
  explicit PairMasks(int) {}
};
#endif

/// The two rows of four texels that lie beside each other, blended along x.
template <TexelType kType, int kChannels>
REYES_INLINE void blendRows(const TapRound& r, const PairMasks& masks, const char* base, I8 offset, F8 fx,
                            F8 low[kChannels], F8 high[kChannels]) {
  const char* up = base + texelBytes(kType) * (r.stride << r.tileShiftX);
#if defined(__AVX2__)
  if constexpr (kType == TexelType::kUint8) {
    if (r.stride <= 4) {
      const I8 second = partOf(fx);
      const __m256i weights = reinterpret_cast<__m256i>((second | 0x8000) - (second << 16));
      alignas(32) uint32_t o[8];
      _mm256_store_si256(reinterpret_cast<__m256i*>(o), reinterpret_cast<__m256i>(offset));
      pairRow<kChannels>(base, o, masks, weights, low);
      pairRow<kChannels>(up, o, masks, weights, high);
      return;
    }
  }
#endif
  static_cast<void>(masks);
  F8 v0[kChannels], v1[kChannels];
  texels<kType, kChannels>(base, offset, v0);
  texels<kType, kChannels>(base, offset + r.stride, v1);
  blendAlong<kType, kChannels>(fx, v0, v1, low);
  texels<kType, kChannels>(up, offset, v0);
  texels<kType, kChannels>(up, offset + r.stride, v1);
  blendAlong<kType, kChannels>(fx, v0, v1, high);
}

/// Four texels beside each other, in kBlendUnits.
template <TexelType kType, int kChannels>
REYES_INLINE void blendInside(const TapRound& r, const PairMasks& masks, const char* base, I8 offset, F8 fx, F8 fy,
                              F8 value[kChannels]) {
  F8 high[kChannels];
  blendRows<kType, kChannels>(r, masks, base, offset, fx, value, high);
  for (int c = 0; c < kChannels; ++c) value[c] += (high[c] - value[c]) * fy;
}

/// Four texels dx and dy numbers apart: the same bits where they lie beside each other.
template <TexelType kType, int kChannels>
REYES_INLINE void blendApart(const char* base, I8 offset, I8 dx, I8 dy, F8 fx, F8 fy, F8 value[kChannels]) {
  F8 v0[kChannels], v1[kChannels], high[kChannels];
  texels<kType, kChannels>(base, offset, v0);
  texels<kType, kChannels>(base, offset + dx, v1);
  blendAlong<kType, kChannels>(fx, v0, v1, value);
  texels<kType, kChannels>(base, offset + dy, v0);
  texels<kType, kChannels>(base, offset + dy + dx, v1);
  blendAlong<kType, kChannels>(fx, v0, v1, high);
  for (int c = 0; c < kChannels; ++c) value[c] += (high[c] - value[c]) * fy;
}

}  // namespace reyes::texture::REYES_ISA
