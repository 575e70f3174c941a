// SPDX-License-Identifier: Apache-2.0
// The deep displays of a view: what they hold, the events of buckets while filters still reach them, and the samples
// that their pixels become. Called by Film beside its flat tiles, and by outputs.cpp; idle where no display is deep.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "reyes/hider/deep.h"
#include "reyes/render/outputs.h"

namespace reyes::render {

/// What a deep display holds, of one or more DisplaySpecs.
struct DeepOutput {
  hider::DeepSpec spec;
  size_t filter = 0;                                                ///< in OutputPlan::filters
  std::vector<MatteKind> ids;                                       ///< of which samples have one each
  std::vector<std::pair<std::string, image::PixelType>> objectIds;  ///< channels of the output variable id, the last
};

bool isDeep(const scene::DisplaySpec& spec);
/// Adds what a deep display asks for to `d`, its channels in the order of hider::DeepPixels.
void planDeep(OutputPlan& plan, PlannedDisplay& d, const scene::View& view, const scene::DisplaySpec& spec,
              Diagnostics& diag);

class DeepFilm {
 public:
  using TileAt = std::function<const hider::DeepTile*(int px, int py)>;
  DeepFilm(const hider::SamplingSpec& sampling, OutputPlan& plan, int buckets);
  bool wanted() const { return !outputs_.empty(); }

  /// Pixels `inside` the tile, which need no other tile, are filtered at once, and of the rows that they are of the
  /// events beside them are kept alone.
  void keep(int order, hider::DeepTile tile, const PixelRect& inside);
  const hider::DeepTile* tile(int order) const { return &tiles_[static_cast<size_t>(order)]->events; }
  /// Rows that nobody needs any more, as SampleTile::drop() has them; all.
  void dropBand(int order, int band);
  void drop(int order);
  /// Filters pixels whose tiles are all there and hands them to the displays; adds what they got to `record`, if any.
  /// `order` is the bucket whose pixels `inside` are among them, or -1.
  void develop(const PixelRect& rect, int order, const TileAt& tileAt, std::vector<std::byte>* record);
  /// Of tiles, and of samples that wait in displays to be written.
  int64_t bytes() const;

 private:
  struct Output {
    const DeepOutput* spec;
    PlannedDisplay* display;
    hider::DeepFilter filter;
  };
  /// Of a bucket.
  struct Tile {
    hider::DeepTile events;
    std::vector<hider::DeepPixels> inside;  ///< an output: pixels that are filtered already, until they are handed on
    size_t insideBytes() const;
  };
  /// The pixels of `rect`, those `inside` as they are.
  static hider::DeepPixels around(const hider::DeepFilter& filter, const PixelRect& rect,
                                  const hider::DeepPixels& inside, const TileAt& tileAt);
  display::DeepBlock packed(const hider::DeepPixels& pixels, const Output& output) const;

  Cryptomatte* mattes_;
  std::vector<Output> outputs_;
  std::vector<std::unique_ptr<Tile>> tiles_;
  int reachX_ = 0, bandRows_ = 0;
  std::atomic<int64_t> bytes_{0};
};

}  // namespace reyes::render
