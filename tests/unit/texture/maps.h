// SPDX-License-Identifier: Apache-2.0
// Maps of known content in a folder that goes with the test. Used by the tests of texture/.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/image/image.h"
#include "reyes/texture/make_maps.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {

struct Maps {
  std::filesystem::path path;
  Maps() : path(std::filesystem::temp_directory_path() / format("reyes_maps_test_{}", getpid())) {
    std::filesystem::create_directories(path);
  }
  ~Maps() { std::filesystem::remove_all(path); }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;
  std::string file(const std::string& name) const { return (path / name).string(); }

  /// Values 0..1 at the centres of texels.
  using Value = std::function<float(float s, float t, int channel)>;
  static image::Image picture(int w, int h, image::PixelType type, const Value& value, int channels) {
    image::Image im;
    im.dataWindow = im.displayWindow = {0, 0, w, h};
    const char* const names[] = {"R", "G", "B", "A", "Z", "u", "v", "w"};
    for (int c = 0; c < channels; ++c) im.channels.push_back({names[c], type});
    im.allocate();
    const float scale = type == image::PixelType::kUint8 ? 255.0f : type == image::PixelType::kUint16 ? 65535.0f : 1.0f;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int c = 0; c < channels; ++c) {
          const float v = value((static_cast<float>(x) + 0.5f) / static_cast<float>(w),
                                (static_cast<float>(y) + 0.5f) / static_cast<float>(h), c);
          im.pixel(x, y)[c] = scale == 1 ? v : std::round(scale * v);
        }
    return im;
  }

  /// The name of a map made of it.
  std::string map(const std::string& name, int w, int h, image::PixelType type, const Value& value, const char* wrap,
                  int channels = 1, const char* filter = "box") const {
    const bool exr = type == image::PixelType::kHalf || type == image::PixelType::kFloat;
    const std::string source = file(name + (exr ? ".exr" : ".tif")), made = file(name + (exr ? ".map.exr" : ".tx"));
    REQUIRE(image::writeImage(source, exr ? "exr" : "tiff", picture(w, h, type, value, channels), 1) == "");
    MapOptions o;
    o.sWrap = o.tWrap = wrap;
    o.filter = filter;
    REQUIRE(makeTexture(source, made, o) == "");
    return made;
  }

  /// The six faces of a function of the direction, as the cameras of RI 3.2 see them.
  std::array<std::string, 6> cube(int side, const std::function<float(Vec3)>& value) const {
    // Directions of the face's middle, of its right and of its upper side.
    const Vec3 ahead[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const Vec3 right[6] = {{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {-1, 0, 0}};
    const Vec3 up[6] = {{0, 1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 1, 0}, {0, 1, 0}};
    std::array<std::string, 6> names;
    for (size_t f = 0; f < 6; ++f) {
      names[f] = file(format("face{}.exr", f));
      const auto texel = [&](float s, float t, int) {
        return value(normalize(ahead[f] + right[f] * (2 * s - 1) + up[f] * (1 - 2 * t)));
      };
      REQUIRE(image::writeImage(names[f], "exr", picture(side, side, image::PixelType::kFloat, texel, 1), 1) == "");
    }
    return names;
  }
};

}  // namespace reyes::texture
