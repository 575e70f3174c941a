// SPDX-License-Identifier: Apache-2.0
// Dices a piece into variables in camera space, ready for shaders. Called when a node becomes a grid and for edge
// strips.
#pragma once

#include "reyes/render/node.h"

namespace reyes::render {

struct DicePlan {
  int face = 0;
  geom::UvRect rect;
  int nu = 1, nv = 1;
  int key = 0;  ///< motion key
  bool positionsOnly = false;
  uint64_t seed = 0;
  std::span<const uint32_t> cells = {};  ///< in place of face, rect, nu and nv (geom::DiceRequest)

  int points() const { return cells.empty() ? (nu + 1) * (nv + 1) : 4 * static_cast<int>(cells.size()); }
};

/// A variable that the scene file gives, from object to camera space.
void primvarToCamera(const Var& v, const MotionKey& key);

/// Resets `work` and fills it: P dPdu dPdv Ng N u v s t and primvars in camera space, and the ShadeGrid around them.
void diceInto(const PrimitiveFrame& prim, const DicePlan& plan, GridWork& work);

}  // namespace reyes::render
