// SPDX-License-Identifier: Apache-2.0
// Kernels of noise(), pnoise() and cellnoise() (RI 3.2 section 15.1). noise is Ken Perlin's improved noise of 2002 with
// his permutation, taken from -1..1 to 0..1; the 3D form is exactly his. 1D has slopes of 1/4..2, 2D eight directions,
// 4D 32 directions. Work goes in strips of 16 points: lattice, hash (table), blend; the first and last are vector
// loops.
#include "reyes/base/noise.h"
#include "reyes/vm/lane_math.h"

namespace reyes::vm::REYES_ISA {
namespace {

constexpr int kStrip = 16;

/// Lattice cells of a strip of D-dimensional points, modulo 256, and places inside of them.
template <int D>
struct Cells {
  alignas(64) int32_t low[D][kStrip], high[D][kStrip];
  alignas(64) float f[D][kStrip], w[D][kStrip];
};

REYES_LANE float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }
REYES_LANE float blend(float t, float a, float b) { return a + t * (b - a); }
REYES_LANE float withSign(float v, int32_t h, int bit) {
  return floatOf(bitsOf(v) ^ (static_cast<uint32_t>(h) << (31 - bit) & 0x80000000u));
}

/// v - m * floor(v / m), in 0..m-1 for whole v and m.
REYES_LANE float wrapTo(float v, float m) {
  float r = v - m * floorOf(v / m);
  r = r < 0.0f ? r + m : r;
  return r >= 0.0f && r < m ? r : 0.0f;
}

template <int D, bool Periodic>
[[gnu::always_inline]] inline void findCells(Cells<D>& c, const float (&x)[D][kStrip],
                                             const float (&period)[D][kStrip]) {
  for (int d = 0; d < D; ++d) {
    REYES_LOOP
    for (int l = 0; l < kStrip; ++l) {
      const float cell = floorOf(x[d][l]);
      float f = x[d][l] - cell;
      f = f >= 0.0f && f < 1.0f ? f : 0.0f;
      c.f[d][l] = f;
      c.w[d][l] = fade(f);
      float lo = cell, hi = cell + 1.0f;
      if constexpr (Periodic) {
        const float whole = floorOf(period[d][l]);
        const float m = whole >= 1.0f ? whole : 1.0f;
        lo = wrapTo(lo, m), hi = wrapTo(hi, m);
      }
      c.low[d][l] = static_cast<int32_t>(wrapTo(lo, 256.0f));
      c.high[d][l] = static_cast<int32_t>(wrapTo(hi, 256.0f));
    }
  }
}

/// Hashes of the 2^D corners; corner k has the high cell of dimension d where bit d of k is set. `offset` separates the
/// components of a triple.
template <int D>
[[gnu::always_inline]] inline void hashCorners(int32_t (&h)[1 << D][kStrip], const Cells<D>& c, const uint8_t* p,
                                               const int (&offset)[4]) {
  for (int l = 0; l < kStrip; ++l) {
    const int x0 = p[(c.low[0][l] + offset[0]) & 255], x1 = p[(c.high[0][l] + offset[0]) & 255];
    if constexpr (D == 1) {
      h[0][l] = x0, h[1][l] = x1;
    } else {
      const int y0 = (c.low[1][l] + offset[1]) & 255, y1 = (c.high[1][l] + offset[1]) & 255;
      const int xy[4] = {p[x0 + y0], p[x1 + y0], p[x0 + y1], p[x1 + y1]};
      if constexpr (D == 2) {
        for (int k = 0; k < 4; ++k) h[k][l] = xy[k];
      } else {
        const int z0 = (c.low[2][l] + offset[2]) & 255, z1 = (c.high[2][l] + offset[2]) & 255;
        if constexpr (D == 3) {
          for (int k = 0; k < 4; ++k) h[k][l] = p[xy[k] + z0], h[k + 4][l] = p[xy[k] + z1];
        } else {
          const int t0 = (c.low[3][l] + offset[3]) & 255, t1 = (c.high[3][l] + offset[3]) & 255;
          for (int k = 0; k < 4; ++k) {
            const int lo = p[xy[k] + z0], hi = p[xy[k] + z1];
            h[k][l] = p[lo + t0], h[k + 4][l] = p[hi + t0];
            h[k + 8][l] = p[lo + t1], h[k + 12][l] = p[hi + t1];
          }
        }
      }
    }
  }
}

REYES_LANE float gradient(int32_t h, float x) { return withSign(static_cast<float>((h & 7) + 1) * 0.25f * x, h, 3); }
REYES_LANE float gradient(int32_t h, float x, float y) {
  const float straight = withSign(((h & 1) != 0 ? y : x) * 1.41421356f, h, 1);
  const float diagonal = withSign(x, h, 0) + withSign(y, h, 1);
  return (h & 4) != 0 ? straight : diagonal;
}
REYES_LANE float gradient(int32_t h, float x, float y, float z) {
  const int32_t k = h & 15;
  const float u = k < 8 ? x : y;
  const float v = k < 4 ? y : (k & 13) == 12 ? x : z;
  return withSign(u, h, 0) + withSign(v, h, 1);
}
REYES_LANE float gradient(int32_t h, float x, float y, float z, float t) {
  const int32_t k = h & 31;
  const float u = k < 24 ? x : y, v = k < 16 ? y : z, w = k < 8 ? z : t;
  return withSign(u, h, 0) + withSign(v, h, 1) + withSign(w, h, 2);
}

template <int D>
[[gnu::always_inline]] inline void blendCorners(float* out, const Cells<D>& c, const int32_t (&h)[1 << D][kStrip]) {
  REYES_LOOP
  for (int l = 0; l < kStrip; ++l) {
    const float x = c.f[0][l], u = c.w[0][l];
    float n;
    if constexpr (D == 1) {
      n = blend(u, gradient(h[0][l], x), gradient(h[1][l], x - 1));
    } else if constexpr (D == 2) {
      const float y = c.f[1][l], v = c.w[1][l];
      n = blend(v, blend(u, gradient(h[0][l], x, y), gradient(h[1][l], x - 1, y)),
                blend(u, gradient(h[2][l], x, y - 1), gradient(h[3][l], x - 1, y - 1)));
    } else if constexpr (D == 3) {
      const float y = c.f[1][l], z = c.f[2][l], v = c.w[1][l], w = c.w[2][l];
      n = blend(w,
                blend(v, blend(u, gradient(h[0][l], x, y, z), gradient(h[1][l], x - 1, y, z)),
                      blend(u, gradient(h[2][l], x, y - 1, z), gradient(h[3][l], x - 1, y - 1, z))),
                blend(v, blend(u, gradient(h[4][l], x, y, z - 1), gradient(h[5][l], x - 1, y, z - 1)),
                      blend(u, gradient(h[6][l], x, y - 1, z - 1), gradient(h[7][l], x - 1, y - 1, z - 1))));
    } else {
      const float y = c.f[1][l], z = c.f[2][l], t = c.f[3][l], v = c.w[1][l], w = c.w[2][l], s = c.w[3][l];
      const float a =
          blend(w,
                blend(v, blend(u, gradient(h[0][l], x, y, z, t), gradient(h[1][l], x - 1, y, z, t)),
                      blend(u, gradient(h[2][l], x, y - 1, z, t), gradient(h[3][l], x - 1, y - 1, z, t))),
                blend(v, blend(u, gradient(h[4][l], x, y, z - 1, t), gradient(h[5][l], x - 1, y, z - 1, t)),
                      blend(u, gradient(h[6][l], x, y - 1, z - 1, t), gradient(h[7][l], x - 1, y - 1, z - 1, t))));
      const float b = blend(
          w,
          blend(v, blend(u, gradient(h[8][l], x, y, z, t - 1), gradient(h[9][l], x - 1, y, z, t - 1)),
                blend(u, gradient(h[10][l], x, y - 1, z, t - 1), gradient(h[11][l], x - 1, y - 1, z, t - 1))),
          blend(v, blend(u, gradient(h[12][l], x, y, z - 1, t - 1), gradient(h[13][l], x - 1, y, z - 1, t - 1)),
                blend(u, gradient(h[14][l], x, y - 1, z - 1, t - 1), gradient(h[15][l], x - 1, y - 1, z - 1, t - 1))));
      n = blend(s, a, b) * 0.8344f;
    }
    out[l] = n * 0.5f + 0.5f;
  }
}

/// Copies a strip of D coordinates from operands `first`...: D planes spread over floats and a triple.
template <int D>
[[gnu::always_inline]] inline void loadStrip(float (&x)[D][kStrip], const KernelCall& c, int first, int i) {
  const Reg& r = c.regs[c.args[first]];
  for (int d = 0; d < D; ++d) {
    // 1 and 2 dimensions are floats, 3 a point, 4 a point and a float.
    const float* p = D >= 3 && d < 3 ? r.data + d * r.stride : c.regs[c.args[first + (D >= 3 ? 1 : d)]].data;
    if (c.n == 1) {
      for (int l = 0; l < kStrip; ++l) x[d][l] = p[0];
    } else {
      for (int l = 0; l < kStrip; ++l) x[d][l] = p[i + l];
    }
  }
}
constexpr int operandsOf(int D) { return D == 3 ? 1 : D == 1 ? 1 : 2; }

constexpr int kOffsets[3][4] = {{0, 0, 0, 0}, {101, 57, 203, 149}, {31, 173, 89, 217}};

template <int D, int Components, bool Periodic>
void noise(const KernelCall& c) {
  const Reg& out = c.regs[c.args[0]];
  const uint8_t* table = kPerlinPermutation.data();
  for (int i = 0; i < c.n; i += kStrip) {
    alignas(64) float x[D][kStrip];
    alignas(64) float period[D][kStrip];
    loadStrip<D>(x, c, 1, i);
    if constexpr (Periodic) loadStrip<D>(period, c, 1 + operandsOf(D), i);
    Cells<D> cells;
    findCells<D, Periodic>(cells, x, period);
    for (int k = 0; k < Components; ++k) {
      alignas(64) int32_t h[1 << D][kStrip];
      alignas(64) float r[kStrip];
      hashCorners<D>(h, cells, table, kOffsets[k]);
      blendCorners<D>(r, cells, h);
      float* o = out.data + k * out.stride;
      if (c.n == 1)
        o[0] = r[0];
      else
        for (int l = 0; l < kStrip; ++l) o[i + l] = r[l];
    }
  }
}

REYES_LANE uint32_t mixBits(uint32_t h, uint32_t v) {
  h = (h ^ v) * 0x9e3779b1u;
  h = (h ^ (h >> 15)) * 0x85ebca77u;
  return h ^ (h >> 13);
}
REYES_LANE uint32_t cellOf(float x) {
  float f = floorOf(x);
  f = f > 2147483520.0f ? 2147483520.0f : f;
  f = f >= -2147483648.0f ? f : -2147483648.0f;
  return static_cast<uint32_t>(static_cast<int32_t>(f));
}

template <int D, int Components>
void cellNoise(const KernelCall& c) {
  const Reg& out = c.regs[c.args[0]];
  for (int i = 0; i < c.n; i += kStrip) {
    alignas(64) float x[D][kStrip];
    loadStrip<D>(x, c, 1, i);
    for (int k = 0; k < Components; ++k) {
      alignas(64) float r[kStrip];
      REYES_LOOP
      for (int l = 0; l < kStrip; ++l) {
        uint32_t h = 0x2545f491u + static_cast<uint32_t>(k) * 0x632be5abu + D;
        for (int d = 0; d < D; ++d) h = mixBits(h, cellOf(x[d][l]));
        h = mixBits(h, h >> 16);
        r[l] = static_cast<float>(static_cast<int32_t>(h >> 8)) * 0x1p-24f;
      }
      float* o = out.data + k * out.stride;
      if (c.n == 1)
        o[0] = r[0];
      else
        for (int l = 0; l < kStrip; ++l) o[i + l] = r[l];
    }
  }
}

}  // namespace

void addNoise(KernelTable& t) {
  const auto put = [&t](Builtin b, Kernel k, int sources) { addPlain(t, builtinOp(b), k, sources); };
  put(Builtin::k_noise, noise<1, 1, false>, 1), put(Builtin::k_noise_ff, noise<2, 1, false>, 2);
  put(Builtin::k_noise_pf, noise<4, 1, false>, 2);
  put(Builtin::k_noise_t_f, noise<1, 3, false>, 1), put(Builtin::k_noise_t_ff, noise<2, 3, false>, 2);
  put(Builtin::k_noise_t_pf, noise<4, 3, false>, 2);
  put(Builtin::k_pnoise, noise<1, 1, true>, 2), put(Builtin::k_pnoise_ff, noise<2, 1, true>, 4);
  put(Builtin::k_pnoise_p, noise<3, 1, true>, 2), put(Builtin::k_pnoise_pf, noise<4, 1, true>, 4);
  put(Builtin::k_pnoise_t_f, noise<1, 3, true>, 2), put(Builtin::k_pnoise_t_ff, noise<2, 3, true>, 4);
  put(Builtin::k_pnoise_t_p, noise<3, 3, true>, 2), put(Builtin::k_pnoise_t_pf, noise<4, 3, true>, 4);
  put(Builtin::k_cellnoise, cellNoise<1, 1>, 1), put(Builtin::k_cellnoise_ff, cellNoise<2, 1>, 2);
  put(Builtin::k_cellnoise_p, cellNoise<3, 1>, 1), put(Builtin::k_cellnoise_pf, cellNoise<4, 1>, 2);
  put(Builtin::k_cellnoise_t_f, cellNoise<1, 3>, 1), put(Builtin::k_cellnoise_t_ff, cellNoise<2, 3>, 2);
  put(Builtin::k_cellnoise_t_p, cellNoise<3, 3>, 1), put(Builtin::k_cellnoise_t_pf, cellNoise<4, 3>, 2);
}

}  // namespace reyes::vm::REYES_ISA
