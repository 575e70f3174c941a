// SPDX-License-Identifier: Apache-2.0
// The output variable dPdtime: how fast each vertex of a grid moves over the raster. Filled when a grid is shaded, from
// the positions that the hider samples, so that motion of the camera, of transforms and of points is all in it.
#pragma once

#include "reyes/render/outputs.h"
#include "reyes/render/primitive_frame.h"

namespace reyes::render {

bool isVelocity(const scene::OutputVariable& v);

/// Three planes: x and y in pixels (y down), z in camera depth, a unit of the scene's time; the mean from the first key
/// to the last. Zero where nothing moves or a position is none.
void fillVelocity(const PrimitiveFrame& prim, const hider::MicroGrid& grid, float* out);

/// A frame without shutter time has keys for velocities alone: the hider sees the first.
void dropVelocityKeys(const PrimitiveFrame& prim, hider::MicroGrid& grid);

}  // namespace reyes::render
