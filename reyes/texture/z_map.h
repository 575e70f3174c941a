// SPDX-License-Identifier: Apache-2.0
// A depth map in memory and percentage-closer filtering on it (Reeves, Salesin and Cook, SIGGRAPH 1987). Immutable once
// read; called by TextureSystem::shadow() from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/matrix.h"
#include "reyes/texture/texture_system.h"

namespace reyes::texture {

/// The depths of a picture from a light, row by row, with the least and greatest depth of every block of 8 x 8.
class ZMap {
 public:
  /// Reads an EXR with a Z channel (or a file of one channel) and its matrices; error text or "".
  std::string read(const std::string& path);

  /// Fraction of the filter area around worldP that is nearer to the light than worldP, less the bias.
  /// `du`, `dv`: world-space extents of the point's surroundings, or null.
  float occlusion(Vec3 worldP, const Vec3* du, const Vec3* dv, uint32_t seed, const ShadowOptions& options) const;

  int width() const { return window_.width(); }
  int height() const { return window_.height(); }
  const PixelRect& displayWindow() const { return display_; }
  const Matrix4& worldToCamera() const { return camera_; }
  const Matrix4& worldToNdc() const { return ndc_; }

 private:
  struct Point {
    float x, y, z;  ///< pixels of the display window, depth
    bool ahead;     ///< in front of the light
  };
  struct Area;
  Point project(Vec3 worldP) const;
  Area filterArea(const Point& at, Vec3 worldP, const Vec3* du, const Vec3* dv, const ShadowOptions& options) const;
  bool blockRange(const Area& area, float& least, float& greatest) const;
  float depth(int x, int y) const;
  void buildBlocks();

  static constexpr int kBlock = 8;
  PixelRect window_, display_;
  Matrix4 camera_, ndc_;
  std::vector<float> z_;
  int blocksX_ = 0, blocksY_ = 0;
  std::vector<float> least_, greatest_;
};

}  // namespace reyes::texture
