// SPDX-License-Identifier: Apache-2.0
// One direction of a B-spline: its knots checked, and its control values turned into those of Bezier spans. Used by
// the NURBS factory and by trim curves.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reyes/base/matrix.h"

namespace reyes::geom {

/// Orders beyond this are Errors.
constexpr int kMostOrder = 32;

/// A part of one knot interval, of length above zero.
struct KnotSpan {
  int segment = 0;             ///< the interval's number, intervals of length zero counted
  float from = 0, to = 1;      ///< parameters at its ends
  float cut0 = 0, cut1 = 1;    ///< the same in terms of the whole interval
  bool joinsPrevious = false;  ///< its first control value is the last one of the span before
};

class KnotMap {
 public:
  /// n control values, `order` >= 2, n + order knots, all checked; `degree` >= order - 1 is that of the Bezier spans.
  KnotMap(int n, int order, std::span<const float> knots, float min, float max, int degree);

  int degree = 0;
  int segments = 0;  ///< knot intervals: n - order + 1
  int outputs = 0;   ///< Bezier values along the direction
  std::vector<KnotSpan> spans;

  // For tensorToBezier(): a span that joins the one before leaves their common value to that.
  int pieces() const { return static_cast<int>(spans.size()); }
  int firstNew(int span) const { return spans[static_cast<size_t>(span)].joinsPrevious ? 1 : 0; }
  int lastValue() const { return degree; }
  /// Place of Bezier value k (0..degree) of a span among the outputs.
  int place(int span, int k) const { return first_[static_cast<size_t>(span)] + k; }
  /// Output `place` of values at in[i * stride].
  double value(int span, int k, const double* in, int stride) const;

 private:
  void addSpan(std::span<const float> knots, KnotSpan span, double from, double to);

  int order_;
  std::vector<int> first_;       ///< a span
  std::vector<double> weights_;  ///< a span, a Bezier value: order_ weights
};

/// What is wrong with a direction (`n` values, knots...), in words; empty if nothing is.
std::string knotFault(int n, int order, std::span<const float> knots);
/// Cuts [min, max] to what the knots define; what was wrong with it, in words, or nothing.
std::string fitRange(int n, int order, std::span<const float> knots, float& min, float& max);

/// Grids of items (each `width` floats, u fastest, nu x nv) turned into Bezier grids.
std::vector<float> toBezier(const KnotMap& u, const KnotMap& v, int nu, int nv, int width,
                            const std::vector<float>& in);

}  // namespace reyes::geom
