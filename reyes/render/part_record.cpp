// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/part_record.h"

#include <cstring>

namespace reyes::render {
namespace {

/// Takes `count` values off the front; false where there are not so many.
template <class T>
bool take(std::span<const std::byte>& from, uint64_t count, std::vector<T>& out) {
  if (count > from.size() / sizeof(T)) return false;
  out.resize(count);
  if (count > 0) std::memcpy(out.data(), from.data(), count * sizeof(T));
  from = from.subspan(count * sizeof(T));
  return true;
}

bool takeDeep(std::span<const std::byte>& from, const PlannedDisplay& d, const PixelRect& rect,
              display::DeepBlock& out) {
  out.rect = rect;
  if (!take(from, static_cast<uint64_t>(rect.width()) * rect.height(), out.counts)) return false;
  uint64_t samples = 0;
  for (const uint32_t n : out.counts) samples += n;
  // Each sample has bytes: more of them than bytes are a lie, and products of less fit.
  if (samples > from.size()) return false;
  for (const display::ChannelSpec& c : d.request.channels)
    if (!take(from, samples * image::bytesOf(c.type), out.planes.emplace_back())) return false;
  return true;
}

}  // namespace

void addFlat(std::vector<std::byte>& record, std::span<const float> pixels) {
  const std::span<const std::byte> bytes = std::as_bytes(pixels);
  record.insert(record.end(), bytes.begin(), bytes.end());
}

void addDeep(std::vector<std::byte>& record, const display::DeepBlock& block) {
  const std::span<const std::byte> counts = std::as_bytes(std::span(block.counts));
  record.insert(record.end(), counts.begin(), counts.end());
  for (const std::vector<std::byte>& plane : block.planes) record.insert(record.end(), plane.begin(), plane.end());
}

bool restorePart(OutputPlan& plan, const PixelRect& rect, std::span<const std::byte> record) {
  // 1. All of it is looked at first.
  std::vector<std::vector<float>> flat(plan.displays.size());
  std::vector<display::DeepBlock> deep(plan.displays.size());
  const uint64_t pixels = static_cast<uint64_t>(rect.width()) * rect.height();
  for (const bool deepOnes : {false, true})
    for (size_t i = 0; i < plan.displays.size(); ++i) {
      const PlannedDisplay& d = plan.displays[i];
      if (!d.display || (d.deep != nullptr) != deepOnes) continue;
      if (deepOnes ? !takeDeep(record, d, rect, deep[i]) : !take(record, pixels * d.request.channels.size(), flat[i]))
        return false;
    }
  if (!record.empty()) return false;
  // 2. Then it is given out.
  for (size_t i = 0; i < plan.displays.size(); ++i) {
    PlannedDisplay& d = plan.displays[i];
    if (!d.display) continue;
    if (d.deep)
      d.display->deepTile(std::move(deep[i]));
    else
      d.display->tile(rect, flat[i]);
  }
  return true;
}

}  // namespace reyes::render
