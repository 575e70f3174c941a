// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/hidden_grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reyes/render/cells.h"

namespace reyes::render {
namespace {

constexpr int kPart = 4;        ///< micropolygons a side of the parts
constexpr int kMovingPart = 8;  ///< of what moves or is out of focus: each asks all samples on its way

/// Box of the vertices (i0..i1, j0..j1) of a grid, at a key, that are there, with the hider's rounding around it. Reads
/// positions alone: another thread may be filling in the colours.
RasterBound partBox(const hider::MicroGrid& m, int key, bool whole, int i0, int i1, int j0, int j1) {
  RasterBound b;
  for (int j = j0; j <= j1; ++j) {
    const auto row = static_cast<size_t>(key) * static_cast<size_t>(m.points()) + static_cast<size_t>(j * (m.nu + 1));
    const float *x = &m.x[row], *y = &m.y[row], *z = &m.z[row];
    for (int i = i0; i <= i1; ++i)
      if (whole || (std::isfinite(x[i]) && std::isfinite(y[i]) && std::isfinite(z[i]))) b.add(x[i], y[i], z[i]);
  }
  if (!b.empty()) b.x0 -= 0.01f, b.y0 -= 0.01f, b.x1 += 0.01f, b.y1 += 0.01f;
  return b;
}

using Boxes = std::vector<RasterBound>;

/// All of a grid at each of its keys.
void wholeBoxes(const hider::MicroGrid& m, Boxes& boxes) {
  const auto points = static_cast<size_t>(m.points());
  for (size_t k = 0; k < boxes.size(); ++k) {
    const size_t at = k * points;
    RasterBound& b = boxes[k];
    gridKernels().box(m.points(), &m.x[at], &m.y[at], &m.z[at], b);
    if (m.extras->radius.empty()) continue;
    const float r = *std::max_element(&m.extras->radius[at], &m.extras->radius[at] + points);
    b.x0 -= r, b.x1 += r, b.y0 -= r * m.extras->radiusAspect, b.y1 += r * m.extras->radiusAspect;
  }
}

/// The vertices (i0..i1, j0..j1) of a grid of quads at each of its keys.
void partBoxes(const hider::MicroGrid& m, bool whole, int i0, int i1, int j0, int j1, Boxes& boxes) {
  for (size_t k = 0; k < boxes.size(); ++k) boxes[k] = partBox(m, static_cast<int>(k), whole, i0, i1, j0, j1);
}

/// Asks for what of a grid has such boxes, each where it is at each sample's time.
bool pathHidden(const hider::BucketHider& hider, const Node& node, Boxes& boxes) {
  const Projector& view = node.prim->projector();
  const RasterBound& whole = node.grid->box;
  RasterBound all;
  for (RasterBound& b : boxes) {
    b.x0 -= 0.01f, b.y0 -= 0.01f, b.x1 += 0.01f, b.y1 += 0.01f;
    all.add(b);
  }
  const float x = std::max(view.lensX(all.z0), view.lensX(all.z1));
  const float y = std::max(view.lensY(all.z0), view.lensY(all.z1));
  all.x0 = std::max(all.x0 - x, whole.x0), all.x1 = std::min(all.x1 + x, whole.x1);
  all.y0 = std::max(all.y0 - y, whole.y0), all.y1 = std::min(all.y1 + y, whole.y1);
  return hider.hidden(all, {node.grid->micro.times, boxes});
}

/// What moves or is out of focus, wholly and by parts.
bool movingHidden(const hider::BucketHider& hider, const Node& node) {
  const hider::MicroGrid& m = node.grid->micro;
  if (m.times.size() < static_cast<size_t>(m.keys)) return false;
  Boxes boxes(static_cast<size_t>(m.keys));
  // 1. All of it, where that is not what the bucket asked of the node.
  const bool parts = m.kind == hider::GridKind::kQuads && (m.nu > kMovingPart || m.nv > kMovingPart);
  if (!parts || node.prim->displaces()) {
    wholeBoxes(m, boxes);
    if (pathHidden(hider, node, boxes)) return true;
    if (!parts) return false;
  }
  // 2. Its parts.
  for (int j = 0; j < m.nv; j += kMovingPart)
    for (int i = 0; i < m.nu; i += kMovingPart) {
      partBoxes(m, node.grid->whole, i, std::min(i + kMovingPart, m.nu), j, std::min(j + kMovingPart, m.nv), boxes);
      if (!pathHidden(hider, node, boxes)) return false;
    }
  return true;
}

}  // namespace

bool isHidden(const hider::BucketHider& hider, const Node& node) {
  const hider::MicroGrid& m = node.grid->micro;
  if (hider.hidden(node.grid->box)) return true;
  if (m.keys > 1 || node.prim->projector().lensPixelsX() > 0) return movingHidden(hider, node);
  if (m.kind == hider::GridKind::kCells) return cellsHidden(hider, m);
  if (m.kind != hider::GridKind::kQuads || (m.nu <= kPart && m.nv <= kPart)) return false;
  for (int j = 0; j < m.nv; j += kPart)
    for (int i = 0; i < m.nu; i += kPart)
      if (!hider.hidden(partBox(m, 0, node.grid->whole, i, std::min(i + kPart, m.nu), j, std::min(j + kPart, m.nv))))
        return false;
  return true;
}

}  // namespace reyes::render
