// SPDX-License-Identifier: Apache-2.0
// Sample tiles become pixels: a bucket's pixels are filtered as soon as all buckets that the filter reaches are
// resolved, pass through the imager, and go to the displays. A tile goes when nobody needs it any more. Every pixel is
// filtered once, by the thread that resolved the last tile it waits for; the result does not depend on which.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "reyes/render/buckets.h"
#include "reyes/render/grid_shader.h"
#include "reyes/render/outputs.h"

namespace reyes::render {

class Film {
 public:
  Film(const scene::View& view, const hider::SamplingSpec& sampling, OutputPlan& plan, const Buckets& buckets);

  /// Takes the tile of bucket `order`; filters and writes whatever has become complete.
  void add(int order, hider::SampleTile tile, GridShader& shader, Stats& stats);
  int64_t tileBytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    std::unique_ptr<hider::SampleTile> tile;
    std::atomic<int> missing{0};  ///< tiles that this bucket's pixels still wait for
    std::atomic<int> users{0};    ///< buckets whose pixels still need this tile
  };
  /// A bucket's pixels after one filter: interleaved values a job, and alpha.
  struct Developed {
    std::vector<std::vector<float>> planes;
    std::vector<float> alpha;
  };
  /// Buckets whose samples the pixels of bucket `order` need: a rectangle of the lattice.
  bool neighbours(int order, int& i0, int& i1, int& j0, int& j1) const;
  PixelRect target(int order) const { return intersect(buckets_.rect(order), view_.crop); }
  void develop(int order, GridShader& shader);
  void runImager(const PixelRect& rect, std::vector<float>& ci, std::vector<float>& oi, std::vector<float>& alpha,
                 GridShader& shader) const;
  void send(const PixelRect& rect, PlannedDisplay& display, const std::vector<Developed>& done) const;

  const scene::View& view_;
  const hider::SamplingSpec& sampling_;
  OutputPlan& plan_;
  const Buckets& buckets_;
  std::unique_ptr<Slot[]> slots_;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace reyes::render
