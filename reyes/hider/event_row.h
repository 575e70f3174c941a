// SPDX-License-Identifier: Apache-2.0
// The events of a row of pixels, on their way from lists and flat samples to a DeepTile. Private to hider/: resolve
// makes one where deep pictures are wanted, ListCompositor fills it.
#pragma once

#include <vector>

#include "reyes/hider/bucket_impl.h"
#include "reyes/hider/deep_pack.h"

namespace reyes::hider {

class EventRow {
 public:
  explicit EventRow(const BucketHider::Impl& bucket);
  /// Events of the bucket as it is go to `out`, which becomes that of its pixels.
  void start(DeepTile& out);
  size_t bytes() const;

  /// Rows of the lattice that follow are of row cy of samples.
  void startSamples(int cy) { cy_ = cy; }
  /// A surface of the sample in a column of the lattice, which is seen through `through`. `looked` is the surface's
  /// colour, opacity and output variables. Kept, unless it adds nothing.
  void add(uint32_t column, float z, const MicroGrid& grid, const float* through, const float* looked);
  /// True where a sample's surface is not in its flat values alone: it comes through add().
  bool listed(size_t at) const { return matte_ || (b_.anyList && b_.heads[at] != kNoEntry); }
  bool anyMatte() const { return matte_; }
  /// The samples of pixel row y that see one surface, whose values `flat` has, are added; then the row is packed.
  void finish(int y, const SampleTile& flat);

 private:
  /// An event as it came; its numbers are in values_.
  struct Came {
    float z;
    uint32_t place;  ///< pixel * samples + sample
    uint32_t tag;
    bool matte;
  };
  void keep(float z, size_t place, bool matte, uint32_t tag, const float* oi, const float* ci, const float* aov);
  void addSingles(int y, const SampleTile& flat);
  void sortByPlace();

  const BucketHider::Impl& b_;
  DeepTile* out_ = nullptr;
  size_t samples_, aovFloats_, floats_;
  int cy_ = 0;
  bool matte_ = false;  ///< some grid is
  size_t count_ = 0;
  std::vector<Came> came_;     ///< the first count_
  std::vector<float> values_;  ///< an event: opacity (3), colour (3), variables
  std::vector<float> aov_;
  std::vector<uint32_t> ends_, byPlace_;
  std::vector<uint64_t> keys_, scratch_;
  DeepPacker packer_;
};

}  // namespace reyes::hider
