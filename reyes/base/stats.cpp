// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/stats.h"

#include <sys/resource.h>

namespace reyes {

const char* counterName(Counter c) {
  static const char* const kNames[] = {"primitives",
                                       "procedurals_expanded",
                                       "nodes",
                                       "splits",
                                       "eye_splits",
                                       "culled_frustum",
                                       "culled_hidden",
                                       "culled_backfacing",
                                       "grids_diced",
                                       "grids_displaced",
                                       "grids_shaded",
                                       "grids_hidden",
                                       "points_shaded",
                                       "micropolygons",
                                       "micropolygons_culled",
                                       "bucket_micropolygons",
                                       "bucket_culled",
                                       "sample_tests",
                                       "sample_hits",
                                       "visible_entries",
                                       "nan_repaired",
                                       "bound_exceeded",
                                       "texture_lookups"};
  static_assert(std::size(kNames) == static_cast<size_t>(Counter::kCount));
  return kNames[static_cast<int>(c)];
}

const char* stageName(Stage s) {
  static const char* const kNames[] = {"parse", "compile", "split",   "dice",   "displace",
                                       "shade", "sample",  "resolve", "filter", "write"};
  static_assert(std::size(kNames) == static_cast<size_t>(Stage::kCount));
  return kNames[static_cast<int>(s)];
}

int64_t peakMemoryBytes() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<int64_t>(u.ru_maxrss) * 1024;
}

}  // namespace reyes
