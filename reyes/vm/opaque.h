// SPDX-License-Identifier: Apache-2.0
// Whether a surface shader is opaque whatever it sees, so that its grids may be sampled before they are shaded. Called
// by shade/.
#pragma once

#include <span>

#include "reyes/vm/program.h"

namespace reyes::vm {

/// True where every run leaves exactly 1 in all of "Oi", if `ones` (uniform parameters, "Os") are exactly 1: it is set
/// wherever the shader goes, and nothing but products and choices of ones is ever put there.
bool leavesOpaque(const Program& program, std::span<const Name> ones);

}  // namespace reyes::vm
