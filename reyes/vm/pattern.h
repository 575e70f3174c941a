// SPDX-License-Identifier: Apache-2.0
// Regular expressions of match(), the extended ones of POSIX: . [set] [^set] [:alpha:] () | * + ? {m,n} ^ $ \x. Called
// by the machine.
#pragma once

#include <string_view>

namespace reyes::vm {

/// True where the pattern occurs anywhere in the subject (^ and $ bind it to the ends). Time grows with the product of
/// their lengths. A pattern that is none, or is huge, does not match; `fault` says why. A lone ')' is taken as a
/// character, with a word too.
bool matchPattern(std::string_view pattern, std::string_view subject, const char** fault = nullptr);

}  // namespace reyes::vm
