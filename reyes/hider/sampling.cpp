// SPDX-License-Identifier: Apache-2.0
// Makes the patterns: correlated multi-jittered positions, jittered time strata dealt out so that any stretch of the
// shutter is seen all over the pixel, and jittered lens cells paired with them. Called once a frame; samplePoint()
// serves tests.
#include "reyes/hider/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reyes/hider/lens_shape.h"
#include "reyes/hider/shutter_shape.h"
#include "reyes/hider/strata_tables.h"

namespace reyes::hider {
namespace {

/// Random numbers of one pattern and use.
struct Random {
  uint64_t key, count = 0;
  Random(int pattern, uint32_t use) : key(hashCombine(static_cast<uint64_t>(pattern), use)) {}
  uint64_t bits() { return mix64(key + ++count * 0x9e3779b97f4a7c15ull); }
  float unit() { return toUnitFloat(bits()); }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>(((bits() >> 32) * n) >> 32); }
};
enum Use : uint32_t { kColumns = 1, kRows, kPosition, kTimeOrder, kTime, kLens };

std::vector<uint16_t> shuffled(int n, Random random) {
  std::vector<uint16_t> v(static_cast<size_t>(n));
  std::iota(v.begin(), v.end(), uint16_t{0});
  for (uint32_t i = static_cast<uint32_t>(n); i > 1; --i) std::swap(v[i - 1], v[random.below(i)]);
  return v;
}

/// Cells of a grid in the order of a plane over them that wraps round: cells near each other come far apart, and any
/// stretch of the order is spread all over the grid. `a` and `b` are its slopes, in 2^-32.
std::vector<uint16_t> spreadOrder(int columns, int rows, uint32_t a, uint32_t b, uint32_t start, bool flipX,
                                  bool flipY) {
  const int n = columns * rows;
  std::vector<uint32_t> height(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    const int x = i % columns, y = i / columns;
    height[static_cast<size_t>(i)] = a * static_cast<uint32_t>(flipX ? columns - 1 - x : x) +
                                     b * static_cast<uint32_t>(flipY ? rows - 1 - y : y) + start;
  }
  std::vector<uint16_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), uint16_t{0});
  std::sort(order.begin(), order.end(),
            [&](uint16_t p, uint16_t q) { return height[p] != height[q] ? height[p] < height[q] : p < q; });
  return order;
}

/// The divisor of n nearest below its root: lens cells are a grid even where the pixel's cells are 1 x n.
int gridSide(int n) {
  int side = 1;
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) side = d;
  return side;
}

/// What all patterns share, and how one is made.
struct Shape {
  int xs, ys, n;
  bool jitter;
  int lensColumns, lensRows;
  std::vector<uint16_t> lensCell;
  LensWarp warp;
  ShutterClock clock;

  explicit Shape(const SamplingSpec& spec)
      : xs(clampSamples(spec.xSamples)),
        ys(clampSamples(spec.ySamples)),
        n(xs * ys),
        jitter(spec.jitter),
        warp(spec.lens),
        clock(spec.shutter) {
    lensColumns = gridSide(n), lensRows = n / lensColumns;
    // Slopes of the golden ratio: other than those of times below, so that place and lens go different ways.
    for (int c = 0; c < kLensClasses; ++c) {
      const std::vector<uint16_t> cells = spreadOrder(lensColumns, lensRows, 0x9e3779b9u, 0x61c88647u,
                                                      static_cast<uint32_t>(c) * 0x451eb852u, c & 1, c & 2);
      lensCell.insert(lensCell.end(), cells.begin(), cells.end());
    }
  }

  void positions(int pattern, uint16_t* ux, uint16_t* uy) const;
  void times(int pattern, uint16_t* stratum, float* time) const;
  void lens(int pattern, float* x, float* y) const;
};

/// A sample stays in its cell whatever the rounding, for the kernels find samples by their cells; and off the pixel's
/// border.
uint16_t unitIn(float position, int cell, int cells) {
  const int lowest = std::max(1, cell * kUnits / cells);
  const int highest = std::min(kUnits - 1, ((cell + 1) * kUnits + cells - 1) / cells - 1);
  return static_cast<uint16_t>(std::clamp(static_cast<int>(position * kUnits), lowest, highest));
}

void Shape::positions(int pattern, uint16_t* ux, uint16_t* uy) const {
  // Sub-columns change from row to row alike in all columns, sub-rows from column to column: strata along both axes.
  const std::vector<uint16_t> subX = shuffled(ys, Random(pattern, kColumns)),
                              subY = shuffled(xs, Random(pattern, kRows));
  Random random(pattern, kPosition);
  const float perX = 1.0f / static_cast<float>(xs), perY = 1.0f / static_cast<float>(ys);
  for (int i = 0; i < n; ++i) {
    const int cx = i % xs, cy = i / xs;
    float x = 0.5f, y = 0.5f;
    if (jitter) {
      x = (static_cast<float>(subX[static_cast<size_t>(cy)]) + random.unit()) * perY;
      y = (static_cast<float>(subY[static_cast<size_t>(cx)]) + random.unit()) * perX;
    }
    ux[i] = unitIn((static_cast<float>(cx) + x) * perX, cx, xs);
    uy[i] = unitIn((static_cast<float>(cy) + y) * perY, cy, ys);
  }
}

void Shape::times(int pattern, uint16_t* stratum, float* time) const {
  // Slopes of the plastic number: the best spread of points over a square.
  Random choice(pattern, kTimeOrder);
  constexpr uint32_t kSteep = 0xc13fa9a9u, kGentle = 0x91e10da6u;
  const bool flipX = choice.below(2), flipY = choice.below(2), swap = choice.below(2);
  const std::vector<uint16_t> order = spreadOrder(xs, ys, swap ? kGentle : kSteep, swap ? kSteep : kGentle,
                                                  static_cast<uint32_t>(choice.bits() >> 32), flipX, flipY);
  for (int k = 0; k < n; ++k) stratum[order[static_cast<size_t>(k)]] = static_cast<uint16_t>(k);
  Random random(pattern, kTime);
  for (int k = 0; k < n; ++k) {
    const float v = (static_cast<float>(k) + (jitter ? random.unit() : 0.5f)) / static_cast<float>(n);
    time[k] = std::min(clock.time(v), 0x1.fffffep-1f);
  }
}

void Shape::lens(int pattern, float* x, float* y) const {
  Random random(pattern, kLens);
  const uint16_t* cells = &lensCell[static_cast<size_t>(lensClass(pattern, pattern >> 3)) * static_cast<size_t>(n)];
  for (int k = 0; k < n; ++k) {
    const int cell = cells[k];
    const float jx = jitter ? random.unit() : 0.5f, jy = jitter ? random.unit() : 0.5f;
    const float a = (static_cast<float>(cell % lensColumns) + jx) * (2.0f / static_cast<float>(lensColumns)) - 1;
    const float b = (static_cast<float>(cell / lensColumns) + jy) * (2.0f / static_cast<float>(lensRows)) - 1;
    // Square to disc, area and neighbours kept (Shirley and Chiu's concentric map); own series for sine and cosine, so
    // that no library changes a bit.
    const bool wide = std::fabs(a) > std::fabs(b);
    const float radius = wide ? a : b, other = wide ? b : a;
    if (!warp.plain()) {
      const double eighth = radius == 0 ? 0 : 0.125 * static_cast<double>(other) / static_cast<double>(radius);
      const double half = radius < 0 ? 0.5 : 0;
      warp.map(std::fabs(static_cast<double>(radius)), half + (wide ? eighth : 0.25 - eighth), x[k], y[k]);
      continue;
    }
    const float angle = 0.78539816339744831f * (other / (radius == 0 ? 1.0f : radius));
    const float q = angle * angle;
    const float sine = angle * (1 + q * (-1.0f / 6 + q * (1.0f / 120 + q * (-1.0f / 5040))));
    const float cosine = 1 + q * (-0.5f + q * (1.0f / 24 + q * (-1.0f / 720 + q * (1.0f / 40320))));
    x[k] = radius * (wide ? cosine : sine);
    y[k] = radius * (wide ? sine : cosine);
  }
}

/// So many that repetition does not show, so few that tables stay in the cache; fewer where a pixel has many samples,
/// whose error is small.
int stripCount(int n) {
  int strips = 128;
  while (strips > 4 && strips * n > 1024) strips /= 2;
  return strips;
}

}  // namespace

PatternTables::PatternTables(const SamplingSpec& spec) {
  const Shape shape(spec);
  xs = shape.xs, ys = shape.ys, n = shape.n, jitter = shape.jitter;
  lens = spec.lens, shutter = spec.shutter;
  lensColumns = shape.lensColumns, lensRows = shape.lensRows, lensCell = shape.lensCell;
  strips = stripCount(n);
  const size_t per = static_cast<size_t>(n), all = per * static_cast<size_t>(patterns());
  for (auto* v : {&unitX, &unitY, &stratum}) v->resize(all);
  for (auto* v : {&time, &lensX, &lensY, &rowX, &rowY, &rowTime, &rowLensX, &rowLensY}) v->resize(all);
  for (int p = 0; p < patterns(); ++p) {
    const size_t at = static_cast<size_t>(p) * per;
    shape.positions(p, &unitX[at], &unitY[at]);
    shape.times(p, &stratum[at], &time[at]);
    shape.lens(p, &lensX[at], &lensY[at]);
    const int strip = p / kStripPixels, lane = p % kStripPixels;
    for (int i = 0; i < n; ++i) {
      const int row = strip * ys + i / xs, column = lane * xs + i % xs;
      const size_t to = static_cast<size_t>(row * kStripPixels * xs + column), from = at + static_cast<size_t>(i);
      rowX[to] = static_cast<float>(lane * kUnits + unitX[from]);
      rowY[to] = static_cast<float>(unitY[from]);
      const size_t k = at + stratum[from];
      rowTime[to] = time[k], rowLensX[to] = lensX[k], rowLensY[to] = lensY[k];
    }
  }
}

PatternTables::~PatternTables() = default;

const StrataTables& PatternTables::strata() const {
  std::call_once(strataOnce_, [this] { strata_ = std::make_unique<const StrataTables>(*this); });
  return *strata_;
}

std::shared_ptr<const PatternTables> makePatterns(const SamplingSpec& spec) {
  return std::make_shared<const PatternTables>(spec);
}

std::shared_ptr<const PatternTables> patternsOf(const SamplingSpec& spec) {
  const PatternTables* p = spec.patterns.get();
  const bool fits = p && p->xs == clampSamples(spec.xSamples) && p->ys == clampSamples(spec.ySamples) &&
                    p->jitter == spec.jitter && p->lens == spec.lens && p->shutter == spec.shutter;
  return fits ? spec.patterns : makePatterns(spec);
}

SampleSites::SampleSites(const SamplingSpec& spec) : patterns_(patternsOf(spec)), samples_(patterns_->n) {}

bool SampleSites::any(int x0, int y0, int x1, int y1) const {
  if (x0 > x1 || y0 > y1) return false;
  const PatternTables& t = *patterns_;
  const int px0 = x0 >> kUnitBits, px1 = x1 >> kUnitBits, py0 = y0 >> kUnitBits, py1 = y1 >> kUnitBits;
  // A whole pixel lies inside; or it is not worth while to look.
  constexpr int kLong = 16;
  if ((px1 - px0 > 1 && py1 - py0 > 1) || px1 - px0 > kLong || py1 - py0 > kLong) return true;
  // Cells of samples as the kernels find them.
  const auto range = [](int lo, int hi, int cells, int& first, int& last) {
    first = std::max(lo, 0) * cells >> kUnitBits;
    last = std::min(((std::min(hi, kUnits - 1) + 1) * cells + kUnits - 1) >> kUnitBits, cells) - 1;
  };
  for (int py = py0; py <= py1; ++py)
    for (int px = px0; px <= px1; ++px) {
      const size_t at = static_cast<size_t>(t.patternAt(px, py)) * static_cast<size_t>(t.n);
      const int lx = x0 - px * kUnits, hx = x1 - px * kUnits, ly = y0 - py * kUnits, hy = y1 - py * kUnits;
      int c0, c1, r0, r1;
      range(lx, hx, t.xs, c0, c1), range(ly, hy, t.ys, r0, r1);
      for (int r = r0; r <= r1; ++r)
        for (int c = c0; c <= c1; ++c) {
          const size_t i = at + static_cast<size_t>(r * t.xs + c);
          if (t.unitX[i] >= lx && t.unitX[i] <= hx && t.unitY[i] >= ly && t.unitY[i] <= hy) return true;
        }
    }
  return false;
}

bool SampleSites::any(const RasterBound& b) const {
  if (!(b.x0 <= b.x1 && b.y0 <= b.y1)) return false;
  if (b.x1 - b.x0 > 3 && b.y1 - b.y0 > 3) return true;
  const auto unit = [](float v, int step) {
    return static_cast<int>(std::floor(std::clamp(v, -1e6f, 1e6f) * static_cast<float>(kUnits))) + step;
  };
  return any(unit(b.x0, -1), unit(b.y0, -1), unit(b.x1, 2), unit(b.y1, 2));
}

SamplePoint samplePoint(const SamplingSpec& spec, int px, int py, int i) {
  const Shape shape(spec);
  const int pattern = stripAt(stripCount(shape.n), px >> 3, py) * kStripPixels + (px & 7);
  const size_t n = static_cast<size_t>(shape.n), at = static_cast<size_t>(i);
  std::vector<uint16_t> ux(n), uy(n), stratum(n);
  std::vector<float> time(n), lx(n), ly(n);
  shape.positions(pattern, ux.data(), uy.data());
  shape.times(pattern, stratum.data(), time.data());
  shape.lens(pattern, lx.data(), ly.data());
  const size_t s = stratum[at];
  return {static_cast<float>(ux[at]) / kUnits, static_cast<float>(uy[at]) / kUnits, time[s], lx[s], ly[s]};
}

}  // namespace reyes::hider
