// SPDX-License-Identifier: Apache-2.0
// Repelling planes of a Blobby: the field of instruction 1003 over the surface that a depth picture shows. The picture
// comes as plain numbers from whoever can read files. Called by BlobbyField; made by the session.
#pragma once

#include <memory>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/matrix.h"

namespace reyes::geom {

struct Double3;

/// A depth picture and where it looks from. Immutable.
class DepthPlane {
 public:
  /// `depths`: row by row, infinity where nothing is.
  DepthPlane(int width, int height, std::vector<float> depths, const Matrix4& cameraFromObject,
             const Matrix4& pixelFromObject);

  /// How far a place lies before the surface, along the view of the picture; false where the picture does not say.
  bool height(Double3 p, double& z, Double3* gradient) const;
  /// Contains every height() in the box, infinity where there is none.
  void heights(const Bound3& box, double& least, double& greatest) const;

 private:
  struct Level {
    int width, height;
    std::vector<float> least, greatest;
  };
  float at(int x, int y) const;
  /// Least and greatest depth in a rectangle of pixels.
  void range(int x0, int y0, int x1, int y1, float& least, float& greatest) const;

  int width_, height_;
  std::vector<float> depths_;
  std::vector<Level> levels_;  ///< blocks of 2, 4, 8... pixels
  Matrix4 camera_, pixel_;     ///< from object space; pixel_ gives x and y over w
};

/// The four numbers of a plane: nothing is repelled from `a` on; strength `b`; a bulge of `d` at height `c`.
struct Repulsion {
  double a = 1, b = 0, c = 1, d = 0;
  double value(double z) const;
  double slope(double z) const;
  /// Contains every value between two heights.
  void range(double z0, double z1, double& least, double& greatest) const;
};

}  // namespace reyes::geom
