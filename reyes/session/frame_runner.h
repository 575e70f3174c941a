// SPDX-License-Identifier: Apache-2.0
// What happens at WorldEnd: the views of the world are made and rendered, maps that changed are forgotten, the report
// grows. Called by the scene builder.
#pragma once

#include "reyes/session/displays.h"

namespace reyes::session {

void runWorld(Run& run, const scene::World& world, const OptionState& options,
              const scene::AnimatedTransform& cameraFromWorld, const WorldPlace& place);

/// A file was made by this run: the texture system forgets what it knew of it.
void noteMade(Run& run, const std::string& file);

}  // namespace reyes::session
