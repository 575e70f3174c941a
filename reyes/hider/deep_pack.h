// SPDX-License-Identifier: Apache-2.0
// Events of deep pixels as they wait: packed without loss. An event is told by what differs from the one before it in
// its pixel, as surfaces have it, not as it is seen through those in front, which follows. Private to hider/: packed by
// event_row.cpp, unpacked by deep_filter.cpp.
//
// An event is a word of two bits a number that tells how many low bytes of it differ (0, 2, 3, 4): opacity and colour;
// then two bits for the length of the step in depth, and one each for matte surfaces and another tag. Words of eight
// output variables each follow, then the sample, the step, the tag, and the bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "reyes/hider/deep.h"

namespace reyes::hider {

class DeepPacking {
 public:
  DeepPacking(int samples, int aovFloats, bool tags)
      : wide_(samples > 256), tags_(tags), aovFloats_(static_cast<size_t>(aovFloats)), last_(6 + aovFloats_, 0) {}

 protected:
  static constexpr uint32_t kMatte = 1u << 14, kTag = 1u << 15;
  static constexpr uint32_t kLengths[4] = {0, 2, 3, 4};
  static constexpr uint32_t kMasks[4] = {0, 0xffff, 0xffffff, 0xffffffff};
  static uint32_t bytesOf(uint32_t bits) { return (static_cast<uint32_t>(std::bit_width(bits)) + 7) / 8; }
  size_t words() const { return 1 + (aovFloats_ + 7) / 8; }
  /// What the green or blue of an opacity most likely is: as red, where it was so before.
  static uint32_t likely(const uint32_t* last, int c, uint32_t red) { return last[c] == last[0] ? red : last[c]; }
  void restart() { std::fill(last_.begin(), last_.end(), 0), lastZ_ = 0, lastTag_ = 0; }

  bool wide_, tags_;
  size_t aovFloats_;
  std::vector<uint32_t> last_;  ///< bits of opacity, colour, variables
  uint32_t lastZ_ = 0, lastTag_ = 0;
};

class DeepPacker : DeepPacking {
 public:
  using DeepPacking::DeepPacking;
  void startRow() { at_ = 0; }
  void startPixel() { restart(); }
  /// An event; `values` are the surface's own opacity, colour and output variables.
  void add(float z, uint32_t sample, bool matte, uint32_t tag, const float* values);
  /// Of the row so far.
  size_t size() const { return at_; }
  const uint8_t* data() const { return bytes_.data(); }
  size_t bytes() const { return bytes_.capacity(); }

 private:
  void put(uint32_t bits, uint32_t length) {
    std::memcpy(&bytes_[at_], &bits, 4);
    at_ += length;
  }
  /// Puts what differs; its code.
  uint32_t difference(uint32_t from, uint32_t to) {
    const uint32_t d = from ^ to;
    const uint32_t code = d == 0 ? 0 : std::max(bytesOf(d), 2u) - 1;
    put(d, kLengths[code]);
    return code;
  }

  std::vector<uint8_t> bytes_;
  size_t at_ = 0;
};

/// Events of a pixel as DeepTile has them: DeepTile::eventFloats() numbers each. Reads Row::kSpare bytes too far.
class DeepUnpacker : DeepPacking {
 public:
  DeepUnpacker(int samples, int aovFloats, bool tags);
  /// Events go to `to`, one after the other: keep(values, sample, tag) tells whether the next goes behind it, or there.
  template <class Keep>
  void pixel(std::span<const uint8_t> bytes, float* to, const Keep& keep);

 private:
  uint32_t word(const uint8_t*& from) const {
    uint16_t w;
    std::memcpy(&w, from, 2);
    from += 2;
    return w;
  }
  static uint32_t take(const uint8_t*& from, uint32_t code) {
    uint32_t bits;
    std::memcpy(&bits, from, 4);
    from += kLengths[code];
    return bits & kMasks[code];
  }
  void variables(const uint8_t* words, const uint8_t*& from, float* to);
  void see(bool matte, float* through, float* to) const;

  size_t floats_;
  std::vector<float> through_;  ///< a sample: what is seen through its surfaces so far
};

inline void DeepPacker::add(float depth, uint32_t sample, bool matte, uint32_t tag, const float* values) {
  const size_t words = this->words(), most = 2 * words + 10 + 4 * (6 + aovFloats_) + 4;
  if (at_ + most > bytes_.size()) bytes_.resize(2 * bytes_.size() + most);
  const size_t head = at_;
  at_ += 2 * words;
  // 1. Sample, depth, tag.
  put(sample, wide_ ? 2 : 1);
  const uint32_t z = std::bit_cast<uint32_t>(depth), step = z - lastZ_;
  lastZ_ = z;
  const uint32_t stepBytes = std::max(bytesOf(step), 1u);
  put(step, stepBytes);
  uint32_t code = (stepBytes - 1) << 12 | (matte ? kMatte : 0);
  if (tags_ && tag != lastTag_) put(tag, 4), code |= kTag, lastTag_ = tag;
  // 2. Opacity and colour.
  uint32_t* const last = last_.data();
  const uint32_t red = std::bit_cast<uint32_t>(values[0]);
  const uint32_t before[6] = {last[0], likely(last, 1, red), likely(last, 2, red), last[3], last[4], last[5]};
  for (size_t c = 0; c < 6; ++c) {
    last[c] = std::bit_cast<uint32_t>(values[c]);
    code |= difference(before[c], last[c]) << 2 * c;
  }
  std::memcpy(&bytes_[head], &code, 2);
  // 3. Variables.
  for (size_t v = 0; v < aovFloats_; v += 8) {
    uint32_t group = 0;
    for (size_t k = v; k < std::min(v + 8, aovFloats_); ++k) {
      const uint32_t bits = std::bit_cast<uint32_t>(values[6 + k]);
      group |= difference(last[6 + k], bits) << 2 * (k - v);
      last[6 + k] = bits;
    }
    std::memcpy(&bytes_[head + 2 + v / 4], &group, 2);
  }
}

/// From the surface in last_ to what it adds to its sample.
inline void DeepUnpacker::see(bool matte, float* through, float* v) const {
  if (aovFloats_ > 0) std::copy_n(through, 3, v + DeepTile::kThrough);
  float sum = 0;
  for (int c = 0; c < 3; ++c) {
    const float o = std::bit_cast<float>(last_[static_cast<size_t>(c)]), seen = through[c] * o;
    v[DeepTile::kCi + c] = through[c] * std::bit_cast<float>(last_[static_cast<size_t>(3 + c)]);
    v[DeepTile::kOi + c] = matte ? -seen : seen;
    sum += v[DeepTile::kOi + c];
    through[c] *= 1 - o;
  }
  v[DeepTile::kOpacity] = sum / 3;
}

template <class Keep>
void DeepUnpacker::pixel(std::span<const uint8_t> bytes, float* to, const Keep& keep) {
  const uint8_t *from = bytes.data(), *end = from + bytes.size();
  restart();
  std::fill(through_.begin(), through_.end(), 1.0f);
  uint32_t* const last = last_.data();
  while (from < end) {
    const uint8_t* words = from;
    const uint32_t code = word(from);
    from += 2 * (this->words() - 1);
    uint32_t sample = *from++;
    if (wide_) sample |= static_cast<uint32_t>(*from++) << 8;
    uint32_t step;
    std::memcpy(&step, from, 4);
    const uint32_t stepBytes = (code >> 12 & 3) + 1;
    lastZ_ += step & static_cast<uint32_t>((uint64_t{1} << 8 * stepBytes) - 1);
    from += stepBytes;
    if (code & kTag) std::memcpy(&lastTag_, from, 4), from += 4;
    const bool greyGreen = last[1] == last[0], greyBlue = last[2] == last[0];
    last[0] ^= take(from, code & 3);
    last[1] = (greyGreen ? last[0] : last[1]) ^ take(from, code >> 2 & 3);
    last[2] = (greyBlue ? last[0] : last[2]) ^ take(from, code >> 4 & 3);
    last[3] ^= take(from, code >> 6 & 3);
    last[4] ^= take(from, code >> 8 & 3);
    last[5] ^= take(from, code >> 10 & 3);
    if (aovFloats_ > 0) variables(words + 2, from, to);
    to[DeepTile::kZ] = std::bit_cast<float>(lastZ_);
    see(code & kMatte, &through_[3 * sample], to);
    if (keep(to, sample, lastTag_)) to += floats_;
  }
}

}  // namespace reyes::hider
