// SPDX-License-Identifier: Apache-2.0
// Filtered look-ups into one picture over the lanes of a grid: trilinear along the footprint's longer axis, or on a
// lattice over it; bicubic where texels are magnified (docs/decisions/0019). One sampler a thread at a time; it holds
// the tiles that it used last. Called by TextureSystem.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reyes/texture/filters.h"
#include "reyes/texture/picture_cache.h"
#include "reyes/texture/tap_kernels.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {

/// An open picture, and how it repeats.
struct SampledPicture {
  PictureCache::Picture* picture = nullptr;
  const PictureInfo* info = nullptr;
  uint32_t number = 0;  ///< its own among all pictures of the cache
  Wrap sWrap = Wrap::kBlack, tWrap = Wrap::kBlack;
};

class Sampler {
 public:
  Sampler(PictureCache& cache, Isa isa) : cache_(cache), kernels_(tapKernels(isa)) {}
  ~Sampler() { dropTiles(); }
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// `channels` planes of batch.n floats, from options.firstChannel on; those the picture lacks are filled.
  /// `sBlurScale`: a factor of sBlur for each lane, or null. Returns the lanes that were looked up.
  int sample(const SampledPicture& picture, const TextureBatch& batch, const LookupOptions& options, Filter filter,
             const float* sBlurScale, int channels, float* const* out);
  /// Why tiles could not be read since the last call, or "".
  std::string takeError();
  void dropTiles();
  int64_t tileRequests() const { return tileRequests_; }
  int64_t tilesPinned() const { return tilesPinned_; }

 private:
  /// Planes of n lanes, padded to 8.
  struct Planes {
    int n = 0, padded = 0;
    float *s, *t, *stepS, *stepT, *acrossS, *acrossT, *fraction, *smooth, *active, *weight, *zero, *sums[kChannelGroup];
    int32_t *level, *probes, *rows;
  };
  Planes planesFor(int n);
  FootprintArgs footprintArgs(const TextureBatch& batch, const LookupOptions& options, const float* sBlurScale,
                              Planes& p);
  void scaleByLane(const LookupOptions& options, const float* sBlurScale, FootprintArgs& a);
  FootprintSums footprints(FootprintArgs& a, const LookupOptions& options, Filter filter, Planes& p);
  FootprintSums latticeFootprints(const FootprintArgs& a, const LatticeFilter& filter, bool lerp, Planes& p);
  TapRound roundOf(const SampledPicture& picture, const Planes& p, bool severalProbes, bool nearest);
  void probes(TapRound& round, const Planes& p, const FootprintSums& todo, Filter filter, int channels);
  void lattice(TapRound& round, const Planes& p, const FootprintSums& todo, const LatticeFilter& filter, int channels);
  void levels(TapRound& round, bool anySmooth, int channels);
  static const char* fetchTile(void* self, int64_t key);
  static void addEdge(void* self, const TapRound& round, const EdgeTap& tap);
  const char* tile(int64_t key);
  void texel(const TapRound& round, int level, int x, int y, float* to);
  void poleRow(const TapRound& round, int level, bool top, float* to);
  void release(int slot);

  PictureCache& cache_;
  const TapKernels& kernels_;
  SampledPicture current_;
  int groupChannels_ = 0;
  std::vector<float> floats_, byLane_;
  std::vector<int32_t> ints_;
  std::array<TileSlot, kTileSlots> slots_;
  std::array<PinnedTile, kTileSlots> pinned_;
  int64_t pinnedBytes_ = 0;
  int nextRelease_ = 0;
  int64_t tileRequests_ = 0, tilesPinned_ = 0;
  std::string error_;
};

}  // namespace reyes::texture
