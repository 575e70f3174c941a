// SPDX-License-Identifier: Apache-2.0
// A piece becomes a grid: diced, displaced and stitched to the points of its lines at every motion key (while the node
// is opened); later, if some bucket still sees it, shaded once and turned into what the hider takes.
#pragma once

#include "reyes/render/dice_rate.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// Dices, displaces and stitches. False where nothing of it can be seen (facing away, or nothing finite).
bool buildGrid(Worker& worker, Node& node, const DiceRate& rate);

/// Runs surface and atmosphere, keeps colours and output variables, drops everything else.
void shadeGrid(Worker& worker, Node& node);

}  // namespace reyes::render
