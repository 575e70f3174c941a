// SPDX-License-Identifier: Apache-2.0
// From the options of a frame and the flags to a View: resolution, screen window, crop and camera by section 4.1 of the
// specification. Called when a world begins (for level of detail) and when it renders.
#pragma once

#include "reyes/session/session.h"
#include "reyes/session/state.h"

namespace reyes::session {

struct ViewRequest {
  bool overridden = false;  ///< flags (crop, region, resolution, scale) apply: a picture, not a pass
  int frame = 0;
};

/// All of a View but its displays.
scene::View buildView(const OptionState& options, const scene::AnimatedTransform& cameraFromWorld,
                      const SessionOptions& flags, const ViewRequest& request);

/// Pixels [first, last) of `resolution` that the crop [from, to] covers: adjacent crops tile exactly.
std::pair<int, int> cropPixels(float from, float to, int resolution);

}  // namespace reyes::session
