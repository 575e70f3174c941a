// SPDX-License-Identifier: Apache-2.0
// The patches that make up the faces of a subdivision surface, in one topology: B-spline patches where it is regular,
// Gregory patches at extraordinary vertices, each a dyadic square of its face. Control values are kept apart, so
// one set serves P in all keys and every vertex primvar; smooth facevarying data has sets of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reyes/geom/face_geometry.h"

namespace reyes::geom {

struct SubPatch {
  uint32_t first = 0;    ///< its control indices in PatchSet::indices, 16 or 20
  float u0 = 0, v0 = 0;  ///< where it starts on the face
  float size = 1;        ///< its part of the face's side
  bool gregory = false;
  uint8_t boundary = 0;  ///< sides with no control row beyond: bits v=0, u=1, v=1, u=0
};

/// Control values of a patch, one component: Bezier, with the inner four of a Gregory patch twice (by u, by v).
struct PatchHull {
  float cv[16];
  float along[4] = {}, across[4] = {};  ///< at inner places 5, 6, 9, 10
};

class PatchSet {
 public:
  std::vector<uint32_t> faceFirst;  ///< patches of face f: faceFirst[f] .. faceFirst[f + 1]
  std::vector<SubPatch> patches;
  std::vector<int> indices;

  std::span<const SubPatch> of(int face) const {
    const size_t f = static_cast<size_t>(face);
    return {patches.data() + faceFirst[f], faceFirst[f + 1] - faceFirst[f]};
  }

  /// Components first .. first + count of values (width floats an item) over a grid; du and dv may be null.
  void evaluate(int face, const GridParams& at, const float* values, int width, int first, int count, Arena& arena,
                float* const* p, float* const* du, float* const* dv) const;
  /// The same at one place; du and dv may be null.
  void evaluate(int face, Vec2 uv, const float* values, int width, int count, float* p, float* du, float* dv) const;
  /// Box of a part of a face; values of width 3.
  Bound3 bound(int face, const UvRect& rect, const float* values) const;

 private:
  const SubPatch& find(int face, Vec2 uv) const;
  void gather(const SubPatch& patch, const float* values, int width, int component, PatchHull& hull) const;
};

}  // namespace reyes::geom
