// SPDX-License-Identifier: Apache-2.0
// Which sides of which faces are the same edge, and which corners the same vertex: found by the control points
// along each side, where points with equal bits in every key are one. Built once a geometry; read by edge() and
// vertex().
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "reyes/geom/geometry.h"

namespace reyes::geom {

/// For each point the lowest index of a point with the same bits in all keys. points[key] holds `width` floats a
/// point; negative zeros must be gone.
std::vector<int> mergePoints(std::span<const std::vector<float>> points, int width);

/// Order of two merged points by value: below, equal or above zero. The first key decides, then the next.
int comparePoints(std::span<const std::vector<float>> points, int width, int a, int b);

/// Control points along a side in the direction of growing u or v; a straight side repeats its ends: a a b b.
using SideCurve = std::array<int, 4>;

class EdgeTable {
 public:
  /// curve(face, side) gives merged points; compare(a, b) orders them by value.
  void build(int faces, int points, const std::function<SideCurve(int face, Side side)>& curve,
             const std::function<int(int a, int b)>& compare);

  FaceEdge edge(int face, Side side) const;
  FaceVertex vertex(int face, int corner) const;
  /// True where growing u or v on this side runs against the edge.
  bool reversed(int face, Side side) const { return sides_[index(face, side)] & 1; }

 private:
  struct Edge {
    int ownerFace = 0;
    uint8_t ownerSide = 0;
    bool ownerReversed = false;
    bool point = false;
  };
  static size_t index(int face, Side side) { return static_cast<size_t>(face) * 4 + static_cast<size_t>(side); }
  void addSide(size_t at, const SideCurve& curve, bool reversed, const std::function<SideCurve(size_t)>& ownerCurve);
  void grow(const std::function<SideCurve(size_t)>& ownerCurve);

  std::vector<uint32_t> sides_;  ///< edge * 2 + reversed, four a face
  std::vector<Edge> edges_;
  std::vector<int> cornerVertex_;  ///< merged point, four a face
  std::vector<int> vertexOwner_;   ///< face * 4 + corner a merged point, -1 where no corner is
  std::vector<int> slots_;         ///< open addressing while building: edge or -1
};

}  // namespace reyes::geom
