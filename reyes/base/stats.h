// SPDX-License-Identifier: Apache-2.0
// Counters of a frame, one block a thread, summed at the end. All counts are functions of the scene, never of threads;
// times are wall seconds of the thread that measured them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace reyes {

enum class Counter {
  kPrimitives,
  kExpansions,
  kNodes,
  kSplits,
  kEyeSplits,
  kCulledFrustum,
  kCulledHidden,
  kCulledBackfacing,
  kGridsDiced,
  kGridsDisplaced,
  kGridsShaded,
  kGridsHidden,
  kPointsShaded,
  kMicropolygons,        ///< of grids that were shaded, each once
  kMicropolygonsCulled,  ///< small faces that were left out before they were shaded
  kBucketMicropolygons,  ///< that buckets tested against samples: some in several buckets
  kBucketCulled,         ///< of the same grids, those that nobody can see
  kSampleTests,
  kSampleHits,
  kVisibleEntries,
  kNanRepaired,
  kBoundExceeded,
  kTextureLookups,
  kCount
};
enum class Stage { kParse, kCompile, kSplit, kDice, kDisplace, kShade, kSample, kResolve, kFilter, kWrite, kCount };

const char* counterName(Counter c);
const char* stageName(Stage s);

struct alignas(64) Stats {
  std::array<int64_t, static_cast<int>(Counter::kCount)> counts{};
  std::array<double, static_cast<int>(Stage::kCount)> seconds{};

  void add(Counter c, int64_t n = 1) { counts[static_cast<int>(c)] += n; }
  int64_t get(Counter c) const { return counts[static_cast<int>(c)]; }
  void merge(const Stats& o) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += o.counts[i];
    for (size_t i = 0; i < seconds.size(); ++i) seconds[i] += o.seconds[i];
  }
};

/// Adds the life time of the object to a stage.
class StageTimer {
 public:
  StageTimer(Stats& stats, Stage stage) : stats_(stats), stage_(stage), start_(std::chrono::steady_clock::now()) {}
  ~StageTimer() {
    stats_.seconds[static_cast<int>(stage_)] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  Stats& stats_;
  Stage stage_;
  std::chrono::steady_clock::time_point start_;
};

/// Peak resident memory of the process in bytes.
int64_t peakMemoryBytes();

}  // namespace reyes
