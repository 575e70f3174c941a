// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/make_maps.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/base/matrix.h"
#include "reyes/image/deep.h"
#include "reyes/image/image.h"
#include "reyes/image/module.h"
#include "reyes/texture/picture_cache.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {
namespace {

bool isWrap(const std::string& w) { return w == "black" || w == "periodic" || w == "clamp" || w == "mirror"; }

/// Makes the file through a temporary.
std::string writeTexture(const MapSource& source, const std::string& texture, const MapOptions& options,
                         const std::string& kind) {
  if (!isWrap(options.sWrap) || !isWrap(options.tWrap))
    return format("{}: no wrap mode {} or {}", texture, options.sWrap, options.tWrap);
  std::string error;
  const auto makeMap = reinterpret_cast<MakeMapFunction>(image::moduleSymbol(kMakeMapSymbol, error));
  if (!makeMap) return format("{}: {}", texture, error);
  image::SafeFile file;
  if (error = file.open(texture); !error.empty()) return error;
  const bool exr = std::filesystem::path(texture).extension() == ".exr";
  makeMap(source, file.temporaryPath(), exr, kind, options, error);
  return error.empty() ? file.commit() : format("{}: {}", source.pixels ? texture : source.path, error);
}

std::string makeFromPicture(const std::string& picture, const std::string& texture, const MapOptions& options,
                            const std::string& kind) {
  std::error_code ec;
  if (!std::filesystem::is_regular_file(picture, ec)) return format("{}: no such file", picture);
  return writeTexture({picture, nullptr}, texture, options, kind);
}

/// A face as floats in 0..1, with the camera it was taken by.
struct Face {
  image::Image picture;
  float scale = 1;
  Matrix4 camera;

  /// Bilinear, clamped to the face. x right and y down, 0..1.
  float sample(float x, float y, int channel) const {
    const int w = picture.width(), h = picture.height(), n = static_cast<int>(picture.channels.size());
    const float px = std::clamp(x * static_cast<float>(w) - 0.5f, 0.0f, static_cast<float>(w - 1));
    const float py = std::clamp(y * static_cast<float>(h) - 0.5f, 0.0f, static_cast<float>(h - 1));
    const int x0 = static_cast<int>(px), y0 = static_cast<int>(py);
    const int x1 = std::min(x0 + 1, w - 1), y1 = std::min(y0 + 1, h - 1);
    const float fx = px - static_cast<float>(x0), fy = py - static_cast<float>(y0);
    const auto at = [&](int ix, int iy) { return picture.pixels[(static_cast<size_t>(iy) * w + ix) * n + channel]; };
    return scale * lerp(lerp(at(x0, y0), at(x1, y0), fx), lerp(at(x0, y1), at(x1, y1), fx), fy);
  }
};

float scaleOf(image::PixelType t) {
  if (t == image::PixelType::kUint8) return 1 / 255.0f;
  if (t == image::PixelType::kUint16) return 1 / 65535.0f;
  return t == image::PixelType::kUint32 ? 1 / 4294967295.0f : 1;
}

/// The face that looks along the greatest component of d.
int faceOf(Vec3 d) {
  const float ax = std::fabs(d.x), ay = std::fabs(d.y), az = std::fabs(d.z);
  if (ax >= ay && ax >= az) return d.x >= 0 ? 0 : 1;
  if (ay >= az) return d.y >= 0 ? 2 : 3;
  return d.z >= 0 ? 4 : 5;
}

Vec3 directionAt(float s, float t) {
  constexpr float kPi = 3.14159265358979f;
  const float longitude = (s - 0.5f) * 2 * kPi, latitude = (0.5f - t) * kPi;
  return {std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude), std::sin(latitude)};
}

std::string readFaces(const std::array<std::string, 6>& names, std::array<Face, 6>& faces) {
  const Matrix4 cameras[6] = {Matrix4::rotate(-90, {0, 1, 0}),
                              Matrix4::rotate(90, {0, 1, 0}),
                              Matrix4::rotate(90, {1, 0, 0}),
                              Matrix4::rotate(-90, {1, 0, 0}),
                              Matrix4(),
                              Matrix4::rotate(180, {0, 1, 0})};
  for (size_t i = 0; i < 6; ++i) {
    if (std::string error = image::readImage(names[i], faces[i].picture); !error.empty()) return error;
    faces[i].scale = scaleOf(faces[i].picture.channels[0].type);
    faces[i].camera = cameras[i];
    if (faces[i].picture.channels.size() != faces[0].picture.channels.size())
      return format("{}: has another number of channels than {}", names[i], names[0]);
  }
  return "";
}

}  // namespace

std::string makeTexture(const std::string& picture, const std::string& texture, const MapOptions& options) {
  return makeFromPicture(picture, texture, options, "Plain Texture");
}

std::string makeLatLong(const std::string& picture, const std::string& texture, const MapOptions& options) {
  MapOptions wrapped = options;
  wrapped.sWrap = "periodic", wrapped.tWrap = "clamp";
  return makeFromPicture(picture, texture, wrapped, "LatLong Environment");
}

std::string makeCubeFace(const std::array<std::string, 6>& names, const std::string& texture, float fov,
                         const MapOptions& options) {
  if (!(fov >= 90 && fov < 180)) return format("{}: faces {} degrees wide do not meet", texture, fov);
  std::array<Face, 6> faces;
  if (std::string error = readFaces(names, faces); !error.empty()) return error;
  const int side = std::min(faces[0].picture.width(), 4096), width = 4 * side, height = 2 * side;
  const int channels = static_cast<int>(faces[0].picture.channels.size());
  image::Image map;
  map.dataWindow = map.displayWindow = {0, 0, width, height};
  for (const image::Channel& c : faces[0].picture.channels) map.channels.push_back({c.name, image::PixelType::kFloat});
  map.allocate();
  const float half = std::tan(fov * 0.5f * 3.14159265f / 180);
  float* pixels = map.pixels.data();
  // Four directions a pixel.
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float* to = pixels + (static_cast<size_t>(y) * width + x) * channels;
      std::fill(to, to + channels, 0.0f);
      for (int k = 0; k < 4; ++k) {
        const float s = (static_cast<float>(x) + 0.25f + 0.5f * static_cast<float>(k & 1)) / static_cast<float>(width);
        const float t =
            (static_cast<float>(y) + 0.25f + 0.5f * static_cast<float>(k >> 1)) / static_cast<float>(height);
        const Vec3 d = directionAt(s, t);
        const Face& face = faces[faceOf(d)];
        const Vec3 c = transformVector(face.camera, d);
        for (int i = 0; i < channels; ++i)
          to[i] += 0.25f * face.sample(0.5f + 0.5f * c.x / c.z / half, 0.5f - 0.5f * c.y / c.z / half, i);
      }
    }
  }
  MapOptions wrapped = options;
  wrapped.sWrap = "periodic", wrapped.tWrap = "clamp";
  return writeTexture({"", &map}, texture, wrapped, "LatLong Environment");
}

std::string makeShadow(const std::string& picture, const std::string& shadowMap) {
  if (image::isDeepFile(picture)) {
    // A deep picture is a map already: under the name asked for.
    image::DeepImage deep;
    if (std::string error = image::readDeep(picture, deep); !error.empty()) return error;
    for (const char* name : {"worldToCamera", "worldToNDC"})
      if (!deep.attributes.count(name)) return format("{}: its header lacks {}", picture, name);
    deep.attributes["reyes/mapType"] = std::string("deepshad");
    return image::writeDeep(shadowMap, deep, 1);
  }
  image::Image in;
  if (std::string error = image::readImage(picture, in); !error.empty()) return error;
  for (const char* name : {"worldToCamera", "worldToNDC"})
    if (!in.attributes.count(name)) return format("{}: its header lacks {}", picture, name);
  // The depth alone, as floats, under the header of the picture.
  const int depth = image::depthChannel(in);
  if (depth < 0) return format("{}: has no depth channel Z", picture);
  image::Image out = in;
  out.channels = {{"Z", image::PixelType::kFloat}};
  out.allocate();
  for (size_t i = 0; i < out.pixels.size(); ++i)
    out.pixels[i] = in.pixels[i * in.channels.size() + static_cast<size_t>(depth)];
  out.attributes["reyes/mapType"] = std::string("shadow");
  if (!image::isExrCompression(out.compression)) out.compression = "zips";
  return image::writeImage(shadowMap, "exr", out, 1);
}

}  // namespace reyes::texture
