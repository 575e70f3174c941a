// SPDX-License-Identifier: Apache-2.0
// Id mattes by Psyop's Cryptomatte specification: names of primitives become hashes, shares of a pixel's alpha become
// ranked pairs of hash and coverage, all names a manifest. One object a frame, made by planOutputs() where a display
// asks for it; primitives get their tags from it before they are opened, film writes through it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "reyes/hider/hider.h"
#include "reyes/scene/world.h"

namespace reyes::render {

enum class MatteKind : uint8_t { kObject, kMaterial, kAsset };
inline constexpr int kMatteKinds = 3;

/// What a display's group of id channels holds.
struct MatteSpec {
  MatteKind kind = MatteKind::kObject;
  int levels = 6;       ///< pairs of id and coverage a pixel: even
  bool preview = true;  ///< three channels before them, colours made from ids

  int channels() const { return (preview ? 3 : 0) + 2 * levels; }
};

/// The kind that a variable of a display asks for: "cryptomatte:object"; false for any other variable.
bool matteKindOf(const std::string& variable, MatteKind& kind);
/// CryptoObject, CryptoMaterial, CryptoAsset: what channels begin with.
const char* matteLayer(MatteKind kind);
/// Names of the channels of a group, in order: layer.red .green .blue, layer00.red .green .blue .alpha, layer01...
std::vector<std::string> matteChannels(const MatteSpec& spec);

/// Attributes that say what channels of ids are: `what` is name, hash, conversion or manifest.
std::string matteKey(MatteKind kind, const char* what);

/// The id of a name: MurmurHash3, with exponents that no ordinary float has turned into others.
uint32_t matteId(const std::string& name);
/// UTF-8 of a name: bytes that are none are taken for Latin-1.
std::string utf8Of(const std::string& name);

class Cryptomatte {
 public:
  /// The tag of all primitives that have these attributes' three names. Thread-safe. Those that procedurals make are
  /// in the manifest only if they are written, so that it does not depend on which were expanded.
  uint32_t tagOf(const scene::Attributes& attributes, bool madeByProcedural);
  /// Ranked ids of pixels: channels of pixel p from out[p * stride] on, which must be zero. Thread-safe.
  void write(const MatteSpec& spec, const hider::PixelShares& pixels, size_t stride, float* out);

  /// The id of each tag. Thread-safe.
  void idsOf(MatteKind kind, std::span<const uint32_t> tags, uint32_t* ids);

  /// Names that came into the manifest by being written since the last call. Whoever returns from here knows that all
  /// names that it wrote have been told, by whichever thread. Thread-safe.
  void tellWritten(const std::function<void(MatteKind kind, const std::string& name)>& tell);
  /// A name that was written before, by a frame that this one goes on from.
  void addWritten(MatteKind kind, std::string name);

  /// The manifest, JSON.
  std::string manifest(MatteKind kind) const;
  /// Two names in the manifest that have one id, or none.
  bool collision(MatteKind kind, std::string& a, std::string& b) const;

  static std::string nameOf(const scene::Attributes& attributes, MatteKind kind);

 private:
  struct Entry {
    std::string names[kMatteKinds];
    uint32_t ids[kMatteKinds] = {};
    bool known[kMatteKinds] = {};  ///< goes into the manifest
  };
  std::map<std::string, uint32_t> namesOf(MatteKind kind) const;
  void makeKnown(MatteKind kind, const std::vector<uint32_t>& tags);

  mutable std::shared_mutex mutex_;
  std::deque<Entry> entries_;  ///< by tag
  std::map<std::string, uint32_t> tags_;
  std::vector<std::pair<MatteKind, uint32_t>> untold_;  ///< kinds and tags, under mutex_
  std::mutex telling_;
  std::map<std::string, uint32_t> recovered_[kMatteKinds];  ///< ids by name
};

}  // namespace reyes::render
