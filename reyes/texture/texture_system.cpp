// SPDX-License-Identifier: Apache-2.0
// The table of maps by name: where their files are, what they say of themselves, and look-ups into shadow maps, which
// are shadow_map.h's. Those into pictures are in texture_lookup.cpp.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "reyes/base/format.h"
#include "reyes/image/image.h"
#include "reyes/image/module.h"
#include "reyes/texture/texture_system_impl.h"

namespace reyes::texture {
namespace {

namespace fs = std::filesystem;

/// PhotoRealistic RenderMan's own textures begin with 0xFACE, in either byte order.
bool isForeignTexture(const std::string& path) {
  unsigned char head[2] = {};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(head), 2);
  return in && ((head[0] == 0xce && head[1] == 0xfa) || (head[0] == 0xfa && head[1] == 0xce));
}

}  // namespace

/// The working folder first, then the search path.
std::string TextureSystem::Impl::locate(const std::string& file) const {
  std::error_code ec;
  if (file.empty()) return "";
  if (fs::is_regular_file(file, ec)) return file;
  if (fs::path(file).is_absolute()) return "";
  for (const std::string& folder : searchPath) {
    const fs::path path = fs::path(folder) / file;
    if (fs::is_regular_file(path, ec)) return path.string();
  }
  return "";
}

MapEntryPtr TextureSystem::Impl::find(const std::string& file) {
  {
    const std::shared_lock lock(mutex);
    if (const auto it = entries.find(file); it != entries.end()) return it->second;
  }
  const std::unique_lock lock(mutex);
  MapEntryPtr& entry = entries[file];
  if (!entry) {
    entry = std::make_shared<MapEntry>();
    entry->udim = isUdim(file);
    entry->path = locate(file);
    std::error_code ec;
    entry->folder = entry->path.empty() && fs::is_directory(file, ec);
  }
  return entry;
}

MapEntryPtr TextureSystem::Impl::findAny(const std::string& file) {
  MapEntryPtr entry = find(file);
  constexpr int kFirst = 1001, kLast = 1100;
  for (int udim = kFirst; entry->udim && udim <= kLast; ++udim)
    if (MapEntryPtr one = find(udimName(file, udim)); !one->path.empty()) return one;
  return entry;
}

PictureCache* TextureSystem::Impl::pictures() {
  std::call_once(cacheOnce, [&] {
    const auto make =
        reinterpret_cast<MakePictureCacheFunction>(image::moduleSymbol(kMakePictureCacheSymbol, cacheError));
    if (make) cache.reset(make(memoryBytes));
    hasCache = cache != nullptr;
    shareMemory();
  });
  return cache.get();
}

void TextureSystem::Impl::shareMemory() {
  if (memoryBytes <= 0 || !hasCache || mapCount == 0) return;
  maps.setLimit(memoryBytes / 2);
  cache->setLimit(memoryBytes / 2);
}

MapEntry* TextureSystem::Impl::opened(MapEntry& entry, const SourceLoc& loc) {
  std::call_once(entry.openOnce, [&] { open(entry, loc); });
  return entry.picture ? &entry : nullptr;
}

void TextureSystem::Impl::open(MapEntry& entry, const SourceLoc& loc) {
  if (entry.path.empty()) {
    entry.error = entry.folder ? "is a folder" : "not found";
    return;
  }
  PictureCache* cacheOfAll = pictures();
  if (!cacheOfAll) {
    entry.error = cacheError;
    return;
  }
  entry.openPath = entry.path;
  entry.number = ++pictureCount;
  entry.picture = cacheOfAll->open(entry.path, entry.info, entry.error);
  if (!entry.picture && isForeignTexture(entry.path))
    entry.error = "another renderer's texture, in a format that is not public: the picture it was made of is needed";
  if (!entry.picture || entry.info.prepared) return;
  // A map is made of it. One in the cache that turns out to be damaged is made again, once.
  const PictureInfo original = entry.info;
  entry.picture = nullptr;
  for (const bool again : {false, true}) {
    const PreparedCopy copy = prepared.find(entry.path, options.cacheFolder, options.threads, again);
    entry.error = copy.error;
    if (copy.path.empty()) return;
    if (copy.made) {
      diag.info("texture-converted", loc,
                format("\"{}\" is no tiled, mip-mapped map: one was made of it{}", entry.path,
                       copy.lasting ? format(", {}", copy.path) : ", for this run alone"));
      cacheOfAll->invalidate(copy.path);
    }
    entry.openPath = copy.path;
    entry.info = {};
    entry.picture = cacheOfAll->open(copy.path, entry.info, entry.error);
    if (entry.picture && entry.info.prepared) break;
    entry.picture = nullptr;
    cacheOfAll->invalidate(copy.path);
  }
  if (!entry.picture && entry.error.empty()) entry.error = "its map cannot be read";
  // What the picture says of itself is not all kept by the format of maps.
  entry.info.yUp = original.yUp, entry.info.environment = original.environment, entry.info.kind = original.kind;
  entry.info.hasView = original.hasView, entry.info.hasProjection = original.hasProjection;
  entry.info.worldToCamera = original.worldToCamera, entry.info.worldToScreen = original.worldToScreen;
  entry.info.wraps = original.wraps, entry.info.sWrap = original.sWrap, entry.info.tWrap = original.tWrap;
}

const ShadowMap* TextureSystem::Impl::mapOf(MapEntry& entry, const SourceLoc& loc) {
  std::call_once(entry.mapOnce, [&] {
    entry.mapError = "not found";
    // A map's own limit is the same whatever else there is: it says what is seen.
    if (!entry.path.empty()) entry.map = openShadowMap(entry.path, memoryBytes / 2, maps, entry.mapError);
    if (!entry.map) return;
    if (++mapCount == 1) shareMemory();
    if (const std::string remark = entry.map->remark(); !remark.empty()) diag.warning("shadow-memory", loc, remark);
  });
  return entry.map.get();
}

void TextureSystem::Impl::complain(MapEntry& entry, const std::string& file, const std::string& why,
                                   const SourceLoc& loc) {
  if (entry.reported.exchange(true)) return;
  diag.error("texture-missing", loc, format("texture \"{}\": {}", file, why), Impact::kPicture);
}

void TextureSystem::Impl::clear(float* const* out, int channels, int n, const uint8_t* active, float value) const {
  for (int c = 0; c < channels; ++c)
    for (int i = 0; i < n; ++i)
      if (!active || active[i]) out[c][i] = value;
}

TextureSystem::TextureSystem(Diagnostics& diag, int64_t memoryBytes)
    : impl_(std::make_unique<Impl>(diag, memoryBytes)) {}
TextureSystem::~TextureSystem() = default;

void TextureSystem::configure(const TextureOptions& options) {
  if (options.isa != impl_->options.isa)
    for (SamplerSlot& slot : impl_->slots) slot.sampler.reset();
  impl_->options = options;
}

void TextureSystem::setSearchPath(std::vector<std::string> folders) {
  const std::unique_lock lock(impl_->mutex);
  if (folders == impl_->searchPath) return;
  impl_->searchPath = std::move(folders);
  impl_->entries.clear();
}

void TextureSystem::shadow(const std::string& file, int n, const uint8_t* active, const float* const* worldP,
                           const float* const* dPdu, const float* const* dPdv, const uint32_t* seed,
                           const ShadowOptions& options, int channels, float* const* out, const SourceLoc& loc) {
  const MapEntryPtr held = impl_->find(file);
  const ShadowMap* map = file == "raytrace" ? nullptr : impl_->mapOf(*held, loc);
  if (!map) {
    const std::string why = file == "raytrace" ? "ray-traced shadows are not built, points are lit" : held->mapError;
    impl_->complain(*held, file, why, loc);
    return impl_->clear(out, channels, n, active, 0);
  }
  impl_->lookups += map->look({n, active, worldP, dPdu, dPdv, seed}, options, channels, out);
  if (const std::string why = map->error(); !why.empty()) impl_->complain(*held, file, why, loc);
}

void TextureSystem::invalidate(const std::string& file) {
  const std::unique_lock lock(impl_->mutex);
  impl_->dropTiles();
  std::error_code ec;
  const fs::path target = fs::weakly_canonical(file, ec);
  for (auto it = impl_->entries.begin(); it != impl_->entries.end();) {
    const MapEntry& e = *it->second;
    // What was missing may now be the file that was made.
    const bool same = it->first == file || e.path.empty() || fs::weakly_canonical(e.path, ec) == target;
    if (same && !e.path.empty() && impl_->cache) impl_->cache->invalidate(e.path);
    it = same ? impl_->entries.erase(it) : std::next(it);
  }
}

int64_t TextureSystem::lookups() const { return impl_->lookups; }

TextureStats TextureSystem::stats() const {
  TextureStats s;
  s.lookups = impl_->lookups;
  for (SamplerSlot& slot : impl_->slots) {
    const std::lock_guard lock(slot.mutex);
    if (!slot.sampler) continue;
    s.tileRequests += slot.sampler->tileRequests();
    s.tileHits += slot.sampler->tileRequests() - slot.sampler->tilesPinned();
  }
  const MapMemory::Stats m = impl_->maps.stats();
  s.shadowMaps = impl_->mapCount, s.shadowPagesRead = m.read, s.shadowPagesAgain = m.again, s.shadowBytesHeld = m.most;
  if (!impl_->cache) return s;
  const CacheStats c = impl_->cache->stats();
  s.files = c.files, s.tilesRead = c.tilesRead, s.bytesRead = c.bytesRead;
  s.redundantTiles = c.redundantTiles, s.redundantBytes = c.redundantBytes, s.bytesHeld = c.peakBytes;
  return s;
}

bool TextureSystem::info(const std::string& file, const std::string& what, std::vector<float>& numbers,
                         std::string& text) {
  numbers.clear(), text.clear();
  const MapEntryPtr held = impl_->findAny(file);
  if (what == "exists") {
    numbers = {held->path.empty() ? 0.0f : 1.0f};
    return true;
  }
  if (held->path.empty()) return false;
  if (what == "filename") {
    text = held->path;
    return true;
  }
  const ShadowMap* map = impl_->mapOf(*held, {});
  const auto putMatrix = [&](const Matrix4& m) { numbers.assign(&m.m[0][0], &m.m[0][0] + 16); };
  if (map) {
    if (what == "resolution")
      numbers = {static_cast<float>(map->width()), static_cast<float>(map->height())};
    else if (what == "channels")
      numbers = {static_cast<float>(map->channels())};
    else if (what == "bitsperchannel")
      numbers = {32};
    else if (what == "type")
      text = "shadow";
    else if (what == "viewingmatrix")
      putMatrix(map->worldToCamera());
    else if (what == "projectionmatrix")
      putMatrix(image::screenFromNdc(map->worldToNdc()));
    else
      return false;
    return true;
  }
  if (!impl_->opened(*held, {})) return false;
  const PictureInfo& info = held->info;
  if (what == "resolution")
    numbers = {static_cast<float>(info.width), static_cast<float>(info.height)};
  else if (what == "channels")
    numbers = {static_cast<float>(info.channels)};
  else if (what == "bitsperchannel")
    numbers = {info.type == TexelType::kUint8 ? 8.0f : info.type == TexelType::kFloat ? 32.0f : 16.0f};
  else if (what == "viewingmatrix" && info.hasView)
    putMatrix(info.worldToCamera);
  else if (what == "projectionmatrix" && info.hasProjection)
    putMatrix(info.worldToScreen);
  else if (what == "type")
    text = info.environment ? "environment" : "texture";
  else
    return false;
  return true;
}

}  // namespace reyes::texture
