// SPDX-License-Identifier: Apache-2.0
// What the header of a picture says besides its pixels. Called by outputs.cpp.
#pragma once

#include <map>
#include <string>

#include "reyes/image/image.h"
#include "reyes/render/render_frame.h"

namespace reyes::render {

/// Attributes that the scene gives its file: "comment", and "exrheader_NAME" as NAME.
void addOwnHeader(std::map<std::string, image::Attribute>& h, const ParamList& params);
/// Camera, shutter, scene and program.
void addHeader(std::map<std::string, image::Attribute>& h, const scene::View& view, const RenderOptions& options);

}  // namespace reyes::render
