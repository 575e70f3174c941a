// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/image/id_manifest.h"
#include "reyes/image/join.h"
#include "reyes/image/join_header.h"

namespace reyes::image {
namespace {

bool sameSamples(const DeepImage& a, const DeepImage& b, int x, int y) {
  if (a.count(x, y) != b.count(x, y)) return false;
  for (size_t c = 0; c < a.channels.size(); ++c) {
    const size_t bytes = bytesOf(a.channels[c].type);
    if (a.count(x, y) > 0 && std::memcmp(a.planes[c].data() + a.first(x, y) * bytes,
                                         b.planes[c].data() + b.first(x, y) * bytes, a.count(x, y) * bytes) != 0)
      return false;
  }
  return true;
}

}  // namespace

std::string DeepJoiner::add(const std::string& name, DeepImage tile) {
  if (!tiles_.empty()) {
    std::string why = headersDiffer(tileHeader(tiles_.front()), tileHeader(tile));
    if (why.empty() && tiles_.front().tidy != tile.tidy) why = "deepImageState differs";
    if (!why.empty()) return format("{} and {} are not tiles of one picture: {}", names_.front(), name, why);
  }
  if (std::string error = tileIncomplete(name, tileHeader(tile)); !error.empty()) return error;
  tiles_.push_back(std::move(tile));
  names_.push_back(name);
  return "";
}

/// Which tile gives each pixel of `out`; tiles that overlap must hold the same there.
std::string DeepJoiner::own(std::vector<int>& owner, const DeepImage& out) const {
  owner.assign(static_cast<size_t>(out.width()) * static_cast<size_t>(out.height()), -1);
  for (size_t i = 0; i < tiles_.size(); ++i) {
    const PixelRect& w = tiles_[i].dataWindow;
    for (int y = w.y0; y < w.y1; ++y)
      for (int x = w.x0; x < w.x1; ++x) {
        int& o = owner[out.pixelAt(x, y)];
        if (o >= 0 && !sameSamples(tiles_[static_cast<size_t>(o)], tiles_[i], x, y))
          return format("{} and {} hold different samples at pixel ({}, {})", names_[static_cast<size_t>(o)], names_[i],
                        x, y);
        if (o < 0) o = static_cast<int>(i);
      }
  }
  return gapIn(owner, out.dataWindow);
}

std::string DeepJoiner::finish(DeepImage& out) {
  if (tiles_.empty()) return "no tiles";
  // 1. The header of the first, over all their windows.
  const DeepImage& front = tiles_.front();
  out = DeepImage();
  out.dataWindow = front.dataWindow, out.displayWindow = front.displayWindow, out.pixelAspect = front.pixelAspect;
  out.channels = front.channels, out.attributes = front.attributes;
  out.compression = front.compression, out.tidy = front.tidy;
  for (const DeepImage& t : tiles_) out.dataWindow = around(out.dataWindow, t.dataWindow);
  std::string key;
  for (size_t i = 0; i < tiles_.size(); ++i)
    if (!joinIdManifests(tiles_[i].attributes, out.attributes, key))
      return format("{}: {} cannot be joined with that of {}", names_[i], key, names_.front());
  out.attributes["reyes/statistics"] = format("joined from {} tiles", tiles_.size());
  // 2. How many samples each pixel has, then the samples.
  std::vector<int> owner;
  if (std::string error = own(owner, out); !error.empty()) return error;
  const auto tileOf = [&](size_t pixel) -> const DeepImage& { return tiles_[static_cast<size_t>(owner[pixel])]; };
  std::vector<uint32_t> counts;
  const PixelRect& w = out.dataWindow;
  for (int y = w.y0; y < w.y1; ++y)
    for (int x = w.x0; x < w.x1; ++x) counts.push_back(static_cast<uint32_t>(tileOf(out.pixelAt(x, y)).count(x, y)));
  out.allocate(counts);
  for (int y = w.y0; y < w.y1; ++y)
    for (int x = w.x0; x < w.x1; ++x) {
      const DeepImage& t = tileOf(out.pixelAt(x, y));
      for (size_t c = 0; t.count(x, y) > 0 && c < out.channels.size(); ++c) {
        const size_t bytes = bytesOf(out.channels[c].type);
        std::memcpy(out.planes[c].data() + out.first(x, y) * bytes, t.planes[c].data() + t.first(x, y) * bytes,
                    t.count(x, y) * bytes);
      }
    }
  return "";
}

}  // namespace reyes::image
