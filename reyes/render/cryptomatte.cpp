// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/cryptomatte.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/id_manifest.h"

namespace reyes::render {
namespace {

struct KindWords {
  const char *variable, *layer;
};
constexpr KindWords kWords[kMatteKinds] = {{"cryptomatte:object", "CryptoObject"},
                                           {"cryptomatte:material", "CryptoMaterial"},
                                           {"cryptomatte:asset", "CryptoAsset"}};
constexpr const char* kUnnamed = "default";

/// Length of the UTF-8 sequence at `at`, or 0 where there is none.
size_t sequenceAt(const std::string& s, size_t at) {
  const auto byte = [&](size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const unsigned c = byte(at);
  if (c < 0x80) return 1;
  const size_t n = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xc2 && c < 0xe0 ? 2 : 0;
  for (size_t i = 1; i < n; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, beyond U+10FFFF.
  const unsigned second = byte(at + 1);
  if ((c == 0xe0 && second < 0xa0) || (c == 0xed && second >= 0xa0) || (c == 0xf0 && second < 0x90) ||
      (c == 0xf4 && second >= 0x90))
    return 0;
  return n;
}

std::string textOf(const scene::Attributes& a, const char* key) {
  const auto it = a.named.find(key);
  return it == a.named.end() || it->second.strings.empty() ? std::string() : it->second.strings[0];
}

/// MurmurHash3 of 32 bits (A. Appleby, public domain).
uint32_t murmur3(std::string_view s) {
  const auto mixed = [](uint32_t k) {
    k *= 0xcc9e2d51u;
    return ((k << 15) | (k >> 17)) * 0x1b873593u;
  };
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(s[i])); };
  uint32_t h = 0;
  size_t i = 0;
  for (; i + 4 <= s.size(); i += 4) {
    h ^= mixed(byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24);
    h = ((h << 13) | (h >> 19)) * 5 + 0xe6546b64u;
  }
  uint32_t tail = 0;
  for (size_t n = s.size(); n > i; --n) tail = tail << 8 | byte(n - 1);
  if (i < s.size()) h ^= mixed(tail);
  h ^= static_cast<uint32_t>(s.size());
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

/// A colour of an id, for the eye.
float previewOf(uint32_t id, int channel) { return static_cast<float>(mix64(id) >> (8 * channel) & 255) / 255.0f; }

}  // namespace

bool matteKindOf(const std::string& variable, MatteKind& kind) {
  for (int k = 0; k < kMatteKinds; ++k)
    if (variable == kWords[k].variable) {
      kind = static_cast<MatteKind>(k);
      return true;
    }
  return false;
}

const char* matteLayer(MatteKind kind) { return kWords[static_cast<int>(kind)].layer; }

std::vector<std::string> matteChannels(const MatteSpec& spec) {
  static const char* const kParts[] = {"red", "green", "blue", "alpha"};
  const std::string layer = matteLayer(spec.kind);
  std::vector<std::string> names;
  for (int c = 0; c < 3 && spec.preview; ++c) names.push_back(layer + "." + kParts[c]);
  for (int c = 0; c < 2 * spec.levels; ++c) names.push_back(format("{}{:02}.{}", layer, c / 4, kParts[c % 4]));
  return names;
}

std::string matteKey(MatteKind kind, const char* what) {
  return format("cryptomatte/{:.7}/{}", format("{:08x}", matteId(matteLayer(kind))), what);
}

uint32_t matteId(const std::string& name) {
  uint32_t id = murmur3(name);
  const uint32_t exponent = id >> 23 & 255;
  if (exponent == 0 || exponent == 255) id ^= 1u << 23;
  return id;
}

std::string utf8Of(const std::string& name) {
  bool valid = true;
  for (size_t at = 0; at < name.size() && valid;) {
    const size_t n = sequenceAt(name, at);
    valid = n > 0, at += n;
  }
  if (valid) return name;
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      out += c;
    else
      out += static_cast<char>(0xc0 | byte >> 6), out += static_cast<char>(0x80 | (byte & 0x3f));
  }
  return out;
}

std::string Cryptomatte::nameOf(const scene::Attributes& a, MatteKind kind) {
  std::string name;
  if (kind == MatteKind::kObject) name = a.identifierName.str();
  if (kind == MatteKind::kMaterial) {
    name = textOf(a, "identifier:material");
    if (name.empty() && a.surface) name = a.surface->name.str();
  }
  if (kind == MatteKind::kAsset) {
    name = textOf(a, "identifier:asset");
    if (name.empty()) name = textOf(a, "identifier:model");
    if (name.empty()) name = a.assetName.str();
  }
  return name.empty() ? kUnnamed : utf8Of(name);
}

uint32_t Cryptomatte::tagOf(const scene::Attributes& attributes, bool madeByProcedural) {
  Entry e;
  std::string key;
  for (int k = 0; k < kMatteKinds; ++k) {
    e.names[k] = nameOf(attributes, static_cast<MatteKind>(k));
    e.ids[k] = matteId(e.names[k]);
    key += e.names[k];
    key += '\0';
  }
  const std::lock_guard lock(mutex_);
  const auto [it, fresh] = tags_.emplace(std::move(key), static_cast<uint32_t>(entries_.size()));
  if (fresh) entries_.push_back(std::move(e));
  if (!madeByProcedural) std::fill_n(entries_[it->second].known, kMatteKinds, true);
  return it->second;
}

void Cryptomatte::write(const MatteSpec& spec, const hider::PixelShares& pixels, size_t stride, float* out) {
  struct Ranked {
    uint32_t id, tag;
    float coverage;
  };
  const auto kind = static_cast<size_t>(spec.kind);
  std::vector<Ranked> ranked;
  std::vector<uint32_t> unknown;
  {
    const std::shared_lock lock(mutex_);
    for (size_t p = 0; p + 1 < pixels.first.size(); ++p, out += stride) {
      // 1. Tags of one name together, in the order in which the filter met them.
      ranked.clear();
      for (uint32_t i = pixels.first[p]; i < pixels.first[p + 1]; ++i) {
        const hider::TagShare& share = pixels.shares[i];
        const uint32_t id = entries_[share.tag].ids[kind];
        const auto same = std::find_if(ranked.begin(), ranked.end(), [&](const Ranked& r) { return r.id == id; });
        if (same != ranked.end())
          same->coverage += share.share;
        else
          ranked.push_back({id, share.tag, share.share});
      }
      // 2. Most coverage first.
      std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
        return a.coverage != b.coverage ? a.coverage > b.coverage : a.id < b.id;
      });
      // 3. As many as there are levels.
      float* to = out;
      for (int c = 0; c < 3 && spec.preview; ++c, ++to)
        for (const Ranked& r : ranked) *to += r.coverage > 0 ? r.coverage * previewOf(r.id, c) : 0;
      for (size_t r = 0; r < std::min(ranked.size(), static_cast<size_t>(spec.levels)); ++r) {
        if (!(ranked[r].coverage > 0)) break;
        to[2 * r] = std::bit_cast<float>(ranked[r].id), to[2 * r + 1] = ranked[r].coverage;
        if (!entries_[ranked[r].tag].known[kind]) unknown.push_back(ranked[r].tag);
      }
    }
  }
  makeKnown(spec.kind, unknown);
}

void Cryptomatte::makeKnown(MatteKind kind, const std::vector<uint32_t>& tags) {
  if (tags.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const uint32_t tag : tags)
    if (!std::exchange(entries_[tag].known[static_cast<size_t>(kind)], true)) untold_.emplace_back(kind, tag);
}

void Cryptomatte::tellWritten(const std::function<void(MatteKind kind, const std::string& name)>& tell) {
  const std::lock_guard telling(telling_);
  std::vector<std::pair<MatteKind, uint32_t>> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh.swap(untold_);
  }
  const std::shared_lock lock(mutex_);
  for (const auto& [kind, tag] : fresh) tell(kind, entries_[tag].names[static_cast<size_t>(kind)]);
}

void Cryptomatte::addWritten(MatteKind kind, std::string name) {
  const std::lock_guard lock(mutex_);
  const uint32_t id = matteId(name);
  recovered_[static_cast<size_t>(kind)].emplace(std::move(name), id);
}

void Cryptomatte::idsOf(MatteKind kind, std::span<const uint32_t> tags, uint32_t* ids) {
  const auto k = static_cast<size_t>(kind);
  std::vector<uint32_t> unknown;
  {
    const std::shared_lock lock(mutex_);
    for (const uint32_t tag : tags) {
      const Entry& e = entries_[tag];
      *ids++ = e.ids[k];
      if (!e.known[k] && (unknown.empty() || unknown.back() != tag)) unknown.push_back(tag);
    }
  }
  makeKnown(kind, unknown);
}

std::map<std::string, uint32_t> Cryptomatte::namesOf(MatteKind kind) const {
  const std::shared_lock lock(mutex_);
  std::map<std::string, uint32_t> ids = recovered_[static_cast<size_t>(kind)];
  for (const Entry& e : entries_)
    if (e.known[static_cast<size_t>(kind)])
      ids.emplace(e.names[static_cast<size_t>(kind)], e.ids[static_cast<size_t>(kind)]);
  return ids;
}

std::string Cryptomatte::manifest(MatteKind kind) const { return image::writeIdManifest(namesOf(kind)); }

bool Cryptomatte::collision(MatteKind kind, std::string& a, std::string& b) const {
  std::map<uint32_t, std::string> names;
  for (const auto& [name, id] : namesOf(kind)) {
    const auto [it, fresh] = names.emplace(id, name);
    if (fresh) continue;
    a = it->second, b = name;
    return true;
  }
  return false;
}

}  // namespace reyes::render
