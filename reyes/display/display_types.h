// SPDX-License-Identifier: Apache-2.0
// The room's own seam between the table of types and the displays.
#pragma once

#include <string>

namespace reyes::display {

std::string fileNameFor(const std::string& displayType, const std::string& name);

}  // namespace reyes::display
