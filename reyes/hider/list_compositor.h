// SPDX-License-Identifier: Apache-2.0
// Composites the samples of a lattice row that have lists, many at a time: their nearest surfaces' values come from the
// resolve kernels grid by grid, then each sample goes through its own from front to back; samples that are still open
// have the next surfaces looked up. The same bits as Resolver::composite() in resolve.cpp. Private to hider/.
#pragma once

#include <span>
#include <vector>

#include "reyes/hider/resolve_batch.h"
#include "reyes/hider/surfaces.h"

namespace reyes::hider {

class EventRow;

class ListCompositor {
 public:
  /// What a sample is; `values` are SampleTile's channels.
  struct Sample {
    uint32_t column;
    uint32_t next, end;  ///< surfaces left
    float through[4] = {1, 1, 1, 1};
    float depth;
    uint32_t shown, first;  ///< triangle of the depth, and the nearest one
    bool open = true, done = false, any = false;
  };

  /// Where `events` are wanted too, what each surface adds goes there.
  ListCompositor(BucketHider::Impl& bucket, EventRow* events);

  /// Samples rowAt + columns[..].
  void run(size_t rowAt, std::span<const uint32_t> columns);

  size_t size() const { return samples_.size(); }
  uint32_t column(size_t n) const { return samples_[n].column; }
  std::span<const float> values(size_t n) const { return {&values_[n * channels_], channels_}; }
  /// With SamplingSpec::tags.
  std::span<const TagShare> shares(size_t n) const { return shares_[n]; }

 private:
  typedef float F4 __attribute__((vector_size(16)));
  struct Fragment {
    uint32_t sample, surface, grid;
  };
  /// Surfaces of a sample that are looked up at a time.
  static constexpr uint32_t kRound = 8;

  bool pick();
  void evaluate(size_t rowAt);
  void composite();
  template <bool kPlain>
  void addFragments(Sample& s, size_t first, size_t end);
  void addOthers(size_t f, F4 through);
  void finish(size_t rowAt);

  BucketHider::Impl& b_;
  EventRow* events_;
  SurfaceReader reader_;
  ResolveFrame frame_;
  size_t channels_, planes_;
  bool wantsDepth_;  ///< and the output variables of one surface
  std::vector<Sample> samples_;
  std::vector<float> values_;
  std::vector<std::vector<TagShare>> shares_;
  std::vector<SurfaceReader::Surface> surfaces_;
  std::vector<Fragment> fragments_;
  std::vector<uint32_t> gridStart_, byGrid_;
  std::vector<float> looked_;  ///< [fragment * planes + plane]: values, three of colour and three of opacity first
};

}  // namespace reyes::hider
