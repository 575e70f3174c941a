// SPDX-License-Identifier: Apache-2.0
// The graphics state as plain data: options of a frame, and the attributes that AttributeBegin saves.
// Changed by the scene builder alone.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reyes/geom/trim_curves.h"
#include "reyes/scene/view.h"
#include "reyes/scene/world.h"
#include "reyes/session/search_path.h"

namespace reyes::session {

/// One Display request, as given.
struct DisplayCall {
  std::string name, type, mode;
  ParamList params;
  SourceLoc loc;
};

/// A clipping plane with the space it was given in.
struct ClipCall {
  Vec3 point, normal;
};

struct SearchPaths {
  Folders shader, texture, archive, procedural;
  DirMap dirMap;
};

/// Everything that FrameBegin saves besides attributes.
struct OptionState {
  int xResolution = 640, yResolution = 480;
  float pixelAspect = 1;
  std::optional<float> frameAspect;
  std::optional<std::array<float, 4>> screenWindow;
  std::array<float, 4> crop{0, 1, 0, 1};  ///< xMin xMax yMin yMax
  scene::ProjectionType projection = scene::ProjectionType::kOrthographic;
  float fov = 90;
  std::array<float, 4> screenTransform{1, 1, 0, 0};  ///< scale x, y, shift x, y: transforms made before Projection
  float near = 1e-4f, far = 1e30f;
  std::vector<ClipCall> clippingPlanes;  ///< camera space
  float shutterOpen = 0, shutterClose = 0, shutterOffset = 0;
  scene::ShutterOpening shutterOpening;
  scene::Aperture aperture;
  float fStop = 0, focalLength = 0, focalDistance = 0;
  int xSamples = 2, ySamples = 2;
  scene::PixelFilter filter;
  float gain = 1, gamma = 1;
  scene::ShaderPtr imager;
  std::map<std::string, scene::Quantize> quantize;  ///< by type: rgba, z, a variable's name
  std::vector<DisplayCall> displays;
  std::map<std::string, std::pair<VarSpec, ParamList>> channels;  ///< DisplayChannel
  std::string hider = "hidden";
  bool jitter = true;
  scene::DepthFilter depthFilter = scene::DepthFilter::kMin;
  float opacityThreshold = 0.996f, zThreshold = 0.996f;
  float deepError = -1;  ///< tolerance of deep displays that have none of their own; below 0: the usual one
  int bucketWidth = 32, bucketHeight = 32, gridSize = 256;
  int textureMemoryKb = 0;
  std::string textureFilter;      ///< of look-ups that name none; empty: the best
  bool textureLerp = true;        ///< false: look-ups take one level
  std::string textureWrap[2];     ///< along s and t, of pictures that do not say; empty: black
  Vec3 textureMissing;            ///< what a texture that is nowhere shows
  std::vector<float> nRgb, rgbN;  ///< ColorSamples; empty: three components
  float relativeDetail = 1;
  SearchPaths paths;
  char variableMark = '$';
  std::map<std::string, Param> named;  ///< "category:name"
};

/// Everything that AttributeBegin saves. `attributes` is shared by all primitives until edit() is called.
struct AttributeState {
  std::shared_ptr<scene::Attributes> attributes = std::make_shared<scene::Attributes>();
  scene::AnimatedTransform ctm;  ///< world (before WorldBegin: camera) from current space
  bool inside = false;           ///< Orientation relative to the handedness of the current space
  std::array<float, 8> st{0, 0, 1, 0, 0, 1, 1, 1};
  Matrix4 uBasis, vBasis;
  int uStep = 3, vStep = 3;
  std::optional<std::array<float, 6>> detail;  ///< with the transform of its time
  scene::AnimatedTransform detailSpace;
  std::array<float, 4> detailRange{0, 0, 1e30f, 1e30f};
  bool detailRangeGiven = false;
  std::shared_ptr<const geom::TrimCurves> trim;
  bool trimInside = true;
  int depth = 0;       ///< blocks of attributes that are open
  int assetDepth = 0;  ///< of the block that gave assetName
  int areaLight = -1;  ///< the light that primitives are the area of; -1: none

  scene::Attributes& edit() {
    if (attributes.use_count() > 1) attributes = std::make_shared<scene::Attributes>(*attributes);
    return *attributes;
  }
};

}  // namespace reyes::session
