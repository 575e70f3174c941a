// SPDX-License-Identifier: Apache-2.0
// What happens at WorldEnd: the views of the world are made and rendered, maps that changed are forgotten, the report
// grows. Called by the scene builder.
#pragma once

#include "reyes/session/auto_shadows.h"
#include "reyes/session/displays.h"

namespace reyes::session {

/// `shadows` are made first; the lights of `world` learn their names.
void runWorld(Run& run, scene::World& world, const OptionState& options,
              const scene::AnimatedTransform& cameraFromWorld, const WorldPlace& place,
              std::vector<AutoShadow> shadows);

/// A file was made by this run: the texture system forgets what it knew of it.
void noteMade(Run& run, const std::string& file);

}  // namespace reyes::session
