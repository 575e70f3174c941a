// SPDX-License-Identifier: Apache-2.0
#include "reyes/hider/shutter_shape.h"

#include <algorithm>
#include <cmath>

namespace reyes::hider {
namespace {

/// Powers of the parameter of a cubic Bezier curve.
void powers(const double p[4], double out[4]) {
  out[0] = p[0];
  out[1] = 3 * (p[1] - p[0]);
  out[2] = 3 * (p[0] - 2 * p[1] + p[2]);
  out[3] = p[3] - p[0] + 3 * (p[1] - p[2]);
}

double cubic(const double p[4], double t) {
  const double s = 1 - t;
  return s * s * s * p[0] + 3 * s * t * (s * p[1] + t * p[2]) + t * t * t * p[3];
}

}  // namespace

ShutterClock::ShutterClock(const ShutterShape& shape)
    : full0_(std::clamp(shape.full[0], 0.0f, 1.0f)),
      full1_(std::clamp(shape.full[1], full0_, 1.0f)),
      curved_(shape.curved) {
  if (!curved_) return;
  opening_ = curveOf(0, 0, shape.curve, static_cast<double>(full0_), 1);
  closing_ = curveOf(static_cast<double>(full1_), 1, shape.curve + 4, 1, 0);
}

ShutterClock::Curve ShutterClock::curveOf(double x0, double y0, const float* inner, double x3, double y3) {
  Curve c;
  c.x[0] = x0, c.y[0] = y0, c.x[3] = x3, c.y[3] = y3;
  // Inner times between the ends: time never runs back; openings within 0..1: light never goes.
  for (int i = 0; i < 2; ++i) {
    c.x[1 + i] = std::clamp(static_cast<double>(inner[2 * i]), x0, x3);
    c.y[1 + i] = std::clamp(static_cast<double>(inner[2 * i + 1]), 0.0, 1.0);
  }
  // Light is the integral of opening times the derivative of time.
  double x[4], y[4];
  powers(c.x, x), powers(c.y, y);
  for (int i = 1; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c.light[i + j] += i * x[i] * y[j] / (i + j);
  return c;
}

double ShutterClock::Curve::lightTo(double t) const {
  double sum = 0;
  for (int k = 6; k > 0; --k) sum = (sum + light[k]) * t;
  return sum;
}

double ShutterClock::Curve::timeOf(double part) const {
  double low = 0, high = 1;
  for (int i = 0; i < 48; ++i) {
    const double middle = (low + high) / 2;
    (lightTo(middle) < part ? low : high) = middle;
  }
  return cubic(x, (low + high) / 2);
}

float ShutterClock::time(float u) const {
  if (!curved_) return evenTime(u);
  const double before = opening_.whole(), middle = static_cast<double>(full1_) - static_cast<double>(full0_),
               after = closing_.whole();
  const double light = static_cast<double>(u) * (before + middle + after);
  if (light < before) return static_cast<float>(opening_.timeOf(light));
  if (light <= before + middle) return static_cast<float>(static_cast<double>(full0_) + (light - before));
  return static_cast<float>(closing_.timeOf(light - before - middle));
}

/// It opens and closes evenly.
float ShutterClock::evenTime(float u) const {
  if (full0_ == 0 && full1_ == 1) return u;
  const float light = u * (1 + full1_ - full0_) / 2;
  if (light < full0_ / 2) return std::sqrt(2 * full0_ * light);
  if (light <= full1_ - full0_ / 2) return full0_ / 2 + light;
  return 1 - std::sqrt(std::max(0.0f, 2 * (1 - full1_) * ((1 + full1_ - full0_) / 2 - light)));
}

}  // namespace reyes::hider
