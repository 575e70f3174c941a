// SPDX-License-Identifier: Apache-2.0
// Grids of trimmed surfaces: dropped where all is cut away; where the border of the trim runs through, the hider gets
// the outline and the parameters of the vertices. Called by buildGrid().
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "reyes/base/outline.h"
#include "reyes/render/node.h"
#include "reyes/vars/var_block.h"

namespace reyes::render {

/// Gives border vertices the parameters of the points that they were moved to.
inline void followSides(const Node& node, int nu, int nv, float* u, float* v) {
  const int first[4] = {0, nu, nv * (nu + 1), 0}, step[4] = {1, nu + 1, 1, nu + 1}, count[4] = {nu, nv, nu, nv};
  std::vector<int> index;
  for (int s = 0; s < 4; ++s) {
    const SideRef& side = node.sides[s];
    if (!side.line || side.a == side.b) continue;
    const int n = count[s], last = first[s] + n * step[s];
    index.resize(static_cast<size_t>(n) + 1);
    snapSide(side, n, index.data());
    for (int j = 1; j < n; ++j) {
      const float along = (side.line->t(index[static_cast<size_t>(j)]) - side.a) / (side.b - side.a);
      const float x = std::clamp(along, 0.0f, 1.0f);
      const int at = first[s] + j * step[s];
      u[at] = lerp(u[first[s]], u[last], x), v[at] = lerp(v[first[s]], v[last], x);
    }
  }
}

/// False where nothing of the node's grid is left. The node knows its sides still.
inline bool trimGrid(const Outline& outline, const VarBlock& vars, const Node& node) {
  Grid& grid = *node.grid;
  const Var *u = vars.find("u"), *v = vars.find("v");
  if (!u || !v || u->uniform || v->uniform) return true;
  const size_t n = static_cast<size_t>(grid.micro.points());
  const auto [u0, u1] = std::minmax_element(u->data, u->data + n);
  const auto [v0, v1] = std::minmax_element(v->data, v->data + n);
  const Outline::Cover cover = outline.cover(*u0, *u1, *v0, *v1);
  if (cover != Outline::Cover::kBorder) return cover == Outline::Cover::kIn;
  GridParts& parts = grid.parts();
  parts.trim = std::make_unique_for_overwrite<float[]>(2 * n);
  float* const places = parts.trim.get();
  std::copy_n(u->data, n, places);
  std::copy_n(v->data, n, places + n);
  followSides(node, grid.micro.nu, grid.micro.nv, places, places + n);
  grid.bytes += static_cast<int64_t>(2 * n * sizeof(float));
  parts.shown.outline = &outline;
  parts.shown.trimU = {places, n}, parts.shown.trimV = {places + n, n};
  return true;
}

}  // namespace reyes::render
