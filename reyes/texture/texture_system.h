// SPDX-License-Identifier: Apache-2.0
// Look-ups into maps, batched over the lanes of a grid: textures, environments and shadow maps. Thread-safe. Pictures
// that are no tiled, mip-mapped maps are made into such in a cache folder (prepared.h).
// Called by shade/ on behalf of running shaders; made and owned by session/.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/isa.h"
#include "reyes/base/matrix.h"
#include "reyes/base/vec.h"

namespace reyes::texture {

struct LookupOptions {
  int firstChannel = 0;
  float sBlur = 0, tBlur = 0;
  float sWidth = 1, tWidth = 1;
  /// Of each lane, planes of n floats; null: the same for all, as above.
  const float *sBlurs = nullptr, *tBlurs = nullptr, *sWidths = nullptr, *tWidths = nullptr;
  float fill = 0;
  bool lerp = true;          ///< blend of two levels, else the nearer one
  std::string filter;        ///< empty: that of TextureOptions
  std::string sWrap, tWrap;  ///< black periodic clamp mirror; empty: as the file says
};

/// What does not change within a frame.
struct TextureOptions {
  Isa isa = bestIsa();
  int threads = 1;                 ///< for maps made on the fly
  std::string cacheFolder;         ///< for those maps; empty: a temporary one
  std::string filter;              ///< of look-ups that name none
  bool lerp = true;                ///< false: no look-up blends levels
  std::string sWrap, tWrap;        ///< of files that do not say how they go on; empty: black
  Vec3 missingColour = {0, 0, 0};  ///< what a texture that cannot be read shows
};

/// Of the whole run. Which thread comes first changes all but the look-ups.
struct TextureStats {
  int64_t lookups = 0, tileRequests = 0, tileHits = 0;  ///< hits: the thread held the tile already
  int64_t files = 0, tilesRead = 0, bytesRead = 0, redundantTiles = 0, redundantBytes = 0, bytesHeld = 0;
  /// Shadow maps: pages of depths, of them read again after they had gone, the most that was held.
  int64_t shadowMaps = 0, shadowPagesRead = 0, shadowPagesAgain = 0, shadowBytesHeld = 0;
};

struct ShadowOptions {
  int samples = 16;
  float blur = 0;
  float width = 1;
  float bias0 = -1, bias1 = -1;  ///< bias drawn uniformly between the two; below 0: found for each point
  const float *blurs = nullptr, *biases = nullptr;  ///< of each lane; null: the same for all, as above
  Isa isa = Isa::kSse4;
  float tBlur = -1, tWidth = -1;  ///< along t of the map; below 0: as blur and width, which then are of s alone
  float pixels = 1;               ///< least width of a look-up, in pixels of the map
};

/// n lanes; `active` non-zero where a result is wanted; planes of n floats.
struct TextureBatch {
  int n = 0;
  const uint8_t* active = nullptr;
  const float *s = nullptr, *t = nullptr;
  const float *dsdu = nullptr, *dtdu = nullptr, *dsdv = nullptr, *dtdv = nullptr;  ///< change to the next lane in u, v
};

class TextureSystem {
 public:
  TextureSystem(Diagnostics& diag, int64_t memoryBytes);
  ~TextureSystem();
  TextureSystem(const TextureSystem&) = delete;
  TextureSystem& operator=(const TextureSystem&) = delete;

  void setSearchPath(std::vector<std::string> folders);
  /// Before the first look-up of a frame.
  void configure(const TextureOptions& options);
  /// out: `channels` planes of n floats; channels that the file lacks are `fill`. Wrapping is as the look-up says, else
  /// the file (made maps), else the options. A file missing or unreadable: one message `texture-missing` at `loc`, the
  /// missing colour.
  /// `<UDIM>` in a name is 1001 + floor(s) + 10 floor(t): each square of the plane has a picture of its own.
  void texture(const std::string& file, const TextureBatch& batch, const LookupOptions& options, int channels,
               float* const* out, const SourceLoc& loc);
  /// directions r: planes of n floats, in the space the map was made in. Maps are latitude-longitude (what makeLatLong
  /// and makeCubeFace write): +z is the top row, +x the middle column, +y a quarter to its right.
  void environment(const std::string& file, int n, const uint8_t* active, const float* const* r,
                   const float* const* drdu, const float* const* drdv, const LookupOptions& options, int channels,
                   float* const* out, const SourceLoc& loc);
  /// Fraction in shadow (0 lit, 1 dark) of points p, planes in world space, with per-lane extents dpdu, dpdv (may be
  /// null) and a per-lane seed for the sample pattern. Points outside the map or behind the light are lit. `blur` is
  /// the full width of the softened edge as a fraction of the map. out: `channels` planes (1, or 3 for a colour).
  void shadow(const std::string& file, int n, const uint8_t* active, const float* const* worldP,
              const float* const* dPdu, const float* const* dPdv, const uint32_t* seed, const ShadowOptions& options,
              int channels, float* const* out, const SourceLoc& loc);
  /// textureinfo(): "resolution" 2, "channels" 1, "type" string, "viewingmatrix" 16, "projectionmatrix" 16, "exists" 1,
  /// "bitsperchannel" 1, "filename" string.
  bool info(const std::string& file, const std::string& what, std::vector<float>& numbers, std::string& text);
  /// A file was rewritten (a pass of this run made it): drop what is cached of it.
  void invalidate(const std::string& file);
  int64_t lookups() const;
  TextureStats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The name of a square of the plane, or "" where `file` names no such set; `udim` is 1001 and more.
std::string udimName(const std::string& file, int udim);
bool isUdim(const std::string& file);

/// MakeShadow: from a z picture (EXR with Z, worldToCamera and worldToNDC attributes) to a shadow map. Error text or
/// "".
std::string makeShadow(const std::string& picture, const std::string& shadowMap);

}  // namespace reyes::texture
