// SPDX-License-Identifier: Apache-2.0
// What the display types of RIB files mean here. Called by session/ before rendering and by makeDisplay().
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "reyes/display/display.h"

namespace reyes::display {
namespace {

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
  return s;
}

}  // namespace

bool isViewer(const std::string& displayType) {
  const std::string type = lower(displayType);
  static const std::set<std::string> viewers = {
      "framebuffer", "rgbframebuffer", "it",       "piqsl", "animal",  "x11",
      "xwindow",     "windows",        "sdl",      "fltk",  "fb",      "socket",
      "iv",          "mplay",          "houdini",  "ip",    "bmpview", "vgl",
      "sgi_fb",      "i-display",      "idisplay", "view",  "blender", "sho",
      "mtor",        "combine",        "wx",       "opengl"};
  return viewers.count(type) > 0;
}

std::string formatOf(const std::string& displayType, const std::string& fileName) {
  const std::string type = lower(displayType);
  if (type == "null" || type == "zfile" || type == "shadow") return type;
  if (type == "deepexr" || type == "deepshad") return type;
  const std::string byName = image::writableFormat(std::filesystem::path(fileName).extension().string());
  if (type == "file") return byName.empty() ? "tiff" : byName;
  if (isViewer(type)) return byName.empty() ? "exr" : byName;
  return image::writableFormat(type);
}

bool isPassType(const std::string& displayType) {
  const std::string type = lower(displayType);
  return type == "zfile" || type == "shadow" || type == "deepshad";
}

/// The name a viewer's picture is filed under: a file name that opens with what is in it.
std::string fileNameFor(const std::string& displayType, const std::string& name) {
  if (!isViewer(displayType)) return name;
  const std::string base = name.empty() ? "untitled" : name;
  const bool known = !image::writableFormat(std::filesystem::path(base).extension().string()).empty();
  return known ? base : base + ".exr";
}

}  // namespace reyes::display
