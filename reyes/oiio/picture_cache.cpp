// SPDX-License-Identifier: Apache-2.0
// The cache of picture tiles: OpenImageIO's image cache, which reads tiles when they are asked for and throws out those
// longest unused. Called by texture/, one tile at a time.
#include "reyes/texture/picture_cache.h"

#include <OpenImageIO/imagecache.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

namespace reyes::oiio {
namespace {

using namespace texture;
using Tile = OIIO::ImageCache::Tile;

bool readMatrix(const OIIO::ImageSpec& spec, const char* name, Matrix4& to) {
  const OIIO::ParamValue* p = spec.find_attribute(name, OIIO::TypeMatrix);
  if (p) std::memcpy(to.m, p->data(), sizeof to.m);
  return p != nullptr;
}

/// How the cache keeps texels of a file: small types as they are, the rest as floats.
TexelType texelType(OIIO::TypeDesc format) {
  if (format == OIIO::TypeDesc::UINT8) return TexelType::kUint8;
  if (format == OIIO::TypeDesc::UINT16) return TexelType::kUint16;
  return format == OIIO::TypeDesc::HALF ? TexelType::kHalf : TexelType::kFloat;
}

OIIO::TypeDesc typeDesc(TexelType t) {
  constexpr OIIO::TypeDesc::BASETYPE kTypes[] = {OIIO::TypeDesc::UINT8, OIIO::TypeDesc::UINT16, OIIO::TypeDesc::HALF,
                                                 OIIO::TypeDesc::FLOAT};
  return kTypes[static_cast<size_t>(t)];
}

Wrap parseWrap(std::string_view name) {
  if (name.starts_with("periodic")) return Wrap::kPeriodic;
  if (name == "clamp") return Wrap::kClamp;
  return name == "mirror" ? Wrap::kMirror : Wrap::kBlack;
}

/// "periodic,clamp", or one word for both.
void readWraps(const OIIO::ImageSpec& spec, PictureInfo& info) {
  const std::string wraps(spec.get_string_attribute("wrapmodes"));
  const size_t comma = wraps.find(',');
  info.wraps = !wraps.empty();
  info.sWrap = parseWrap(wraps.substr(0, comma));
  info.tWrap = parseWrap(comma == std::string::npos ? wraps : wraps.substr(comma + 1));
}

int shiftOf(int size) {
  return size > 0 && std::has_single_bit(static_cast<unsigned>(size)) ? std::countr_zero(static_cast<unsigned>(size))
                                                                      : -1;
}

/// What is needed of a picture to pin a tile.
struct OpenPicture {
  OIIO::ImageCache::ImageHandle* handle = nullptr;
  OIIO::TypeDesc format;
  int tileWidth = 0, tileHeight = 0;
  int64_t tileBytes = 0;
};

class Cache : public PictureCache {
 public:
  explicit Cache(int64_t memoryBytes) : cache_(OIIO::ImageCache::create(false)) {
    setMemory(memoryBytes);
    cache_->attribute("automip", 0);
    cache_->attribute("autotile", 0);
    // Files that are the same now need not be when one of them is made again.
    cache_->attribute("deduplicate", 0);
    // A folder of maps may be on a file server that answers slowly once in a while.
    cache_->attribute("failure_retries", 1);
  }
  ~Cache() override { OIIO::ImageCache::destroy(cache_, true); }

  Picture* open(const std::string& path, PictureInfo& info, std::string& error) override {
    const OIIO::ustring name(path);
    OIIO::ImageCache::ImageHandle* handle = cache_->get_image_handle(name);
    OIIO::ImageSpec spec;
    if (!handle || !cache_->good(handle) || !cache_->get_imagespec(handle, nullptr, spec, 0, 0, true)) {
      const std::string why = cache_->geterror();
      error = why.substr(0, why.find('\n'));
      if (error.empty()) error = "not a picture that can be read";
      return nullptr;
    }
    info.width = spec.full_width, info.height = spec.full_height, info.channels = spec.nchannels;
    info.type = texelType(spec.format);
    info.yUp = spec.get_string_attribute("oiio:updirection") == "y";
    info.kind = spec.get_string_attribute("textureformat");
    info.environment = info.kind.find("Environment") != std::string::npos;
    info.hasView = readMatrix(spec, "worldtocamera", info.worldToCamera);
    info.hasProjection = readMatrix(spec, "worldtoscreen", info.worldToScreen);
    readWraps(spec, info);
    info.prepared = isPrepared(handle, spec, info);
    const OIIO::TypeDesc format = typeDesc(info.type);
    const int64_t texels = static_cast<int64_t>(spec.tile_width) * spec.tile_height;
    const std::lock_guard lock(mutex_);
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    pictures_.push_back({handle, format, spec.tile_width, spec.tile_height,
                         texels * spec.nchannels * static_cast<int64_t>(format.size())});
    return reinterpret_cast<Picture*>(&pictures_.back());
  }

  PinnedTile pin(Picture* picture, int level, int tileX, int tileY, std::string& error) override {
    const OpenPicture& open = *reinterpret_cast<const OpenPicture*>(picture);
    OIIO::ImageCache::Perthread* thread = cache_->get_perthread_info();
    Tile* tile = cache_->get_tile(open.handle, thread, 0, level, tileX * open.tileWidth, tileY * open.tileHeight, 0);
    OIIO::TypeDesc format;
    const void* texels = tile ? cache_->tile_pixels(tile, format) : nullptr;
    // A file that was damaged between two tiles may have become something else.
    if (texels && format == open.format) return {texels, tile, open.tileBytes};
    const std::string why = cache_->geterror();
    if (error.empty()) error = why.empty() ? "a tile cannot be read" : why.substr(0, why.find('\n'));
    if (tile) cache_->release_tile(tile);
    return {};
  }

  void unpin(const PinnedTile& tile) override {
    if (tile.owner) cache_->release_tile(static_cast<Tile*>(tile.owner));
  }

  void invalidate(const std::string& path) override { cache_->invalidate(OIIO::ustring(path), true); }

  void setLimit(int64_t bytes) override { setMemory(bytes); }

  CacheStats stats() override {
    CacheStats s;
    const std::lock_guard lock(mutex_);
    s.files = static_cast<int64_t>(names_.size());
    const auto ofFile = [&](OIIO::ustring name, const char* what) {
      int64_t v = 0;
      cache_->get_image_info(name, 0, 0, OIIO::ustring(what), OIIO::TypeDesc::INT64, &v);
      return v;
    };
    for (const OIIO::ustring& name : names_) {
      s.tilesRead += ofFile(name, "stat:tilesread");
      s.bytesRead += ofFile(name, "stat:bytesread");
      s.redundantTiles += ofFile(name, "stat:redundant_tiles");
      s.redundantBytes += ofFile(name, "stat:redundant_bytesread");
    }
    int64_t used = 0;
    cache_->getattribute("stat:cache_memory_used", OIIO::TypeDesc::INT64, &used);
    s.peakBytes = used;
    cache_->geterror();
    return s;
  }

 private:
  void setMemory(int64_t bytes) {
    const float megabytes = bytes > 0 ? static_cast<float>(bytes) / (1 << 20) : 1024.0f;
    cache_->attribute("max_memory_MB", std::max(megabytes, 16.0f));
  }
  /// Whether the sampler can work on the file as it is: power-of-two tiles of one size, levels halved down to a texel,
  /// nothing cropped.
  bool isPrepared(OIIO::ImageCache::ImageHandle* handle, const OIIO::ImageSpec& spec, PictureInfo& info) const {
    info.tileShiftX = shiftOf(spec.tile_width), info.tileShiftY = shiftOf(spec.tile_height);
    const auto whole = [](const OIIO::ImageSpec& s) {
      return s.x == 0 && s.y == 0 && s.z == 0 && s.depth <= 1 && s.full_x == 0 && s.full_y == 0 &&
             s.full_width == s.width && s.full_height == s.height && s.channelformats.empty() && !s.deep;
    };
    if (info.tileShiftX < 2 || info.tileShiftY < 2 || info.tileShiftX > 12 || info.tileShiftY > 12 || !whole(spec))
      return false;
    if (spec.width > 1 << 19 || spec.height > 1 << 19) return false;
    const int side = std::max(spec.width, spec.height);
    int levels = 0;
    if (!cache_->get_image_info(handle, nullptr, 0, 0, OIIO::ustring("miplevels"), OIIO::TypeDesc::INT, &levels))
      return false;
    info.lastLevel = levels - 1;
    if (levels != static_cast<int>(std::bit_width(static_cast<unsigned>(side)))) return false;
    for (int l = 1; l < levels; ++l) {
      OIIO::ImageSpec s;
      if (!cache_->get_imagespec(handle, nullptr, s, 0, l, true)) return false;
      if (s.width != std::max(1, spec.width >> l) || s.height != std::max(1, spec.height >> l)) return false;
      if (s.tile_width != spec.tile_width || s.tile_height != spec.tile_height) return false;
      if (s.nchannels != spec.nchannels || s.format != spec.format) return false;
    }
    return true;
  }

  OIIO::ImageCache* cache_;
  std::mutex mutex_;
  std::vector<OIIO::ustring> names_;
  std::deque<OpenPicture> pictures_;  ///< where they are they stay
};

}  // namespace
}  // namespace reyes::oiio

extern "C" __attribute__((visibility("default"))) reyes::texture::PictureCache* reyesMakePictureCache(
    int64_t memoryBytes) {
  return new reyes::oiio::Cache(memoryBytes);
}
