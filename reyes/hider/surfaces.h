// SPDX-License-Identifier: Apache-2.0
// What one sample of a bucket sees: its surfaces, nearest first, and values where it meets them. Serves the resolve of
// flat and deep samples (resolve.cpp, list_compositor.cpp). Private to hider/.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "reyes/hider/bucket_impl.h"
#include "reyes/hider/resolve_kernels.h"

namespace reyes::hider {

class SurfaceReader {
 public:
  struct Surface {
    float z;
    uint32_t id;
  };
  /// Where in a micropolygon a sample lies: corner a, and bilinear weights (s towards u, t towards v).
  struct Location {
    const GridRecord* record = nullptr;
    size_t a = 0;
    float s = 0, t = 0;
  };

  explicit SurfaceReader(const BucketHider::Impl& bucket) : b_(bucket) {}
  const BucketHider::Impl& bucket() const { return b_; }

  /// Until the next call: the surfaces of a sample in the order in which they are composited.
  std::span<const Surface> gather(size_t sample);
  Location locate(uint32_t id, size_t sample);
  float value(const Location& at, std::span<const float> planes, size_t plane) const;
  /// The same of the first three planes; zeros where there are not as many.
  void triple(const Location& at, std::span<const float> planes, float out[3]) const;

 private:
  const GridRecord& record(uint32_t id) {
    if (!last_ || id < last_->idBase || (last_ != &b_.grids.back() && id >= last_[1].idBase))
      last_ = &b_.grids[b_.gridIndexOf(id)];
    return *last_;
  }
  void order();

  const BucketHider::Impl& b_;
  const GridRecord* last_ = nullptr;
  std::vector<Surface> surfaces_;
};

inline std::span<const SurfaceReader::Surface> SurfaceReader::gather(size_t sample) {
  surfaces_.clear();
  const float nearest = b_.z[sample], limit = b_.ctx.lattice.limit[sample];
  if (b_.anyList)
    for (uint32_t e = b_.heads[sample]; e != kNoEntry; e = b_.entries[e].next)
      if (b_.entries[e].z <= limit) surfaces_.push_back({b_.entries[e].z, b_.entries[e].id});
  if (nearest < kInf) surfaces_.push_back({nearest, b_.id[sample]});
  // Lists are chained from newest to oldest, and buckets take what is near first: the other way round little is left
  // to sort.
  if (surfaces_.size() > 1) {
    std::reverse(surfaces_.begin(), surfaces_.end());
    order();
  }
  return surfaces_;
}

/// Insertion, as long as it moves little.
inline void SurfaceReader::order() {
  const auto nearer = [this](const Surface& p, const Surface& q) {
    return p.z != q.z ? p.z < q.z : b_.before(p.id, q.id);
  };
  size_t moves = 0;
  const size_t n = surfaces_.size();
  for (size_t i = 1; i < n; ++i) {
    if (!nearer(surfaces_[i], surfaces_[i - 1])) continue;
    const Surface s = surfaces_[i];
    size_t at = i;
    do surfaces_[at] = surfaces_[at - 1], --at, ++moves;
    while (at > 0 && nearer(s, surfaces_[at - 1]));
    surfaces_[at] = s;
    if (moves > 8 * n) return std::sort(surfaces_.begin(), surfaces_.end(), nearer);
  }
}

inline SurfaceReader::Location SurfaceReader::locate(uint32_t id, size_t sample) {
  Location at;
  at.record = &record(id);
  const MicroGrid& g = at.record->grid;
  const uint32_t local = id - at.record->idBase, mp = local >> 1;
  const bool second = local & 1;
  const size_t row = static_cast<size_t>(g.nu) + 1;
  at.a = mp / static_cast<uint32_t>(g.nu) * row + mp % static_cast<uint32_t>(g.nu);
  if (!g.smooth) return at;

  const size_t toB = static_cast<size_t>(g.stepU()), toD = static_cast<size_t>(g.stepV());
  const size_t v[3] = {at.a, second ? at.a + toD + toB : at.a + toB, second ? at.a + toD : at.a + toD + toB};
  float s, t;
  if (at.record->moving) {
    double x[3], y[3];
    for (int n = 0; n < 3; ++n) b_.movedVertex(g, v[n], sample, x[n], y[n]);
    const double p[2] = {static_cast<double>(b_.sampleX[sample]), static_cast<double>(b_.sampleY[sample])};
    triangleWeights(second, static_cast<float>(x[1] - x[0]), static_cast<float>(y[1] - y[0]),
                    static_cast<float>(x[2] - x[0]), static_cast<float>(y[2] - y[0]), static_cast<float>(p[0] - x[0]),
                    static_cast<float>(p[1] - y[0]), s, t);
  } else {
    int32_t x[3], y[3];
    for (int n = 0; n < 3; ++n) x[n] = toUnits(g.x[v[n]], b_.rect.x0), y[n] = toUnits(g.y[v[n]], b_.rect.y0);
    const int32_t p[2] = {static_cast<int32_t>(b_.sampleX[sample]), static_cast<int32_t>(b_.sampleY[sample])};
    triangleWeights(second, static_cast<float>(x[1] - x[0]), static_cast<float>(y[1] - y[0]),
                    static_cast<float>(x[2] - x[0]), static_cast<float>(y[2] - y[0]), static_cast<float>(p[0] - x[0]),
                    static_cast<float>(p[1] - y[0]), s, t);
  }
  at.s = s, at.t = t;
  return at;
}

inline float SurfaceReader::value(const Location& at, std::span<const float> planes, size_t plane) const {
  const MicroGrid& g = at.record->grid;
  const size_t points = static_cast<size_t>(g.points());
  const auto toB = g.stepU(), toD = g.stepV();
  if (planes.size() < (plane + 1) * points) return 0;
  const float* p = planes.data() + plane * points + at.a;
  if (!g.smooth) return repaired(p[0]);
  const float v00 = repaired(p[0]), v10 = repaired(p[toB]), v01 = repaired(p[toD]), v11 = repaired(p[toD + toB]);
  const float top = v00 + at.s * (v10 - v00), bottom = v01 + at.s * (v11 - v01);
  return top + at.t * (bottom - top);
}

inline void SurfaceReader::triple(const Location& at, std::span<const float> planes, float out[3]) const {
  const MicroGrid& g = at.record->grid;
  const size_t points = static_cast<size_t>(g.points());
  const auto toB = g.stepU(), toD = g.stepV();
  if (at.record->repair || planes.size() < 3 * points) {
    for (size_t c = 0; c < 3; ++c) out[c] = value(at, planes, c);
    return;
  }
  const float* p = planes.data() + at.a;
  for (size_t c = 0; c < 3; ++c, p += points) {
    out[c] = p[0];
    if (!g.smooth) continue;
    const float top = p[0] + at.s * (p[toB] - p[0]), bottom = p[toD] + at.s * (p[toD + toB] - p[toD]);
    out[c] = top + at.t * (bottom - top);
  }
}

}  // namespace reyes::hider
