// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/knots.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/tensor.h"

namespace reyes::geom {
namespace {

/// Weights of the control values of a knot interval in the blossom at `arguments`: de Boor's steps, one argument each.
void blossomWeights(const float* knots, int degree, const double* arguments, double* weights) {
  // w[i]: weights of intermediate value i; all knots that divide span the interval, so none divides by zero.
  double w[kMostOrder][kMostOrder] = {};
  for (int i = 0; i <= degree; ++i) w[i][i] = 1;
  for (int r = 1; r <= degree; ++r)
    for (int i = 0; i <= degree - r; ++i) {
      const double low = knots[i + r], high = knots[i + degree + 1];
      const double alpha = (arguments[r - 1] - low) / (high - low);
      for (int k = 0; k <= degree; ++k) w[i][k] = w[i][k] * (1 - alpha) + w[i + 1][k] * alpha;
    }
  std::copy_n(w[0], degree + 1, weights);
}

}  // namespace

KnotMap::KnotMap(int n, int order, std::span<const float> knots, float min, float max, int degree_)
    : degree(degree_), segments(n - order + 1), order_(order) {
  for (int s = 0; s < segments; ++s) {
    const double t0 = knots[static_cast<size_t>(s + order - 1)], t1 = knots[static_cast<size_t>(s + order)];
    const double from = std::max(t0, static_cast<double>(min)), to = std::min(t1, static_cast<double>(max));
    if (!(from < to)) continue;
    KnotSpan span;
    span.segment = s;
    span.from = static_cast<float>(from), span.to = static_cast<float>(to);
    span.cut0 = static_cast<float>((from - t0) / (t1 - t0)), span.cut1 = static_cast<float>((to - t0) / (t1 - t0));
    // A knot that is there `order` times tears the surface.
    const auto [low, high] = std::equal_range(knots.begin(), knots.end(), static_cast<float>(t0));
    span.joinsPrevious = !spans.empty() && high - low < order;
    addSpan(knots, span, from, to);
  }
}

void KnotMap::addSpan(std::span<const float> knots, KnotSpan span, double from, double to) {
  spans.push_back(span);
  first_.push_back(outputs - (span.joinsPrevious ? 1 : 0));
  outputs = first_.back() + degree + 1;
  // Bezier values of the own degree: blossoms at the span's ends.
  const int own = order_ - 1;
  std::vector<std::vector<double>> rows;
  for (int k = 0; k <= own; ++k) {
    double arguments[kMostOrder];
    for (int r = 0; r < own; ++r) arguments[r] = r < own - k ? from : to;
    rows.emplace_back(static_cast<size_t>(order_));
    blossomWeights(&knots[static_cast<size_t>(span.segment)], own, arguments, rows.back().data());
  }
  // Raised to the degree that is wanted.
  for (int d = own + 1; d <= degree; ++d) {
    std::vector<std::vector<double>> raised;
    for (int k = 0; k <= d; ++k) {
      const double f = static_cast<double>(k) / d;
      raised.emplace_back(static_cast<size_t>(order_));
      for (size_t i = 0; i < raised.back().size(); ++i)
        raised.back()[i] = (k > 0 ? f * rows[static_cast<size_t>(k - 1)][i] : 0.0) +
                           (k < d ? (1 - f) * rows[static_cast<size_t>(k)][i] : 0.0);
    }
    rows = std::move(raised);
  }
  for (const std::vector<double>& row : rows) weights_.insert(weights_.end(), row.begin(), row.end());
}

double KnotMap::value(int span, int k, const double* in, int stride) const {
  const double* w = &weights_[static_cast<size_t>((span * (degree + 1) + k) * order_)];
  const double* from = in + static_cast<std::ptrdiff_t>(spans[static_cast<size_t>(span)].segment) * stride;
  double sum = 0;
  for (int i = 0; i < order_; ++i)
    if (w[i] != 0) sum += w[i] * from[static_cast<std::ptrdiff_t>(i) * stride];
  return sum;
}

std::string knotFault(int n, int order, std::span<const float> knots) {
  if (order < 2 || order > kMostOrder) return format("order {} is not one of 2 to {}", order, kMostOrder);
  if (n < order) return format("{} points are fewer than the order, {}", n, order);
  const size_t needed = static_cast<size_t>(n) + static_cast<size_t>(order);
  if (knots.size() < needed)
    return format("{} points of order {} need {} knots, {} given", n, order, needed, knots.size());
  for (size_t i = 0; i < needed; ++i) {
    if (!std::isfinite(knots[i])) return format("knot {} is not a finite number", i + 1);
    if (i > 0 && knots[i] < knots[i - 1])
      return format("knot {}, {}, is below the one before, {}", i + 1, knots[i], knots[i - 1]);
  }
  if (!(knots[static_cast<size_t>(order - 1)] < knots[static_cast<size_t>(n)]))
    return "all knots that bear the surface are one";
  return {};
}

std::string fitRange(int n, int order, std::span<const float> knots, float& min, float& max) {
  const float low = knots[static_cast<size_t>(order - 1)], high = knots[static_cast<size_t>(n)];
  const float a = min, b = max;
  const float slack = 1e-5f * (high - low);
  min = std::isfinite(a) ? std::clamp(a, low, high) : low;
  max = std::isfinite(b) ? std::clamp(b, low, high) : high;
  if (!(min < max)) {
    min = low, max = high;
    return format("the range from {} to {} holds nothing; {} to {} is used", a, b, min, max);
  }
  if (a >= low - slack && b <= high + slack) return {};
  return format("the range from {} to {} leaves that of the knots, {} to {}, and is cut to it", a, b, low, high);
}

std::vector<float> toBezier(const KnotMap& u, const KnotMap& v, int nu, int nv, int width,
                            const std::vector<float>& in) {
  return tensorToBezier(u, v, nu, nv, width, in);
}

}  // namespace reyes::geom
