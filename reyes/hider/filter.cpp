// SPDX-License-Identifier: Apache-2.0
// The pixel filters of RenderMan Interface 3.2 (section 4.1.5, appendix E) and those that people expect besides.
// Filters without an end (sinc, bessel, lanczos) are windowed to zero at their width: a cut one rings. Called by
// filterPixels and by render/ (reach).
#include <algorithm>
#include <cmath>

#include "reyes/hider/sampling.h"

namespace reyes::hider {
namespace {

enum Kind {
  kBox,
  kTriangle,
  kCatmullRom,
  kGaussian,
  kSinc,
  kMitchell,
  kBlackmanHarris,
  kDisk,
  kBessel,
  kLanczos,
  kSeparableCatmullRom,
  kKinds
};
constexpr const char* kNames[kKinds] = {"box",    "triangle", "catmull-rom",          "gaussian",
                                        "sinc",   "mitchell", "blackman-harris",      "disk",
                                        "bessel", "lanczos",  "separable-catmull-rom"};

constexpr float kPi = 3.14159265358979f;

/// Mitchell and Netravali's cubic with B = C = 1/3, support -2..2.
float mitchell(float x) {
  constexpr float kB = 1.0f / 3, kC = 1.0f / 3;
  x = std::fabs(x);
  if (x >= 2) return 0;
  if (x >= 1)
    return ((-kB - 6 * kC) * x * x * x + (6 * kB + 30 * kC) * x * x + (-12 * kB - 48 * kC) * x + (8 * kB + 24 * kC)) /
           6;
  return ((12 - 9 * kB - 6 * kC) * x * x * x + (-18 + 12 * kB + 6 * kC) * x * x + (6 - 2 * kB)) / 6;
}

/// Four-term window over -1..1.
float blackmanHarris(float x) {
  if (std::fabs(x) >= 1) return 0;
  const float a = kPi * (x + 1);
  return 0.35875f - 0.48829f * std::cos(a) + 0.14128f * std::cos(2 * a) - 0.01168f * std::cos(3 * a);
}

float sinc(float x) {
  x *= kPi;
  return x != 0 ? std::sin(x) / x : 1.0f;
}

/// Half a period of a cosine over -1..1.
float cosineWindow(float x) { return std::fabs(x) < 1 ? std::cos(kPi / 2 * x) : 0.0f; }

/// 2 J1(pi r) / (pi r): what a disc of frequencies becomes.
float jinc(float r) {
  const double a = 3.14159265358979 * r;
  if (a < 1e-4) return 1;
  // J1 by its series while that is exact enough, beyond by Hankel's expansion.
  if (a < 12) {
    double term = 1, sum = 1;
    for (int k = 1; k < 40; ++k) term *= -a * a / 4 / (k * (k + 1.0)), sum += term;
    return static_cast<float>(sum);
  }
  const double q = 1 / (8 * a), p = a - 0.75 * 3.14159265358979;
  const double j1 = std::sqrt(2 / (3.14159265358979 * a)) *
                    ((1 + 7.5 * q * q) * std::cos(p) - (3 * q - 52.5 * q * q * q) * std::sin(p));
  return static_cast<float>(2 * j1 / a);
}

/// RI's Catmull-Rom: a function of the distance from the centre, support radius 2.
float catmullRom(float r2) {
  const float r = std::sqrt(r2);
  if (r >= 2) return 0;
  return r < 1 ? 3 * r * r2 - 5 * r2 + 2 : -r * r2 + 5 * r2 - 8 * r + 4;
}

/// Widths that are no width become narrow; beyond 256 pixels nothing is gained.
float saneWidth(float w) { return w > 0 ? std::min(w, 256.0f) : 1e-3f; }

}  // namespace

Filter::Filter(const std::string& name, float xWidth, float yWidth)
    : xWidth_(saneWidth(xWidth)), yWidth_(saneWidth(yWidth)), valid_(known(name)) {
  kind_ = kGaussian;
  for (int k = 0; k < kKinds; ++k)
    if (name == kNames[k]) kind_ = k;
  for (const bool x : {true, false}) {
    const int reach = x ? xReach() : yReach();
    for (int d = -reach; d <= reach; ++d)
      for (int u = 0; u < kUnits; ++u) {
        const float o = static_cast<float>(d) + static_cast<float>(u) / kUnits - 0.5f;
        (x ? xTable_ : yTable_).push_back(separable() ? along(o, x) : reaches(o, x) ? 1.0f : 0.0f);
      }
  }
}

bool Filter::known(const std::string& name) {
  for (const char* n : kNames)
    if (name == n) return true;
  return false;
}

bool Filter::separable() const { return kind_ != kCatmullRom && kind_ != kDisk && kind_ != kBessel; }

/// From -radius to below +radius, so that a box of whole pixels counts each sample in as many pixels as it is wide.
bool Filter::reaches(float offset, bool x) const {
  const float radius = (x ? xWidth_ : yWidth_) / 2;
  return offset >= -radius && offset < radius;
}

float Filter::along(float offset, bool x) const {
  if (!reaches(offset, x)) return 0;
  const float n = offset / ((x ? xWidth_ : yWidth_) / 2);  // -1..1 over the support
  switch (kind_) {
    case kTriangle:
      return 1 - std::fabs(n);
    case kGaussian:
      return static_cast<float>(std::exp(-2.0 * n * n));
    case kSinc:
      return sinc(offset) * cosineWindow(n);
    case kLanczos:
      return sinc(offset) * sinc(n);
    case kSeparableCatmullRom:
      return catmullRom(4 * n * n) / 2;
    case kMitchell:
      return mitchell(2 * n);
    case kBlackmanHarris:
      return blackmanHarris(n);
    default:
      return 1;
  }
}

float Filter::operator()(float x, float y) const {
  if (separable()) return along(x, true) * along(y, false);
  if (!reaches(x, true) || !reaches(y, false)) return 0;
  if (kind_ == kCatmullRom) return catmullRom(x * x + y * y);
  const float nx = x / (xWidth_ / 2), ny = y / (yWidth_ / 2), n2 = nx * nx + ny * ny;
  if (kind_ == kBessel) return jinc(std::sqrt(x * x + y * y)) * cosineWindow(std::sqrt(n2));
  return n2 <= 1 ? 1.0f : 0.0f;
}

int Filter::xReach() const { return std::max(0, static_cast<int>(std::ceil(xRadius() - 0.5f))); }
int Filter::yReach() const { return std::max(0, static_cast<int>(std::ceil(yRadius() - 0.5f))); }

}  // namespace reyes::hider
