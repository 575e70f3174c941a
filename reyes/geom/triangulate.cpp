// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/triangulate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reyes::geom {
namespace {

/// The outline with its holes bridged in, as a ring of nodes; then ears are cut off.
class EarClipper {
 public:
  EarClipper(std::span<const Point2> points, std::vector<std::array<int, 3>>& out) : points_(points), out_(out) {}

  void setOutline(const std::vector<int>& loop) { first_ = addRing(loop, false); }
  bool bridge(const std::vector<int>& hole);
  void clip();

 private:
  struct Node {
    int point, prev, next;
    bool alive = true;
  };
  Point2 at(int node) const { return points_[static_cast<size_t>(nodes_[static_cast<size_t>(node)].point)]; }
  Node& node(int i) { return nodes_[static_cast<size_t>(i)]; }
  const Node& node(int i) const { return nodes_[static_cast<size_t>(i)]; }
  double area(int i) const { return area2(at(node(i).prev), at(i), at(node(i).next)); }
  bool reflex(int i) const { return area(i) <= 0; }

  int addRing(const std::vector<int>& loop, bool backwards);
  int bridgeTarget(Point2 from) const;
  void buildCells();
  size_t column(double x) const { return cell(x, low_.x, high_.x); }
  size_t row(double y) const { return cell(y, low_.y, high_.y); }
  size_t cell(double v, double lo, double hi) const;
  bool isEar(int i) const;
  void cut(int i);

  std::span<const Point2> points_;
  std::vector<std::array<int, 3>>& out_;
  std::vector<Node> nodes_;
  int first_ = 0;
  // Reflex nodes in a square grid of cells (they only become fewer).
  size_t cells_ = 1;
  Point2 low_, high_;
  std::vector<int> cellStart_, cellNodes_;
};

int EarClipper::addRing(const std::vector<int>& loop, bool backwards) {
  const int base = static_cast<int>(nodes_.size()), n = static_cast<int>(loop.size());
  for (int k = 0; k < n; ++k)
    nodes_.push_back(
        {loop[static_cast<size_t>(backwards ? n - 1 - k : k)], base + (k + n - 1) % n, base + (k + 1) % n});
  return base;
}

/// Node of the ring that sees `from` along a ray to the right, or -1.
int EarClipper::bridgeTarget(Point2 from) const {
  // The nearest side that the ray meets, and its end further to the right.
  double nearest = std::numeric_limits<double>::infinity();
  int target = -1;
  int i = first_;
  do {
    const int j = node(i).next;
    const Point2 a = at(i), b = at(j);
    if (a == from) return i;
    if (std::min(a.y, b.y) <= from.y && std::max(a.y, b.y) >= from.y && a.y != b.y) {
      const double x = a.x + (from.y - a.y) / (b.y - a.y) * (b.x - a.x);
      // Only sides that have the inside on their left, seen from the ray: the ring runs upwards there.
      if (x >= from.x && x < nearest && b.y > a.y) nearest = x, target = a.x > b.x ? i : j;
    }
    i = j;
  } while (i != first_);
  if (target < 0) return -1;
  // Reflex nodes inside the triangle hide it: the one closest in direction is seen.
  const Point2 hit{nearest, from.y}, end = at(target);
  const double turn = area2(from, hit, end) < 0 ? -1 : 1;
  double best = std::numeric_limits<double>::infinity();
  i = first_;
  const int original = target;
  do {
    const Point2 p = at(i);
    const bool inside =
        turn * area2(from, hit, p) >= 0 && turn * area2(hit, end, p) >= 0 && turn * area2(end, from, p) >= 0;
    if (i != original && p.x > from.x && inside && reflex(i)) {
      const double slope = std::abs(p.y - from.y) / (p.x - from.x);
      if (slope < best || (slope == best && p.x < at(target).x)) best = slope, target = i;
    }
    i = node(i).next;
  } while (i != first_);
  return target;
}

bool EarClipper::bridge(const std::vector<int>& hole) {
  double twice = 0;
  for (size_t k = 0; k < hole.size(); ++k)
    twice +=
        area2({0, 0}, points_[static_cast<size_t>(hole[k])], points_[static_cast<size_t>(hole[(k + 1) % hole.size()])]);
  const int base = static_cast<int>(nodes_.size());
  addRing(hole, twice > 0);
  int start = base;
  for (int i = base; i < static_cast<int>(nodes_.size()); ++i)
    if (at(i).x > at(start).x) start = i;
  const int target = bridgeTarget(at(start));
  if (target < 0) {
    nodes_.resize(static_cast<size_t>(base));
    return false;
  }
  // target -> start ... around the hole ... start' -> target' -> what followed target.
  const int startCopy = static_cast<int>(nodes_.size()), targetCopy = startCopy + 1;
  const int after = node(target).next, before = node(start).prev;
  nodes_.push_back({node(start).point, before, targetCopy});
  nodes_.push_back({node(target).point, startCopy, after});
  node(before).next = startCopy;
  node(after).prev = targetCopy;
  node(target).next = start;
  node(start).prev = target;
  return true;
}

size_t EarClipper::cell(double v, double lo, double hi) const {
  if (!(hi > lo)) return 0;
  const double f = (v - lo) / (hi - lo) * static_cast<double>(cells_);
  return std::min(cells_ - 1, static_cast<size_t>(std::max(0.0, f)));
}

void EarClipper::buildCells() {
  std::vector<int> reflexNodes;
  low_ = high_ = at(first_);
  int i = first_;
  do {
    low_ = {std::min(low_.x, at(i).x), std::min(low_.y, at(i).y)};
    high_ = {std::max(high_.x, at(i).x), std::max(high_.y, at(i).y)};
    if (reflex(i)) reflexNodes.push_back(i);
    i = node(i).next;
  } while (i != first_);
  cells_ = std::max<size_t>(1, static_cast<size_t>(std::sqrt(static_cast<double>(reflexNodes.size()))));
  cellStart_.assign(cells_ * cells_ + 1, 0);
  const auto place = [&](int k) { return row(at(k).y) * cells_ + column(at(k).x); };
  for (const int k : reflexNodes) ++cellStart_[place(k) + 1];
  for (size_t c = 1; c < cellStart_.size(); ++c) cellStart_[c] += cellStart_[c - 1];
  std::vector<int> fill(cellStart_.begin(), cellStart_.end() - 1);
  cellNodes_.resize(reflexNodes.size());
  for (const int k : reflexNodes) cellNodes_[static_cast<size_t>(fill[place(k)]++)] = k;
}

bool EarClipper::isEar(int i) const {
  const Point2 a = at(node(i).prev), b = at(i), c = at(node(i).next);
  if (!(area2(a, b, c) > 0)) return false;
  const auto [x0, x1] = std::minmax({a.x, b.x, c.x});
  const auto [y0, y1] = std::minmax({a.y, b.y, c.y});
  for (size_t y = row(y0); y <= row(y1); ++y)
    for (size_t x = column(x0); x <= column(x1); ++x)
      for (int k = cellStart_[y * cells_ + x]; k < cellStart_[y * cells_ + x + 1]; ++k) {
        const int other = cellNodes_[static_cast<size_t>(k)];
        if (!node(other).alive) continue;
        const Point2 p = at(other);
        if (p == a || p == b || p == c) continue;
        if (area2(a, b, p) >= 0 && area2(b, c, p) >= 0 && area2(c, a, p) >= 0 && reflex(other)) return false;
      }
  return true;
}

void EarClipper::cut(int i) {
  Node& n = node(i);
  const Point2 a = at(n.prev), b = at(i), c = at(n.next);
  if (!(a == b) && !(b == c) && !(a == c)) out_.push_back({node(n.prev).point, n.point, node(n.next).point});
  node(n.prev).next = n.next;
  node(n.next).prev = n.prev;
  n.alive = false;
}

void EarClipper::clip() {
  buildCells();
  int left = 0;
  for (int i = first_;;) {
    ++left;
    i = node(i).next;
    if (i == first_) break;
  }
  int i = first_, misses = 0;
  while (left > 3) {
    const int next = node(i).next;
    // After a whole round without an ear the outline crosses itself: any corner that turns left, then any at all.
    const bool forced = misses > left && (area(i) > 0 || misses > 2 * left);
    if (forced || isEar(i)) {
      cut(i);
      --left;
      misses = 0;
      i = node(next).next;  // skipping one keeps the triangles fat
      continue;
    }
    ++misses;
    i = next;
  }
  cut(i);
}

}  // namespace

bool triangulate(std::span<const Point2> points, std::span<const std::vector<int>> loops,
                 std::vector<std::array<int, 3>>& out) {
  if (loops.empty() || loops[0].size() < 3) return true;
  EarClipper clipper(points, out);
  clipper.setOutline(loops[0]);
  // Holes from the right: each bridge then ends on the outline or on a hole that is already in.
  std::vector<const std::vector<int>*> holes;
  for (size_t k = 1; k < loops.size(); ++k)
    if (loops[k].size() >= 3) holes.push_back(&loops[k]);
  const auto rightmost = [&](const std::vector<int>* loop) {
    double x = -std::numeric_limits<double>::infinity();
    for (const int k : *loop) x = std::max(x, points[static_cast<size_t>(k)].x);
    return x;
  };
  std::stable_sort(holes.begin(), holes.end(), [&](auto* a, auto* b) { return rightmost(a) > rightmost(b); });
  bool all = true;
  for (const std::vector<int>* hole : holes) all = clipper.bridge(*hole) && all;
  clipper.clip();
  return all;
}

}  // namespace reyes::geom
