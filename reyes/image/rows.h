// SPDX-License-Identifier: Apache-2.0
// Parts of EXR files: the header alone, rows of one channel. For pictures too large to be kept whole. Called by
// texture/ for depth maps.
#pragma once

#include <string>

#include "reyes/image/image.h"

namespace reyes::image {

/// True where the two functions below read the file; others are read whole by readImage().
bool hasRows(const std::string& path);
/// What the header says, without pixels; error text or "".
std::string readHeaderOf(const std::string& path, Image& out);
/// Rows y0 to y1 - 1 of a channel as floats, `width` of the data window each; error text or "".
std::string readRows(const std::string& path, const std::string& channel, int y0, int y1, float* out);

}  // namespace reyes::image
