// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/trim_curves.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/factory.h"
#include "reyes/geom/knots.h"

namespace reyes::geom {
namespace {

/// How far a polyline may leave its curve, as a part of the surface's range of parameters.
constexpr double kTolerance = 1e-6;
constexpr int kDeepest = 12;
/// Curves this near to the border of the range lie on it.
constexpr double kOnBorder = 1e-5;

void report(const Context& context, const char* code, const std::string& text) {
  if (context.diag) context.diag->error(code, context.loc, format("TrimCurve: {}", text));
}

struct Place {
  double u = 0, v = 0;
};

/// One rational Bezier span, flattened.
class Span {
 public:
  Span(const KnotMap& map, int span, const std::vector<double> values[3], const float range[4])
      : degree_(map.degree), scaleU_(1 / (double(range[1]) - range[0])), scaleV_(1 / (double(range[3]) - range[2])) {
    for (int c = 0; c < 3; ++c)
      for (int k = 0; k <= degree_; ++k) cv_[c][k] = map.value(span, k, values[c].data(), 1);
  }
  Place at(double t) const {
    double b[3][kMostOrder];
    for (int c = 0; c < 3; ++c) {
      std::copy_n(cv_[c], degree_ + 1, b[c]);
      for (int step = degree_; step > 0; --step)
        for (int k = 0; k < step; ++k) b[c][k] = b[c][k] * (1 - t) + b[c][k + 1] * t;
    }
    return {b[0][0] / b[2][0], b[1][0] / b[2][0]};
  }
  /// Points after the one at t0, up to the one at t1.
  void flatten(double t0, Place a, double t1, Place b, int depth, std::vector<Place>& out) const {
    bool straight = depth >= (degree_ > 1 ? 2 : 0);
    for (int k = 1; k < 4 && straight; ++k) straight = fromChord(at(t0 + (t1 - t0) * k / 4), a, b) <= kTolerance;
    if (straight || depth >= kDeepest) return out.push_back(b);
    const double middle = (t0 + t1) * 0.5;
    const Place m = at(middle);
    flatten(t0, a, middle, m, depth + 1, out);
    flatten(middle, m, t1, b, depth + 1, out);
  }

 private:
  double fromChord(Place p, Place a, Place b) const {
    const double dx = (b.u - a.u) * scaleU_, dy = (b.v - a.v) * scaleV_, px = (p.u - a.u) * scaleU_,
                 py = (p.v - a.v) * scaleV_;
    const double length2 = dx * dx + dy * dy, t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
    return std::hypot(px - t * dx, py - t * dy);
  }
  int degree_;
  double scaleU_, scaleV_;
  double cv_[3][kMostOrder];
};

/// Takes the arrays apart, curve by curve.
class Flattener {
 public:
  Flattener(const Context& context, const TrimCurves& curves, const float range[4])
      : context_(context), all_(curves), range_(range) {}

  /// Curves that no loop has taken.
  size_t left() const { return all_.order.size() - std::min(all_.order.size(), curve_); }

  /// The next curve's points after its first, which goes to `start`; false where it has a fault.
  bool next(Place& start, std::vector<Place>& out) {
    const size_t c = curve_++;
    if (c >= all_.order.size() || c >= all_.n.size() || c >= all_.min.size() || c >= all_.max.size())
      return fail(c, "its order, count or range is not there");
    const int n = all_.n[c], order = all_.order[c];
    const size_t points = static_cast<size_t>(std::max(n, 0)), knots = points + static_cast<size_t>(std::max(order, 0));
    if (point_ + points > std::min({all_.u.size(), all_.v.size(), all_.w.size()}) || knot_ + knots > all_.knots.size())
      return fail(c, "its points or knots are not all there");
    const std::span<const float> own = std::span(all_.knots).subspan(knot_, knots);
    if (const std::string fault = knotFault(n, order, own); !fault.empty()) return fail(c, fault);
    float min = all_.min[c], max = all_.max[c];
    if (const std::string fault = fitRange(n, order, own, min, max); !fault.empty())
      report(context_, "geom-bad-range", format("curve {}: {}", c + 1, fault));
    std::vector<double> values[3];
    for (size_t k = point_; k < point_ + points; ++k) {
      if (!std::isfinite(all_.u[k]) || !std::isfinite(all_.v[k]) || !(all_.w[k] > 0) || !std::isfinite(all_.w[k]))
        return fail(c, "its points are not finite numbers with weights above 0");
      values[0].push_back(all_.u[k]), values[1].push_back(all_.v[k]), values[2].push_back(all_.w[k]);
    }
    point_ += points, knot_ += knots;
    const KnotMap map(n, order, own, min, max, order - 1);
    for (int s = 0; s < static_cast<int>(map.spans.size()); ++s) {
      const Span span(map, s, values, range_);
      const Place a = span.at(0), b = span.at(1);
      if (s == 0) start = a;
      span.flatten(0, a, 1, b, 0, out);
    }
    return true;
  }

 private:
  bool fail(size_t curve, const std::string& fault) {
    report(context_, "geom-bad-trim", format("curve {}: {}; the surface is not trimmed", curve + 1, fault));
    return false;
  }
  const Context& context_;
  const TrimCurves& all_;
  const float* range_;
  size_t curve_ = 0, point_ = 0, knot_ = 0;
};

/// What lies on the border of the range counts as reaching beyond it, so that the border itself is in or out as what is
/// beside it: stretches along the border run outside of it.
std::vector<Vec2> withDetours(const std::vector<Place>& loop, const float range[4]) {
  const double u0 = range[0], u1 = range[1], v0 = range[2], v1 = range[3], du = u1 - u0, dv = v1 - v0;
  const auto sides = [&](Place p) {
    return (std::abs(p.u - u0) <= kOnBorder * du ? 1 : 0) | (std::abs(p.u - u1) <= kOnBorder * du ? 2 : 0) |
           (std::abs(p.v - v0) <= kOnBorder * dv ? 4 : 0) | (std::abs(p.v - v1) <= kOnBorder * dv ? 8 : 0);
  };
  const auto put = [](double u, double v) { return Vec2{static_cast<float>(u), static_cast<float>(v)}; };
  std::vector<Vec2> out;
  for (size_t i = 0; i < loop.size(); ++i) {
    const Place& p = loop[i];
    const int own = sides(p);
    const bool before = own & sides(loop[(i + loop.size() - 1) % loop.size()]),
               after = own & sides(loop[(i + 1) % loop.size()]);
    const Vec2 beyond = put(p.u + (own & 2   ? 0.1 * du
                                   : own & 1 ? -0.1 * du
                                             : 0.0),
                            p.v + (own & 8   ? 0.1 * dv
                                   : own & 4 ? -0.1 * dv
                                             : 0.0));
    if (before) out.push_back(beyond);
    if (!before || !after) out.push_back(put(p.u, p.v));
    if (after && !before) out.push_back(beyond);
  }
  return out;
}

}  // namespace

std::shared_ptr<const Outline> makeTrim(const Context& context, const float range[4]) {
  const TrimCurves& curves = *context.trim;
  Flattener flattener(context, curves, range);
  const auto outline = std::make_shared<Outline>();
  const double du = double(range[1]) - range[0], dv = double(range[3]) - range[2];
  const auto apart = [&](Place a, Place b) { return std::max(std::abs(a.u - b.u) / du, std::abs(a.v - b.v) / dv); };
  for (size_t l = 0; l < curves.curves.size(); ++l) {
    if (curves.curves[l] < 1) {
      report(context, "geom-bad-trim",
             format("loop {} has {} curves; the surface is not trimmed", l + 1, curves.curves[l]));
      return nullptr;
    }
    std::vector<Place> loop;
    Place first, last;
    double gap = 0;
    for (int c = 0; c < curves.curves[l]; ++c) {
      Place start;
      std::vector<Place> points;
      if (!flattener.next(start, points)) return nullptr;
      if (c == 0) first = start;
      if (c > 0) gap = std::max(gap, apart(last, start));
      if (c > 0 && apart(last, start) > 0) loop.push_back(start);
      loop.insert(loop.end(), points.begin(), points.end());
      last = points.back();
    }
    if (loop.size() < 2) continue;
    gap = std::max(gap, apart(last, first));
    if (apart(last, first) > 0) loop.push_back(first);
    if (gap > 1e-3)
      report(context, "geom-open-trim",
             format("loop {}: its curves do not meet; the gaps are closed by straight lines", l + 1));
    const std::vector<Vec2> points = withDetours(loop, range);
    outline->addLoop(points);
  }
  if (flattener.left() > 0)
    report(context, "geom-bad-trim",
           format("{} curves are in no loop and are not used: loops have {}", flattener.left(),
                  curves.order.size() - flattener.left()));
  if (outline->segments() == 0) return nullptr;
  outline->finish(!context.trimInside);
  return outline;
}

}  // namespace reyes::geom
