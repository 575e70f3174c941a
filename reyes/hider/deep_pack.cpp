// SPDX-License-Identifier: Apache-2.0
// Where packed events lie, and the rarer half of unpacking them: output variables.
#include "reyes/hider/deep_pack.h"

namespace reyes::hider {

DeepUnpacker::DeepUnpacker(int samples, int aovFloats, bool tags)
    : DeepPacking(samples, aovFloats, tags),
      floats_(static_cast<size_t>(aovFloats > 0 ? DeepTile::kAov + aovFloats : DeepTile::kThrough)),
      through_(3 * static_cast<size_t>(samples)) {}

void DeepUnpacker::variables(const uint8_t* words, const uint8_t*& from, float* to) {
  for (size_t v = 0; v < aovFloats_; v += 8) {
    const uint32_t group = word(words);
    for (size_t k = v; k < std::min(v + 8, aovFloats_); ++k) {
      last_[6 + k] ^= take(from, group >> 2 * (k - v) & 3);
      to[DeepTile::kAov + k] = std::bit_cast<float>(last_[6 + k]);
    }
  }
}

void DeepTile::Row::set(const uint8_t* from, size_t count) {
  pieces_.clear(), inPieces_ = count;
  for (size_t at = 0; at < count; at += kPiece) {
    const size_t n = std::min(kPiece, count - at);
    pieces_.push_back(std::make_unique_for_overwrite<uint8_t[]>(n + kSpare));
    std::copy_n(from + at, n, pieces_.back().get());
  }
}

std::span<const uint8_t> DeepTile::Row::pixel(size_t x, std::vector<uint8_t>& scratch) const {
  const size_t first = starts[x], count = starts[x + 1] - first;
  if (count == 0) return {};
  if (first / kPiece == (first + count - 1) / kPiece) return {&pieces_[first / kPiece][first % kPiece], count};
  scratch.resize(std::max(scratch.size(), count + kSpare));
  for (size_t at = 0; at < count;) {
    const size_t from = first + at, n = std::min(count - at, kPiece - from % kPiece);
    std::copy_n(&pieces_[from / kPiece][from % kPiece], n, &scratch[at]);
    at += n;
  }
  return {scratch.data(), count};
}

void DeepTile::Row::keepSides(size_t columns) {
  const size_t width = events.size();
  if (2 * columns >= width) return;
  std::vector<uint8_t> kept, scratch;
  std::vector<size_t> ends(1, 0);
  for (size_t x = 0; x < width; ++x) {
    if (x < columns || x >= width - columns) {
      const std::span<const uint8_t> bytes = pixel(x, scratch);
      kept.insert(kept.end(), bytes.begin(), bytes.end());
    } else {
      events[x] = 0;
    }
    ends.push_back(kept.size());
  }
  starts = std::move(ends);
  set(kept.data(), kept.size());
}

size_t DeepTile::Row::bytes() const {
  return starts.capacity() * sizeof(size_t) + events.capacity() * sizeof(uint32_t) + inPieces_ +
         pieces_.size() * (sizeof(pieces_[0]) + kSpare);
}

size_t DeepTile::bytes() const {
  size_t sum = rows.size() * sizeof(Row);
  for (const Row& r : rows) sum += r.bytes();
  return sum;
}

size_t DeepTile::drop(int band, int bandRows) {
  const auto all = static_cast<int>(rows.size());
  if (2 * bandRows >= all) bandRows = 0;
  const int ends[] = {0, bandRows, all - bandRows, all};
  size_t freed = 0;
  for (int y = ends[band]; y < ends[band + 1]; ++y) {
    Row& r = rows[static_cast<size_t>(y)];
    freed += r.bytes();
    r = Row();
  }
  return freed;
}

void DeepTile::dropInside(int bandRows, int columns) {
  for (int y = bandRows; y < static_cast<int>(rows.size()) - bandRows; ++y)
    rows[static_cast<size_t>(y)].keepSides(static_cast<size_t>(columns));
}

}  // namespace reyes::hider
