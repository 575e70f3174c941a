// SPDX-License-Identifier: Apache-2.0
// Which sides of the patches of a NURBS are one edge, which corners one vertex, and where their points are. Sides that
// have shrunk to a point (poles) make their corners one, whatever weights they have.
#include <algorithm>
#include <cmath>
#include <map>

#include "reyes/geom/cubic.h"
#include "reyes/geom/knots.h"
#include "reyes/geom/nurbs.h"

namespace reyes::geom {

NurbsGeometry::Row NurbsGeometry::row(int face, Side side) const {
  const int first = data_.first[static_cast<size_t>(face)];
  switch (side) {
    case Side::kV0:
      return {first, 1, data_.degreeU + 1};
    case Side::kV1:
      return {first + data_.degreeV * data_.columns, 1, data_.degreeU + 1};
    case Side::kU0:
      return {first, data_.columns, data_.degreeV + 1};
    default:
      return {first + data_.degreeU, data_.columns, data_.degreeV + 1};
  }
}

Vec3 NurbsGeometry::projected(int point, int key) const {
  const float* p = &data_.positions[static_cast<size_t>(key)][static_cast<size_t>(point * data_.width)];
  if (data_.width == 3) return {p[0], p[1], p[2]};
  return {p[0] / p[3], p[1] / p[3], p[2] / p[3]};
}

bool NurbsGeometry::collapsed(const Row& side) const {
  for (int key = 0; key < keyCount(); ++key) {
    const Vec3 first = projected(side.at(0), key);
    for (int k = 1; k < side.count; ++k)
      if (!(length(projected(side.at(k), key) - first) <= tolerance_)) return false;
  }
  return true;
}

void NurbsGeometry::mergeVertices() {
  merged_ = mergePoints(data_.positions, data_.width);
  vertexPoint_ = merged_;
  float largest = 0;
  for (const int first : data_.first)
    for (int key = 0; key < keyCount(); ++key) {
      const Vec3 p = projected(first, key);
      largest = std::max({largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    }
  tolerance_ = 5e-7f * largest;
  // Each point's chain leads to the lowest one that is the same place.
  const auto find = [&](int p) {
    while (vertexPoint_[static_cast<size_t>(p)] != p) p = vertexPoint_[static_cast<size_t>(p)];
    return p;
  };
  for (int face = 0; face < faceCount(); ++face)
    for (const Side side : {Side::kV0, Side::kU1, Side::kV1, Side::kU0}) {
      const Row r = row(face, side);
      if (!collapsed(r)) continue;
      const int a = find(r.at(0)), b = find(r.at(r.count - 1));
      vertexPoint_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
    }
  for (size_t p = 0; p < vertexPoint_.size(); ++p) vertexPoint_[p] = find(static_cast<int>(p));
}

void NurbsGeometry::buildEdges() {
  mergeVertices();
  const int points = static_cast<int>(merged_.size());
  // Inner points of long rows: each sequence has a number beyond those of the points.
  std::map<std::vector<int>, int> numbers;
  std::vector<const std::vector<int>*> sequences;
  const auto number = [&](const std::vector<int>& inner) {
    const auto [at, fresh] = numbers.emplace(inner, points + static_cast<int>(sequences.size()));
    if (fresh) sequences.push_back(&at->first);
    return at->second;
  };
  const auto curve = [&](int face, Side side) -> SideCurve {
    const Row r = row(face, side);
    const int a = vertexPoint_[static_cast<size_t>(r.at(0))], b = vertexPoint_[static_cast<size_t>(r.at(r.count - 1))];
    std::vector<int> inner;
    for (int k = 1; k + 1 < r.count; ++k) inner.push_back(merged_[static_cast<size_t>(r.at(k))]);
    if (a == b && collapsed(r)) return {a, a, a, a};
    if (inner.empty()) return {a, a, b, b};
    if (inner.size() <= 2) return {a, inner.front(), inner.back(), b};
    const int forward = number(inner);
    std::reverse(inner.begin(), inner.end());
    return {a, forward, number(inner), b};
  };
  const auto compare = [&](int a, int b) {
    if (a < points && b < points) return comparePoints(data_.positions, data_.width, a, b);
    if (a < points || b < points) return a < b ? -1 : 1;
    const std::vector<int>&x = *sequences[static_cast<size_t>(a - points)],
          &y = *sequences[static_cast<size_t>(b - points)];
    for (size_t k = 0; k < std::min(x.size(), y.size()); ++k)
      if (const int order = comparePoints(data_.positions, data_.width, x[k], y[k])) return order;
    return 0;
  };
  edges_.build(faceCount(), points, curve, compare);
}

void NurbsGeometry::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  const Row r = row(face, side);
  const bool reversed = edges_.reversed(face, side), point = edges_.edge(face, side).point;
  const int start = vertexPoint_[static_cast<size_t>(r.at(reversed ? r.count - 1 : 0))],
            end = vertexPoint_[static_cast<size_t>(r.at(reversed ? 0 : r.count - 1))];
  const std::vector<float>& positions = data_.positions[static_cast<size_t>(key)];
  float cv[4][kMostOrder];
  for (int k = 0; k < r.count; ++k)
    for (int c = 0; c < data_.width; ++c)
      cv[c][k] = positions[static_cast<size_t>(r.at(reversed ? r.count - 1 - k : k) * data_.width + c)];
  for (size_t i = 0; i < t.size(); ++i) {
    if (point || t[i] == 0 || t[i] == 1) {
      out[i] = projected(t[i] == 1 && !point ? end : start, key);
      continue;
    }
    float p[4] = {0, 0, 0, 1};
    if (cubic()) {
      const CubicWeights w(t[i]);
      for (int c = 0; c < data_.width; ++c) p[c] = geom::cubic(w.b, cv[c][0], cv[c][1], cv[c][2], cv[c][3]);
    } else {
      float b[kMostOrder], d[kMostOrder];
      patchKernels().bernsteinAny(&t[i], 1, r.count - 1, 1, b, d);
      for (int c = 0; c < data_.width; ++c) {
        p[c] = 0;
        for (int k = 0; k < r.count; ++k) p[c] += cv[c][k] * b[k];
      }
    }
    out[i] = data_.width == 4 ? Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]} : Vec3{p[0], p[1], p[2]};
  }
}

}  // namespace reyes::geom
