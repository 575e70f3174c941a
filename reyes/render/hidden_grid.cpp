// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/hidden_grid.h"

#include <algorithm>
#include <cmath>

#include "reyes/render/cells.h"

namespace reyes::render {
namespace {

constexpr int kPart = 4;  ///< micropolygons a side of the parts

/// Box of the vertices (i0..i1, j0..j1) of a still grid that are there, with the hider's rounding around it.
RasterBound partBox(const hider::MicroGrid& m, bool whole, int i0, int i1, int j0, int j1) {
  RasterBound b;
  for (int j = j0; j <= j1; ++j) {
    const auto row = static_cast<size_t>(j * (m.nu + 1));
    const float *x = &m.x[row], *y = &m.y[row], *z = &m.z[row];
    for (int i = i0; i <= i1; ++i)
      if (whole || (std::isfinite(x[i]) && std::isfinite(y[i]) && std::isfinite(z[i]))) b.add(x[i], y[i], z[i]);
  }
  if (!b.empty()) b.x0 -= 0.01f, b.y0 -= 0.01f, b.x1 += 0.01f, b.y1 += 0.01f;
  return b;
}

}  // namespace

bool isHidden(const hider::BucketHider& hider, const Node& node) {
  const hider::MicroGrid& m = node.grid->micro;
  if (hider.hidden(node.grid->box)) return true;
  const Projector& view = node.prim->projector();
  if (m.kind == hider::GridKind::kCells && m.keys == 1 && !(view.lensPixelsX() > 0)) return cellsHidden(hider, m);
  const bool small = m.nu <= kPart && m.nv <= kPart;
  if (m.kind != hider::GridKind::kQuads || m.keys > 1 || small || view.lensPixelsX() > 0) return false;
  for (int j = 0; j < m.nv; j += kPart)
    for (int i = 0; i < m.nu; i += kPart)
      if (!hider.hidden(partBox(m, node.grid->whole, i, std::min(i + kPart, m.nu), j, std::min(j + kPart, m.nv))))
        return false;
  return true;
}

}  // namespace reyes::render
