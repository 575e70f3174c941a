// SPDX-License-Identifier: Apache-2.0
// The surfaces of area lights: made of their primitives where they are when the shutter opens, displaced as the picture
// has them. Called by the frame runner before shadow maps and pictures of a world.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "reyes/scene/view.h"
#include "reyes/session/run.h"
#include "reyes/shade/shader_runner.h"

namespace reyes::session {

/// Paths of the primitives that are a light's surface, by the light's place in World::lights.
using LightPrimitives = std::map<int, std::vector<uint64_t>>;

/// Gives the lights of `world` their surfaces (Light::area). `services` has the world and the camera of the pictures.
void makeLightSurfaces(Run& run, scene::World& world, const LightPrimitives& primitives,
                       const shade::FrameServices& services);

}  // namespace reyes::session
