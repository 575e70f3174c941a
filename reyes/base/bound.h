// SPDX-License-Identifier: Apache-2.0
// Axis-aligned boxes in space and in the raster, and integer pixel rectangles.
#pragma once

#include <algorithm>
#include <limits>

#include "reyes/base/matrix.h"
#include "reyes/base/vec.h"

namespace reyes {

/// Box in space; empty (min > max) until something is added.
struct Bound3 {
  Vec3 min{kInf, kInf, kInf}, max{-kInf, -kInf, -kInf};
  static constexpr float kInf = std::numeric_limits<float>::infinity();

  bool empty() const { return !(min.x <= max.x); }
  void add(Vec3 p) {
    min = {std::min(min.x, p.x), std::min(min.y, p.y), std::min(min.z, p.z)};
    max = {std::max(max.x, p.x), std::max(max.y, p.y), std::max(max.z, p.z)};
  }
  void add(const Bound3& b) {
    if (b.empty()) return;
    add(b.min);
    add(b.max);
  }
  void grow(float r) {
    if (empty()) return;
    min = min - Vec3{r, r, r};
    max = max + Vec3{r, r, r};
  }
  Vec3 corner(int i) const { return {i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z}; }
};

/// Box around the eight transformed corners (affine m).
inline Bound3 transformBound(const Matrix4& m, const Bound3& b) {
  Bound3 r;
  if (b.empty()) return r;
  for (int i = 0; i < 8; ++i) r.add(transformPoint(m, b.corner(i)));
  return r;
}

/// Raster-space box: x, y in pixels of the full frame, z in camera units.
struct RasterBound {
  float x0 = Bound3::kInf, y0 = Bound3::kInf, x1 = -Bound3::kInf, y1 = -Bound3::kInf;
  float z0 = Bound3::kInf, z1 = -Bound3::kInf;

  bool empty() const { return !(x0 <= x1); }
  void add(float x, float y, float z) {
    x0 = std::min(x0, x), x1 = std::max(x1, x);
    y0 = std::min(y0, y), y1 = std::max(y1, y);
    z0 = std::min(z0, z), z1 = std::max(z1, z);
  }
  void add(const RasterBound& b) {
    if (b.empty()) return;
    add(b.x0, b.y0, b.z0);
    add(b.x1, b.y1, b.z1);
  }
};

/// Half-open pixel rectangle [x0, x1) x [y0, y1), absolute in the full frame.
struct PixelRect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  int width() const { return std::max(0, x1 - x0); }
  int height() const { return std::max(0, y1 - y0); }
  bool empty() const { return x0 >= x1 || y0 >= y1; }
  bool contains(int x, int y) const { return x >= x0 && x < x1 && y >= y0 && y < y1; }
  bool operator==(const PixelRect&) const = default;
};

inline PixelRect intersect(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

}  // namespace reyes
