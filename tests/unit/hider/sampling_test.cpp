// SPDX-License-Identifier: Apache-2.0
// How fast pictures settle: coverage of still, moving and defocused edges by the sample patterns against the integral,
// in units of the error that unrelated random samples have. And what `jitter` off means.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "reyes/hider/sampling.h"

using namespace reyes;
using namespace reyes::hider;

namespace {

/// A half plane seen by one pixel: covers (x, y) at time t through lens point l where n.(p + lens l) + speed t < d.
struct Edge {
  double nx, ny, d, speed, lens;
  bool covers(double x, double y, double time, double lensX, double lensY) const {
    return nx * (x - 0.5 + lens * lensX) + ny * (y - 0.5 + lens * lensY) + speed * (time - 0.5) < d;
  }
  /// By 20,000 points of a sequence that fills all five dimensions evenly.
  double coverage() const {
    constexpr int kPoints = 20000;
    constexpr double kStep = 1 / 1.1347241384015194;  // root of x^6 = x + 1
    int in = 0;
    for (int i = 0; i < kPoints; ++i) {
      double q[5], s = kStep;
      for (double& v : q) v = std::fmod(0.5 + i * s, 1.0), s *= kStep;
      const double r = std::sqrt(q[3]), a = 2 * 3.14159265358979 * q[4];
      in += covers(q[0], q[1], q[2], r * std::cos(a), r * std::sin(a));
    }
    return static_cast<double>(in) / kPoints;
  }
};

struct Measured {
  double error, random;  ///< root mean square; of the patterns, and of as many unrelated samples
};

Measured measure(int side, bool moving, bool lens) {
  SamplingSpec s;
  s.xSamples = s.ySamples = side;
  const PatternTables t(s);
  double error = 0, random = 0;
  constexpr int kEdges = 60;
  const int patterns = std::min(64, t.patterns());
  for (int c = 0; c < kEdges; ++c) {
    const auto pick = [c](uint64_t use) { return static_cast<double>(toUnitFloat(hashCombine(uint64_t(c), use))); };
    const double angle = 2 * 3.14159265358979 * pick(1);
    const Edge e{std::cos(angle), std::sin(angle), pick(2) - 0.5, moving ? 6 * (pick(3) - 0.5) : 0,
                 lens ? 3 * pick(4) : 0};
    const double truth = e.coverage();
    random += truth * (1 - truth) / t.n;
    for (int p = 0; p < patterns; ++p) {
      int in = 0;
      for (int i = 0; i < t.n; ++i) {
        const size_t at = static_cast<size_t>(p * t.n + i), k = static_cast<size_t>(p * t.n + t.stratum[at]);
        in += e.covers(t.unitX[at] / 512.0, t.unitY[at] / 512.0, static_cast<double>(t.time[k]),
                       static_cast<double>(t.lensX[k]), static_cast<double>(t.lensY[k]));
      }
      const double off = static_cast<double>(in) / t.n - truth;
      error += off * off / patterns;
    }
  }
  return {std::sqrt(error / kEdges), std::sqrt(random / kEdges)};
}

}  // namespace

TEST_CASE("errors fall faster than those of random samples") {
  struct Case {
    bool moving, lens;
    double at16, at64;  ///< most, in errors of random samples
  };
  for (const Case& c : {Case{false, false, 0.42, 0.30},
                        {true, false, 0.46, 0.36},
                        {false, true, 0.60, 0.49},
                        {true, true, 0.60, 0.50}}) {
    const Measured few = measure(4, c.moving, c.lens), many = measure(8, c.moving, c.lens);
    CAPTURE(c.moving);
    CAPTURE(c.lens);
    CHECK(few.error < c.at16 * few.random);
    CHECK(many.error < c.at64 * many.random);
  }
}

TEST_CASE("without jitter samples sit in the middle of cells, strata and lens cells, and times still differ by pixel") {
  SamplingSpec s;
  s.xSamples = 3, s.ySamples = 2;
  s.jitter = false;
  const PatternTables t(s);
  std::set<int> orders;
  for (size_t p = 0; p < static_cast<size_t>(t.patterns()); ++p) {
    for (size_t i = 0; i < 6; ++i) {
      CHECK(t.unitX[p * 6 + i] == static_cast<int>((static_cast<double>(i % 3) + 0.5) / 3 * 512));
      CHECK(t.unitY[p * 6 + i] == (i < 3 ? 128 : 384));
      CHECK(t.time[p * 6 + i] == doctest::Approx((static_cast<double>(i) + 0.5) / 6));
    }
    orders.insert(t.stratum[p * 6] * 6 + t.stratum[p * 6 + 1]);
  }
  CHECK(orders.size() > 6);
}
