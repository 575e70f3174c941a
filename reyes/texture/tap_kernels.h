// SPDX-License-Identifier: Apache-2.0
// What the sampler and its kernels share: where a point's footprint lies, and one round of weighted bilinear taps.
// Private to texture/. Kernels work on planes of lanes; every lane's result depends on that lane alone.
#pragma once

#include <cstdint>

#include "reyes/base/isa.h"
#include "reyes/texture/picture_cache.h"

namespace reyes::texture {

/// Footprints longer than this times their width are looked up on a smaller level.
inline constexpr int kMaxAspect = 16;
inline constexpr int kMaxProbes = 24;
/// Channels that a kernel takes at once.
inline constexpr int kChannelGroup = 4;

/// Footprints of n lanes; planes of n floats, outputs padded to 8.
struct FootprintArgs {
  int n = 0;
  const uint8_t* active = nullptr;  ///< or null: all
  const float *s = nullptr, *t = nullptr;
  const float *dsdu = nullptr, *dtdu = nullptr, *dsdv = nullptr, *dtdv = nullptr;
  const float *sBlurScale = nullptr, *tBlurScale = nullptr;  ///< factors of sBlur and tBlur, or null
  float width = 1, height = 1;                               ///< of the largest level
  float sWidth = 1, tWidth = 1, sBlur = 0, tBlur = 0;
  int lastLevel = 0;
  float probesPerAspect = 1;
  bool isotropic = false;     ///< one probe as wide as the footprint is long
  bool neverSmooth = false;   ///< bilinear even where texels are magnified
  bool nearestLevel = false;  ///< no blend of two levels

  float *cleanS = nullptr, *cleanT = nullptr;  ///< finite
  float *stepS = nullptr,
        *stepT = nullptr;     ///< what the probes have to add to a probe's own width, along the footprint
  float* fraction = nullptr;  ///< weight of the level above `level`
  float* smooth = nullptr;    ///< weight of the bicubic filter
  int32_t *level = nullptr, *probes = nullptr;
  float* weight = nullptr;  ///< 1 of active lanes, 0 of others
};

/// What there is to do for the active lanes.
struct FootprintSums {
  int count = 0;  ///< active lanes
  int mostProbes = 1, mostRows = 1;
  bool smooth = false, fraction = false;  ///< some lane has a weight of these
};

/// A tile that a thread holds.
struct TileSlot {
  int64_t key = -1;
  const char* texels = nullptr;  ///< null where it cannot be read: its texels are zero
};
inline constexpr int kTileSlots = 256;

/// A tap that reaches over the border of its tile or of the picture.
struct EdgeTap {
  int lane, level, x, y;  ///< lower left of its four texels, before wrapping
  float fx, fy, weight;
};

enum class Tap : uint8_t { kPlain, kLinear, kCubic0, kCubic1, kCubic2, kCubic3, kTexel };

/// One tap a lane. Cubic taps are the four bilinear ones that make up a bicubic B-spline; a texel is one of the 16
/// around a place, weighted by a polynomial of how far the place is towards the next.
struct TapRound {
  int n = 0;  ///< multiple of 8
  const float *s = nullptr, *t = nullptr, *stepS = nullptr, *stepT = nullptr;
  const float *fraction = nullptr, *smooth = nullptr;
  const float* weight = nullptr;  ///< of this probe; 0 where the lane has none
  const int32_t* level = nullptr;
  const int32_t* probes = nullptr;  ///< null: one each
  int probe = 0;
  const float *acrossS = nullptr, *acrossT = nullptr;  ///< from row to row of a lattice
  const int32_t* rows = nullptr;                       ///< null: one row
  int row = 0;
  int texelX = 0, texelY = 0;                                ///< -1 to 2
  const float *texelPartX = nullptr, *texelPartY = nullptr;  ///< four powers each
  bool nextLevel = false, nearest = false;
  Tap tap = Tap::kPlain;

  int width = 1, height = 1, lastLevel = 0, tileShiftX = 0, tileShiftY = 0;
  Wrap sWrap = Wrap::kBlack, tWrap = Wrap::kBlack;
  int stride = 1, first = 0;  ///< channels of a texel, the first wanted
  float scale = 1;            ///< of integers to 0..1
  float* sums[kChannelGroup] = {};

  TileSlot* slots = nullptr;  ///< kTileSlots
  int64_t pictureKey = 0;     ///< upper half of the keys of this picture's tiles
  void* host = nullptr;
  const char* (*fetch)(void* host, int64_t key) = nullptr;  ///< fills a slot
  void (*edge)(void* host, const TapRound&, const EdgeTap&) = nullptr;
  int64_t* tileRequests = nullptr;
};

/// Keys of tiles: picture, level, row, column.
inline int32_t tileKey(int level, int tileX, int tileY) { return level << 26 | tileY << 13 | tileX; }
inline int slotOf(int64_t key) { return static_cast<int>((static_cast<uint64_t>(key) * 0x9e3779b97f4a7c15ull) >> 56); }
static_assert(kTileSlots == 256);

struct TapKernels {
  FootprintSums (*footprints)(const FootprintArgs&);
  /// Adds a round to the sums. [type][channels - 1]
  void (*taps[4][kChannelGroup])(const TapRound&);
  /// Both levels of the only probe of every lane, not smooth: writes the sums.
  void (*single[4][kChannelGroup])(const TapRound&);
};
const TapKernels& tapKernels(Isa isa);

}  // namespace reyes::texture
