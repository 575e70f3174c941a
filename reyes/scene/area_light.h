// SPDX-License-Identifier: Apache-2.0
// The surface of an area light as points that no camera chose: made of the geometry of AreaLightSource at WorldEnd,
// immutable, owned by the light. shade/ takes samples from it for every point that it lights.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "reyes/base/vec.h"
#include "reyes/vars/var_block.h"

namespace reyes::scene {

struct Primitive;

/// One sample: a place on the light, in world space.
struct LightPoint {
  Vec3 P, N;        ///< N has length 1; zero: the light faces whatever it lights (points and curves)
  Vec3 dPdu, dPdv;  ///< along the edges of its cell, by the primitive's parameters
  float u = 0, v = 0, s = 0, t = 0;
};

class AreaLight {
 public:
  /// A small piece of the surface: a parallelogram around `at.P`.
  struct Cell {
    LightPoint at;
    Vec3 across, along;                            ///< its edges
    float du = 0, dv = 0, ds[2] = {}, dt[2] = {};  ///< change of the parameters along the edges
    float area = 0;
  };

  /// Cells in any order; those without area are left out.
  explicit AreaLight(std::vector<Cell> cells);

  bool empty() const { return cells_.empty(); }
  double area() const { return area_; }
  size_t size() const { return cells_.size(); }
  /// The place where a part x in [0, 1) of the area lies before it; a, b in [0, 1) place it in its cell. Cells lie
  /// along a curve through space, so that equal parts of x are compact parts of the surface.
  LightPoint at(float x, float a, float b) const;

 private:
  std::vector<Cell> cells_;
  std::vector<float> upTo_;      ///< share of the area up to the end of each cell
  std::vector<uint32_t> guide_;  ///< the first cell that reaches beyond k / size
  double area_ = 0;
};

/// Dices a face of a primitive with a displacement shader into n x n cells and displaces them: fills `grid` with P Ng
/// dPdu dPdv in world space, u v s t. False: cannot be, and the face is taken as it is without.
using DisplacedFace = std::function<bool(const Primitive& primitive, int face, int n, VarBlock& grid, Arena& arena)>;

/// The surface of `primitives` at a time; null where it has no area.
std::shared_ptr<const AreaLight> makeAreaLight(std::span<const Primitive* const> primitives, float time,
                                               const DisplacedFace& displaced = {});

}  // namespace reyes::scene
