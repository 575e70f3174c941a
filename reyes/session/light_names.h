// SPDX-License-Identifier: Apache-2.0
// Lists of names in one string, as attributes give them to choose lights by. Called by the scene builder.
#pragma once

#include <string>
#include <vector>

namespace reyes::session {

/// Names between commas or blanks.
std::vector<std::string> nameList(const std::string& text);
/// grouping:membership after a request: "+a,b" adds to what it was, "-a" takes away, names without a sign replace it.
std::string changedMembership(const std::string& before, const std::string& request);

}  // namespace reyes::session
