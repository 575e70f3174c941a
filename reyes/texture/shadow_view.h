// SPDX-License-Identifier: Apache-2.0
// How shadow maps see the world: the views of a map, where points lie in them, and the area around each that a look-up
// filters over. What the map holds is not known here. Called by z_map.cpp and deep_shadow.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/matrix.h"
#include "reyes/image/image.h"
#include "reyes/texture/shadow_kernels.h"
#include "reyes/texture/shadow_map.h"

namespace reyes::texture {

/// One view: pixels of its display window, depth along its axis.
struct ShadowFace {
  Matrix4 camera, ndc;
  PixelRect window, display;  ///< window: the pixels that are there
  float perPixel[2] = {};     ///< world units a pixel: perPixel[0] + perPixel[1] * depth
  ShadowProjection numbers;   ///< of all points of the batch
  Matrix4 worldFromCamera, ndcFromCamera;

  float pixelAt(float z) const { return perPixel[0] + perPixel[1] * z; }
};

class ShadowViews {
 public:
  /// Faces in the order of their attributes; error text or "". `window` is the whole picture's.
  std::string read(const std::map<std::string, image::Attribute>& attributes, const PixelRect& window,
                   const PixelRect& display);

  const std::vector<ShadowFace>& faces() const { return faces_; }
  bool cube() const { return faces_.size() == 6; }

  /// The area of each lane; those with nothing to ask (not active, not ahead, beside the map) have face -1.
  void areas(const ShadowBatch& batch, const ShadowOptions& options, std::vector<ShadowArea>& out) const;
  /// Of a place in the plane of one face of a cube, outside it: the face that sees it, its pixel and depth there.
  bool otherFace(int face, float x, float y, float z, int& other, float& ox, float& oy, float& oz) const;

 private:
  std::vector<ShadowFace> faces_;
};

}  // namespace reyes::texture
