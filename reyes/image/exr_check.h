// SPDX-License-Identifier: Apache-2.0
// What a deep EXR file says of sizes, judged by the size of the file before OpenEXR takes memory for it: a file that
// was damaged, or made to do harm, is refused by a sentence. Private to image/: called by deep_read.cpp.
#pragma once

#include <string>

namespace reyes::image {

/// Reads headers, and the sizes of the first part's blocks. What is wrong with them, or "".
std::string checkDeepFile(const std::string& path);

}  // namespace reyes::image
