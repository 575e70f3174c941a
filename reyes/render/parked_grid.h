// SPDX-License-Identifier: Apache-2.0
// Grids that no bucket wants to see at once: a grid on its way to the shaders is large, so what can be diced again
// goes, and what the displacement shader wrote is kept alone. Called when a node is opened and when it is shaded.
#pragma once

#include "reyes/render/worker.h"

namespace reyes::render {

/// True where no other bucket touches a grid, nor perhaps this one.
bool onlyHere(const Worker& worker, const Node& node);
/// A grid that nobody will see goes at once: of faces smaller than the space between samples most do.
void dropGrid(Worker& worker, Node& node);

/// Gives the node's GridWork back.
void park(Worker& worker, Node& node);
/// Makes the node's GridWork again as it was. `node.grid` has positions.
void unpark(Worker& worker, Node& node);

}  // namespace reyes::render
