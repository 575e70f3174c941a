// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/join_header.h"

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

}  // namespace

std::string headersDiffer(const TileHeader& a, const TileHeader& b) {
  if (!(a.displayWindow == b.displayWindow)) return "their display windows differ";
  if (a.compression != b.compression) return "their compressions differ";
  if (a.channels.size() != b.channels.size()) return "their channels differ";
  for (size_t c = 0; c < a.channels.size(); ++c)
    if (a.channels[c].name != b.channels[c].name || a.channels[c].type != b.channels[c].type)
      return format("channel {} is not channel {}", b.channels[c].name, a.channels[c].name);
  for (const TileHeader* one : {&a, &b}) {
    const TileHeader& other = one == &a ? b : a;
    for (const auto& [key, value] : one->attributes) {
      if (isOfTheRun(key) || isIdManifest(key)) continue;
      const auto it = other.attributes.find(key);
      if (it == other.attributes.end() || !sameValue(value, it->second)) return format("{} differs", key);
    }
  }
  return "";
}

std::string tileIncomplete(const std::string& name, const TileHeader& tile) {
  const auto status = tile.attributes.find("reyes/status");
  if (status == tile.attributes.end()) return "";
  const std::string* s = std::get_if<std::string>(&status->second);
  return s && *s != "complete" ? format("{} is not complete: its status is {}", name, *s) : "";
}

PixelRect around(const PixelRect& a, const PixelRect& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

std::string gapIn(const std::vector<int>& owner, const PixelRect& window) {
  const auto gap = std::find(owner.begin(), owner.end(), -1);
  if (gap == owner.end()) return "";
  const auto at = static_cast<int>(gap - owner.begin());
  return format("no tile holds pixel ({}, {}) of {}", window.x0 + at % window.width(), window.y0 + at / window.width(),
                text(window));
}

}  // namespace reyes::image
