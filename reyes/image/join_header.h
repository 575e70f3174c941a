// SPDX-License-Identifier: Apache-2.0
// Whether files are tiles of one picture, flat or deep, by their headers. Private to image/: join.cpp, deep_join.cpp.
#pragma once

#include <string>

#include "reyes/image/image.h"

namespace reyes::image {

/// The parts of a header that tiles share. Refers to what it was made of.
struct TileHeader {
  const PixelRect& displayWindow;
  const std::string& compression;
  const std::vector<Channel>& channels;
  const std::map<std::string, Attribute>& attributes;
};

template <class Picture>
TileHeader tileHeader(const Picture& p) {
  return {p.displayWindow, p.compression, p.channels, p.attributes};
}

/// What makes them tiles of different pictures, or "".
std::string headersDiffer(const TileHeader& a, const TileHeader& b);
/// Why a tile may not be used at all, or "".
std::string tileIncomplete(const std::string& name, const TileHeader& tile);
/// The rectangle over both.
PixelRect around(const PixelRect& a, const PixelRect& b);
/// Which pixel of `window` no tile owns (-1), in words; "" where all are owned.
std::string gapIn(const std::vector<int>& owner, const PixelRect& window);

}  // namespace reyes::image
