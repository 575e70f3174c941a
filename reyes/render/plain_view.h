// SPDX-License-Identifier: Apache-2.0
// The common case of measuring in the raster: points that all lie before the eye plane and inside the window, between
// which Projector::rasterLength() is the plain distance, bit for bit. Used where lines and faces are measured.
#pragma once

#include <cmath>

#include "reyes/render/projection.h"

namespace reyes::render {

/// Projects n points; true where all of them are such points.
inline bool projectPlain(const Projector& view, const Vec3* p, int n, float* x, float* y) {
  const RasterBound& w = view.window();
  const float eye = view.perspective() ? view.eyeDepth() : -Bound3::kInf;
  bool plain = true;
  for (int i = 0; i < n; ++i) {
    const RasterPoint r = view.toRaster(p[i]);
    x[i] = r.x, y[i] = r.y;
    plain &= (p[i].z >= eye) & (r.x >= w.x0) & (r.x <= w.x1) & (r.y >= w.y0) & (r.y <= w.y1);
  }
  return plain;
}

/// Pixels between two of them.
inline float plainLength(float ax, float ay, float bx, float by) {
  const float dx = bx - ax, dy = by - ay, l = std::sqrt(dx * dx + dy * dy);
  return l < 1e6f ? l : 1e6f;
}

}  // namespace reyes::render
