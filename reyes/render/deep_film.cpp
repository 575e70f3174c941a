// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/deep_film.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "reyes/base/half.h"
#include "reyes/image/deep.h"
#include "reyes/render/part_record.h"

namespace reyes::render {
namespace {

/// One channel of samples that are `stride` floats each, in its type.
template <class T, class Convert>
std::vector<std::byte> planeOf(const float* from, size_t stride, size_t samples, const Convert& convert) {
  std::vector<std::byte> plane(samples * sizeof(T));
  auto* to = reinterpret_cast<T*>(plane.data());
  for (size_t s = 0; s < samples; ++s, from += stride) to[s] = convert(std::isnan(*from) ? 0.0f : *from);
  return plane;
}

}  // namespace

/// Samples as the display keeps them: planes in the types of its channels, those of ids last.
display::DeepBlock DeepFilm::packed(const hider::DeepPixels& pixels, const Output& output) const {
  const std::vector<display::ChannelSpec>& channels = output.display->request.channels;
  const std::vector<MatteKind>& ids = output.spec->ids;
  const size_t values = channels.size() - ids.size() - output.spec->objectIds.size();
  const size_t samples = pixels.values.size() / values;
  display::DeepBlock block;
  block.rect = pixels.rect, block.counts = pixels.counts;
  for (size_t c = 0; c < values; ++c) {
    const float* from = pixels.values.data() + c;
    block.planes.push_back(channels[c].type == image::PixelType::kHalf
                               ? planeOf<uint16_t>(from, values, samples, [](float v) { return toHalf(v).bits; })
                               : planeOf<float>(from, values, samples, [](float v) { return v; }));
  }
  for (const MatteKind kind : ids) {
    std::vector<std::byte>& plane = block.planes.emplace_back(samples * sizeof(uint32_t));
    mattes_->idsOf(kind, pixels.tags, reinterpret_cast<uint32_t*>(plane.data()));
  }
  for (size_t c = values + ids.size(); c < channels.size(); ++c) {
    std::vector<std::byte>& plane = block.planes.emplace_back(samples * sizeof(uint32_t));
    for (size_t s = 0; s < samples; ++s) {
      const uint32_t id = pixels.wholes[s];
      const auto asFloat = static_cast<float>(static_cast<int32_t>(id));
      const uint32_t stored = channels[c].type == image::PixelType::kFloat ? std::bit_cast<uint32_t>(asFloat) : id;
      std::memcpy(&plane[s * sizeof stored], &stored, sizeof stored);
    }
  }
  return block;
}

DeepFilm::DeepFilm(const hider::SamplingSpec& sampling, OutputPlan& plan, int buckets)
    : mattes_(plan.mattes.get()), band_(sampling.bandRows) {
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

void DeepFilm::develop(const PixelRect& rect, const std::function<const hider::DeepTile*(int px, int py)>& tileAt,
                       std::vector<std::byte>* record) {
  for (const Output& o : outputs_) {
    if (!o.display->display) continue;
    display::DeepBlock block = packed(o.filter(rect, tileAt), o);
    if (record) addDeep(*record, block);
    o.display->display->deepTile(std::move(block));
  }
}

int64_t DeepFilm::bytes() const {
  int64_t sum = bytes_.load(std::memory_order_relaxed);
  for (const Output& o : outputs_)
    if (o.display->display) sum += o.display->display->heldBytes();
  return sum;
}

}  // namespace reyes::render
