// SPDX-License-Identifier: Apache-2.0
// Grids of trimmed surfaces: dropped where all is cut away; where the border of the trim runs through, the hider gets
// the outline and the parameters of the vertices. Called by buildGrid().
#pragma once

#include <algorithm>
#include <memory>

#include "reyes/base/outline.h"
#include "reyes/render/node.h"
#include "reyes/vars/var_block.h"

namespace reyes::render {

/// False where nothing of the grid is left.
inline bool trimGrid(const Outline& outline, const VarBlock& vars, Grid& grid) {
  const Var *u = vars.find("u"), *v = vars.find("v");
  if (!u || !v || u->uniform || v->uniform) return true;
  const size_t n = static_cast<size_t>(grid.micro.points());
  const auto [u0, u1] = std::minmax_element(u->data, u->data + n);
  const auto [v0, v1] = std::minmax_element(v->data, v->data + n);
  const Outline::Cover cover = outline.cover(*u0, *u1, *v0, *v1);
  if (cover != Outline::Cover::kBorder) return cover == Outline::Cover::kIn;
  grid.trim = std::make_unique_for_overwrite<float[]>(2 * n);
  std::copy_n(u->data, n, grid.trim.get());
  std::copy_n(v->data, n, grid.trim.get() + n);
  grid.bytes += static_cast<int64_t>(2 * n * sizeof(float));
  grid.micro.outline = &outline;
  grid.micro.trimU = {grid.trim.get(), n}, grid.micro.trimV = {grid.trim.get() + n, n};
  return true;
}

}  // namespace reyes::render
