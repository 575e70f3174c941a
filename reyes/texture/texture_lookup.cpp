// SPDX-License-Identifier: Apache-2.0
// Look-ups into pictures over the lanes of a grid: plain ones, sets of pictures by UDIM, and environments by direction.
#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/texture/texture_system_impl.h"

namespace reyes::texture {
namespace {

float finite(float v) { return std::isfinite(v) ? v : 0.0f; }

/// A place on a latitude-longitude map, or how fast it moves.
struct LatLong {
  float s, t;
};

constexpr float kPi = 3.14159265358979f;

LatLong placeOf(Vec3 r) {
  return {std::atan2(r.y, r.x) / (2 * kPi) + 0.5f, 0.5f - std::atan2(r.z, std::hypot(r.x, r.y)) / kPi};
}

/// Derivative of placeOf() along dr, by the chain rule: no jump at the seam. What covers a pole covers all longitudes;
/// within half a texel (`texel`: its angle) of a pole they become one by themselves.
LatLong moveOf(Vec3 r, Vec3 dr, float texel) {
  const float flat = r.x * r.x + r.y * r.y, h = std::sqrt(flat), all = flat + r.z * r.z;
  if (!(all > 0)) return {0, 0};
  const float floor2 = std::max(flat, 1e-8f * all), across2 = dr.x * dr.x + dr.y * dr.y;
  const float wide2 = across2 / (4 * floor2), around = 0.5f * std::min(wide2 * wide2, 1.0f);
  const float turn = (r.x * dr.y - r.y * dr.x) / floor2 / (2 * kPi);
  const float apart = std::min(2 * std::sqrt(std::max(flat, across2) / all) / texel, 1.0f);
  const float ds = std::copysign(std::max(std::fabs(turn), around), turn) * apart;
  const float dh = (r.x * dr.x + r.y * dr.y) / std::sqrt(floor2);
  const float dt = -(h * dr.z - r.z * dh) / all / kPi;
  return {std::clamp(finite(ds), -0.5f, 0.5f), std::clamp(finite(dt), -0.5f, 0.5f)};
}

/// How much longer a circle around a pole looks on the map than on the sphere.
float stretchOf(Vec3 r) {
  const float flat = std::hypot(r.x, r.y), all = std::sqrt(flat * flat + r.z * r.z);
  return all > 0 ? std::min(all / std::max(flat, 1e-4f * all), 64.0f) : 1.0f;
}

constexpr const char* kUdimMarks[] = {"<UDIM>", "%(UDIM)d", "_MAPID_"};

}  // namespace

bool isUdim(const std::string& file) { return !udimName(file, 1001).empty(); }

std::string udimName(const std::string& file, int udim) {
  for (const char* mark : kUdimMarks)
    if (const size_t at = file.find(mark); at != std::string::npos)
      return file.substr(0, at) + std::to_string(udim) + file.substr(at + std::string_view(mark).size());
  return "";
}

Sampler& TextureSystem::Impl::sampler(std::unique_lock<std::mutex>& lock) {
  // Every thread has a slot where it usually finds its own tiles again.
  const size_t own = mix64(std::hash<std::thread::id>()(std::this_thread::get_id())) % kSlots;
  for (size_t k = 0; k < kSlots; ++k) {
    SamplerSlot& slot = slots[(own + k) % kSlots];
    std::unique_lock<std::mutex> mine(slot.mutex, std::try_to_lock);
    if (!mine.owns_lock() && k + 1 < kSlots) continue;
    if (!mine.owns_lock()) mine.lock();
    if (!slot.sampler) slot.sampler = std::make_unique<Sampler>(*cache, options.isa);
    lock = std::move(mine);
    return *slot.sampler;
  }
  return *slots[own].sampler;
}

void TextureSystem::Impl::dropTiles() {
  for (SamplerSlot& slot : slots) {
    const std::lock_guard lock(slot.mutex);
    if (slot.sampler) slot.sampler->dropTiles();
  }
}

Filter TextureSystem::Impl::filterOf(const std::string& own, const SourceLoc& loc) {
  Filter filter = Filter::kGaussian;
  const std::string& name = own.empty() ? options.filter : own;
  if (parseFilter(name, filter)) return filter;
  const std::lock_guard lock(filterMutex);
  if (oddFilters.insert(name).second)
    diag.warning("texture-filter", loc, format("there is no texture filter \"{}\": gaussian is taken", name));
  return Filter::kGaussian;
}

/// How the look-up wants the picture to go on, else `usual`.
Wrap TextureSystem::Impl::wrapOf(const std::string& name, Wrap usual, const SourceLoc& loc) {
  Wrap wrap = usual;
  if (name.empty() || name == "default" || parseWrap(name, wrap)) return wrap;
  const std::lock_guard lock(filterMutex);
  if (oddFilters.insert("wrap " + name).second)
    diag.warning("texture-wrap", loc,
                 format("there is no wrap mode \"{}\" (black periodic clamp mirror default): it is ignored", name));
  return usual;
}

void TextureSystem::Impl::showMissing(float* const* out, int channels, int n, const uint8_t* active) const {
  const Vec3 c = options.missingColour;
  for (int k = 0; k < channels; ++k) clear(out + k, 1, n, active, channels == 1 ? c.x : k < 3 ? c[k] : 1.0f);
}

void TextureSystem::Impl::lookUp(MapEntry& entry, const std::string& file, const TextureBatch& batch,
                                 const LookupOptions& given, bool latLong, const float* sBlurScale, int channels,
                                 float* const* out, const SourceLoc& loc) {
  SampledPicture picture;
  picture.picture = entry.picture, picture.info = &entry.info, picture.number = entry.number;
  const PictureInfo& info = entry.info;
  // One texel says nothing of a border: where nobody asks for black it is there all along.
  const auto usual = [&](Wrap own, const std::string& other, int size) {
    return info.wraps ? own : wrapOf(other, size == 1 ? Wrap::kClamp : Wrap::kBlack, loc);
  };
  picture.sWrap = latLong ? Wrap::kPeriodic : wrapOf(given.sWrap, usual(info.sWrap, options.sWrap, info.width), loc);
  picture.tWrap = latLong ? Wrap::kPole : wrapOf(given.tWrap, usual(info.tWrap, options.tWrap, info.height), loc);
  LookupOptions o = given;
  o.lerp = o.lerp && options.lerp;
  const Filter filter = filterOf(o.filter, loc);
  std::unique_lock<std::mutex> lock;
  Sampler& mine = sampler(lock);
  lookups += mine.sample(picture, batch, o, filter, sBlurScale, channels, out);
  // Damaged tiles show up here only.
  if (const std::string error = mine.takeError(); !error.empty()) {
    complain(entry, file, error, loc);
    showMissing(out, channels, batch.n, batch.active);
  }
}

void TextureSystem::texture(const std::string& file, const TextureBatch& batch, const LookupOptions& options,
                            int channels, float* const* out, const SourceLoc& loc) {
  if (channels <= 0) return;
  const MapEntryPtr held = impl_->find(file);
  if (held->udim) return impl_->lookUpUdim(file, batch, options, channels, out, loc);
  if (!impl_->opened(*held, loc)) {
    impl_->complain(*held, file, held->error, loc);
    return impl_->showMissing(out, channels, batch.n, batch.active);
  }
  impl_->lookUp(*held, file, batch, options, false, nullptr, channels, out, loc);
}

void TextureSystem::Impl::lookUpUdim(const std::string& file, const TextureBatch& batch, const LookupOptions& o,
                                     int channels, float* const* out, const SourceLoc& loc) {
  constexpr float kBorder = 1e-4f;
  const auto n = static_cast<size_t>(batch.n);
  std::vector<float> s(n), t(n);
  std::vector<int> square(n, 0);
  std::vector<uint8_t> active(n);
  const auto nameOf = [&](float u, float v) {
    return udimName(file, 1001 + static_cast<int>(u) + 10 * static_cast<int>(v));
  };
  const auto there = [&](float u, float v) {
    return u >= 0 && u < 10 && v >= 0 && v < 1000 && !find(nameOf(u, v))->path.empty();
  };
  for (size_t i = 0; i < n; ++i) {
    if (batch.active && !batch.active[i]) continue;
    const float at[2] = {finite(batch.s[i]), finite(batch.t[i])};
    float u = std::clamp(std::floor(at[0]), 0.0f, 9.0f), v = std::clamp(std::floor(at[1]), 0.0f, 999.0f);
    // The last border of a square is the first of the next one, of which there may be no picture.
    if (!there(u, v)) {
      if (at[0] - u < kBorder && there(u - 1, v))
        u -= 1;
      else if (at[1] - v < kBorder && there(u, v - 1))
        v -= 1;
      else if (at[0] - u < kBorder && at[1] - v < kBorder && there(u - 1, v - 1))
        u -= 1, v -= 1;
    }
    square[i] = 1001 + static_cast<int>(u) + 10 * static_cast<int>(v);
    s[i] = at[0] - u, t[i] = at[1] - v;
  }
  // A square at a time: a grid seldom touches two.
  for (size_t first = 0; first < n; ++first) {
    const int udim = square[first];
    if (udim == 0) continue;
    for (size_t i = first; i < n; ++i) {
      active[i] = square[i] == udim;
      if (active[i]) square[i] = 0;
    }
    for (size_t i = 0; i < first; ++i) active[i] = 0;
    const std::string name = udimName(file, udim);
    TextureBatch part = batch;
    part.s = s.data(), part.t = t.data(), part.active = active.data();
    const MapEntryPtr held = find(name);
    if (opened(*held, loc)) {
      lookUp(*held, name, part, o, false, nullptr, channels, out, loc);
      continue;
    }
    complain(*held, name, held->error, loc);
    showMissing(out, channels, part.n, part.active);
  }
}

void TextureSystem::environment(const std::string& file, int n, const uint8_t* active, const float* const* r,
                                const float* const* drdu, const float* const* drdv, const LookupOptions& options,
                                int channels, float* const* out, const SourceLoc& loc) {
  if (channels <= 0) return;
  const MapEntryPtr held = impl_->find(file);
  MapEntry* entry = impl_->opened(*held, loc);
  if (!entry) {
    impl_->complain(*held, file, held->error, loc);
    return impl_->showMissing(out, channels, n, active);
  }
  // Maps whose up is y (EXR's convention) are turned into ours.
  const auto direction = [&](const float* const* planes, int i) -> Vec3 {
    if (!planes || !planes[0]) return {};
    const Vec3 d{finite(planes[0][i]), finite(planes[1][i]), finite(planes[2][i])};
    return entry->info.yUp ? Vec3{d.z, -d.x, d.y} : d;
  };
  // Places on the map and how they move, then as any texture.
  std::vector<float> planes(static_cast<size_t>(n) * 7);
  const auto plane = [&](int k) { return planes.data() + static_cast<size_t>(n) * k; };
  const float texel = kPi / static_cast<float>(std::max(entry->info.height, 1));
  for (int i = 0; i < n; ++i) {
    if (active && !active[i]) continue;
    const Vec3 d = direction(r, i);
    const LatLong at = placeOf(d), du = moveOf(d, direction(drdu, i), texel), dv = moveOf(d, direction(drdv, i), texel);
    const float values[7] = {at.s, at.t, du.s, du.t, dv.s, dv.t, stretchOf(d)};
    for (int k = 0; k < 7; ++k) plane(k)[i] = values[k];
  }
  const TextureBatch batch{n, active, plane(0), plane(1), plane(2), plane(3), plane(4), plane(5)};
  impl_->lookUp(*entry, file, batch, options, true, plane(6), channels, out, loc);
}

}  // namespace reyes::texture
