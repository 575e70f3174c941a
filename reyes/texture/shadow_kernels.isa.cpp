// SPDX-License-Identifier: Apache-2.0
// The loops of shadow_kernels.h, compiled once an instruction set into its own namespace: plain loops over planes that
// the compiler turns into vectors.
#include <cmath>

#include "reyes/texture/shadow_kernels.h"

namespace reyes::texture::REYES_ISA {
namespace {

constexpr int kChunk = 64;

/// Three multiplications and shifts: enough for jitter.
inline uint32_t mix32(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

void project(const ShadowProjection& view, int n, const float* const p[3], const float* const d[3], float* __restrict x,
             float* __restrict y, float* __restrict z, float* __restrict w) {
  const ShadowProjection v = view;
  const float* __restrict px = p[0];
  const float* __restrict py = p[1];
  const float* __restrict pz = p[2];
  const auto put = [&](int i, float a, float b, float c) {
    const float W = a * v.W[0] + b * v.W[1] + c * v.W[2] + v.W[3];
    const float safe = W > 1e-12f ? W : 1.0f;
    x[i] = v.x0 + (a * v.X[0] + b * v.X[1] + c * v.X[2] + v.X[3]) / safe * v.width;
    y[i] = v.y0 + (a * v.Y[0] + b * v.Y[1] + c * v.Y[2] + v.Y[3]) / safe * v.height;
    z[i] = a * v.Z[0] + b * v.Z[1] + c * v.Z[2] + v.Z[3];
    w[i] = W;
  };
  if (!d) {
    for (int i = 0; i < n; ++i) put(i, px[i], py[i], pz[i]);
    return;
  }
  const float* __restrict dx = d[0];
  const float* __restrict dy = d[1];
  const float* __restrict dz = d[2];
  for (int i = 0; i < n; ++i) put(i, px[i] + dx[i], py[i] + dy[i], pz[i] + dz[i]);
}

/// The same stratum places a sample in the parallelogram and in the blur around it.
inline void placeOne(const ShadowArea& a, const ShadowPattern& p, uint32_t seed, int i, float& x, float& y, float& z,
                     float& bias) {
  constexpr float kUnit = 1.0f / 65536;
  const uint32_t h = mix32(seed + static_cast<uint32_t>(i) * 0x9e3779b9u);
  const float jx = static_cast<float>(static_cast<int>(h & 0xffff)) * kUnit;
  const float jy = static_cast<float>(static_cast<int>(h >> 16)) * kUnit;
  const float jb = static_cast<float>(static_cast<int>(mix32(h ^ 0x5bd1e995u) >> 16)) * kUnit;
  const float s = p.s[i] + jx * p.stepS, t = p.t[i] + jy * p.stepT;
  x = a.x + a.ux * s + a.vx * t + a.growX * s;
  y = a.y + a.uy * s + a.vy * t + a.growY * t;
  // A map's depth is meant for the middle of its pixel.
  const float ox = std::floor(x) + 0.5f - a.x, oy = std::floor(y) + 0.5f - a.y;
  z = a.z + a.uz * s + a.vz * t + a.slopeX * ox + a.slopeY * oy;
  bias = a.bias0 + (a.bias1 - a.bias0) * jb + a.corner(ox, oy) + a.bend(ox, oy);
}

void place(const ShadowArea& area, const ShadowPattern& pattern, uint32_t seed, int begin, int end, float* x, float* y,
           float* z, float* bias) {
  for (int i = begin; i < end; ++i)
    placeOne(area, pattern, seed, i, x[i - begin], y[i - begin], z[i - begin], bias[i - begin]);
}

int dark(const ShadowDepths& map, const ShadowArea& area, const ShadowPattern& pattern, uint32_t seed) {
  const ShadowArea a = area;
  const ShadowPattern p = pattern;
  const ShadowDepths m = map;
  const int outside = m.width * m.height;
  const float width = static_cast<float>(m.width), height = static_cast<float>(m.height);
  const float left = static_cast<float>(m.x0), top = static_cast<float>(m.y0);
  int count = 0;
  for (int base = 0; base < p.samples; base += kChunk) {
    const int n = p.samples - base < kChunk ? p.samples - base : kChunk;
    alignas(64) int index[kChunk];
    alignas(64) float limit[kChunk];
    for (int l = 0; l < n; ++l) {
      float x, y, z, bias;
      placeOne(a, p, seed, base + l, x, y, z, bias);
      x = std::floor(x) - left, y = std::floor(y) - top;
      const bool in = (x >= 0) & (x < width) & (y >= 0) & (y < height);
      const float cx = in ? x : 0.0f, cy = in ? y : 0.0f;
      const int place = static_cast<int>(cy) * m.width + static_cast<int>(cx);
      index[l] = in ? place : outside;
      limit[l] = z - bias;
    }
    for (int l = 0; l < n; ++l) count += m.z[index[l]] < limit[l] ? 1 : 0;
  }
  return count;
}

}  // namespace

extern const ShadowKernels kShadowKernels;
const ShadowKernels kShadowKernels = {project, place, dark};

}  // namespace reyes::texture::REYES_ISA
