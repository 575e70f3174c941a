// SPDX-License-Identifier: Apache-2.0
// Memory of a bucket's resolved samples. Filled by BucketHider::resolve, read by PixelFilter, kept by render/.
#include <limits>

#include "reyes/hider/sampling.h"

namespace reyes::hider {

SampleTile::SampleTile(const PixelRect& r, int n, int aovFloats, bool isGrey, bool hasDepth, int band)
    : rect(r), samples(n), channels(kAov + aovFloats), grey(isGrey), depth(hasDepth) {
  if (rect.empty()) return;
  strips = ((rect.x1 - 1) >> 3) - firstStrip() + 1;
  planes = kOi + (grey ? 1 : 3) + (depth ? 1 : 0) + aovFloats;
  bandRows_ = 2 * band < rect.height() ? band : 0;
  const int rows[3] = {bandRows_, rect.height() - 2 * bandRows_, bandRows_};
  for (int b = 0; b < 3; ++b)
    if (rows[b] > 0)
      bands_[b] = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(rows[b]) * static_cast<size_t>(strips) *
                                                          stripFloats());
  const size_t all = static_cast<size_t>(rect.height()) * static_cast<size_t>(strips);
  states_.assign(all, kNothing);
  if (depth) hits_.assign(all * static_cast<size_t>(samples), 0);
}

float* SampleTile::row(int y) {
  const int from = y - rect.y0, last = rect.height() - bandRows_;
  const int band = from < bandRows_ ? 0 : from < last ? 1 : 2;
  const int within = band == 0 ? from : band == 1 ? from - bandRows_ : from - last;
  return bands_[band].get() + static_cast<size_t>(within) * static_cast<size_t>(strips) * stripFloats();
}

float SampleTile::value(int x, int y, int sample, int channel) const {
  const int k = (x >> 3) - firstStrip(), plane = planeOf(channel);
  if (plane < 0 || state(y, k) == kNothing) return channel == kZ ? std::numeric_limits<float>::infinity() : 0.0f;
  return strip(
      y, k)[static_cast<size_t>(plane) * planeFloats() + static_cast<size_t>(sample) * 8 + static_cast<size_t>(x & 7)];
}

bool SampleTile::hit(int x, int y, int sample) const {
  if (hits_.empty()) return false;
  const size_t at = stripIndex(y, (x >> 3) - firstStrip()) * static_cast<size_t>(samples);
  return hits_[at + static_cast<size_t>(sample)] >> (x & 7) & 1;
}

std::vector<float> SampleTile::interleaved() const {
  std::vector<float> all;
  for (int y = rect.y0; y < rect.y1; ++y)
    for (int x = rect.x0; x < rect.x1; ++x)
      for (int s = 0; s < samples; ++s)
        for (int c = 0; c < channels; ++c) all.push_back(value(x, y, s, c));
  return all;
}

size_t SampleTile::bandBytes(int band) const {
  if (!bands_[band]) return 0;
  const int rows = band == 1 ? rect.height() - 2 * bandRows_ : bandRows_;
  return static_cast<size_t>(rows) * static_cast<size_t>(strips) * stripFloats() * sizeof(float);
}

size_t SampleTile::drop(int band) {
  const size_t freed = bandBytes(band);
  bands_[band].reset();
  return freed;
}

size_t SampleTile::bytes() const {
  size_t sum =
      states_.capacity() + hits_.capacity() + tags_.capacity() * sizeof(tags_[0]) + runs_.capacity() * sizeof(runs_[0]);
  for (int b = 0; b < 3; ++b) sum += bandBytes(b);
  return sum;
}

}  // namespace reyes::hider
