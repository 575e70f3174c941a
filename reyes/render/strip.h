// SPDX-License-Identifier: Apache-2.0
// Displaced points of lines. Where a shader moves points, two pieces that meet would each move their border in their
// own way; so the points of a line are moved once, in a strip of three rows beside it that its owner is diced into, by
// the same rule whoever asks (docs/decisions/0002). Called when a displaced grid is stitched.
#pragma once

#include "reyes/render/line.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// Camera-space positions, after displacement, of points first..last (first <= last) of a line at motion key k.
void movedPoints(Worker& worker, const Line& line, int first, int last, int k, Vec3* out);

}  // namespace reyes::render
