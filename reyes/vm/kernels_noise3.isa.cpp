// SPDX-License-Identifier: Apache-2.0
// Kernels of noise(point), the noise that shaders call most: Ken Perlin's improved noise of 2002, bit for bit the same
// on every instruction set and as the plain loops of kernels_noise.isa.cpp give. The hash of the eight corners is seven
// look-ups in tables of neighbours, or, where the machine permutes bytes of two registers (VBMI), four of the whole
// permutation in registers for 16 points at once. A gradient is a sum of exact products, twice Perlin's.
#include "reyes/base/noise.h"
#include "reyes/vm/lane_math.h"
#include "reyes/vm/noise_lanes.h"

namespace reyes::vm::REYES_ISA {
namespace {

/// Where a vector of points lies: cell modulo 256, place in the cell, weight of the far side.
struct Axis {
  Iv cell;
  Fv f, w;
};
REYES_WIDE Axis findAxis(Fv x) {
  const Fv cell = floorWide(x);
  Fv f = x - cell;
  f = reinterpret_cast<Fv>(reinterpret_cast<Iv>(f) & ((f >= 0.0f) & (f < 1.0f)));
  Fv wrapped = cell - 256.0f * floorWide(cell * (1.0f / 256.0f));
  wrapped = reinterpret_cast<Fv>(reinterpret_cast<Iv>(wrapped) & (wrapped >= 0.0f));  // infinite: 0
  return {toInts(wrapped), f, f * f * f * (f * (f * 6.0f - 15.0f) + 10.0f)};
}
REYES_WIDE Fv blendWide(Fv t, Fv a, Fv b) { return a + t * (b - a); }

/// The eight corners blended, from twice their gradients' products, to 0..1. dot(k): corner k.
template <class Dot>
REYES_WIDE Fv blendCube(const Axis (&a)[3], Dot dot) {
  const Fv near = blendWide(a[1].w, blendWide(a[0].w, dot(0), dot(1)), blendWide(a[0].w, dot(2), dot(3)));
  const Fv far = blendWide(a[1].w, blendWide(a[0].w, dot(4), dot(5)), blendWide(a[0].w, dot(6), dot(7)));
  return blendWide(a[2].w, near, far) * 0.25f + 0.5f;
}

// The components of a triple look at other parts of the lattice.
constexpr int kOffsets[3][3] = {{0, 0, 0}, {101, 57, 203}, {31, 173, 89}};

// --- any machine -----------------------------------------------------------------------------------------------------

/// next[i]: p[i] in the low half, p[i + 1] in the high half. last[i]: the gradients of p[i] and p[i + 1] in the two
/// upper bytes, numbered 1..12; 0 is none.
struct Tables {
  alignas(64) uint32_t next[512], last[512];

  constexpr Tables(const uint8_t* p) : next(), last() {
    // Perlin's 16 directions are 12, four of them twice.
    constexpr uint8_t code[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 10, 2, 12};
    for (uint32_t i = 0; i < 512; ++i) {
      const uint32_t a = p[i & 255], b = p[(i + 1) & 255];
      next[i] = a | b << 16;
      last[i] = uint32_t{code[a & 15]} << 24 | uint32_t{code[b & 15]} << 16;
    }
  }
};
const Tables& tables() {
  static const Tables t(kPerlinPermutation.data());
  return t;
}

// Upper bytes of 2, -2 or 0 for gradients 0..12: x+y -x+y x-y -x-y x+z -x+z x-z -x-z y+z -y+z y-z -y-z.
constexpr uint8_t kUp = 0x40, kDn = 0xc0;
constexpr uint8_t kGradX[16] = {0, kUp, kDn, kUp, kDn, kUp, kDn, kUp, kDn};
constexpr uint8_t kGradY[16] = {0, kUp, kUp, kDn, kDn, 0, 0, 0, 0, kUp, kDn, kUp, kDn};
constexpr uint8_t kGradZ[16] = {0, 0, 0, 0, 0, kUp, kUp, kDn, kDn, kUp, kUp, kDn, kDn};

/// Points are hashed and blended in turns, so that no vector is read back just after its lanes were written one by one.
constexpr int kTurn = 32;

/// Pairs of gradients along z at the four corners of x and y, of points from..from+n.
REYES_WIDE void hashSquares(uint32_t (&pair)[4][kTurn], const Tables& t, const int32_t (&cell)[3][kTurn], int n) {
#pragma GCC unroll 4
  for (int l = 0; l < n; ++l) {
    const uint32_t *row = t.next + cell[1][l], *end = t.last + cell[2][l];
    const uint32_t e = t.next[cell[0][l]];
    const uint32_t low = row[e & 0xffff], high = row[e >> 16];
    pair[0][l] = end[low & 0xffff], pair[1][l] = end[high & 0xffff];
    pair[2][l] = end[low >> 16], pair[3][l] = end[high >> 16];
  }
}

template <int Components>
void noise3(const KernelCall& c) {
  const Tables& t = tables();
  const Iv gx = byteTable(kGradX), gy = byteTable(kGradY), gz = byteTable(kGradZ);
  const Reg &in = c.regs[c.args[1]], &out = c.regs[c.args[0]];
  alignas(64) int32_t cell[3][kTurn];
  alignas(64) uint32_t pair[4][kTurn];
  Axis axes[kTurn / kWide][3];
  for (int i = 0; i < c.n; i += kTurn) {
    const int n = c.n == 1 ? kWide : c.n - i < kTurn ? c.n - i : kTurn;
    for (int l = 0; l < n; l += kWide)
      for (int d = 0; d < 3; ++d) {
        const float* x = in.data + d * in.stride;
        axes[l / kWide][d] = findAxis(c.n == 1 ? splatF(x[0]) : loadWide<Fv>(x + i + l));
      }
    for (int k = 0; k < Components; ++k) {
      for (int l = 0; l < n; l += kWide)
        for (int d = 0; d < 3; ++d) storeWide(cell[d] + l, (axes[l / kWide][d].cell + kOffsets[k][d]) & 255);
      hashSquares(pair, t, cell, n);
      for (int l = 0; l < n; l += kWide) {
        const Axis(&a)[3] = axes[l / kWide];
        const Fv r = blendCube(
            a, [&](int corner) __attribute__((always_inline)) {
              const Iv p = loadWide<Iv>(pair[corner & 3] + l);
              const Iv code = corner < 4 ? p & static_cast<int32_t>(0xff000000u) : p << 8;
              const Fv x = corner & 1 ? a[0].f - 1.0f : a[0].f, y = corner & 2 ? a[1].f - 1.0f : a[1].f;
              const Fv z = corner & 4 ? a[2].f - 1.0f : a[2].f;
              const Fv sum = exactMadd(reinterpret_cast<Fv>(pickBytes(gy, code)), y,
                                       reinterpret_cast<Fv>(pickBytes(gx, code)) * x);
              return exactMadd(reinterpret_cast<Fv>(pickBytes(gz, code)), z, sum);
            });
        if (c.n == 1)
          out.data[k * out.stride] = r[0];
        else
          storeWide(out.data + k * out.stride + i + l, r);
      }
    }
  }
}

// --- byte permutations of two registers ------------------------------------------------------------------------------
#if defined(__AVX512BW__)
#define REYES_VBMI gnu::target("avx512vbmi")

/// The permutation in four registers.
struct Permutation {
  __m512i part[4];
};
[[REYES_VBMI, gnu::always_inline]] inline __m512i lookUp(const Permutation& p, __m512i index) {
  const __m512i low = _mm512_permutex2var_epi8(p.part[0], index, p.part[1]);
  const __m512i high = _mm512_permutex2var_epi8(p.part[2], index, p.part[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

/// Low bytes of every lane in all four bytes, plus `add`.
REYES_WIDE __m512i spreadBytes(Iv cell, uint32_t add) {
  const __m512i four =
      _mm512_shuffle_epi8(reinterpret_cast<__m512i>(cell), _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));
  return _mm512_add_epi8(four, _mm512_set1_epi32(static_cast<int32_t>(add)));
}

template <int Components>
[[REYES_VBMI]] void noise3Permuted(const KernelCall& c) {
  Permutation p;
  for (int q = 0; q < 4; ++q) p.part[q] = _mm512_loadu_si512(kPerlinPermutation.data() + 64 * q);
  // Twice Perlin's gradients by the low four bits of the hash.
  const __m512 gx = _mm512_setr_ps(2, -2, 2, -2, 2, -2, 2, -2, 0, 0, 0, 0, 2, 0, -2, 0);
  const __m512 gy = _mm512_setr_ps(2, 2, -2, -2, 0, 0, 0, 0, 2, -2, 2, -2, 2, -2, 2, -2);
  const __m512 gz = _mm512_setr_ps(0, 0, 0, 0, 2, 2, -2, -2, 2, 2, -2, -2, 0, 2, 0, -2);
  const Reg &in = c.regs[c.args[1]], &out = c.regs[c.args[0]];
  for (int i = 0; i < c.n; i += kWide) {
    Axis a[3];
    for (int d = 0; d < 3; ++d) {
      const float* x = in.data + d * in.stride;
      a[d] = findAxis(c.n == 1 ? splatF(x[0]) : loadWide<Fv>(x + i));
    }
    for (int k = 0; k < Components; ++k) {
      const auto offset = [k](int d) { return static_cast<uint32_t>(kOffsets[k][d]) * 0x01010101u; };
      // Bytes of a lane: corners 00 10 01 11 of x and y.
      const __m512i x = lookUp(p, spreadBytes(a[0].cell, offset(0) + 0x01000100u));
      const __m512i y = lookUp(p, _mm512_add_epi8(x, spreadBytes(a[1].cell, offset(1) + 0x01010000u)));
      const __m512i z = _mm512_add_epi8(y, spreadBytes(a[2].cell, offset(2)));
      const __m512i corners[2] = {lookUp(p, z), lookUp(p, _mm512_add_epi8(z, _mm512_set1_epi8(1)))};
      const Fv r = blendCube(
          a, [&](int corner) __attribute__((always_inline)) {
            const __m512i h = _mm512_srli_epi32(corners[corner >> 2], 8u * (corner & 3u));
            const Fv x1 = corner & 1 ? a[0].f - 1.0f : a[0].f, y1 = corner & 2 ? a[1].f - 1.0f : a[1].f;
            const Fv z1 = corner & 4 ? a[2].f - 1.0f : a[2].f;
            const Fv sum = exactMadd(reinterpret_cast<Fv>(_mm512_permutexvar_ps(h, gy)), y1,
                                     reinterpret_cast<Fv>(_mm512_permutexvar_ps(h, gx)) * x1);
            return exactMadd(reinterpret_cast<Fv>(_mm512_permutexvar_ps(h, gz)), z1, sum);
          });
      if (c.n == 1)
        out.data[k * out.stride] = r[0];
      else
        storeWide(out.data + k * out.stride + i, r);
    }
  }
}
#endif

}  // namespace

void addNoise3(KernelTable& t) {
  const auto put = [&t](Kernel one, Kernel three) {
    addPlain(t, builtinOp(Builtin::k_noise_p), one, 1);
    addPlain(t, builtinOp(Builtin::k_noise_t_p), three, 1);
  };
  put(noise3<1>, noise3<3>);
#if defined(__AVX512BW__)
  if (__builtin_cpu_supports("avx512vbmi")) put(noise3Permuted<1>, noise3Permuted<3>);
#endif
}

}  // namespace reyes::vm::REYES_ISA
