// SPDX-License-Identifier: Apache-2.0
// A B-spline surface of any order, rational or not, cut into Bezier patches: NuPatch. Where both directions are cubic
// or less, patches are raised to bicubic ones. Made by makeNuPatch().
#pragma once

#include <memory>
#include <vector>

#include "reyes/base/outline.h"
#include "reyes/geom/edge_table.h"
#include "reyes/geom/face_geometry.h"
#include "reyes/geom/patch_kernels.h"
#include "reyes/geom/range_bounds.h"

namespace reyes::geom {

/// What the factory hands over. Control points of the whole surface, u fastest; a face's are a rectangle of them.
struct NurbsData {
  int width = 3;                              ///< floats a position: 3, or 4 with the weight last
  int degreeU = 3, degreeV = 3;               ///< both 3, or any
  int columns = 0;                            ///< control points in a row
  std::vector<std::vector<float>> positions;  ///< a key: Bezier control points
  std::vector<int> first;                     ///< a face: its first control point
  std::vector<FaceInfo> infos;                ///< a face; u and v are knots
  std::vector<PrimvarData> primvars;          ///< class vertex: Bezier values, indexed as the positions
  float range[4] = {0, 1, 0, 1};              ///< umin, umax, vmin, vmax
  std::shared_ptr<const Outline> trim;        ///< what is left, in u and v; null: all
};

class NurbsGeometry final : public FaceGeometry {
 public:
  NurbsGeometry(NurbsData data, const float st[8]);

  int faceCount() const override { return static_cast<int>(data_.first.size()); }
  int keyCount() const override { return static_cast<int>(data_.positions.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  const Outline* outline() const override { return data_.trim.get(); }
  FaceEdge edge(int face, Side side) const override { return edges_.edge(face, side); }
  FaceVertex vertex(int face, int corner) const override { return edges_.vertex(face, corner); }
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;

 protected:
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;
  FaceInfo faceInfo(int face) const override { return data_.infos[static_cast<size_t>(face)]; }
  void fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const override;

 private:
  /// Points along a side of a face, as places among the control points: `count` from `first` in steps of `step`.
  struct Row {
    int first, step, count;
    int at(int k) const { return first + k * step; }
  };
  bool cubic() const { return data_.degreeU == 3 && data_.degreeV == 3; }
  Row row(int face, Side side) const;
  Vec3 projected(int point, int key) const;
  bool collapsed(const Row& row) const;
  void mergeVertices();
  void buildEdges();
  /// One component of a face's control values, cv[row * (degreeU + 1) + column].
  void gather(int face, const std::vector<float>& values, int width, size_t component, float* cv) const;
  /// Largest steps between neighbours among a face's control points.
  void steps(int face, int key, float& alongU, float& alongV) const;

  NurbsData data_;
  float tolerance_ = 0;           ///< places nearer than this are one
  std::vector<int> merged_;       ///< a control point: the first one with the same bits
  std::vector<int> vertexPoint_;  ///< a control point: the first one that is the same place (collapsed sides are one)
  EdgeTable edges_;
  std::vector<RangeBounds> ranges_;  ///< a key
};

}  // namespace reyes::geom
