// SPDX-License-Identifier: Apache-2.0
// The displacement bound of a primitive whose scene file declares none: found by displacing a coarse dice of it, with a
// margin; the same on every machine. Called before the buckets start.
#pragma once

#include "reyes/render/worker.h"

namespace reyes::render {

/// Radius in camera space.
float findDisplacementReach(Worker& worker, const PrimitiveFrame& prim);

}  // namespace reyes::render
