// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/join.h"

#include <cstring>

#include "reyes/base/format.h"
#include "reyes/image/id_manifest.h"
#include "reyes/image/join_header.h"

namespace reyes::image {
std::string Joiner::add(const std::string& name, Image tile) {
  if (!tiles_.empty())
    if (std::string why = headersDiffer(tileHeader(tiles_.front()), tileHeader(tile)); !why.empty())
      return format("{} and {} are not tiles of one picture: {}", names_.front(), name, why);
  if (std::string error = tileIncomplete(name, tileHeader(tile)); !error.empty()) return error;
  tiles_.push_back(std::move(tile));
  names_.push_back(name);
  return "";
}

/// A tile names what is in it; the whole names what any tile does.
std::string Joiner::joinManifests(Image& out) const {
  std::string key;
  for (size_t i = 0; i < tiles_.size(); ++i)
    if (!joinIdManifests(tiles_[i].attributes, out.attributes, key))
      return format("{}: {} cannot be joined with that of {}", names_[i], key, names_.front());
  return "";
}

std::string Joiner::finish(Image& out) {
  if (tiles_.empty()) return "no tiles";
  // 1. The header of the first, over all their windows.
  out = tiles_.front();
  for (const Image& t : tiles_) out.dataWindow = around(out.dataWindow, t.dataWindow);
  if (std::string error = joinManifests(out); !error.empty()) return error;
  out.attributes["reyes/statistics"] = format("joined from {} tiles", tiles_.size());
  out.allocate();
  const size_t channels = out.channels.size();
  std::vector<int> owner(static_cast<size_t>(out.width()) * static_cast<size_t>(out.height()), -1);
  // 2. Row by row; what two tiles hold must be the same.
  for (size_t i = 0; i < tiles_.size(); ++i) {
    const PixelRect& w = tiles_[i].dataWindow;
    for (int y = w.y0; y < w.y1; ++y)
      for (int x = w.x0; x < w.x1; ++x) {
        int& o = owner[static_cast<size_t>(y - out.dataWindow.y0) * static_cast<size_t>(out.width()) +
                       static_cast<size_t>(x - out.dataWindow.x0)];
        if (o >= 0 && std::memcmp(out.pixel(x, y), tiles_[i].pixel(x, y), channels * sizeof(float)) != 0)
          return format("{} and {} hold different values at pixel ({}, {})", names_[static_cast<size_t>(o)], names_[i],
                        x, y);
        if (o < 0) std::memcpy(out.pixel(x, y), tiles_[i].pixel(x, y), channels * sizeof(float));
        o = static_cast<int>(i);
      }
  }
  // 3. No gaps.
  return gapIn(owner, out.dataWindow);
}

}  // namespace reyes::image
