// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/deep.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/image/image_io.h"

namespace reyes::image {

int DeepImage::channel(const std::string& name) const {
  for (size_t c = 0; c < channels.size(); ++c)
    if (channels[c].name == name) return static_cast<int>(c);
  return -1;
}

float deepValue(PixelType type, const std::byte* at) {
  const auto get = [at](auto v) {
    std::memcpy(&v, at, sizeof v);
    return v;
  };
  if (type == PixelType::kHalf) return toFloat(Half{get(uint16_t{})});
  return type == PixelType::kFloat ? get(float{}) : static_cast<float>(get(uint32_t{}));
}

void putDeepValue(PixelType type, float v, std::byte* at) {
  const auto put = [at](auto x) { std::memcpy(at, &x, sizeof x); };
  if (type == PixelType::kHalf)
    put(toHalf(saturateHalf(v)).bits);
  else if (type == PixelType::kFloat)
    put(std::isnan(v) ? 0.0f : v);
  else
    put(v > 0 ? static_cast<uint32_t>(std::min(static_cast<double>(v) + 0.5, 4294967295.0)) : 0u);
}

float DeepImage::value(size_t channel, uint64_t sample) const {
  const PixelType type = channels[channel].type;
  return deepValue(type, planes[channel].data() + sample * bytesOf(type));
}

void DeepImage::set(size_t channel, uint64_t sample, float v) {
  const PixelType type = channels[channel].type;
  putDeepValue(type, v, planes[channel].data() + sample * bytesOf(type));
}

void DeepImage::allocate(const std::vector<uint32_t>& counts) {
  starts.assign(counts.size() + 1, 0);
  for (size_t i = 0; i < counts.size(); ++i) starts[i + 1] = starts[i] + counts[i];
  planes.resize(channels.size());
  for (size_t c = 0; c < channels.size(); ++c)
    planes[c].assign(static_cast<size_t>(samples()) * bytesOf(channels[c].type), std::byte{0});
}

std::string writeDeep(const std::string& path, const DeepImage& image, int threads) {
  bool whole = image.planes.size() == image.channels.size() &&
               image.starts.size() == static_cast<size_t>(image.width()) * static_cast<size_t>(image.height()) + 1;
  for (size_t c = 0; whole && c < image.channels.size(); ++c)
    whole = image.planes[c].size() == image.samples() * bytesOf(image.channels[c].type);
  if (!whole) return format("{}: fewer samples than its counts say", path);
  return writeDeepRows(path, image, threads, [&](int y, DeepRow& row) {
    const size_t first = image.pixelAt(image.dataWindow.x0, y), last = first + static_cast<size_t>(image.width());
    for (size_t p = first; p < last; ++p)
      row.counts.push_back(static_cast<uint32_t>(image.starts[p + 1] - image.starts[p]));
    for (size_t c = 0; c < row.planes.size(); ++c) {
      const auto bytes = static_cast<ptrdiff_t>(bytesOf(image.channels[c].type));
      const auto begin = image.planes[c].begin();
      row.planes[c].assign(begin + static_cast<ptrdiff_t>(image.starts[first]) * bytes,
                           begin + static_cast<ptrdiff_t>(image.starts[last]) * bytes);
    }
  });
}

}  // namespace reyes::image
