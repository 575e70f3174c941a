// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/join.h"

#include <algorithm>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/image/id_manifest.h"

namespace reyes::image {
namespace {

/// Differs from run to run without the picture being another.
bool isOfTheRun(const std::string& name) {
  return name == "capDate" || name == "reyes/statistics" || name == "hostComputer" || name == "utcOffset";
}

bool sameValue(const Attribute& a, const Attribute& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) {
        using T = std::decay_t<decltype(x)>;
        const T& y = std::get<T>(b);
        if constexpr (std::is_same_v<T, std::string>)
          return x == y;
        else
          return std::memcmp(&x, &y, sizeof(T)) == 0;
      },
      a);
}

std::string text(const PixelRect& r) { return format("({}, {}) to ({}, {})", r.x0, r.y0, r.x1 - 1, r.y1 - 1); }

bool same(const PixelRect& a, const PixelRect& b) {
  return a.x0 == b.x0 && a.y0 == b.y0 && a.x1 == b.x1 && a.y1 == b.y1;
}

}  // namespace

std::string Joiner::differs(const std::string& name, const Image& tile) const {
  const Image& first = tiles_.front();
  const std::string against = format("{} and {} are not tiles of one picture: ", names_.front(), name);
  if (!same(tile.displayWindow, first.displayWindow)) return against + "their display windows differ";
  if (tile.compression != first.compression) return against + "their compressions differ";
  if (tile.channels.size() != first.channels.size()) return against + "their channels differ";
  for (size_t c = 0; c < tile.channels.size(); ++c)
    if (tile.channels[c].name != first.channels[c].name || tile.channels[c].type != first.channels[c].type)
      return against + format("channel {} is not channel {}", tile.channels[c].name, first.channels[c].name);
  for (const auto* pair : {&first, &tile}) {
    const Image& other = pair == &first ? tile : first;
    for (const auto& [key, value] : pair->attributes) {
      if (isOfTheRun(key) || isIdManifest(key)) continue;
      const auto it = other.attributes.find(key);
      if (it == other.attributes.end() || !sameValue(value, it->second)) return against + format("{} differs", key);
    }
  }
  return "";
}

std::string Joiner::add(const std::string& name, Image tile) {
  if (!tiles_.empty())
    if (std::string error = differs(name, tile); !error.empty()) return error;
  const auto status = tile.attributes.find("reyes/status");
  if (status != tile.attributes.end()) {
    const std::string* s = std::get_if<std::string>(&status->second);
    if (s && *s != "complete") return format("{} is not complete: its status is {}", name, *s);
  }
  tiles_.push_back(std::move(tile));
  names_.push_back(name);
  return "";
}

/// A tile names what is in it; the whole names what any tile does.
std::string Joiner::joinManifests(Image& out) const {
  for (size_t i = 0; i < tiles_.size(); ++i)
    for (const auto& [key, value] : tiles_[i].attributes) {
      const std::string* text = isIdManifest(key) ? std::get_if<std::string>(&value) : nullptr;
      if (!text) continue;
      Attribute& all = out.attributes.try_emplace(key, *text).first->second;
      std::string joined;
      const std::string* before = std::get_if<std::string>(&all);
      if (!before || !joinIdManifests(*before, *text, joined))
        return format("{}: {} cannot be joined with that of {}", names_[i], key, names_.front());
      all = joined;
    }
  return "";
}

std::string Joiner::finish(Image& out) {
  if (tiles_.empty()) return "no tiles";
  // 1. The header of the first, over all their windows.
  out = tiles_.front();
  for (const Image& t : tiles_) {
    const PixelRect &a = out.dataWindow, &b = t.dataWindow;
    out.dataWindow = {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
  }
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
  const auto gap = std::find(owner.begin(), owner.end(), -1);
  if (gap == owner.end()) return "";
  const auto at = static_cast<int>(gap - owner.begin());
  return format("no tile holds pixel ({}, {}) of {}", out.dataWindow.x0 + at % out.width(),
                out.dataWindow.y0 + at / out.width(), text(out.dataWindow));
}

}  // namespace reyes::image
