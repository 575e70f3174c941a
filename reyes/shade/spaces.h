// SPDX-License-Identifier: Apache-2.0
// The named coordinate systems that a shader may ask for, as matrices to and from current (camera) space.
#pragma once

#include <string_view>

#include "reyes/base/matrix.h"
#include "reyes/scene/view.h"
#include "reyes/scene/world.h"

namespace reyes::shade {

/// Spaces around one run of one shader. Matrices are p_current = p_space * m.
struct Spaces {
  const scene::World* world = nullptr;
  const scene::View* view = nullptr;
  Matrix4 currentFromObject;
  Matrix4 currentFromShader;
  float time = 0;
  const scene::SpaceMap* scoped = nullptr;  ///< of the primitive: looked up before the world's; null for lights

  /// False where no such space exists.
  bool currentFrom(std::string_view space, Matrix4& m) const;
  /// Matrix of points from one space to another; false where either is unknown.
  bool between(std::string_view from, std::string_view to, Matrix4& m) const;

 private:
  /// p_space = p_current * m, for projective spaces (screen, NDC, raster) that are defined that way round.
  bool fromCurrent(std::string_view space, Matrix4& m) const;
};

}  // namespace reyes::shade
