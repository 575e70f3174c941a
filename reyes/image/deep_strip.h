// SPDX-License-Identifier: Apache-2.0
// Rows of deep samples as OpenEXR takes them, and the header of deep files. Private to image/: for deep_write.cpp and
// deep_builder.cpp.
#pragma once

#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>

#include <vector>

#include "reyes/image/deep.h"

namespace reyes::image {

/// Rows on their way to the file: what OpenEXR wants is a pointer a pixel and channel.
class DeepStrip {
 public:
  explicit DeepStrip(const DeepImage& header) : header_(header), width_(static_cast<size_t>(header.width())) {}

  /// Takes rows from y on; how many, or -1 where a row is not as it should be.
  int fill(int y, int most, const DeepRowSource& source);
  /// For the rows taken, the first of them y0.
  Imf::DeepFrameBuffer frame(int y0);

 private:
  bool fits(const DeepRow& row) const;

  const DeepImage& header_;
  size_t width_;
  std::vector<DeepRow> rows_;
  std::vector<uint32_t> counts_;
  std::vector<std::vector<char*>> pointers_;
};

Imf::Header deepHeader(const DeepImage& image);
/// What of a header's channels and compression a deep file cannot be; "" where it can.
std::string checkDeep(const DeepImage& header);

}  // namespace reyes::image
