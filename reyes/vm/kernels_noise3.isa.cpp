// SPDX-License-Identifier: Apache-2.0
// Kernels of noise(point), the noise that shaders call most: Ken Perlin's improved noise of 2002, bit for bit the same
// on every instruction set and as the plain loops of kernels_noise.isa.cpp give. The hash of the eight corners is seven
// look-ups in tables of neighbours, and a gradient is a sum of exact products, twice Perlin's. Where the machine
// permutes bytes of two registers (VBMI), noise of every dimension looks the whole permutation up in registers, for 16
// points.
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
constexpr int kOffsets[3][4] = {{0, 0, 0, 0}, {101, 57, 203, 149}, {31, 173, 89, 217}};

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

/// Gradients by the low bits of the hash, one table a dimension; entries repeat where fewer bits count.
template <int D>
struct Gradients {
  alignas(64) float g[D][32] = {};
  constexpr Gradients() {
    for (unsigned h = 0; h < 32; ++h) {
      const float b0 = h & 1 ? -1 : 1, b1 = h & 2 ? -1 : 1, b2 = h & 4 ? -1 : 1;
      if constexpr (D == 1) {
        g[0][h] = static_cast<float>((h & 7) + 1) * (h & 8 ? -0.25f : 0.25f);
      } else if constexpr (D == 2) {
        g[0][h] = !(h & 4) ? b0 : h & 1 ? 0 : b1 * 1.41421356f;
        g[1][h] = !(h & 4) ? b1 : h & 1 ? b1 * 1.41421356f : 0;
      } else if constexpr (D == 3) {
        const unsigned k = h & 15, second = k < 4 ? 1 : (k & 13) == 12 ? 0 : 2;
        g[k < 8 ? 0 : 1][h] = b0;
        g[second][h] = b1;
      } else {
        g[h < 24 ? 0 : 1][h] = b0, g[h < 16 ? 1 : 2][h] = b1, g[h < 8 ? 2 : 3][h] = b2;
      }
    }
  }
};
template <int D>
constexpr Gradients<D> kGradients;

/// Hashes of the 2^D corners: corner k in byte k % 4 of register k / 4.
template <int D>
struct Corners {
  __m512i h[D < 3 ? 1 : 1 << (D - 2)];
};
template <int D>
[[REYES_VBMI, gnu::always_inline]] inline Corners<D> hashCorners(const Permutation& p, const Axis (&a)[D], int k) {
  const auto offset = [k](int d) { return static_cast<uint32_t>(kOffsets[k][d]) * 0x01010101u; };
  const __m512i one = _mm512_set1_epi8(1);
  Corners<D> c;
  c.h[0] = lookUp(p, spreadBytes(a[0].cell, offset(0) + 0x01000100u));
  if constexpr (D > 1) c.h[0] = lookUp(p, _mm512_add_epi8(c.h[0], spreadBytes(a[1].cell, offset(1) + 0x01010000u)));
  if constexpr (D > 2) {
    const __m512i z = _mm512_add_epi8(c.h[0], spreadBytes(a[2].cell, offset(2)));
    c.h[0] = lookUp(p, z), c.h[1] = lookUp(p, _mm512_add_epi8(z, one));
  }
  if constexpr (D > 3) {
    const __m512i t = spreadBytes(a[3].cell, offset(3)), t1 = _mm512_add_epi8(t, one);
    c.h[2] = lookUp(p, _mm512_add_epi8(c.h[0], t1)), c.h[3] = lookUp(p, _mm512_add_epi8(c.h[1], t1));
    c.h[0] = lookUp(p, _mm512_add_epi8(c.h[0], t)), c.h[1] = lookUp(p, _mm512_add_epi8(c.h[1], t));
  }
  return c;
}

/// Gradient of a corner times the way to it. One product of each sum but those of 1D is exact.
template <int D>
REYES_WIDE Fv cornerDot(const Axis (&a)[D], const Corners<D>& c, int corner) {
  const __m512i h = _mm512_srli_epi32(c.h[corner >> 2], 8u * (static_cast<unsigned>(corner) & 3u));
  Fv sum{};
  for (int d = 0; d < D; ++d) {
    const float* g = kGradients<D>.g[d];
    const __m512 way = D < 4 ? _mm512_permutexvar_ps(h, _mm512_load_ps(g))
                             : _mm512_permutex2var_ps(_mm512_load_ps(g), h, _mm512_load_ps(g + 16));
    const Fv f = corner >> d & 1 ? a[d].f - 1.0f : a[d].f;
    sum = d == 0 ? reinterpret_cast<Fv>(way) * f : exactMadd(reinterpret_cast<Fv>(way), f, sum);
  }
  return sum;
}
template <int D, int Level>
REYES_WIDE Fv blendCorners(const Axis (&a)[D], const Corners<D>& c, int corner) {
  if constexpr (Level == 0)
    return cornerDot<D>(a, c, corner);
  else
    return blendWide(a[Level - 1].w, blendCorners<D, Level - 1>(a, c, corner),
                     blendCorners<D, Level - 1>(a, c, corner | 1 << (Level - 1)));
}

/// Noise of 1 to 4 dimensions: floats are operands of their own, three are a point.
template <int D, int Components>
[[REYES_VBMI]] void noisePermuted(const KernelCall& c) {
  Permutation p;
  for (int q = 0; q < 4; ++q) p.part[q] = _mm512_loadu_si512(kPerlinPermutation.data() + 64 * q);
  const float* in[D];
  for (int d = 0; d < D; ++d) {
    const Reg& first = c.regs[c.args[1]];
    in[d] = D >= 3 && d < 3 ? first.data + d * first.stride : c.regs[c.args[D == 4 ? 2 : 1 + d]].data;
  }
  const Reg& out = c.regs[c.args[0]];
  for (int i = 0; i < c.n; i += kWide) {
    Axis a[D];
    for (int d = 0; d < D; ++d) a[d] = findAxis(c.n == 1 ? splatF(in[d][0]) : loadWide<Fv>(in[d] + i));
    for (int k = 0; k < Components; ++k) {
      Fv n = blendCorners<D, D>(a, hashCorners<D>(p, a, k), 0);
      if constexpr (D == 4) n = n * 0.8344f;
      const Fv r = n * 0.5f + 0.5f;
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
  const auto put = [&t](Builtin b, Kernel k, int sources) { addPlain(t, builtinOp(b), k, sources); };
  put(Builtin::k_noise_p, noise3<1>, 1), put(Builtin::k_noise_t_p, noise3<3>, 1);
#if defined(__AVX512BW__)
  if (!__builtin_cpu_supports("avx512vbmi")) return;
  put(Builtin::k_noise, noisePermuted<1, 1>, 1), put(Builtin::k_noise_t_f, noisePermuted<1, 3>, 1);
  put(Builtin::k_noise_ff, noisePermuted<2, 1>, 2), put(Builtin::k_noise_t_ff, noisePermuted<2, 3>, 2);
  put(Builtin::k_noise_p, noisePermuted<3, 1>, 1), put(Builtin::k_noise_t_p, noisePermuted<3, 3>, 1);
  put(Builtin::k_noise_pf, noisePermuted<4, 1>, 2), put(Builtin::k_noise_t_pf, noisePermuted<4, 3>, 2);
#endif
}

}  // namespace reyes::vm::REYES_ISA
