// SPDX-License-Identifier: Apache-2.0
// What happens at WorldEnd: the views of the world are made and rendered, maps that changed are forgotten, the report
// grows. Called by the scene builder.
#pragma once

#include "reyes/session/auto_shadows.h"
#include "reyes/session/displays.h"
#include "reyes/session/light_surfaces.h"

namespace reyes::session {

/// What lights want before the pictures: surfaces, then maps. The lights of the world learn of them.
struct LightWork {
  std::vector<AutoShadow> shadows;
  LightPrimitives surfaces;
};

void runWorld(Run& run, scene::World& world, const OptionState& options,
              const scene::AnimatedTransform& cameraFromWorld, const WorldPlace& place, LightWork lights);

/// A file was made by this run: the texture system forgets what it knew of it.
void noteMade(Run& run, const std::string& file);

}  // namespace reyes::session
