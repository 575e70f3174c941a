// SPDX-License-Identifier: Apache-2.0
// Points: one disc each, in the plane of the picture, as wide as the request says. Drawn in batches by render/; the
// face interface of Geometry shows every point as a face without size. Of types that are surfaces (spheres, patches,
// discs along normals) this is what PointShapes stands on.
#pragma once

#include "reyes/geom/elements.h"
#include "reyes/geom/face_geometry.h"

namespace reyes::geom {

/// What a point is drawn as: a disc in the plane of the picture that is shaded once; or a surface (point_shapes.h).
enum class PointShape { kDisc, kSphere, kNormalDisk, kPatch };

/// What the factory hands over; points in space order.
struct PointData {
  PointShape shape = PointShape::kDisc;
  std::vector<std::vector<Vec3>> positions;  ///< a key
  std::vector<std::vector<float>> widths;    ///< a key: one value a point, or one for all
  std::vector<std::vector<Vec3>> normals;    ///< a key: of discs along normals
  std::vector<float> aspects, angles;        ///< of patches: width / height, degrees; one a point, or one for all
  std::vector<uint32_t> original;            ///< place in the request
  std::vector<PrimvarData> primvars;         ///< in the order of the request; empty of surfaces
  std::shared_ptr<FaceVariables> variables;  ///< of surfaces: theirs
};

class PointSet final : public Geometry {
 public:
  explicit PointSet(PointData data);

  // Batches.
  std::span<const Vec3> positions(int key) const { return data_.positions[static_cast<size_t>(key)]; }
  float width(int point, int key) const { return valueAt(data_.widths[static_cast<size_t>(key)], point); }
  PointShape shape() const { return data_.shape; }
  Vec3 normal(int point, int key) const { return data_.normals[static_cast<size_t>(key)][static_cast<size_t>(point)]; }
  float aspect(int point) const { return valueAt(data_.aspects, point); }
  float angle(int point) const { return valueAt(data_.angles, point); }
  const std::shared_ptr<FaceVariables>& variables() const { return data_.variables; }
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
  static float valueAt(const std::vector<float>& values, int point) {
    return values.size() == 1 ? values[0] : values[static_cast<size_t>(point)];
  }

  PointData data_;
  std::vector<VarSpec> specs_;
  std::vector<ElementTree> trees_;
};

}  // namespace reyes::geom
