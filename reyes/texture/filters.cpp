// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/filters.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reyes::texture {
namespace {

constexpr double kPi = std::numbers::pi;

/// The cubics of Mitchell and Netravali.
double cubic(double x, double b, double c) {
  if (x >= 2) return 0;
  if (x >= 1)
    return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6;
  return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
}

/// The cubic through four texels.
double lagrange(double x) {
  if (x >= 2) return 0;
  return x < 1 ? (1 - x) * (1 + x) * (2 - x) / 2 : (1 - x) * (2 - x) * (3 - x) / 6;
}

double sinc(double x) { return x > 1e-6 ? std::sin(kPi * x) / (kPi * x) : 1.0; }

/// 2 J1(pi r) / (pi r) by its series.
double jinc(double r) {
  double term = 1, sum = 1;
  for (int k = 1; k < 40; ++k) term *= -(kPi * r) * (kPi * r) / 4 / (k * (k + 1.0)), sum += term;
  return sum;
}

double blackmanHarris(double x) {
  const double a = kPi * (x + 1);
  return 0.35875 - 0.48829 * std::cos(a) + 0.14128 * std::cos(2 * a) - 0.01168 * std::cos(3 * a);
}

// Where jinc is 0 for the second time.
constexpr double kJincEnd = 2.2331305943815286;
// A disc as large as the footprint.
const double kDiscRadius = std::sqrt(1 / kPi);

/// Radius in footprints, taps along a side, and the profile at a distance.
struct Shape {
  double radius;
  int taps;
  bool radial;
  double (*profile)(double x);
};
Shape shapeOf(Filter f) {
  switch (f) {
    case Filter::kTriangle:
      return {1, 8, false, [](double x) { return 1 - x; }};
    case Filter::kDisk:
      return {kDiscRadius, 8, true, [](double) { return 1.0; }};
    case Filter::kBSpline:
      return {2, 8, true, [](double x) { return cubic(x, 1, 0); }};
    case Filter::kMitchell:
      return {2, 8, false, [](double x) { return cubic(x, 1.0 / 3, 1.0 / 3); }};
    case Filter::kLagrangian:
      return {2, 8, false, lagrange};
    case Filter::kSinc:
      return {3, 12, false, [](double x) { return sinc(x) * sinc(x / 3); }};
    case Filter::kBessel:
      return {kJincEnd, 10, true, [](double x) { return jinc(x) * jinc(x / kJincEnd * 1.2196698912665045); }};
    case Filter::kBlackmanHarris:
      return {1.5, 12, false, [](double x) { return blackmanHarris(x / 1.5); }};
    default:
      return {2, 8, false, [](double x) { return cubic(x, 0, 0.5); }};
  }
}

constexpr std::array<Cubic, 4> cubicTexels(float b, float c) {
  // Of the texels before, at, after, and one more: the two pieces of the cubic, mirrored.
  const float k = 1.0f / 6;
  return {{{b * k, -0.5f * b - c, 0.5f * b + 2 * c, -b * k - c},
           {1 - b / 3, 0, -3 + 2 * b + c, 2 - 1.5f * b - c},
           {b * k, 0.5f * b + c, 3 - 2.5f * b - 2 * c, -2 + 1.5f * b + c},
           {0, 0, -c, b * k + c}}};
}

std::array<Cubic, 4> texelsOf(Filter f) {
  switch (f) {
    case Filter::kTriangle:
      return {{{0, 0, 0, 0}, {1, -1, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}}};
    case Filter::kDisk:
    case Filter::kBSpline:
    case Filter::kBlackmanHarris:
      return cubicTexels(1, 0);
    case Filter::kMitchell:
      return cubicTexels(1.0f / 3, 1.0f / 3);
    case Filter::kLagrangian:
      return {
          {{0, -1.0f / 3, 0.5f, -1.0f / 6}, {1, -0.5f, -1, 0.5f}, {0, 1, 0.5f, -0.5f}, {0, -1.0f / 6, 0, 1.0f / 6}}};
    default:
      return cubicTexels(0, 0.5f);
  }
}

}  // namespace

bool parseFilter(const std::string& name, Filter& out) {
  struct Named {
    const char* name;
    Filter filter;
  };
  static constexpr Named kNames[] = {{"", Filter::kGaussian},
                                     {"gaussian", Filter::kGaussian},
                                     {"ewa", Filter::kGaussian},
                                     {"box", Filter::kBox},
                                     {"trilinear", Filter::kTrilinear},
                                     {"bilinear", Filter::kBilinear},
                                     {"point", Filter::kNearest},
                                     {"nearest", Filter::kNearest},
                                     {"closest", Filter::kNearest},
                                     {"triangle", Filter::kTriangle},
                                     {"disk", Filter::kDisk},
                                     {"bspline", Filter::kBSpline},
                                     {"radial-bspline", Filter::kBSpline},
                                     {"catmull-rom", Filter::kCatmullRom},
                                     {"separable-catmull-rom", Filter::kCatmullRom},
                                     {"mitchell", Filter::kMitchell},
                                     {"lagrangian", Filter::kLagrangian},
                                     {"sinc", Filter::kSinc},
                                     {"lanczos", Filter::kSinc},
                                     {"bessel", Filter::kBessel},
                                     {"blackman-harris", Filter::kBlackmanHarris}};
  for (const Named& n : kNames)
    if (name == n.name) return out = n.filter, true;
  return false;
}

bool parseWrap(const std::string& name, Wrap& out) {
  if (name == "black") return out = Wrap::kBlack, true;
  if (name == "clamp") return out = Wrap::kClamp, true;
  if (name == "mirror") return out = Wrap::kMirror, true;
  // Periods of a power of two, or with a border texel of both sides, differ by less than a texel.
  if (name == "periodic" || name == "periodic_pow2" || name == "periodic_sharedborder")
    return out = Wrap::kPeriodic, true;
  return false;
}

LatticeFilter::LatticeFilter(Filter filter) : texels_(texelsOf(filter)) {
  const Shape shape = shapeOf(filter);
  radius_ = static_cast<float>(shape.radius), fewest_ = shape.taps, radial_ = shape.radial;
  profile_.resize(kSteps + 2, 0.0f);
  for (int i = 0; i <= kSteps; ++i)
    profile_[static_cast<size_t>(i)] = static_cast<float>(shape.profile(shape.radius * i / kSteps));
  if (filter != Filter::kDisk) profile_[kSteps] = 0;
}

float LatticeFilter::value(float x, float y) const {
  const auto along = [&](float r) {
    const float at = r / radius_ * kSteps;
    if (!(at <= kSteps)) return 0.0f;
    const auto i = static_cast<size_t>(at);
    return profile_[i] + (profile_[i + 1] - profile_[i]) * (at - static_cast<float>(i));
  };
  return radial_ ? along(std::sqrt(x * x + y * y)) : along(std::fabs(x)) * along(std::fabs(y));
}

LatticeFilter::Weights::Weights(const LatticeFilter& filter, int nu, int nv) : filter_(&filter), nu_(nu), nv_(nv) {
  double sum = 0;
  for (int v = 0; v < nv; ++v)
    for (int u = 0; u < nu; ++u) sum += static_cast<double>(at(u, v));
  scale_ = static_cast<float>(1 / sum);
}

float LatticeFilter::Weights::at(int u, int v) const {
  return filter_->value(filter_->place(u, nu_), filter_->place(v, nv_)) * scale_;
}

const LatticeFilter* latticeFilter(Filter filter) {
  constexpr size_t kFirst = static_cast<size_t>(Filter::kTriangle);
  constexpr size_t kCount = static_cast<size_t>(Filter::kBlackmanHarris) + 1 - kFirst;
  if (filter < Filter::kTriangle) return nullptr;
  static const std::vector<LatticeFilter> all = [] {
    std::vector<LatticeFilter> made;
    for (size_t k = 0; k < kCount; ++k) made.emplace_back(static_cast<Filter>(kFirst + k));
    return made;
  }();
  return &all[static_cast<size_t>(filter) - kFirst];
}

}  // namespace reyes::texture
