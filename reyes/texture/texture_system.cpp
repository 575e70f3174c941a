// SPDX-License-Identifier: Apache-2.0
// The cache of maps by name, and look-ups over the lanes of a grid. Filtering of pictures is OpenImageIO's, of depth
// maps our own (z_map.h).
#include "reyes/texture/texture_system.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "reyes/base/format.h"
#include "reyes/image/image.h"
#include "reyes/image/module.h"
#include "reyes/texture/picture_cache.h"
#include "reyes/texture/shadow_map.h"

// OpenImageIO frees its TextureSystem through a base class of another size, which AddressSanitizer takes for a fault.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REYES_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define REYES_ADDRESS_SANITIZER 1
#endif
#ifdef REYES_ADDRESS_SANITIZER
extern "C" const char* __asan_default_options() { return "new_delete_type_mismatch=0"; }
#endif

namespace reyes::texture {
namespace {

namespace fs = std::filesystem;

/// One name that scenes use. Filled once by whoever comes first, immutable afterwards.
struct Entry {
  std::string path;  ///< empty: no such file
  std::once_flag openOnce, mapOnce;
  PictureCache::Picture* picture = nullptr;
  PictureInfo info;
  std::string error, mapError;
  std::unique_ptr<const ShadowMap> map;
  std::atomic<bool> reported{false};
};
using EntryPtr = std::shared_ptr<Entry>;

/// PhotoRealistic RenderMan's own textures begin with 0xFACE, in either byte order.
bool isForeignTexture(const std::string& path) {
  unsigned char head[2] = {};
  std::ifstream in(path, std::ios::binary);
  in.read(reinterpret_cast<char*>(head), 2);
  return in && ((head[0] == 0xce && head[1] == 0xfa) || (head[0] == 0xfa && head[1] == 0xce));
}

float finite(float v) { return std::isfinite(v) ? v : 0.0f; }

/// A place on a latitude-longitude map and how fast it moves.
struct LatLong {
  float s, t;
};

LatLong placeOf(Vec3 r) {
  constexpr float kPi = 3.14159265358979f;
  return {std::atan2(r.y, r.x) / (2 * kPi) + 0.5f, 0.5f - std::atan2(r.z, std::hypot(r.x, r.y)) / kPi};
}

/// Derivative of placeOf() along dr, by the chain rule: no jump at the seam.
LatLong moveOf(Vec3 r, Vec3 dr) {
  constexpr float kPi = 3.14159265358979f;
  const float flat = r.x * r.x + r.y * r.y, h = std::sqrt(flat), all = flat + r.z * r.z;
  if (!(all > 0)) return {0, 0};
  const float floor2 = std::max(flat, 1e-8f * all);
  const float ds = (r.x * dr.y - r.y * dr.x) / floor2 / (2 * kPi);
  const float dh = (r.x * dr.x + r.y * dr.y) / std::sqrt(floor2);
  const float dt = -(h * dr.z - r.z * dh) / all / kPi;
  return {std::clamp(finite(ds), -0.5f, 0.5f), std::clamp(finite(dt), -0.5f, 0.5f)};
}

}  // namespace

struct TextureSystem::Impl {
  Impl(Diagnostics& d, int64_t bytes) : diag(d), memoryBytes(bytes) {}

  EntryPtr find(const std::string& file);
  std::string locate(const std::string& file) const;
  PictureCache* pictures();
  Entry* opened(Entry& entry);
  const ShadowMap* mapOf(Entry& entry);
  void complain(Entry& entry, const std::string& file, const std::string& why, const SourceLoc& loc);
  void clear(float* const* out, int channels, int n, const uint8_t* active, float value) const;

  Diagnostics& diag;
  const int64_t memoryBytes;
  std::once_flag cacheOnce;
  std::unique_ptr<PictureCache> cache;  ///< made for the first picture; null where the module is missing
  std::string cacheError;
  std::shared_mutex mutex;  ///< guards entries and searchPath
  std::unordered_map<std::string, EntryPtr> entries;
  std::vector<std::string> searchPath;
  std::atomic<int64_t> lookups{0};
};

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

EntryPtr TextureSystem::Impl::find(const std::string& file) {
  {
    const std::shared_lock lock(mutex);
    if (const auto it = entries.find(file); it != entries.end()) return it->second;
  }
  const std::unique_lock lock(mutex);
  EntryPtr& entry = entries[file];
  if (!entry) {
    entry = std::make_shared<Entry>();
    entry->path = locate(file);
  }
  return entry;
}

PictureCache* TextureSystem::Impl::pictures() {
  std::call_once(cacheOnce, [&] {
    const auto make =
        reinterpret_cast<MakePictureCacheFunction>(image::moduleSymbol(kMakePictureCacheSymbol, cacheError));
    if (make) cache.reset(make(memoryBytes));
  });
  return cache.get();
}

/// The entry if it can be read as a texture, else null.
Entry* TextureSystem::Impl::opened(Entry& entry) {
  std::call_once(entry.openOnce, [&] {
    if (entry.path.empty()) {
      entry.error = "not found";
      return;
    }
    PictureCache* cacheOfAll = pictures();
    if (!cacheOfAll) {
      entry.error = cacheError;
      return;
    }
    entry.picture = cacheOfAll->open(entry.path, entry.info, entry.error);
    if (!entry.picture && isForeignTexture(entry.path))
      entry.error = "another renderer's texture, in a format that is not public: the picture it was made of is needed";
  });
  return entry.picture ? &entry : nullptr;
}

const ShadowMap* TextureSystem::Impl::mapOf(Entry& entry) {
  std::call_once(entry.mapOnce, [&] {
    entry.mapError = "not found";
    if (!entry.path.empty()) entry.map = openShadowMap(entry.path, memoryBytes, entry.mapError);
  });
  return entry.map.get();
}

void TextureSystem::Impl::complain(Entry& entry, const std::string& file, const std::string& why,
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

void TextureSystem::setSearchPath(std::vector<std::string> folders) {
  const std::unique_lock lock(impl_->mutex);
  if (folders == impl_->searchPath) return;
  impl_->searchPath = std::move(folders);
  impl_->entries.clear();
}

void TextureSystem::texture(const std::string& file, const TextureBatch& batch, const LookupOptions& options,
                            int channels, float* const* out, const SourceLoc& loc) {
  if (channels <= 0) return;
  const EntryPtr held = impl_->find(file);
  Entry* entry = impl_->opened(*held);
  if (!entry) {
    impl_->complain(*held, file, held->error, loc);
    return impl_->clear(out, channels, batch.n, batch.active, 0);
  }
  // OpenImageIO reads past its tiles where not one of the channels is there.
  if (options.firstChannel >= entry->info.channels)
    return impl_->clear(out, channels, batch.n, batch.active, options.fill);
  std::string error;
  impl_->lookups += impl_->cache->sample(entry->picture, batch, options, WrapRule::kAsFile, channels, out, error);
  // Damaged tiles show up here only.
  if (!error.empty()) impl_->complain(*held, file, error, loc);
}

void TextureSystem::environment(const std::string& file, int n, const uint8_t* active, const float* const* r,
                                const float* const* drdu, const float* const* drdv, const LookupOptions& options,
                                int channels, float* const* out, const SourceLoc& loc) {
  if (channels <= 0) return;
  const EntryPtr held = impl_->find(file);
  Entry* entry = impl_->opened(*held);
  if (!entry) {
    impl_->complain(*held, file, held->error, loc);
    return impl_->clear(out, channels, n, active, 0);
  }
  if (options.firstChannel >= entry->info.channels) return impl_->clear(out, channels, n, active, options.fill);
  // Maps whose up is y (EXR's convention) are turned into ours.
  const auto direction = [&](const float* const* planes, int i) -> Vec3 {
    if (!planes) return {};
    const Vec3 d{finite(planes[0][i]), finite(planes[1][i]), finite(planes[2][i])};
    return entry->info.yUp ? Vec3{d.z, -d.x, d.y} : d;
  };
  // Places on the map and how they move, then as any texture.
  std::vector<float> planes(static_cast<size_t>(n) * 6);
  const auto plane = [&](int k) { return planes.data() + static_cast<size_t>(n) * k; };
  for (int i = 0; i < n; ++i) {
    if (active && !active[i]) continue;
    const Vec3 d = direction(r, i);
    const LatLong at = placeOf(d), du = moveOf(d, direction(drdu, i)), dv = moveOf(d, direction(drdv, i));
    const float values[6] = {at.s, at.t, du.s, du.t, dv.s, dv.t};
    for (int k = 0; k < 6; ++k) plane(k)[i] = values[k];
  }
  const TextureBatch batch{n, active, plane(0), plane(1), plane(2), plane(3), plane(4), plane(5)};
  std::string error;
  impl_->lookups += impl_->cache->sample(entry->picture, batch, options, WrapRule::kLatLong, channels, out, error);
  if (!error.empty()) impl_->complain(*held, file, error, loc);
}

void TextureSystem::shadow(const std::string& file, int n, const uint8_t* active, const float* const* worldP,
                           const float* const* dPdu, const float* const* dPdv, const uint32_t* seed,
                           const ShadowOptions& options, int channels, float* const* out, const SourceLoc& loc) {
  const EntryPtr held = impl_->find(file);
  const ShadowMap* map = file == "raytrace" ? nullptr : impl_->mapOf(*held);
  if (!map) {
    const std::string why = file == "raytrace" ? "ray-traced shadows are not built, points are lit" : held->mapError;
    impl_->complain(*held, file, why, loc);
    return impl_->clear(out, channels, n, active, 0);
  }
  impl_->lookups += map->look({n, active, worldP, dPdu, dPdv, seed}, options, channels, out);
}

void TextureSystem::invalidate(const std::string& file) {
  const std::unique_lock lock(impl_->mutex);
  std::error_code ec;
  const fs::path target = fs::weakly_canonical(file, ec);
  for (auto it = impl_->entries.begin(); it != impl_->entries.end();) {
    const Entry& e = *it->second;
    // What was missing may now be the file that was made.
    const bool same = it->first == file || e.path.empty() || fs::weakly_canonical(e.path, ec) == target;
    if (same && !e.path.empty() && impl_->cache) impl_->cache->invalidate(e.path);
    it = same ? impl_->entries.erase(it) : std::next(it);
  }
}

int64_t TextureSystem::lookups() const { return impl_->lookups; }

bool TextureSystem::info(const std::string& file, const std::string& what, std::vector<float>& numbers,
                         std::string& text) {
  numbers.clear(), text.clear();
  const EntryPtr held = impl_->find(file);
  if (what == "exists") {
    numbers = {held->path.empty() ? 0.0f : 1.0f};
    return true;
  }
  if (held->path.empty()) return false;
  const ShadowMap* map = impl_->mapOf(*held);
  const auto putMatrix = [&](const Matrix4& m) { numbers.assign(&m.m[0][0], &m.m[0][0] + 16); };
  if (map) {
    if (what == "resolution")
      numbers = {static_cast<float>(map->width()), static_cast<float>(map->height())};
    else if (what == "channels")
      numbers = {static_cast<float>(map->channels())};
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
  if (!impl_->opened(*held)) return false;
  const PictureInfo& info = held->info;
  if (what == "resolution")
    numbers = {static_cast<float>(info.width), static_cast<float>(info.height)};
  else if (what == "channels")
    numbers = {static_cast<float>(info.channels)};
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
