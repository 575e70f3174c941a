// SPDX-License-Identifier: Apache-2.0
// Whether a shader decides about each point for itself, so that points may be run in any company. Called by shade/.
#pragma once

#include "reyes/vm/program.h"

namespace reyes::vm {

/// True where the value that `symbol` has after a run depends, point by point, on the variables of that point alone:
/// no differences between neighbours, no steps of the grid, no random numbers, no maps, nothing that lights say.
bool isPointwise(const Program& program, Name symbol);

/// True for functions that ask the renderer about spaces alone: the answer is the same for all points of a grid.
bool asksForSpace(Builtin b);

}  // namespace reyes::vm
