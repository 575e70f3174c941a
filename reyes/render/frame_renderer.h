// SPDX-License-Identifier: Apache-2.0
// A frame with shaders of the caller's choice: what renderFrame() runs with the shaders of shade/, and unit tests with
// functions of their own.
#pragma once

#include "reyes/render/grid_shader.h"
#include "reyes/render/render_frame.h"

namespace reyes::render {

RenderResult renderFrameWith(const scene::World& world, const scene::View& view, const RenderOptions& options,
                             const GridShaderFactory& shaders);

}  // namespace reyes::render
