// SPDX-License-Identifier: Apache-2.0
// Bicubic patches of one primitive, all turned into Bezier patches that share control points: Patch, PatchMesh and
// the teapot. Positions are three floats a point, or four (homogeneous) for rational patches.
#pragma once

#include <array>
#include <vector>

#include "reyes/geom/edge_table.h"
#include "reyes/geom/face_geometry.h"
#include "reyes/geom/range_bounds.h"

namespace reyes::geom {

/// What a factory hands over. Control points of a face: cv[row (v) * 4 + column (u)].
struct BicubicData {
  int width = 3;                              ///< floats a position: 3, or 4 with the weight last
  std::vector<std::vector<float>> positions;  ///< a key: Bezier control points
  std::vector<std::array<int, 16>> faces;
  std::vector<FaceInfo> infos;        ///< a face
  std::vector<PrimvarData> primvars;  ///< class vertex: Bezier values, indexed as the positions
};

class BicubicGeometry final : public FaceGeometry {
 public:
  BicubicGeometry(BicubicData data, const float st[8]);

  int faceCount() const override { return static_cast<int>(data_.faces.size()); }
  int keyCount() const override { return static_cast<int>(data_.positions.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  FaceEdge edge(int face, Side side) const override { return edges_.edge(face, side); }
  FaceVertex vertex(int face, int corner) const override { return edges_.vertex(face, corner); }
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;

 protected:
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;
  FaceInfo faceInfo(int face) const override { return data_.infos[static_cast<size_t>(face)]; }
  void fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const override;

 private:
  using Hull = float[4][16];  ///< a component: control points
  void gather(int face, int key, Hull& hull) const;
  SideCurve sideCurve(int face, Side side) const;

  BicubicData data_;
  std::vector<int> merged_;
  EdgeTable edges_;
  std::vector<RangeBounds> ranges_;  ///< a key
};

}  // namespace reyes::geom
