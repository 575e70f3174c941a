// SPDX-License-Identifier: Apache-2.0
// The variables that every diced grid has, by name, and how they get their planes. Used where faces are diced, one
// (face_geometry.cpp) or many as cells (face_cells.cpp).
#pragma once

#include "reyes/base/arena.h"
#include "reyes/base/name.h"
#include "reyes/vars/var_block.h"

namespace reyes::geom {

/// Interned once: a grid must not ask the table of names.
struct StandardNames {
  const Name p = "P", du = "dPdu", dv = "dPdv", ng = "Ng", u = "u", v = "v", s = "s", t = "t", st = "st";
};
inline const StandardNames& names() {
  static const StandardNames all;
  return all;
}

inline void addTriple(VarBlock& grid, Arena& arena, Name name, Type type, float* planes[3]) {
  const Var& var = grid.add({name, type, Storage::kVarying, 0}, arena);
  for (int c = 0; c < 3; ++c) planes[c] = var.plane(c);
}

inline float* addFloat(VarBlock& grid, Arena& arena, Name name) {
  return grid.add({name, Type::kFloat, Storage::kVarying, 0}, arena).data;
}

}  // namespace reyes::geom
