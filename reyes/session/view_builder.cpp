// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/view_builder.h"

#include <algorithm>
#include <cmath>

namespace reyes::session {
namespace {
/// Section 4.1.2: a frame of another shape than the format takes the largest part of it.
void fitFrame(scene::View& view, std::optional<float> frameAspect) {
  if (!frameAspect) return;
  const float format = static_cast<float>(view.xResolution) * view.pixelAspect / static_cast<float>(view.yResolution);
  if (*frameAspect >= format)
    view.yResolution =
        std::max(1, static_cast<int>(std::lround(float(view.xResolution) * view.pixelAspect / *frameAspect)));
  else
    view.xResolution =
        std::max(1, static_cast<int>(std::lround(float(view.yResolution) * *frameAspect / view.pixelAspect)));
}

void placeScreenWindow(scene::View& view, const OptionState& options) {
  std::array<float, 4> w;
  if (options.screenWindow) {
    w = *options.screenWindow;
  } else {
    const float a = options.frameAspect.value_or(static_cast<float>(view.xResolution) * view.pixelAspect /
                                                 static_cast<float>(view.yResolution));
    w = a >= 1 ? std::array<float, 4>{-a, a, -1, 1} : std::array<float, 4>{-1, 1, -1 / a, 1 / a};
  }
  // Transformations before Projection move the screen under the window.
  const auto& [sx, sy, tx, ty] = options.screenTransform;
  view.screenWindow[0] = (w[0] - tx) / sx, view.screenWindow[1] = (w[1] - tx) / sx;
  view.screenWindow[2] = (w[2] - ty) / sy, view.screenWindow[3] = (w[3] - ty) / sy;
}

void placeCrop(scene::View& view, const OptionState& options, const SessionOptions& flags, bool overridden) {
  std::array<float, 4> crop = options.crop;
  if (overridden && flags.crop[0] && flags.crop[1] && flags.crop[2] && flags.crop[3])
    crop = {*flags.crop[0], *flags.crop[1], *flags.crop[2], *flags.crop[3]};
  const auto [x0, x1] = cropPixels(crop[0], crop[1], view.xResolution);
  const auto [y0, y1] = cropPixels(crop[2], crop[3], view.yResolution);
  view.crop = {x0, y0, x1, y1};
  if (overridden && flags.region) view.crop = intersect(*flags.region, {0, 0, view.xResolution, view.yResolution});
}
}  // namespace

std::pair<int, int> cropPixels(float from, float to, int resolution) {
  const float r = static_cast<float>(resolution);
  // Section 4.1.2: the first pixel is ceil(r * from), the last ceil(r * to - 1).
  const int first = std::clamp(static_cast<int>(std::ceil(r * from)), -resolution, 2 * resolution);
  const int last = std::clamp(static_cast<int>(std::ceil(r * to)), -resolution, 2 * resolution);
  return {first, last};
}

scene::View buildView(const OptionState& options, const scene::AnimatedTransform& cameraFromWorld,
                      const SessionOptions& flags, const ViewRequest& request) {
  scene::View v;
  v.xResolution = options.xResolution, v.yResolution = options.yResolution;
  v.pixelAspect = options.pixelAspect;
  if (request.overridden) {
    if (flags.resolution) v.xResolution = flags.resolution->first, v.yResolution = flags.resolution->second;
    v.xResolution = std::max(1, static_cast<int>(std::lround(float(v.xResolution) * flags.scale)));
    v.yResolution = std::max(1, static_cast<int>(std::lround(float(v.yResolution) * flags.scale)));
  }
  fitFrame(v, options.frameAspect);
  placeScreenWindow(v, options);
  placeCrop(v, options, flags, request.overridden);
  v.projection = options.projection;
  v.fov = options.fov;
  // A perspective view needs its near plane before the eye.
  constexpr float kEpsilon = 1e-4f;
  v.near = v.perspective() ? std::max(options.near, kEpsilon) : options.near;
  v.far = std::max(options.far, v.near * 1.001f + kEpsilon);
  const Matrix4 camera = cameraFromWorld.matrices.front();
  for (const ClipCall& c : options.clippingPlanes)
    v.clippingPlanes.emplace_back(transformPoint(inverse(camera), c.point),
                                  normalize(transformNormal(camera, c.normal)));
  v.cameraFromWorld = cameraFromWorld;
  v.shutterOpen = options.shutterOpen + options.shutterOffset;
  v.shutterClose = options.shutterClose + options.shutterOffset;
  v.shutterOpening = options.shutterOpening;
  v.aperture = options.aperture;
  v.fStop = options.fStop, v.focalLength = options.focalLength, v.focalDistance = options.focalDistance;
  v.xSamples = options.xSamples, v.ySamples = options.ySamples;
  v.jitter = options.jitter;
  v.filter = options.filter;
  v.exposureGain = options.gain, v.exposureGamma = options.gamma;
  v.depthFilter = options.depthFilter;
  v.opacityThreshold = options.opacityThreshold, v.zThreshold = options.zThreshold;
  v.bucketWidth = options.bucketWidth, v.bucketHeight = options.bucketHeight;
  v.gridSize = options.gridSize;
  v.imager = options.imager;
  v.frame = request.frame;
  return v;
}

}  // namespace reyes::session
