// SPDX-License-Identifier: Apache-2.0
// Four-cornered faces with straight sides: bilinear patches and meshes, and polygons cut into quads and triangles.
// A triangle is a face whose last two corners are one point. Meshes are many and large, so little is kept of a face:
// which points its corners are. Who shares which edge is found out when a face is first asked for one; faces that are
// small in the picture are drawn from their corners alone (Geometry::hasCells).
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "reyes/geom/corner_table.h"
#include "reyes/geom/edge_table.h"
#include "reyes/geom/face_geometry.h"
#include "reyes/geom/range_bounds.h"

namespace reyes::geom {

/// What a factory hands over. Corners count (u,v) = (0,0), (1,0), (0,1), (1,1); variables of class vertex are varying.
struct BilinearData {
  int width = 3;                              ///< floats a position: 3, or 4 with the weight last
  std::vector<std::vector<float>> positions;  ///< a key
  std::vector<std::array<int, 4>> faces;    ///< positions of the corners, also their varying values if those are apart
  std::vector<std::array<int, 4>> varying;  ///< a face, or empty: as faces
  std::vector<std::array<int, 4>> faceVarying;  ///< a face, or empty: as varying
  std::vector<int> uniform;                     ///< a face, or empty: the face's number
  int patchesU = 1, patchesV = 1;  ///< a mesh's faces in each direction: the primitive's (u,v) runs over all
  bool polygons = false;           ///< s and t are x and y of P; each face has its own (u,v)
  std::vector<PrimvarData> primvars;
};

class BilinearGeometry final : public FaceGeometry {
 public:
  BilinearGeometry(BilinearData data, const float st[8]);

  int faceCount() const override { return faces_.count(); }
  int keyCount() const override { return static_cast<int>(data_.positions.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  FaceEdge edge(int face, Side side) const override { return edges().table.edge(face, side); }
  FaceVertex vertex(int face, int corner) const override { return edges().table.vertex(face, corner); }
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;
  bool hasCells() const override { return data_.width == 3; }
  void cellCorners(int begin, int end, int key, float* const p[3]) const override;

 protected:
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;
  FaceInfo faceInfo(int face) const override;
  void derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const override;
  bool textureFromP() const override { return data_.polygons; }
  void cellSurface(std::span<const uint32_t> faces, int key, const SurfacePlanes& out) const override;

 private:
  struct Edges {
    std::vector<int> merged;
    EdgeTable table;
  };
  const Edges& edges() const;
  using Corners = std::array<std::array<float, 4>, 4>;  ///< a component: corners
  void gather(int face, int key, Corners& corners) const;
  bool isTriangle(int face) const;
  SideCurve sideCurve(const std::vector<int>& merged, int face, Side side) const;

  BilinearData data_;  ///< without the lists of corners
  CornerTable faces_, varying_, faceVarying_;
  mutable std::once_flag edgesAsked_;
  mutable std::atomic<bool> edgesKnown_{false};  ///< cheaper to ask than the flag
  mutable Edges edges_;
  std::vector<RangeBounds> ranges_;
};

}  // namespace reyes::geom
