// SPDX-License-Identifier: Apache-2.0
// What the mode of a Display asks for: variables, and what their DisplayChannels say of them. Called by displays.cpp.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "reyes/session/run.h"
#include "reyes/session/state.h"

namespace reyes::session {

/// A mode's names, which commas part.
std::vector<std::string> splitMode(const std::string& mode);
/// Its variables; what is wrong with them is reported.
std::vector<scene::OutputVariable> variablesOf(Run& run, const OptionState& options, const DisplayCall& call);
/// Of four numbers: zero one min max.
scene::Quantize quantizeOf(const Param& p, float dither = 0.5f);
/// An Error for each of `names` that is given and asks for something.
void nameMissing(Run& run, const char* request, const ParamList& params, const SourceLoc& loc,
                 std::initializer_list<const char*> names);

}  // namespace reyes::session
