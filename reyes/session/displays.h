// SPDX-License-Identifier: Apache-2.0
// From Display requests to what a View writes: variables of a mode, quantisation, filters, names, overrides by flags.
#pragma once

#include "reyes/session/run.h"
#include "reyes/session/state.h"

namespace reyes::session {

struct WorldPlace {
  bool inFrame = false;
  int frame = 0;
  SourceLoc loc;
};

/// The displays of a world; where the scene asks for none, one picture named after the scene file.
std::vector<scene::DisplaySpec> makeDisplays(Run& run, const OptionState& options, const WorldPlace& place);

/// True for shadow and depth maps, which flags never change.
bool isPassDisplay(const scene::DisplaySpec& display);

/// False, with an Error each, where two displays or an earlier picture of this run would write one file.
bool displaysAreDistinct(Run& run, const std::vector<scene::DisplaySpec>& displays);

}  // namespace reyes::session
