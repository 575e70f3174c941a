// SPDX-License-Identifier: Apache-2.0
// Warnings of the compiler that can be asked for and turned off by name (-W), and those that are found in the code as
// written, before the optimiser drops variables. Used by the compiler alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/sl/ir.h"

namespace reyes::sl {

/// True where a warning with this code ("sl-shadow") is given under these words ("shadow", "no-shadow", "all", "none").
bool warningWanted(std::string_view code, const std::vector<std::string>& words);

/// Variables and parameters that nothing reads, variables that are read before they have a value, surfaces that set Ci
/// but not Oi.
void warnOfVariables(const Ir& ir, const SourceLoc& shader, Diagnostics& diag);

}  // namespace reyes::sl
