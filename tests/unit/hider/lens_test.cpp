// SPDX-License-Identifier: Apache-2.0
// Shapes of the lens and of the shutter's opening: lens points lie in the shape, as many as its area asks, neighbours
// stay neighbours; times follow the trapezoid.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "reyes/hider/lens_shape.h"
#include "reyes/hider/sampling.h"

using namespace reyes;
using namespace reyes::hider;

namespace {

constexpr double kPi = std::numbers::pi;

/// Points of the disc, even in area, through a warp; y up.
template <typename F>
void each(const LensShape& shape, F f) {
  const LensWarp warp(shape);
  constexpr int kRings = 100, kTurns = 360;
  for (int i = 0; i < kRings; ++i)
    for (int j = 0; j < kTurns; ++j) {
      float x, y;
      warp.map(std::sqrt((i + 0.5) / kRings), (j + 0.37) / kTurns, x, y);
      f(static_cast<double>(x), -static_cast<double>(y));
    }
}

/// How far beyond its sides a point is of a regular polygon with a corner at `angle`.
double beyond(double x, double y, int sides, double angle) {
  double most = -1e9;
  for (int k = 0; k < sides; ++k) {
    const double a = (angle / 360 + (k + 0.5) / sides) * 2 * kPi;
    most = std::max(most, x * std::cos(a) + y * std::sin(a) - std::cos(kPi / sides));
  }
  return most;
}

}  // namespace

TEST_CASE("polygons: points are inside, and even") {
  for (const int sides : {3, 5, 6, 12})
    for (const float angle : {0.0f, 36.0f, -200.0f}) {
      double most = -1, x1 = 0, y1 = 0, inner = 0;
      int n = 0;
      each({sides, angle, 0, 0}, [&](double x, double y) {
        most = std::max(most, beyond(x, y, sides, static_cast<double>(angle)));
        x1 += x, y1 += y, ++n;
        inner += beyond(2 * x, 2 * y, sides, static_cast<double>(angle)) < 0;
      });
      CHECK(most < 1e-6);
      CHECK(most > -0.02);  // reaches its sides
      CHECK(std::fabs(x1 / n) < 1e-3);
      CHECK(std::fabs(y1 / n) < 1e-3);
      CHECK(inner / n == doctest::Approx(0.25).epsilon(0.01));  // half as large, a quarter of the area
    }
}

TEST_CASE("roundness goes from a star to the disc, with even light") {
  // A ring's part of the area: of the disc it is known; of others the same for every sector by symmetry.
  double before = 0;
  for (const float roundness : {-1.0f, -0.5f, 0.0f, 0.5f, 0.999f}) {
    double most = 0, second = 0;
    int n = 0, upper = 0;
    each({5, 0, roundness, 0}, [&](double x, double y) {
      most = std::max(most, std::hypot(x, y));
      second += x * x + y * y, ++n;
      upper += y > 0;
    });
    CHECK(most <= 1.000001);
    CHECK(upper == doctest::Approx(n / 2).epsilon(0.01));
    CHECK(second / n > before);  // ever wider
    before = second / n;
  }
  CHECK(before == doctest::Approx(0.5).epsilon(0.01));  // of the disc: 1/2
  CHECK(LensWarp({5, 10, 1, 0}).plain());
  CHECK(LensWarp({2, 10, 0, 0}).plain());
  // Even in a star, too: a strip across a sector between two radii of its own shape has its share.
  const LensWarp star({6, 0, -0.7f, 0});
  double area[2] = {};
  for (int half = 0; half < 2; ++half)
    for (int i = 0; i < 2000; ++i) {
      float x0, y0, x1, y1;
      const double t = (half + i / 2000.0) / 12, u = (half + (i + 1) / 2000.0) / 12;
      star.map(1, t, x0, y0), star.map(1, u, x1, y1);
      area[half] += static_cast<double>(x0 * y1 - y0 * x1);
    }
  CHECK(area[0] == doctest::Approx(area[1]).epsilon(1e-3));
}

TEST_CASE("density moves light to the rim or to the middle") {
  for (const float d : {-1.0f, -0.5f, 0.0f, 0.5f, 1.0f}) {
    double radius = 0;
    int n = 0;
    each({0, 0, 0, d}, [&](double x, double y) { radius += std::hypot(x, y), ++n; });
    const double e = static_cast<double>(d);
    CHECK(radius / n == doctest::Approx((2.0 / 3 + e / 3) / (1 + e / 3)).epsilon(0.002));
  }
}

TEST_CASE("patterns take the shape, cell by cell") {
  SamplingSpec s;
  s.xSamples = s.ySamples = 8;
  s.lens = {6, 15, 0, 0};
  const PatternTables t(s);
  double most = 0;
  for (size_t i = 0; i < t.lensX.size(); ++i)
    most = std::max(most, beyond(static_cast<double>(t.lensX[i]), -static_cast<double>(t.lensY[i]), 6, 15));
  CHECK(most < 1e-6);
  CHECK(patternsOf(s) != patternsOf(SamplingSpec(s)));
  s.patterns = makePatterns(s);
  CHECK(patternsOf(s) == s.patterns);
  s.lens.sides = 5;
  CHECK(patternsOf(s) != s.patterns);
  // The strata of a cell stay near each other.
  for (size_t k = 0; k < 64; ++k) {
    float x0 = 2, x1 = -2, y0 = 2, y1 = -2;
    for (size_t p = 0; p < static_cast<size_t>(t.patterns()); ++p) {
      if (lensClass(static_cast<int>(p), static_cast<int>(p >> 3)) != 0) continue;
      x0 = std::min(x0, t.lensX[p * 64 + k]), x1 = std::max(x1, t.lensX[p * 64 + k]);
      y0 = std::min(y0, t.lensY[p * 64 + k]), y1 = std::max(y1, t.lensY[p * 64 + k]);
    }
    CHECK(x1 - x0 < 0.45f);
    CHECK(y1 - y0 < 0.45f);
  }
}

TEST_CASE("a shutter that opens and closes slowly lets less in at its ends") {
  SamplingSpec s;
  s.xSamples = s.ySamples = 8;
  s.shutter.full[0] = 0.4f, s.shutter.full[1] = 0.8f;
  const PatternTables t(s);
  // Light until a time: t^2 / 2a, a / 2 + t - a, ... of (1 + b - a) / 2.
  const auto light = [](double x) {
    constexpr double kA = 0.4, kB = 0.8;
    const double late = std::max(0.0, x - kB);
    return (x < kA ? x * x / (2 * kA) : x - kA / 2 - late * late / (2 * (1 - kB))) / ((1 + kB - kA) / 2);
  };
  for (const double until : {0.1, 0.3, 0.5, 0.7, 0.9, 0.97}) {
    int in = 0;
    for (const float time : t.time) in += static_cast<double>(time) < until;
    CHECK(in / static_cast<double>(t.time.size()) == doctest::Approx(light(until)).epsilon(0.01));
  }
}

namespace {

/// Light of a Bezier piece until a time, by many small steps.
double bezierLight(const double (&x)[4], const double (&y)[4], double until) {
  constexpr int kSteps = 20000;
  const auto at = [](const double(&p)[4], double t) {
    const double a = p[0] + t * (p[1] - p[0]), b = p[1] + t * (p[2] - p[1]), c = p[2] + t * (p[3] - p[2]);
    const double d = a + t * (b - a), e = b + t * (c - b);
    return d + t * (e - d);
  };
  double sum = 0, x0 = x[0], y0 = y[0];
  for (int i = 1; i <= kSteps; ++i) {
    const double x1 = at(x, static_cast<double>(i) / kSteps), y1 = at(y, static_cast<double>(i) / kSteps);
    if (x1 > until) return sum + (until - x0) * y0;
    sum += (x1 - x0) * (y0 + y1) / 2;
    x0 = x1, y0 = y1;
  }
  return sum;
}

}  // namespace

TEST_CASE("a shutter with curves lets in what is under them") {
  SamplingSpec s;
  s.xSamples = s.ySamples = 8;
  s.shutter = {{0.4f, 0.7f}, true, {0.3f, 0, 0.35f, 0.2f, 0.75f, 0.3f, 0.75f, 0.1f}};
  const double openX[] = {0, 0.3, 0.35, 0.4}, openY[] = {0, 0, 0.2, 1};
  const double closeX[] = {0.7, 0.75, 0.75, 1}, closeY[] = {1, 0.3, 0.1, 0};
  const double opening = bezierLight(openX, openY, 1), whole = opening + 0.3 + bezierLight(closeX, closeY, 1);
  const auto light = [&](double x) {
    if (x < 0.4) return bezierLight(openX, openY, x) / whole;
    return (opening + std::min(x, 0.7) - 0.4 + (x > 0.7 ? bezierLight(closeX, closeY, x) : 0)) / whole;
  };
  const PatternTables t(s);
  for (const double until : {0.2, 0.35, 0.39, 0.5, 0.65, 0.72, 0.8, 0.9}) {
    int in = 0;
    for (const float time : t.time) in += static_cast<double>(time) < until;
    CHECK(std::fabs(in / static_cast<double>(t.time.size()) - light(until)) < 2e-3);
  }
  // Straight curves are the shutter without; curves of no length, the one that is open all the time.
  const auto timesOf = [&](const ShutterShape& shape) {
    s.shutter = shape;
    return PatternTables(s).time;
  };
  const std::vector<float> straight = timesOf({{0.3f, 0.6f},
                                               true,
                                               {0.1f, 1 / 3.0f, 0.2f, 2 / 3.0f, 0.6f + 0.4f / 3, 2 / 3.0f,
                                                0.6f + 0.8f / 3, 1 / 3.0f}}),
                           plain = timesOf({{0.3f, 0.6f}, false, {}});
  for (size_t i = 0; i < plain.size(); ++i) CHECK(std::fabs(straight[i] - plain[i]) < 1e-5f);
  CHECK(timesOf({{0, 1}, true, {}}) == timesOf({}));
}
