// SPDX-License-Identifier: Apache-2.0
// Regular expressions of match(): . [set] [^set] * + ? ^ $ \x and | at the top level. Called by the machine.
#pragma once

#include <string_view>

namespace reyes::vm {

/// True where the pattern occurs anywhere in the subject (^ and $ bind it to the ends). Work is bounded: a pattern that
/// needs more than a million steps does not match.
bool matchPattern(std::string_view pattern, std::string_view subject);

}  // namespace reyes::vm
