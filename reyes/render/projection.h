// SPDX-License-Identifier: Apache-2.0
// Camera space to the raster: points, raster lengths of lines and bounds of boxes, with the eye plane handled once and
// for all. Pure functions of the view: nothing here knows of crops, buckets or threads. Called all over render/.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/vec.h"
#include "reyes/render/grid_kernels.h"
#include "reyes/scene/view.h"

namespace reyes::render {

/// A point in the raster: x, y in pixels, z is the camera depth.
struct RasterPoint {
  float x, y, z;
};

/// A raster bound gathered over all motion keys, and where it lies against the eye plane.
struct ViewBound {
  RasterBound box;         ///< empty: nothing of it can be seen
  bool straddles = false;  ///< some key has points on both sides of the eye plane: must be split, never diced
  /// Of what moves or is out of focus a box a key, without the lens (hider::MovingBound); else, or unknown, empty.
  std::vector<RasterBound> path;
};

class Projector {
 public:
  /// `reachX`, `reachY`: pixels around the frame that the filter samples.
  Projector(const scene::View& view, int reachX, int reachY);

  bool perspective() const { return perspective_; }
  /// Points nearer than this are projected as if they were at this depth: half of `near`, so that whatever can be seen
  /// is projected exactly, and nothing is divided by a depth near 0.
  float eyeDepth() const { return eyeDepth_; }
  float near() const { return near_; }
  float far() const { return far_; }

  /// toRaster() as numbers, for loops over grids.
  RasterNumbers numbers(bool dropBehind) const {
    return {perspective_, dropBehind, eyeDepth_, scaleX_, scaleY_, centreX_, centreY_};
  }
  RasterPoint toRaster(Vec3 p) const {
    if (!perspective_) return {p.x * scaleX_ + centreX_, p.y * scaleY_ + centreY_, p.z};
    const float z = p.z > eyeDepth_ ? p.z : eyeDepth_;
    return {p.x / z * scaleX_ + centreX_, p.y / z * scaleY_ + centreY_, p.z};
  }

  /// Pixels along x of a length of 1 that lies in the picture plane's direction at depth z, and the same along y by x.
  float pixelsAt(float z) const {
    return std::fabs(perspective_ ? scaleX_ / (z > eyeDepth_ ? z : eyeDepth_) : scaleX_);
  }
  float pixelAspect() const { return std::fabs(scaleY_ / scaleX_); }

  /// Pixels from a to b, counting only what is before the eye and inside the enlarged window; `whole` grows by those
  /// outside the window too.
  float rasterLength(Vec3 a, Vec3 b, float* whole = nullptr) const;
  /// Whether a point is before the eye and inside the enlarged window.
  bool inWindow(Vec3 p) const {
    const RasterPoint r = toRaster(p);
    return (!perspective_ || p.z >= eyeDepth_) && r.x >= window_.x0 && r.x <= window_.x1 && r.y >= window_.y0 &&
           r.y <= window_.y1;
  }
  /// Whether a curve or surface through some points, `count` of them a motion key, might enter the enlarged window
  /// between them: their box, and a quarter of its size around it.
  bool mayEnterWindow(std::span<const Vec3> points, size_t count) const;

  /// Adds a point as it is seen through all of the lens. A point of the lens sees a box within the hull of the box's
  /// corners, so corners, each with its own blur, bound what lies between them.
  void addSeen(Vec3 p, RasterBound& box) const;
  /// Adds the box with these eight corners (Bound3::corner order), as seen at one motion key. With `moving` also what
  /// lies behind the eye plane takes part, as other keys may bring it to the front. `lens`: as all of the lens sees it.
  void addHull(const Vec3* corners, bool moving, ViewBound& bound, bool lens = true) const;
  /// Ends a bound: a rounding margin, and the window. `margin` in pixels.
  void finish(ViewBound& bound, float margin) const;

  /// Pixels that the lens spreads a point at depth z in x and y (radius).
  float lensX(float z) const { return lensX_ * defocus(z); }
  float lensY(float z) const { return lensY_ * defocus(z); }
  /// Pixels along x that the lens spreads each of some points at least (radius), and what lies between them: 0 where
  /// the nearest is before what is in focus and the farthest behind it.
  float leastLensX(float nearest, float farthest) const;
  float lensPixelsX() const { return lensX_; }
  float lensPixelsY() const { return lensY_; }

  /// The frame with a frame's size around it: nothing beyond is ever sampled.
  const RasterBound& window() const { return window_; }

 private:
  float defocus(float z) const;

  bool perspective_;
  float near_, far_, eyeDepth_;
  float scaleX_, scaleY_, centreX_, centreY_;
  float lensX_ = 0, lensY_ = 0, focalDistance_ = 1;
  RasterBound window_;
};

}  // namespace reyes::render
