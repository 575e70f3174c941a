// SPDX-License-Identifier: Apache-2.0
// Grids with an outline in parameter space: micropolygons outside of it are skipped, those on its border ask it for
// every sample. Grids without one pay nothing. Private to hider/, used by bucket_hider.cpp.
#pragma once

#include <algorithm>

#include "reyes/base/outline.h"
#include "reyes/hider/bucket_impl.h"

namespace reyes::hider {

/// Sets the classes of a grid with an outline; those that it has already are kept where they say more.
inline void classifyTrim(const MicroGrid& grid, std::vector<MpClass>& classes, RasterContext& ctx) {
  const size_t nu = static_cast<size_t>(grid.nu), nv = static_cast<size_t>(grid.nv), row = nu + 1;
  if (!ctx.grid.classes) classes.assign(nu * nv, MpClass::kOpaque);
  ctx.grid.classes = classes.data();
  for (size_t mp = 0; mp < nu * nv; ++mp) {
    MpClass& cls = classes[mp];
    if (cls == MpClass::kSkip) continue;
    const size_t a = mp / nu * row + mp % nu;
    const auto range = [&](std::span<const float> t) {
      return std::minmax({t[a], t[a + 1], t[a + row], t[a + row + 1]});
    };
    const auto [u0, u1] = range(grid.extras->trimU);
    const auto [v0, v1] = range(grid.extras->trimV);
    const Outline::Cover cover = grid.extras->outline->cover(u0, u1, v0, v1);
    if (cover == Outline::Cover::kOut) {
      cls = MpClass::kSkip;
      ++ctx.culled;
    } else if (cover == Outline::Cover::kBorder) {
      cls = cls == MpClass::kOpaque ? MpClass::kCutOpaque : MpClass::kCutList;
    }
  }
}

/// True where a sample's place on a triangle is outside of the outline of its grid.
inline bool trimmedAway(const BucketHider::Impl& b, const GridRecord& record, uint32_t triangle, size_t sample) {
  const MicroGrid& g = record.grid;
  const uint32_t local = triangle - record.idBase, mp = local >> 1;
  const bool second = local & 1;
  const size_t row = static_cast<size_t>(g.nu) + 1;
  const size_t a = mp / static_cast<uint32_t>(g.nu) * row + mp % static_cast<uint32_t>(g.nu);
  const size_t v[3] = {a, second ? a + row + 1 : a + 1, second ? a + row : a + row + 1};
  double x[3], y[3];
  for (int n = 0; n < 3; ++n) {
    if (record.moving)
      b.movedVertex(g, v[n], sample, x[n], y[n]);
    else
      x[n] = toUnits(g.x[v[n]], b.rect.x0), y[n] = toUnits(g.y[v[n]], b.rect.y0);
  }
  // Barycentric weights, kept in the triangle.
  const double bx = x[1] - x[0], by = y[1] - y[0], cx = x[2] - x[0], cy = y[2] - y[0];
  const double px = static_cast<double>(b.sampleX[sample]) - x[0], py = static_cast<double>(b.sampleY[sample]) - y[0];
  const double area = bx * cy - by * cx, r = area == 0 ? 0 : 1 / area;
  const double wb = std::clamp((px * cy - py * cx) * r, 0.0, 1.0),
               wc = std::clamp((bx * py - by * px) * r, 0.0, 1.0 - wb);
  const auto at = [&](std::span<const float> t) {
    return static_cast<float>(t[v[0]] * (1 - wb - wc) + t[v[1]] * wb + t[v[2]] * wc);
  };
  return !g.extras->outline->inside(at(g.extras->trimU), at(g.extras->trimV));
}

}  // namespace reyes::hider
