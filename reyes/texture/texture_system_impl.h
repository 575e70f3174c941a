// SPDX-License-Identifier: Apache-2.0
// What the parts of TextureSystem share: the table of maps by name, and the samplers that threads take turns with.
// Private to texture/.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "reyes/texture/map_memory.h"
#include "reyes/texture/picture_cache.h"
#include "reyes/texture/prepared.h"
#include "reyes/texture/sampler.h"
#include "reyes/texture/shadow_map.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {

/// One name that scenes use. Filled once by whoever comes first, immutable afterwards.
struct MapEntry {
  std::string path;   ///< empty: no such file
  bool udim = false;  ///< a set of pictures
  bool folder = false;
  std::once_flag openOnce, mapOnce;
  PictureCache::Picture* picture = nullptr;
  std::string openPath;  ///< the file that is read: `path`, or what was made of it
  PictureInfo info;
  uint32_t number = 0;
  std::string error, mapError;
  std::unique_ptr<const ShadowMap> map;
  std::atomic<bool> reported{false};
};
using MapEntryPtr = std::shared_ptr<MapEntry>;

/// A sampler that one thread uses at a time.
struct SamplerSlot {
  std::mutex mutex;
  std::unique_ptr<Sampler> sampler;
};

struct TextureSystem::Impl {
  Impl(Diagnostics& d, int64_t bytes) : diag(d), memoryBytes(bytes), maps(bytes) {}

  MapEntryPtr find(const std::string& file);
  /// As find(); of a set of pictures the first that is there.
  MapEntryPtr findAny(const std::string& file);
  std::string locate(const std::string& file) const;
  PictureCache* pictures();
  /// Tiles and shadow maps take half of the memory each, or the one kind that there is takes all.
  void shareMemory();
  /// The entry if it can be read as a texture, else null.
  MapEntry* opened(MapEntry& entry, const SourceLoc& loc);
  void open(MapEntry& entry, const SourceLoc& loc);
  const ShadowMap* mapOf(MapEntry& entry, const SourceLoc& loc);
  void complain(MapEntry& entry, const std::string& file, const std::string& why, const SourceLoc& loc);
  void clear(float* const* out, int channels, int n, const uint8_t* active, float value) const;
  void showMissing(float* const* out, int channels, int n, const uint8_t* active) const;
  /// A batch into one file. `latLong`: its coordinates are places on an environment.
  void lookUp(MapEntry& entry, const std::string& file, const TextureBatch& batch, const LookupOptions& options,
              bool latLong, const float* sBlurScale, int channels, float* const* out, const SourceLoc& loc);
  void lookUpUdim(const std::string& file, const TextureBatch& batch, const LookupOptions& options, int channels,
                  float* const* out, const SourceLoc& loc);
  Filter filterOf(const std::string& name, const SourceLoc& loc);
  Wrap wrapOf(const std::string& name, Wrap usual, const SourceLoc& loc);
  /// A sampler of one's own until the lock goes.
  Sampler& sampler(std::unique_lock<std::mutex>& lock);
  void dropTiles();

  Diagnostics& diag;
  const int64_t memoryBytes;
  TextureOptions options;
  std::once_flag cacheOnce;
  std::atomic<bool> hasCache{false};
  std::unique_ptr<PictureCache> cache;  ///< made for the first picture; null where the module is missing
  std::string cacheError;
  PreparedMaps prepared;
  MapMemory maps;                    ///< before the entries, whose maps it bounds
  std::atomic<int64_t> mapCount{0};  ///< shadow maps that were opened
  mutable std::shared_mutex mutex;   ///< guards entries and searchPath
  std::unordered_map<std::string, MapEntryPtr> entries;
  std::vector<std::string> searchPath;
  std::atomic<uint32_t> pictureCount{0};
  std::atomic<int64_t> lookups{0};
  static constexpr size_t kSlots = 64;
  std::array<SamplerSlot, kSlots> slots;  ///< after the cache: their tiles are the cache's
  std::mutex filterMutex;
  std::set<std::string> oddFilters;  ///< said once each
};

}  // namespace reyes::texture
