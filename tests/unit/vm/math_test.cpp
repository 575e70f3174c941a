// SPDX-License-Identifier: Apache-2.0
// Errors of the elementary functions against double precision, in units in the last place, and their special values.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "reyes/base/hash.h"
#include "reyes/vm/machine.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

/// Runs `name` over arguments a (and b).
std::vector<float> apply(const std::string& mnemonic, std::vector<float> a, std::vector<float> b = {}) {
  const bool two = !b.empty();
  std::string error;
  const auto p = assemble(
      "shader surface \"t\"\nreg r0 varying float\nreg r1 varying float\nreg r2 varying float\n"
      "sym global float r0 \"o\"\nsym global float r1 \"a\"\nsym global float r2 \"b\"\n" +
          mnemonic + (two ? " r0 r1 r2\n" : " r0 r1\n") + "end\n",
      error);
  REQUIRE_MESSAGE(p, error);
  const int n = static_cast<int>(a.size()), stride = padLanes(n);
  a.resize(static_cast<size_t>(stride)), b.resize(static_cast<size_t>(stride));
  std::vector<float> o(static_cast<size_t>(stride));
  Services services;
  Instance instance(p);
  instance.initialise(services, bestIsa());
  Machine m(bestIsa());
  m.begin(instance, {n, n, 1, 1, 1, 0, false, 1000});
  m.bindPlanes("o", o.data(), stride), m.bindPlanes("a", a.data(), stride), m.bindPlanes("b", b.data(), stride);
  m.run(services);
  o.resize(static_cast<size_t>(n));
  return o;
}

double ulps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  const float w = static_cast<float>(want);
  if (got == w) return 0;
  const double unit = std::max(
      static_cast<double>(std::nextafter(std::fabs(w), INFINITY)) - std::fabs(static_cast<double>(w)), 1.4e-45);
  return std::fabs(static_cast<double>(got) - want) / unit;
}

std::vector<float> spread(float lo, float hi, int n = 200000) {
  std::vector<float> v;
  for (int i = 0; i < n; ++i) v.push_back(lo + (hi - lo) * toUnitFloat(mix64(static_cast<uint64_t>(i) + 17)));
  return v;
}

double worst(const std::string& name, const std::vector<float>& a, const std::function<double(double)>& f) {
  const std::vector<float> r = apply(name, a);
  double w = 0;
  for (size_t i = 0; i < a.size(); ++i) w = std::max(w, ulps(r[i], f(a[i])));
  MESSAGE(name << " " << w << " ulp");
  return w;
}
double worst2(const std::string& name, const std::vector<float>& a, const std::vector<float>& b,
              const std::function<double(double, double)>& f) {
  const std::vector<float> r = apply(name, a, b);
  double w = 0;
  for (size_t i = 0; i < a.size(); ++i) w = std::max(w, ulps(r[i], f(a[i], b[i])));
  MESSAGE(name << " " << w << " ulp");
  return w;
}

}  // namespace

TEST_CASE("trigonometry") {
  const auto wide = spread(-1e4f, 1e4f), near = spread(-7, 7);
  CHECK(worst("sin", wide, [](double x) { return std::sin(x); }) < 2);
  CHECK(worst("cos", wide, [](double x) { return std::cos(x); }) < 2);
  CHECK(worst("sin", near, [](double x) { return std::sin(x); }) < 2);
  CHECK(worst("cos", near, [](double x) { return std::cos(x); }) < 2);
  CHECK(worst("tan", near, [](double x) { return std::tan(x); }) < 3);
  const auto unit = spread(-1, 1);
  CHECK(worst("asin", unit, [](double x) { return std::asin(x); }) < 2.5);
  CHECK(worst("acos", unit, [](double x) { return std::acos(x); }) < 2.5);
  CHECK(worst("atan", spread(-50, 50), [](double x) { return std::atan(x); }) < 2.5);
  CHECK(worst("atan", unit, [](double x) { return std::atan(x); }) < 2.5);
  CHECK(worst2("atan2", spread(-5, 5), spread(-3, 7, 200000), [](double y, double x) { return std::atan2(y, x); }) < 3);
}

TEST_CASE("exp, log, pow") {
  CHECK(worst("exp", spread(-100, 88), [](double x) { return std::exp(x); }) < 2);
  CHECK(worst("exp", spread(-1, 1), [](double x) { return std::exp(x); }) < 2);
  CHECK(worst("log", spread(0, 10), [](double x) { return std::log(x); }) < 2);
  CHECK(worst("log", spread(0.5f, 2), [](double x) { return std::log(x); }) < 2);
  CHECK(worst("log", spread(0, 1e30f), [](double x) { return std::log(x); }) < 2);
  auto base = spread(0, 20), exponent = spread(-20, 20);
  std::reverse(exponent.begin(), exponent.end());
  CHECK(worst2("pow", base, exponent, [](double x, double y) { return std::pow(x, y); }) < 2);
  CHECK(worst2("pow", spread(0, 1), spread(0, 300), [](double x, double y) { return std::pow(x, y); }) < 2);
}

TEST_CASE("special values are written, not undefined") {
  const float inf = INFINITY;
  CHECK(apply("pow", {-2, -2, -2, 0, 0, 5, -8}, {3, 2, 0.5f, 0, 2, 0, 1}) == std::vector<float>{-8, 4, 0, 1, 0, 1, -8});
  CHECK(apply("pow", {0}, {-1})[0] == inf);
  CHECK(apply("sqrt", {-4, 9}) == std::vector<float>{0, 3});
  CHECK(apply("inversesqrt", {-4, 0, 4}) == std::vector<float>{0, 0, 0.5f});
  CHECK(apply("log", {0, -1, inf, 1}) == std::vector<float>{-inf, -inf, inf, 0});
  CHECK(apply("exp", {200, -200, 0}) == std::vector<float>{inf, 0, 1});
  CHECK(apply("mod", {7, -1, 5, -7}, {3, 4, 0, 3}) == std::vector<float>{1, 3, 0, 2});
  CHECK(apply("asin", {2, -2})[0] == doctest::Approx(1.5707963));
  CHECK(apply("acos", {2, -2, 1}) == std::vector<float>{0, 3.14159274f, 0});
  CHECK(apply("atan2", {0, 0, 1}, {0, -1, 0}) == std::vector<float>{0, 3.14159274f, 1.57079637f});
  CHECK(apply("floor", {1.5f, -1.5f}) == std::vector<float>{1, -2});
  CHECK(apply("ceil", {1.5f, -1.5f}) == std::vector<float>{2, -1});
  CHECK(apply("round", {1.5f, -1.5f, 2.4f}) == std::vector<float>{2, -1, 2});
  CHECK(apply("step", {1, 1, 1}, {0, 1, 2}) == std::vector<float>{0, 1, 1});
  CHECK(apply("sign", {-3, 0, 2}) == std::vector<float>{-1, 0, 1});
  CHECK(std::isnan(apply("sin", {inf})[0]));
  CHECK(std::isnan(apply("exp", {NAN})[0]));
}
