// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/shadow_map.h"

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "reyes/image/image.h"
#include "reyes/texture/deep_shadow.h"
#include "reyes/texture/z_map.h"

namespace reyes::texture {

std::unique_ptr<const ShadowMap> openShadowMap(const std::string& path, int64_t bytes, std::string& error) {
  if (image::isDeepFile(path)) {
    image::DeepImage deep;
    if (error = image::readDeep(path, deep); !error.empty()) return nullptr;
    auto map = std::make_unique<DeepShadow>();
    error = map->take(deep, bytes);
    if (error.empty()) return map;
    error = format("{}: {}", path, error);
    return nullptr;
  }
  image::Image picture;
  if (error = image::readImage(path, picture); !error.empty()) return nullptr;
  auto map = std::make_unique<ZMap>();
  error = map->take(picture);
  if (error.empty()) return map;
  error = format("{}: {}", path, error);
  return nullptr;
}

std::string makeCubeShadow(const std::array<std::string, 6>& pictures, const std::string& shadowMap,
                           const std::string& compression) {
  image::Image out;
  for (size_t f = 0; f < 6; ++f) {
    image::Image in;
    if (std::string error = image::readImage(pictures[f], in); !error.empty()) return error;
    size_t depth = in.channels.size() == 1 ? 0 : in.channels.size();
    for (size_t c = 0; c < in.channels.size(); ++c)
      if (in.channels[c].name == "Z" || in.channels[c].name == "z") depth = c;
    if (depth == in.channels.size()) return format("{}: has no depth channel Z", pictures[f]);
    for (const char* name : {"worldToCamera", "worldToNDC"}) {
      if (!in.attributes.count(name)) return format("{}: its header lacks {}", pictures[f], name);
      out.attributes[format("{}{}", name, f)] = in.attributes[name];
    }
    const int w = in.width(), h = in.height();
    if (f == 0) {
      out.channels = {{"Z", image::PixelType::kFloat}};
      out.dataWindow = out.displayWindow = {0, 0, w, h * 6};
      out.allocate();
    }
    if (w != out.width() || h * 6 != out.height() || in.dataWindow.x0 || in.dataWindow.y0 ||
        in.displayWindow.width() != w || in.displayWindow.height() != h)
      return format("{}: the faces of a cube are whole pictures of the same size", pictures[f]);
    const size_t pixels = static_cast<size_t>(w) * static_cast<size_t>(h);
    for (size_t i = 0; i < pixels; ++i) out.pixels[f * pixels + i] = in.pixels[i * in.channels.size() + depth];
  }
  out.attributes["reyes/mapType"] = std::string("cubeshadow");
  out.compression = compression;
  return image::writeImage(shadowMap, "exr", out, 1);
}

}  // namespace reyes::texture
