// SPDX-License-Identifier: Apache-2.0
// The room's own seams behind writeRows(), writeStored() and readImage() of image.h: EXR here, every other format in
// oiio/.
#pragma once

#include <string>

#include "reyes/image/image.h"

namespace reyes::image {

/// Writes to `path` itself (the temporary); error text or "".
std::string writeExr(const std::string& path, const Image& header, int threads, const RowSource& rows);

bool looksLikeExr(const std::string& path);
/// `out.wholeBits` says how whole numbers are read.
std::string readExr(const std::string& path, Image& out);

/// Error text where a header cannot belong to the file it came in: hostile sizes must not exhaust memory.
std::string checkSize(const std::string& path, int64_t width, int64_t height, int64_t channels);

/// Finite range of a half; NaN becomes 0.
inline float saturateHalf(float v) {
  if (v != v) return 0;
  return v > 65504.0f ? 65504.0f : v < -65504.0f ? -65504.0f : v;
}

}  // namespace reyes::image
