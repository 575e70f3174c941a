// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/edge_table.h"

#include <cstring>

#include "reyes/base/hash.h"

namespace reyes::geom {
namespace {

uint64_t hashPoint(std::span<const std::vector<float>> points, int width, size_t at) {
  uint64_t h = 0;
  for (const std::vector<float>& key : points)
    for (int c = 0; c < width; ++c) {
      uint32_t bits;
      std::memcpy(&bits, &key[at * static_cast<size_t>(width) + static_cast<size_t>(c)], 4);
      h = hashCombine(h, bits);
    }
  return h;
}

uint64_t hashCurve(const SideCurve& c) {
  return hashCombine(hashCombine(static_cast<uint64_t>(c[0]), static_cast<uint64_t>(c[1])),
                     hashCombine(static_cast<uint64_t>(c[2]), static_cast<uint64_t>(c[3])));
}

size_t tableSize(size_t items) {
  size_t n = 16;
  while (n < items * 2) n *= 2;
  return n;
}

SideCurve flipped(const SideCurve& c) { return {c[3], c[2], c[1], c[0]}; }

}  // namespace

std::vector<int> mergePoints(std::span<const std::vector<float>> points, int width) {
  const size_t n = points.empty() ? 0 : points[0].size() / static_cast<size_t>(width);
  std::vector<int> merged(n), slots(tableSize(n), -1);
  const size_t mask = slots.size() - 1;
  for (size_t i = 0; i < n; ++i) {
    size_t at = hashPoint(points, width, i) & mask;
    while (slots[at] >= 0 && comparePoints(points, width, slots[at], static_cast<int>(i)) != 0) at = (at + 1) & mask;
    if (slots[at] < 0) slots[at] = static_cast<int>(i);
    merged[i] = slots[at];
  }
  return merged;
}

int comparePoints(std::span<const std::vector<float>> points, int width, int a, int b) {
  if (a == b) return 0;
  for (const std::vector<float>& key : points)
    for (int c = 0; c < width; ++c) {
      const float x = key[static_cast<size_t>(a) * static_cast<size_t>(width) + static_cast<size_t>(c)];
      const float y = key[static_cast<size_t>(b) * static_cast<size_t>(width) + static_cast<size_t>(c)];
      if (x < y) return -1;
      if (x > y) return 1;
    }
  return 0;
}

void EdgeTable::build(int faces, int points, const std::function<SideCurve(int face, Side side)>& curve,
                      const std::function<int(int a, int b)>& compare) {
  const size_t n = static_cast<size_t>(faces);
  sides_.assign(n * 4, 0);
  cornerVertex_.assign(n * 4, 0);
  vertexOwner_.assign(static_cast<size_t>(points), -1);
  slots_.assign(tableSize(n * 2), -1);
  const auto sideCurve = [&](size_t at) { return curve(static_cast<int>(at / 4), static_cast<Side>(at % 4)); };
  for (size_t at = 0; at < n * 4; ++at) {
    // The edge runs from its smaller end; where the ends are one point, the inner points decide.
    const SideCurve c = sideCurve(at);
    int order = compare(c[0], c[3]);
    if (order == 0) order = compare(c[1], c[2]);
    addSide(at, order > 0 ? flipped(c) : c, order > 0, sideCurve);
  }
  slots_ = {};
  edges_.shrink_to_fit();
  // Corners are the ends of sides v=0 and v=1.
  for (int face = 0; face < faces; ++face) {
    const SideCurve low = curve(face, Side::kV0), high = curve(face, Side::kV1);
    const int corner[4] = {low[0], low[3], high[0], high[3]};
    for (int k = 0; k < 4; ++k) {
      cornerVertex_[static_cast<size_t>(face * 4 + k)] = corner[k];
      int& owner = vertexOwner_[static_cast<size_t>(corner[k])];
      if (owner < 0) owner = face * 4 + k;
    }
  }
}

void EdgeTable::addSide(size_t at, const SideCurve& c, bool reversed,
                        const std::function<SideCurve(size_t)>& ownerCurve) {
  if ((edges_.size() + 1) * 2 > slots_.size()) grow(ownerCurve);
  const size_t mask = slots_.size() - 1;
  size_t slot = hashCurve(c) & mask;
  for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
    const Edge& e = edges_[static_cast<size_t>(slots_[slot])];
    const SideCurve other = ownerCurve(index(e.ownerFace, static_cast<Side>(e.ownerSide)));
    if ((e.ownerReversed ? flipped(other) : other) == c) break;
  }
  if (slots_[slot] < 0) {
    slots_[slot] = static_cast<int>(edges_.size());
    const bool point = c[0] == c[1] && c[0] == c[2] && c[0] == c[3];
    edges_.push_back({static_cast<int>(at / 4), static_cast<uint8_t>(at % 4), reversed, point});
  }
  sides_[at] = static_cast<uint32_t>(slots_[slot]) * 2 + (reversed ? 1 : 0);
}

void EdgeTable::grow(const std::function<SideCurve(size_t)>& ownerCurve) {
  slots_.assign(slots_.size() * 2, -1);
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < edges_.size(); ++i) {
    const SideCurve c = ownerCurve(index(edges_[i].ownerFace, static_cast<Side>(edges_[i].ownerSide)));
    size_t slot = hashCurve(edges_[i].ownerReversed ? flipped(c) : c) & mask;
    while (slots_[slot] >= 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<int>(i);
  }
}

FaceEdge EdgeTable::edge(int face, Side side) const {
  const uint32_t word = sides_[index(face, side)];
  const Edge& e = edges_[word >> 1];
  const bool back = word & 1;
  return {word >> 1,
          back ? 1.0f : 0.0f,
          back ? 0.0f : 1.0f,
          e.ownerFace,
          static_cast<Side>(e.ownerSide),
          e.ownerReversed ? 1.0f : 0.0f,
          e.ownerReversed ? 0.0f : 1.0f,
          e.point};
}

FaceVertex EdgeTable::vertex(int face, int corner) const {
  const int id = cornerVertex_[static_cast<size_t>(face * 4 + corner)];
  const int owner = vertexOwner_[static_cast<size_t>(id)];
  return {static_cast<uint64_t>(id), owner / 4, owner % 4};
}

}  // namespace reyes::geom
