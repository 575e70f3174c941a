// SPDX-License-Identifier: Apache-2.0
// What texture/ asks of OpenImageIO, whose code is in the module oiio/ (image/module.h): a cache of tiles of pictures,
// and the maker of tiled, mip-mapped files. Filtering is texture/'s own (sampler.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "reyes/base/matrix.h"
#include "reyes/image/image.h"
#include "reyes/texture/make_maps.h"

namespace reyes::texture {

/// How tiles hold their texels.
enum class TexelType : uint8_t { kUint8, kUint16, kHalf, kFloat };

enum class Wrap : uint8_t {
  kBlack,
  kPeriodic,
  kClamp,
  kMirror,
  kPole,  ///< t of a latitude-longitude map: beyond the first row lies the pole, the mean of that row
};

/// What a picture's header says.
struct PictureInfo {
  int width = 0, height = 0, channels = 0;
  TexelType type = TexelType::kUint8;
  bool prepared = false;  ///< tiled and mip-mapped as the sampler needs it; what follows is set for these alone
  int tileShiftX = 0, tileShiftY = 0;  ///< tiles are 1 << shift wide and high, on all levels
  int lastLevel = 0;                   ///< level n is max(1, width >> n) wide
  bool wraps = false;                  ///< the file says how it goes on
  Wrap sWrap = Wrap::kBlack, tWrap = Wrap::kBlack;
  bool yUp = false;          ///< an environment in EXR's convention
  bool environment = false;  ///< made as one
  std::string kind;          ///< "Plain Texture", "Bump", ...: what it was made as
  bool hasView = false, hasProjection = false;
  Matrix4 worldToCamera, worldToScreen;
};

/// A tile that stays where it is until it is given back.
struct PinnedTile {
  const void* texels = nullptr;  ///< rows of the tile, channels interleaved; 16 bytes more may be read
  void* owner = nullptr;
  int64_t bytes = 0;
};

/// Counts of the whole run; which thread asks first changes them.
struct CacheStats {
  int64_t files = 0, tilesRead = 0, bytesRead = 0;
  int64_t redundantTiles = 0, redundantBytes = 0;  ///< read again after they had been thrown out
  int64_t peakBytes = 0;                           ///< of tiles in memory
};

/// Tiles of pictures. Thread-safe.
class PictureCache {
 public:
  /// A picture that is open; lives as long as the cache.
  struct Picture;

  virtual ~PictureCache() = default;
  /// Null, with the reason, for what is not a picture that can be read.
  virtual Picture* open(const std::string& path, PictureInfo& info, std::string& error) = 0;
  /// Null texels, with the reason, where the tile cannot be read. `level`, `x`, `y` are within the picture.
  virtual PinnedTile pin(Picture* picture, int level, int tileX, int tileY, std::string& error) = 0;
  virtual void unpin(const PinnedTile& tile) = 0;
  /// The file was rewritten. No tile of it is pinned.
  virtual void invalidate(const std::string& path) = 0;
  virtual CacheStats stats() = 0;
  /// Memory for tiles from now on.
  virtual void setLimit(int64_t bytes) = 0;
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
/// Writes a tiled, mip-mapped file of `kind` ("Plain Texture", "LatLong Environment", "Bump") to `temporary`.
using MakeMapFunction = void (*)(const MapSource& source, const std::string& temporary, bool exr,
                                 const std::string& kind, const MapOptions& options, std::string& error);

}  // namespace reyes::texture
