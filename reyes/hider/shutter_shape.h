// SPDX-License-Identifier: Apache-2.0
// When a part of a shutter's light has come: the inverse of the integral of its opening. Called once a frame by
// sampling.cpp, which makes times of even numbers by it.
#pragma once

#include "reyes/hider/hider.h"

namespace reyes::hider {

/// Answers are bits of the shape alone, the same on every machine. Immutable.
class ShutterClock {
 public:
  explicit ShutterClock(const ShutterShape& shape);
  /// The time, 0..1, until which a part u of the light has come.
  float time(float u) const;

 private:
  /// A Bezier curve of time and opening, and the light of it up to a parameter.
  struct Curve {
    double x[4] = {}, y[4] = {};
    double light[7] = {};  ///< coefficients of powers of the parameter
    double lightTo(double t) const;
    double whole() const { return lightTo(1); }
    /// The time at which `part` of its light has come.
    double timeOf(double part) const;
  };
  static Curve curveOf(double x0, double y0, const float* inner, double x3, double y3);
  float evenTime(float u) const;

  float full0_, full1_;
  bool curved_;
  Curve opening_, closing_;
};

}  // namespace reyes::hider
