// SPDX-License-Identifier: Apache-2.0
// Cuts a planar polygon with holes into triangles that use all its vertices and no others, so that neighbours along
// a side keep meeting vertex to vertex. Used by the polygon factory; any input ends, in reasonable time.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace reyes::geom {

struct Point2 {
  double x = 0, y = 0;
  bool operator==(const Point2&) const = default;
};

/// Twice the area of a, b, c; positive if counter-clockwise.
inline double area2(Point2 a, Point2 b, Point2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// Loops index `points`: the first is the outline, counter-clockwise; the others are holes in any direction. Returns
/// counter-clockwise triangles of indices, appended to `out`; false where a hole lay outside and was left out.
bool triangulate(std::span<const Point2> points, std::span<const std::vector<int>> loops,
                 std::vector<std::array<int, 3>>& out);

}  // namespace reyes::geom
