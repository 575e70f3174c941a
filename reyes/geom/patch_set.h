// SPDX-License-Identifier: Apache-2.0
// The patches that make up the faces of a subdivision surface, in one topology: B-spline patches where it is regular,
// Gregory patches at extraordinary vertices, each a dyadic square of its face; bilinear ones; or, for Loop surfaces,
// quartic triangles of which a face is a third. Control values are kept apart, so one set serves P in all keys and
// every vertex primvar; smooth facevarying data has sets of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "reyes/geom/face_geometry.h"

namespace reyes::geom {

enum class PatchKind : uint8_t { kSpline, kGregory, kBilinear, kTriangle, kGregoryTriangle };

struct SubPatch {
  uint32_t first = 0;    ///< its control indices in PatchSet::indices: 16, 20, 4, 12 or 18
  float u0 = 0, v0 = 0;  ///< where it starts on the face (on the triangle)
  float size = 1;        ///< its part of the face's side; below zero for a triangle that is turned half round
  PatchKind kind = PatchKind::kSpline;
  uint8_t boundary = 0;  ///< of a spline: sides with no control row beyond: bits v=0, u=1, v=1, u=0
  uint8_t matrix = 0;    ///< of a triangle: which of PatchSet::toQuartic
};

/// Control values of a patch, one component: Bezier, with the inner four of a Gregory patch twice (by u, by v).
struct PatchHull {
  float cv[16];
  float along[4] = {}, across[4] = {};  ///< at inner places 5, 6, 9, 10
};

/// The 15 Bezier values of a quartic triangle, (i, j) at kQuarticRow[j] + i; of a Gregory one the three inner values
/// twice: blended by the parameters that leave the corner.
struct QuarticHull {
  float cv[15];
  float next[3] = {}, previous[3] = {};
  bool gregory = false;
};

/// Where a face of a Loop surface lies on its triangle: the third at one of its corners, bilinear in the face's (u, v).
struct TrianglePlace {
  float s, t;
  float su, sv, tu, tv;  ///< derivatives of s and t
};
TrianglePlace trianglePlace(int corner, float u, float v);

/// The patch that the last point was on, so that points near each other gather its control values once.
struct HeldPatch {
  const SubPatch* patch = nullptr;
  PatchHull hull[3];
};

class PatchSet {
 public:
  std::vector<uint32_t> faceFirst;  ///< patches of face f: faceFirst[f] .. faceFirst[f + 1]
  std::vector<SubPatch> patches;
  std::vector<int> indices;
  std::vector<std::array<float, 15 * 12>> toQuartic;  ///< Bezier values of a Loop patch of 12 points, row by row
  std::vector<uint8_t> corner;                        ///< a face of a Loop surface: its corner of the triangle

  std::span<const SubPatch> of(int face) const {
    const size_t f = static_cast<size_t>(face);
    return {patches.data() + faceFirst[f], faceFirst[f + 1] - faceFirst[f]};
  }

  /// Components first .. first + count of values (width floats an item) over a grid; du and dv may be null.
  void evaluate(int face, const GridParams& at, const float* values, int width, int first, int count, Arena& arena,
                float* const* p, float* const* du, float* const* dv) const;
  /// The same at one place; du and dv may be null.
  void evaluate(int face, Vec2 uv, const float* values, int width, int count, float* p, float* du, float* dv) const;
  /// A point; values of width 3. The same bits as evaluate().
  Vec3 point(int face, Vec2 uv, const float* values, HeldPatch& held) const;
  /// Boxes of all patches; values of width 3. For bound().
  std::vector<Bound3> boxes(const float* values) const;
  /// Box of a part of a face.
  Bound3 bound(int face, const UvRect& rect, const float* values, std::span<const Bound3> boxes) const;

 private:
  bool triangles() const { return !corner.empty(); }
  const SubPatch& find(int face, Vec2 uv) const;
  void gather(const SubPatch& patch, const float* values, int width, int component, PatchHull& hull) const;
  /// All three components of points.
  void gatherPoint(const SubPatch& patch, const float* values, PatchHull hull[3]) const;
  Bound3 patchBound(const SubPatch& patch, const UvRect& rect, const float* values) const;

  void gatherTriangle(const SubPatch& patch, const float* values, int width, int component, QuarticHull& hull) const;
  const SubPatch& findTriangle(int face, float s, float t) const;
  void evaluateTriangles(int face, const GridParams& at, const float* values, int width, int first, int count,
                         float* const* p, float* const* du, float* const* dv) const;
  Bound3 triangleBound(const SubPatch& patch, const float* values) const;
  Bound3 cutTriangleBound(const SubPatch& patch, float x, float y, float extent, const float* values) const;
  Bound3 partOfTriangles(int face, const UvRect& rect, const float* values, std::span<const Bound3> boxes) const;
};

}  // namespace reyes::geom
