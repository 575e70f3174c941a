// SPDX-License-Identifier: Apache-2.0
// Points that are surfaces, a face each: spheres, discs along normals, and patches that face a camera. The first two
// are made by makePoints(); patches for each frame by render/, since where they turn depends on the camera.
#pragma once

#include <memory>
#include <vector>

#include "reyes/geom/points.h"
#include "reyes/geom/quadric.h"
#include "reyes/geom/range_bounds.h"

namespace reyes::geom {

/// The points at one key of the shapes: between two keys of theirs, and how a camera sees them (patches).
struct ShapeKey {
  int from = 0, to = 0;
  float fraction = 0;
  Matrix4 cameraFromObject, objectFromCamera;
  float volume = 1;      ///< change of volumes from object to camera, where the transform divides by 1
  bool reverse = false;  ///< normals will be turned round
};

class PointShapes final : public FaceGeometry {
 public:
  /// Spheres and discs: the keys of the points.
  PointShapes(std::shared_ptr<const PointSet> points, std::shared_ptr<FaceVariables> variables);
  /// Patches, as the camera of the keys sees them.
  PointShapes(std::shared_ptr<const PointSet> points, std::vector<ShapeKey> keys);

  int faceCount() const override { return points_->faceCount(); }
  int keyCount() const override { return static_cast<int>(keys_.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  FaceEdge edge(int face, Side side) const override;
  FaceVertex vertex(int face, int corner) const override;
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;

 protected:
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;
  FaceInfo faceInfo(int face) const override;

 private:
  /// Where the unit shape stands: its centre and axes.
  struct Frame {
    Vec3 centre, axis[3];
    Vec3 normal;  ///< of flat shapes
    Vec3 turned(Vec3 p) const { return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z; }
    Vec3 place(Vec3 p) const { return centre + turned(p); }
  };
  Frame frame(int face, int key) const;
  void facingFrame(int face, const ShapeKey& key, float width, Frame& frame) const;
  bool flat() const { return points_->shape() != PointShape::kSphere; }

  std::shared_ptr<const PointSet> points_;
  std::shared_ptr<const Quadric> unit_;  ///< radius 1; null: the square from -1 to 1
  std::vector<ShapeKey> keys_;
  std::vector<RangeBounds> ranges_;  ///< a key; of patches
};

}  // namespace reyes::geom
