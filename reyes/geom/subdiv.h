// SPDX-License-Identifier: Apache-2.0
// A subdivision surface (Catmull-Clark, Loop, bilinear) at its limit. Faces are the quads of the control mesh, and for
// each other face (all faces of a Loop surface) one quad a corner (corner, middle of the next side, centre, middle of
// the previous side). What comes from topology alone is shared between meshes that have it in common. Built by
// subdiv_build.
#pragma once

#include <array>
#include <vector>

#include "reyes/geom/face_geometry.h"
#include "reyes/geom/patch_set.h"
#include "reyes/geom/range_bounds.h"

namespace reyes::geom {

/// The control mesh: face f has corners firstCorner[f] .. firstCorner[f + 1].
struct ControlMesh {
  std::vector<int> firstCorner;
  std::vector<int> vertices;      ///< a corner
  std::vector<int> edges;         ///< a corner: the edge from it to the next one
  std::vector<int> sourceFace;    ///< a face: its number in the request
  std::vector<int> sourceCorner;  ///< a face: its first facevarying item in the request
  int vertexCount = 0, edgeCount = 0;

  int size(int face) const {
    return firstCorner[static_cast<size_t>(face) + 1] - firstCorner[static_cast<size_t>(face)];
  }
  int corner(int face, int k) const { return firstCorner[static_cast<size_t>(face)] + k % size(face); }
  int vertex(int face, int k) const { return vertices[static_cast<size_t>(corner(face, k))]; }
  int edge(int face, int k) const { return edges[static_cast<size_t>(corner(face, k))]; }
};

/// All that does not depend on positions and primvars.
struct SubdivTopology {
  ControlMesh mesh;
  std::vector<std::array<int, 2>> faces;  ///< control face, and corner of a face that is no quad, else -1
  std::vector<PatchSet> sets;             ///< the first one is the surface; others are facevarying topologies

  /// A control edge runs from its lower to its higher vertex. Where a quad is on it, it is one edge that this quad
  /// owns; else its halves are two edges, each owned by a corner's face.
  struct Edge {
    int face = -1;   ///< first face of this geometry on it: a quad if there is one
    int corner = 0;  ///< corner of the control face from which it starts
    bool whole = false;
  };
  std::vector<int> firstFace;                   ///< of a control face, -1 for a hole
  std::vector<Edge> edges;                      ///< a control edge
  std::vector<std::array<int, 2>> vertexOwner;  ///< a control vertex: face and corner of this geometry
  std::vector<int> middleOwner;  ///< a control edge: the first face with its middle as a corner, * 4 + corner

  /// Fills the last four from mesh and faces.
  void findOwners();
};

/// Control values of one primvar in the points of a patch set.
struct SmoothPrimvar {
  int patchSet = -1;  ///< index into SubdivTopology::sets; -1: linear between corners
  std::vector<float> values;
};

struct SubdivData {
  std::shared_ptr<const SubdivTopology> topology;
  std::vector<std::vector<float>> positions;  ///< a key: points of the first set
  std::vector<PrimvarData> primvars;
  std::vector<SmoothPrimvar> smooth;  ///< a primvar
};

class SubdivGeometry final : public FaceGeometry {
 public:
  SubdivGeometry(SubdivData data, const float st[8]);

  int faceCount() const override { return static_cast<int>(topology_.faces.size()); }
  int keyCount() const override { return static_cast<int>(data_.positions.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  FaceEdge edge(int face, Side side) const override;
  bool hasPartialEdges() const override { return true; }
  FaceVertex vertex(int face, int corner) const override;
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;

 protected:
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;
  FaceInfo faceInfo(int face) const override;
  void fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void fillVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void fillFaceVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const override;
  void derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const override;

 private:
  /// A line of this geometry: what a side names.
  struct Line {
    enum Kind { kControl, kInner } kind;
    int index;       ///< edge, or corner from whose side's middle the line runs to the centre
    int face;        ///< control face of an inner line
    float from, to;  ///< control: the parameter on the control edge at the side's ends
  };
  Line line(int face, Side side) const;
  bool forward(int face, int corner) const;
  /// Where a point is evaluated: all that ask for it ask there.
  struct Place {
    int face;
    Vec2 uv;
  };
  Place vertexPlace(int vertex) const;
  Place controlEdgePlace(int edge, float t) const;
  Place innerLinePlace(const Line& line, float t) const;
  void cornerItems(int face, const std::function<int(int corner)>& item, const PrimvarData& from,
                   PrimvarData& out) const;
  void fillSmooth(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const;

  SubdivData data_;
  const SubdivTopology& topology_;               ///< of data_
  std::vector<std::vector<Bound3>> patchBoxes_;  ///< a key
  std::vector<RangeBounds> ranges_;
};

}  // namespace reyes::geom
