// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/deep_film.h"

#include "reyes/image/deep.h"

namespace reyes::render {
namespace {

/// Samples as the display keeps them: planes in the types of its channels.
display::DeepBlock packed(const hider::DeepPixels& pixels, const std::vector<display::ChannelSpec>& channels) {
  display::DeepBlock block;
  block.rect = pixels.rect, block.counts = pixels.counts;
  const size_t samples = pixels.values.size() / channels.size();
  for (size_t c = 0; c < channels.size(); ++c) {
    const size_t bytes = image::bytesOf(channels[c].type);
    std::vector<std::byte>& plane = block.planes.emplace_back(samples * bytes);
    for (size_t s = 0; s < samples; ++s)
      image::putDeepValue(channels[c].type, pixels.values[s * channels.size() + c], plane.data() + s * bytes);
  }
  return block;
}

}  // namespace

DeepFilm::DeepFilm(const hider::SamplingSpec& sampling, OutputPlan& plan, int buckets) : band_(sampling.bandRows) {
  for (PlannedDisplay& d : plan.displays)
    if (d.deep)
      outputs_.push_back(
          {d.deep.get(), &d, hider::DeepFilter(sampling, plan.filters[d.deep->filter].filter, d.deep->spec)});
  if (wanted()) tiles_.resize(static_cast<size_t>(buckets));
}

void DeepFilm::keep(int order, hider::DeepTile tile) {
  bytes_ += static_cast<int64_t>(tile.bytes());
  tiles_[static_cast<size_t>(order)] = std::make_unique<hider::DeepTile>(std::move(tile));
}

void DeepFilm::dropMiddle(int order) {
  if (!wanted()) return;
  hider::DeepTile& t = *tiles_[static_cast<size_t>(order)];
  bytes_ -= static_cast<int64_t>(t.bytes());
  t.dropMiddle(band_);
  bytes_ += static_cast<int64_t>(t.bytes());
}

void DeepFilm::drop(int order) {
  if (!wanted()) return;
  std::unique_ptr<hider::DeepTile>& t = tiles_[static_cast<size_t>(order)];
  bytes_ -= static_cast<int64_t>(t->bytes());
  t.reset();
}

void DeepFilm::develop(const PixelRect& rect, const std::function<const hider::DeepTile*(int px, int py)>& tileAt) {
  for (const Output& o : outputs_) {
    if (!o.display->display) continue;
    o.display->display->deepTile(packed(o.filter(rect, tileAt), o.display->request.channels));
  }
}

int64_t DeepFilm::bytes() const {
  int64_t sum = bytes_.load(std::memory_order_relaxed);
  for (const Output& o : outputs_)
    if (o.display->display) sum += o.display->display->heldBytes();
  return sum;
}

}  // namespace reyes::render
