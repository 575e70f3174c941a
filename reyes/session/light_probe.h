// SPDX-License-Identifier: Apache-2.0
// Where a light is and which way it shines, found by running its shader at points of our choice: any light can have its
// shadow maps made, whatever its parameters are called. Called by auto_shadows.cpp.
#pragma once

#include "reyes/base/bound.h"
#include "reyes/base/isa.h"
#include "reyes/scene/world.h"

namespace reyes::session {

struct LightPlace {
  enum class Kind {
    kAmbient,   ///< from nowhere
    kNone,      ///< from another place for each point
    kNothing,   ///< it reaches nothing of the scene
    kParallel,  ///< along `axis`
    kCone,      ///< from `from`, within `angle` around `axis`
    kAround,    ///< from `from`, in all directions
  };
  Kind kind = Kind::kAmbient;
  Vec3 from, axis;  ///< world space
  float angle = 0;  ///< half the opening, radians
};

/// At a time, for what lies in `scene` (world space, not empty).
LightPlace probeLight(const scene::World& world, int light, const Bound3& scene, float time, Isa isa);

}  // namespace reyes::session
