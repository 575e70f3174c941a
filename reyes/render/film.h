// SPDX-License-Identifier: Apache-2.0
// Sample tiles become pixels: pixels are filtered as soon as all tiles that the filter reaches are there, pass through
// the imager, and go to the displays. Every pixel is filtered once, by the thread that resolved the last tile it waits
// for; the result does not depend on which.
//
// The pixels of a row of buckets are cut into slices: the rows next to its upper and lower border wait for the buckets
// above and below, those between for the neighbours beside alone. So most of a tile goes early, and only the samples
// near the borders, a few rows of them, wait for the next row of buckets.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "reyes/render/buckets.h"
#include "reyes/render/checkpoint_file.h"
#include "reyes/render/deep_film.h"
#include "reyes/render/grid_shader.h"
#include "reyes/render/outputs.h"

namespace reyes::render {

class Film {
 public:
  Film(const scene::View& view, const hider::SamplingSpec& sampling, OutputPlan& plan, const Buckets& buckets);

  /// Takes the tile of bucket `order`; filters and writes whatever has become complete.
  void add(int order, hider::SampleTile tile, GridShader& shader, Stats& stats);
  /// Where deep displays want them, the events of bucket `order` come before its tile.
  bool wantsDeep() const { return deep_.wanted(); }
  void addDeep(int order, hider::DeepTile tile);
  /// Pixels are kept in `log` too, as they become finished.
  void keepIn(CheckpointWriter* log) { log_ = log; }
  /// Parts: what a record of a checkpoint holds. Pixels that a display has are of one part.
  size_t parts() const { return slices_.size() * static_cast<size_t>(buckets_.columns()); }
  size_t partsWanted() const;  ///< those with pixels
  /// Before the first bucket: gives the displays what a record has of a part, which is finished then. False, and
  /// nothing done, where it cannot be of this part.
  bool restore(size_t part, std::span<const std::byte> record);
  /// False for buckets whose samples no pixel waits for.
  bool wants(int order) const { return slots_[static_cast<size_t>(order)].users.load() > 0; }
  int64_t tileBytes() const { return bytes_.load(std::memory_order_relaxed) + deep_.bytes(); }

 private:
  struct Slot {
    std::unique_ptr<hider::SampleTile> tile;
    std::atomic<int> users{0};        ///< parts whose pixels still need this tile
    std::atomic<int> bandUsers[3]{};  ///< those that need its first, middle, last rows (SampleTile::drop())
  };
  /// Rows of pixels that wait for the same rows of buckets.
  struct Slice {
    int y0 = 0, y1 = 0;
    int inner = -1;  ///< the row of buckets whose middle this is
  };
  /// A part's pixels after one filter: interleaved values a job, and alpha.
  struct Developed {
    std::vector<std::vector<float>> planes, statistics;
    std::vector<float> alpha;
    hider::PixelShares shares;  ///< where a display wants ids through this filter
  };
  static constexpr size_t kNone = SIZE_MAX;
  void cutSlices();
  /// Pixels of a tile that need no other tile: none where deep events would not go by that.
  PixelRect insideOf(const PixelRect& tile) const;
  /// A part is the pixels of a slice in a column of buckets.
  size_t partAt(size_t slice, int column) const { return slice * static_cast<size_t>(buckets_.columns()) + column; }
  PixelRect target(size_t slice, int column) const;
  PixelRect grown(PixelRect r) const {
    return {r.x0 - plan_.reachX, r.y0 - plan_.reachY, r.x1 + plan_.reachX, r.y1 + plan_.reachY};
  }
  /// Buckets whose samples a part needs: a rectangle of the lattice.
  bool neighbours(size_t slice, int column, int& i0, int& i1, int& j0, int& j1) const;
  void develop(size_t slice, int column, GridShader& shader);
  void release(size_t slice, int column);
  /// True where the pixels of a slice need the band's rows of the buckets of row j.
  bool needs(const Slice& slice, int j, int band) const;
  void runImager(const PixelRect& rect, std::vector<float>& ci, std::vector<float>& oi, std::vector<float>& alpha,
                 GridShader& shader) const;
  static const std::vector<float>& valuesOf(const OutputGroup& g, const Developed& d);
  void send(const PixelRect& rect, PlannedDisplay& display, const std::vector<Developed>& done,
            std::vector<std::byte>* record) const;
  void keepRecord(size_t part, const std::vector<std::byte>& record);

  const scene::View& view_;
  OutputPlan& plan_;
  const Buckets& buckets_;
  std::vector<hider::PixelFilter> filters_;  ///< as plan_.filters
  std::vector<hider::StatisticsFilter> statistics_;
  std::vector<Slice> slices_;       ///< from top to bottom
  std::vector<size_t> innerSlice_;  ///< of a row of buckets: that of its middle, or kNone
  std::unique_ptr<Slot[]> slots_;
  std::unique_ptr<std::atomic<int>[]> missing_;  ///< of parts: tiles that they still wait for
  std::atomic<int64_t> bytes_{0};
  DeepFilm deep_;
  CheckpointWriter* log_ = nullptr;
};

}  // namespace reyes::render
