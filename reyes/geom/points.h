// SPDX-License-Identifier: Apache-2.0
// Points: one disc each, in the plane of the picture, as wide as the request says. Drawn in batches by render/; the
// face interface of Geometry shows every point as a face without size.
#pragma once

#include "reyes/geom/elements.h"
#include "reyes/geom/geometry.h"
#include "reyes/geom/primvars.h"

namespace reyes::geom {

/// What the factory hands over; points in space order.
struct PointData {
  std::vector<std::vector<Vec3>> positions;  ///< a key
  std::vector<std::vector<float>> widths;    ///< a key: one value a point, or one for all
  std::vector<uint32_t> original;            ///< place in the request
  std::vector<PrimvarData> primvars;         ///< in the order of the request
};

class PointSet final : public Geometry {
 public:
  explicit PointSet(PointData data);

  // Batches.
  std::span<const Vec3> positions(int key) const { return data_.positions[static_cast<size_t>(key)]; }
  float width(int point, int key) const {
    const std::vector<float>& w = data_.widths[static_cast<size_t>(key)];
    return w.size() == 1 ? w[0] : w[static_cast<size_t>(point)];
  }
  uint32_t original(int point) const { return data_.original[static_cast<size_t>(point)]; }
  ElementBound elementBound(int begin, int end, int key) const {
    return trees_[static_cast<size_t>(key)].query(begin, end);
  }
  /// Adds the wanted variable, if it is there, with its values at points [begin, begin + grid.points()).
  void addPrimvar(Name name, int begin, VarBlock& grid, Arena& arena) const;

  // Geometry.
  const PointSet* asPoints() const override { return this; }
  int faceCount() const override { return static_cast<int>(data_.original.size()); }
  int keyCount() const override { return static_cast<int>(data_.positions.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  void dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const override;
  FaceEdge edge(int face, Side side) const override;
  FaceVertex vertex(int face, int corner) const override;
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;
  std::span<const VarSpec> primvars() const override { return specs_; }

 private:
  PointData data_;
  std::vector<VarSpec> specs_;
  std::vector<ElementTree> trees_;
};

}  // namespace reyes::geom
