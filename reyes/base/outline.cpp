// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/outline.h"

#include <algorithm>
#include <cmath>

namespace reyes {

void Outline::addLoop(std::span<const Vec2> points) {
  for (size_t i = 0; i < points.size(); ++i) {
    const Segment s{points[i], points[(i + 1) % points.size()]};
    // Level ones cross no level line: those at their ends do.
    if (!(s.a.x == s.b.x && s.a.y == s.b.y)) segments_.push_back(s);
  }
}

int Outline::rowOf(float y) const { return std::clamp(static_cast<int>((y - y0_) * rowsPerUnit_), 0, rows_ - 1); }

void Outline::finish(bool inverted) {
  inverted_ = inverted;
  if (segments_.empty()) return;
  y0_ = y1_ = segments_[0].a.y;
  for (const Segment& s : segments_) {
    y0_ = std::min({y0_, s.a.y, s.b.y});
    y1_ = std::max({y1_, s.a.y, s.b.y});
  }
  rows_ = static_cast<int>(std::clamp<size_t>(segments_.size() / 2, 1, 4096));
  rowsPerUnit_ = y1_ > y0_ ? static_cast<float>(rows_) / (y1_ - y0_) : 0.0f;
  // Counted, then filled.
  rowFirst_.assign(static_cast<size_t>(rows_) + 1, 0);
  const auto rowsOf = [&](const Segment& s) {
    return std::pair(rowOf(std::min(s.a.y, s.b.y)), rowOf(std::max(s.a.y, s.b.y)));
  };
  for (const Segment& s : segments_)
    for (auto [r, last] = rowsOf(s); r <= last; ++r) ++rowFirst_[static_cast<size_t>(r) + 1];
  for (size_t r = 1; r < rowFirst_.size(); ++r) rowFirst_[r] += rowFirst_[r - 1];
  inRows_.resize(rowFirst_.back());
  std::vector<uint32_t> fill(rowFirst_.begin(), rowFirst_.end() - 1);
  for (size_t i = 0; i < segments_.size(); ++i)
    for (auto [r, last] = rowsOf(segments_[i]); r <= last; ++r)
      inRows_[fill[static_cast<size_t>(r)]++] = static_cast<uint32_t>(i);
}

bool Outline::inside(float x, float y) const {
  bool in = inverted_;
  if (segments_.empty() || !(y >= y0_ && y <= y1_)) return in;
  for (const uint32_t i : row(rowOf(y))) {
    const Segment& s = segments_[i];
    if ((s.a.y <= y) == (s.b.y <= y)) continue;
    const double t = (static_cast<double>(y) - s.a.y) / (static_cast<double>(s.b.y) - s.a.y);
    if (s.a.x + t * (static_cast<double>(s.b.x) - s.a.x) > x) in = !in;
  }
  return in;
}

Outline::Cover Outline::cover(float x0, float x1, float y0, float y1) const {
  const Cover away = inverted_ ? Cover::kIn : Cover::kOut;
  if (segments_.empty() || y1 < y0_ || y0 > y1_) return away;
  for (int r = rowOf(y0); r <= rowOf(y1); ++r)
    for (const uint32_t i : row(r)) {
      const Segment& s = segments_[i];
      if (std::max(s.a.x, s.b.x) < x0 || std::min(s.a.x, s.b.x) > x1 || std::max(s.a.y, s.b.y) < y0 ||
          std::min(s.a.y, s.b.y) > y1)
        continue;
      // All corners on one side of the line: it passes by.
      const double dx = static_cast<double>(s.b.x) - s.a.x, dy = static_cast<double>(s.b.y) - s.a.y;
      const auto side = [&](float x, float y) {
        return dx * (static_cast<double>(y) - s.a.y) - dy * (static_cast<double>(x) - s.a.x);
      };
      const double c[4] = {side(x0, y0), side(x1, y0), side(x0, y1), side(x1, y1)};
      if (*std::min_element(c, c + 4) <= 0 && *std::max_element(c, c + 4) >= 0) return Cover::kBorder;
    }
  return inside((x0 + x1) * 0.5f, (y0 + y1) * 0.5f) ? Cover::kIn : Cover::kOut;
}

}  // namespace reyes
