// SPDX-License-Identifier: Apache-2.0
// Correlated multi-jittered positions, jittered time strata permuted in each pixel, lens cells paired with them.
// Serves the hider's lattices; called by bucket reset, resolve and the filter.
#include "reyes/hider/sampling.h"

#include <algorithm>
#include <cmath>

namespace reyes::hider {
namespace {

/// sin and cos on [-pi/4, pi/4]: own series, so that no library's choice of instructions changes a bit.
void sinCos(float a, float& s, float& c) {
  const float q = a * a;
  s = a * (1 + q * (-1.0f / 6 + q * (1.0f / 120 + q * (-1.0f / 5040))));
  c = 1 + q * (-0.5f + q * (1.0f / 24 + q * (-1.0f / 720 + q * (1.0f / 40320))));
}

/// Unit square to unit disc, area and neighbours kept (Shirley and Chiu's concentric map).
void squareToDisc(float u, float v, float& x, float& y) {
  const float a = 2 * u - 1, b = 2 * v - 1;
  constexpr float kQuarter = 0.78539816339744831f;
  float s, c;
  if (a == 0 && b == 0) {
    x = y = 0;
  } else if (std::fabs(a) > std::fabs(b)) {
    sinCos(kQuarter * (b / a), s, c);
    x = a * c, y = a * s;
  } else {
    sinCos(kQuarter * (a / b), s, c);
    x = b * s, y = b * c;
  }
}

/// The divisor of n nearest below its root: lens cells are a grid even where the pixel's cells are 1 x n.
uint32_t gridSide(uint32_t n) {
  uint32_t side = 1;
  for (uint32_t d = 2; d * d <= n; ++d)
    if (n % d == 0) side = d;
  return side;
}

}  // namespace

PixelPattern::PixelPattern(const SamplingSpec& spec, int px, int py)
    : xs_(clampSamples(spec.xSamples)), ys_(clampSamples(spec.ySamples)), n_(xs_ * ys_), class_(lensClass(px, py)),
      jitter_(spec.jitter) {
  const uint64_t pixel = (static_cast<uint64_t>(static_cast<uint32_t>(py)) << 32) | static_cast<uint32_t>(px);
  const uint64_t a = mix64(pixel), b = mix64(a), c = mix64(b);
  seedX_ = static_cast<uint32_t>(a), seedY_ = static_cast<uint32_t>(a >> 32);
  seedTime_ = static_cast<uint32_t>(b), seedJitter_ = static_cast<uint32_t>(b >> 32);
  seedTimeJitter_ = static_cast<uint32_t>(c), seedLens_ = static_cast<uint32_t>(c >> 32);
}

void PixelPattern::position(int i, uint32_t subX, uint32_t subY, uint16_t& ux, uint16_t& uy) const {
  const int cx = i % xs_, cy = i / xs_;
  float x = 0.5f, y = 0.5f;
  if (jitter_) {
    const uint32_t r = mix32(seedJitter_ + static_cast<uint32_t>(i) * 0x9e3779b9u);
    x = (static_cast<float>(subX) + static_cast<float>(r & 0xffff) * 0x1p-16f) / static_cast<float>(ys_);
    y = (static_cast<float>(subY) + static_cast<float>(r >> 16) * 0x1p-16f) / static_cast<float>(xs_);
  }
  // Stay in the cell whatever the rounding: the kernels find samples by their cells.
  const auto unit = [](int cell, int cells, float f) {
    const int u = static_cast<int>((static_cast<float>(cell) + f) * static_cast<float>(kUnits) / static_cast<float>(cells));
    const int lo = cell * kUnits / cells, hi = ((cell + 1) * kUnits + cells - 1) / cells - 1;
    return static_cast<uint16_t>(std::clamp(std::clamp(u, lo, hi), 1, kUnits - 1));
  };
  ux = unit(cx, xs_, x);
  uy = unit(cy, ys_, y);
}

void PixelPattern::positions(uint16_t* ux, uint16_t* uy) const {
  uint32_t subX[kMaxSamples], subY[kMaxSamples];
  for (int cy = 0; cy < ys_; ++cy) subX[cy] = permute(static_cast<uint32_t>(cy), static_cast<uint32_t>(ys_), seedX_);
  for (int cx = 0; cx < xs_; ++cx) subY[cx] = permute(static_cast<uint32_t>(cx), static_cast<uint32_t>(xs_), seedY_);
  for (int i = 0; i < n_; ++i) position(i, subX[i / xs_], subY[i % xs_], ux[i], uy[i]);
}

float PixelPattern::time(uint32_t k) const {
  const float j = jitter_ ? static_cast<float>(mix32(seedTimeJitter_ + k * 0x9e3779b9u) >> 8) * 0x1p-24f : 0.5f;
  return std::min((static_cast<float>(k) + j) / static_cast<float>(n_), 0x1.fffffep-1f);
}

void PixelPattern::lens(uint32_t k, float& x, float& y) const {
  const uint32_t n = static_cast<uint32_t>(n_), columns = gridSide(n), rows = n / columns;
  const uint32_t cell = permute(k, n, mix32(0x51ed270bu + static_cast<uint32_t>(class_)));
  float u = 0.5f, v = 0.5f;
  if (jitter_) {
    const uint32_t r = mix32(seedLens_ + k * 0x9e3779b9u);
    u = static_cast<float>(r & 0xffff) * 0x1p-16f, v = static_cast<float>(r >> 16) * 0x1p-16f;
  }
  squareToDisc((static_cast<float>(cell % columns) + u) / static_cast<float>(columns),
               (static_cast<float>(cell / columns) + v) / static_cast<float>(rows), x, y);
}

SamplePoint samplePoint(const SamplingSpec& spec, int px, int py, int i) {
  const PixelPattern pattern(spec, px, py);
  uint16_t ux, uy;
  pattern.position(i, permute(static_cast<uint32_t>(i / pattern.xs_), static_cast<uint32_t>(pattern.ys_), pattern.seedX_),
                   permute(static_cast<uint32_t>(i % pattern.xs_), static_cast<uint32_t>(pattern.xs_), pattern.seedY_), ux, uy);
  const uint32_t k = pattern.stratum(i);
  SamplePoint s{static_cast<float>(ux) / kUnits, static_cast<float>(uy) / kUnits, pattern.time(k), 0, 0};
  pattern.lens(k, s.lensX, s.lensY);
  return s;
}

}  // namespace reyes::hider
