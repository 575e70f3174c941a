// SPDX-License-Identifier: Apache-2.0
// The shape of one primitive, as a set of four-sided parametric faces. Immutable, thread-safe, object space; knows no
// attributes, no camera. render/ bounds, splits (in face ranges, then in dyadic (u,v) rectangles) and dices it.
//
// No holes: two faces that share a border name the same edge (equal id) and edgePoints() gives both the same bits;
// so do faces of different primitives whose edge control points are bit-equal. A dicer places every border vertex by
// edgePoints()/cornerPoint() only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/base/bound.h"
#include "reyes/vars/var_block.h"

namespace reyes {
class Outline;
}
namespace reyes::geom {

/// Rectangle of a face's own parameters, inside [0,1] x [0,1].
struct UvRect {
  float u0 = 0, u1 = 1, v0 = 0, v1 = 1;
};

/// Parameter of point i of n + 1 on [a, b]; exact at both ends. Every grid's parameters come from here, so that grids
/// and edges that meet at a parameter ask for the same float.
inline float gridParam(float a, float b, int i, int n) {
  if (i == 0) return a;
  if (i == n) return b;
  return a + (b - a) * (static_cast<float>(i) / static_cast<float>(n));
}

/// Sides of a face, each run in the direction of growing u or v: v=0, u=1, v=1, u=0.
enum class Side { kV0, kU1, kV1, kU0 };

/// The topological edge along one side of a face. The side's own parameter 0..1 maps to t = t0 + (t1 - t0) * x on the
/// edge; t0 > t1 where the side runs against the edge; a side may be a part of its edge (a quad of a split n-gon).
struct FaceEdge {
  uint64_t id = 0;  ///< equal for all faces of this geometry on this edge
  float t0 = 0, t1 = 1;
  int ownerFace = 0;  ///< the first face that has the whole edge as a side: its strip displaces the edge
  Side ownerSide = Side::kV0;
  float ownerT0 = 0, ownerT1 = 1;  ///< t at the ends of the owner's side
  bool point = false;              ///< the whole edge is one vertex (a pole, the tip of a triangle)
};

/// The vertex at a face's corner: displaced as corner `ownerCorner` of face `ownerFace` is.
/// Corners count (u,v) = 0: (0,0), 1: (1,0), 2: (0,1), 3: (1,1).
struct FaceVertex {
  uint64_t id = 0;
  int ownerFace = 0;
  int ownerCorner = 0;
};

struct DiceRequest {
  int face = 0;
  UvRect rect;
  int nu = 1, nv = 1;              ///< micropolygons; points are (nu+1) x (nv+1), u fastest
  int key = 0;                     ///< deformation key
  std::span<const Name> primvars;  ///< wanted besides P dPdu dPdv Ng u v s t (empty: those only)
  bool positionsOnly = false;      ///< P alone (further motion keys of an undisplaced grid)
  /// In place of face, rect, nu and nv: the corners of these faces, of a geometry that hasCells(). Points are the
  /// corners (0,0) of all of them, then (1,0), (0,1), (1,1).
  std::span<const uint32_t> cells = {};
};

/// Faces of a geometry that hasCells(): ranges that begin and end at multiples of this have cheap, exact bounds.
inline constexpr int kCellBlock = 32;

class PointSet;
class CurveSet;

class Geometry {
 public:
  virtual ~Geometry() = default;

  virtual int faceCount() const = 0;
  /// Deformation keys (P of MotionBegin blocks): 1 if the shape is still.
  virtual int keyCount() const { return 1; }

  /// Conservative box of faces [begin, end).
  virtual Bound3 bound(int begin, int end, int key) const = 0;
  /// Conservative box of a part of a face: contains every point that diceing that part can give.
  virtual Bound3 bound(int face, const UvRect& rect, int key) const = 0;

  /// P alone at any parameters of a face; out holds uv.size() points.
  virtual void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const = 0;

  /// Fills `grid` (points() == (nu+1)*(nv+1)), all in object space: P; dPdu, dPdv with respect to the primitive's own
  /// u and v (as RI defines them for the whole primitive); Ng along dPdu x dPdv, finite and never zero, poles included;
  /// u, v; s, t (standard parameters, or the primitive's s/t/st); and each wanted primvar that this geometry has, under
  /// its own name and type. Vertex/varying/facevarying data interpolated as RI says; uniform data as uniform Vars.
  /// The user's N arrives as primvar N. Points depend on the face's (u,v) alone: dicing any rect gives the same bits
  /// at the same (u,v).
  virtual void dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const = 0;

  virtual FaceEdge edge(int face, Side side) const = 0;
  virtual FaceVertex vertex(int face, int corner) const = 0;
  /// True where a side may be only a part of its edge.
  virtual bool hasPartialEdges() const { return false; }
  /// Points of an edge at parameters t in [0,1] of the edge; at t 0 and 1 bit-equal to every other edge that ends
  /// there.
  virtual void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const = 0;

  /// The region of u and v (of the primitive, as a grid has them) that is there; null: all.
  virtual const Outline* outline() const { return nullptr; }

  /// True where faces have straight sides, so that a face no larger than a micropolygon is its four corners: many of
  /// them can be drawn in one grid. dice() then takes DiceRequest::cells.
  virtual bool hasCells() const { return false; }
  /// Corners of faces [begin, end), four planes of end - begin numbers a component, as DiceRequest::cells has them.
  /// Bits are those of edgePoints() at the ends of the sides.
  virtual void cellCorners(int, int, int, float* const[3]) const {}

  /// All primvars this geometry has (without P), for binding shaders.
  virtual std::span<const VarSpec> primvars() const = 0;

  /// Points and curves: many small things, drawn in batches (elements.h) instead of face by face.
  virtual const PointSet* asPoints() const { return nullptr; }
  virtual const CurveSet* asCurves() const { return nullptr; }
};

}  // namespace reyes::geom
