// SPDX-License-Identifier: Apache-2.0
// What texture/ asks of OpenImageIO, whose code is in the module oiio/ (image/module.h): a cache of picture tiles with
// filtered look-ups, and the maker of tiled, mip-mapped files.
#pragma once

#include <memory>
#include <string>

#include "reyes/image/image.h"
#include "reyes/texture/make_maps.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {

/// What a picture's header says.
struct PictureInfo {
  int width = 0, height = 0, channels = 0;
  bool yUp = false;          ///< an environment in EXR's convention
  bool environment = false;  ///< made as one
  bool hasView = false, hasProjection = false;
  Matrix4 worldToCamera, worldToScreen;
};

enum class WrapRule {
  kAsFile,   ///< as the file says, else black
  kLatLong,  ///< periodic in s, clamped in t
};

/// Tiles of pictures, filtered. Thread-safe.
class PictureCache {
 public:
  /// A picture that is open; lives as long as the cache.
  struct Picture;

  virtual ~PictureCache() = default;
  /// Null, with the reason, for what is not a picture that can be read.
  virtual Picture* open(const std::string& path, PictureInfo& info, std::string& error) = 0;
  /// As TextureSystem::texture. Returns how many lanes were looked up; what went wrong is text in `error`.
  virtual int sample(Picture* picture, const TextureBatch& batch, const LookupOptions& options, WrapRule wrap,
                     int channels, float* const* out, std::string& error) = 0;
  /// The file was rewritten.
  virtual void invalidate(const std::string& path) = 0;
};

/// Where a texture's pixels come from: a file, or memory.
struct MapSource {
  std::string path;                      ///< read from here where `pixels` is null
  const image::Image* pixels = nullptr;  ///< floats
};

/// Both exported by the module. `error` is text, "" is success.
constexpr const char* kMakePictureCacheSymbol = "reyesMakePictureCache";
using MakePictureCacheFunction = PictureCache* (*)(int64_t memoryBytes);
constexpr const char* kMakeMapSymbol = "reyesMakeMap";
/// Writes a tiled, mip-mapped file of `kind` ("Plain Texture", "LatLong Environment") to `temporary`.
using MakeMapFunction = void (*)(const MapSource& source, const std::string& temporary, bool exr,
                                 const std::string& kind, const MapOptions& options, std::string& error);

}  // namespace reyes::texture
