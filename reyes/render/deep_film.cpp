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
    : mattes_(plan.mattes.get()), reachX_(plan.reachX), bandRows_(sampling.bandRows) {
  for (PlannedDisplay& d : plan.displays)
    if (d.deep)
      outputs_.push_back(
          {d.deep.get(), &d, hider::DeepFilter(sampling, plan.filters[d.deep->filter].filter, d.deep->spec)});
  if (wanted()) tiles_.resize(static_cast<size_t>(buckets));
}

size_t DeepFilm::Tile::insideBytes() const {
  size_t sum = 0;
  for (const hider::DeepPixels& p : inside) sum += p.bytes();
  return sum;
}

void DeepFilm::keep(int order, hider::DeepTile tile, const PixelRect& inside) {
  auto t = std::make_unique<Tile>();
  t->events = std::move(tile);
  if (!inside.empty()) {
    for (const Output& o : outputs_)
      t->inside.push_back(o.display->display ? o.filter(inside, [&](int, int) { return &t->events; })
                                             : hider::DeepPixels());
    t->events.dropInside(bandRows_, 2 * reachX_);
  }
  bytes_ += static_cast<int64_t>(t->events.bytes() + t->insideBytes());
  tiles_[static_cast<size_t>(order)] = std::move(t);
}

void DeepFilm::dropBand(int order, int band) {
  if (!wanted()) return;
  bytes_ -= static_cast<int64_t>(tiles_[static_cast<size_t>(order)]->events.drop(band, bandRows_));
}

void DeepFilm::drop(int order) {
  if (!wanted()) return;
  std::unique_ptr<Tile>& t = tiles_[static_cast<size_t>(order)];
  bytes_ -= static_cast<int64_t>(t->events.bytes() + t->insideBytes());
  t.reset();
}

hider::DeepPixels DeepFilm::around(const hider::DeepFilter& filter, const PixelRect& rect,
                                   const hider::DeepPixels& inside, const TileAt& tileAt) {
  PixelRect left = rect, right = rect;
  left.x1 = inside.rect.x0, right.x0 = inside.rect.x1;
  const hider::DeepPixels before = filter(left, tileAt), after = filter(right, tileAt);
  const hider::DeepPixels* const parts[] = {&before, &inside, &after};
  return hider::DeepPixels::joined(parts);
}

void DeepFilm::develop(const PixelRect& rect, int order, const TileAt& tileAt, std::vector<std::byte>* record) {
  Tile* const own = order < 0 ? nullptr : tiles_[static_cast<size_t>(order)].get();
  const bool ready = own && !own->inside.empty();
  for (size_t n = 0; n < outputs_.size(); ++n) {
    const Output& o = outputs_[n];
    if (!o.display->display) continue;
    display::DeepBlock block =
        packed(ready ? around(o.filter, rect, own->inside[n], tileAt) : o.filter(rect, tileAt), o);
    if (record) addDeep(*record, block);
    o.display->display->deepTile(std::move(block));
  }
  if (!ready) return;
  bytes_ -= static_cast<int64_t>(own->insideBytes());
  own->inside.clear();
}

int64_t DeepFilm::bytes() const {
  int64_t sum = bytes_.load(std::memory_order_relaxed);
  for (const Output& o : outputs_)
    if (o.display->display) sum += o.display->display->heldBytes();
  return sum;
}

}  // namespace reyes::render
