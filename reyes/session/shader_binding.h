// SPDX-License-Identifier: Apache-2.0
// Gives the parameters of a shader request the types that the shader declares. Called for every shader instance.
#pragma once

#include "reyes/base/diag.h"
#include "reyes/vars/param_list.h"
#include "reyes/vm/program.h"

namespace reyes::session {

/// Parameters of lights that name their light group: the renderer reads them from the scene file.
bool isLightGroupParameter(std::string_view name);

/// Parameters that the shader has, each with the shader's type, class and length, values converted (a float serves as
/// a colour or a point, an integer as a float). Unknown, ill-typed and ill-sized ones are Warnings and left out.
ParamList bindParameters(const ParamList& given, const vm::Program& program, const SourceLoc& loc, Diagnostics& diag);

}  // namespace reyes::session
