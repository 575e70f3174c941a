// SPDX-License-Identifier: Apache-2.0
// The room's own seam between the table of types and the displays.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "reyes/display/display.h"

namespace reyes::display {

std::string fileNameFor(const std::string& displayType, const std::string& name);
/// Header values that a caller left out: capDate, software, framesPerSecond.
void addHeaderDefaults(std::map<std::string, image::Attribute>& attributes);
/// For deepexr and deepshad (deep_display.cpp).
std::unique_ptr<Display> makeDeepDisplay(const DisplayRequest& request);

}  // namespace reyes::display
