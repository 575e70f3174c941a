// SPDX-License-Identifier: Apache-2.0
// One camera on a world: what projects, samples, filters and receives the picture. Made by session/, immutable.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/diag.h"
#include "reyes/scene/animated.h"
#include "reyes/scene/world.h"
#include "reyes/vars/param_list.h"

namespace reyes::scene {

enum class ProjectionType { kOrthographic, kPerspective };
enum class DepthFilter { kMin, kMax, kAverage, kMidpoint };

struct Quantize {
  int one = 255, min = 0, max = 255;  ///< one 0: floating point
  float dither = 0.5f;
};

/// A filter of RI: box triangle catmull-rom gaussian sinc, and mitchell, blackman-harris.
struct PixelFilter {
  std::string name = "gaussian";
  float xWidth = 2, yWidth = 2;
};

/// What a channel tells of its samples instead of their filtered mean: how they vary; the square error of the mean to
/// be expected from that; the mean of one half of them, or of the other.
enum class Statistics : uint8_t { kNone, kVariance, kMse, kEven, kOdd };

/// One channel group of a display. Mode "rgba" is {Ci color}, {a float}; "rgb" {Ci}; "a" {a}; "z" {z float}; anything
/// else is the variable of that name: Oi, N, s, or an output of a shader.
struct OutputVariable {
  Name name;  ///< Ci, a (mean of the resolved opacity), z, cryptomatte:KIND, or a shader's or built-in variable
  Type type = Type::kColor;
  std::string layer;  ///< channel name prefix; empty for the main R G B A Z
  // Of its DisplayChannel; what is not given is the display's.
  std::optional<PixelFilter> filter = {};
  std::optional<Quantize> quantize = {};
  std::optional<float> gain = {}, gamma = {};
  std::string pixelType = {};  ///< "half", "float"; empty: not given
  /// Added up through the opacities in front of it, as Ci is; otherwise the nearest surface's alone.
  bool composited = false;
  bool ofMatte = false;  ///< surfaces that are matte have it as if they were not
  Statistics statistics = Statistics::kNone;
};

/// The hole of a lens, of radius 1: a polygon between rounded and starred, or a disc.
struct Aperture {
  int sides = 0;        ///< below 3: a disc
  float angle = 0;      ///< of a corner, degrees, from +x counter-clockwise as seen on the screen
  float roundness = 0;  ///< 1: a disc; 0: straight sides; -1: a star
  float density = 0;    ///< -1 brightest in the middle .. 0 even .. 1 brightest at the rim
  float aspect = 1;     ///< of what is out of focus: above 1 so much wider, below 1 so much higher
};

/// Parts of the shutter's time: wholly open from, until; before and after it opens and closes: evenly, or along Bezier
/// curves of time and opening with these inner points, two to open, two to close.
struct ShutterOpening {
  std::array<float, 2> full{0, 1};
  std::optional<std::array<float, 8>> curve;
};

struct DisplaySpec {
  std::string name;  ///< file name, `####` expanded
  std::string type;  ///< file, tiff, openexr, png, framebuffer, zfile, shadow, null...
  std::string mode;  ///< as given: rgb, rgba, z, ...
  std::vector<OutputVariable> variables;
  Quantize quantize;
  bool quantizeGiven = false;
  float gain = 1, gamma = 1;  ///< of this display (defaults: the View's exposure)
  PixelFilter filter;
  ParamList params;
  SourceLoc loc;
};

struct View {
  int xResolution = 640, yResolution = 480;
  float pixelAspect = 1;
  float screenWindow[4] = {-1, 1, -1, 1};  ///< left right bottom top, resolved
  PixelRect crop;                          ///< pixels to render, absolute in the frame
  ProjectionType projection = ProjectionType::kOrthographic;
  float fov = 90;
  float near = 1e-4f, far = 1e30f;                    ///< RI_EPSILON and RI_INFINITY as given; camera units
  std::vector<std::pair<Vec3, Vec3>> clippingPlanes;  ///< point, normal in world space
  AnimatedTransform cameraFromWorld;                  ///< p_camera = p_world * matrix; +z forward, y up
  float shutterOpen = 0, shutterClose = 0;
  ShutterOpening shutterOpening;
  float fStop = 0, focalLength = 0, focalDistance = 0;  ///< fStop 0: pinhole
  Aperture aperture;
  int xSamples = 2, ySamples = 2;
  bool jitter = true;
  PixelFilter filter;
  float exposureGain = 1, exposureGamma = 1;
  DepthFilter depthFilter = DepthFilter::kMin;
  float opacityThreshold = 0.996f;
  float zThreshold = 0.996f;  ///< opacity from which a sample counts for depth
  int bucketWidth = 32, bucketHeight = 32;
  int gridSize = 256;  ///< micropolygons a grid, at most
  ShaderPtr imager;
  std::vector<DisplaySpec> displays;
  int frame = 0;
  bool isPass = false;  ///< a z/shadow/environment pass, not a picture

  /// Raster (pixels, y down) from camera space: x, y after division by w; w is the depth for a perspective view.
  Matrix4 screenFromCamera() const;
  /// Pixels from screen window coordinates.
  Matrix4 rasterFromScreen() const;
  bool perspective() const { return projection == ProjectionType::kPerspective; }
  bool hasLens() const { return fStop > 0 && focalLength > 0 && focalDistance > 0; }
};

}  // namespace reyes::scene
