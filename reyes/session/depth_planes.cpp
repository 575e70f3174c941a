// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/depth_planes.h"

#include "reyes/base/format.h"
#include "reyes/image/image.h"

namespace reyes::session {
namespace {

const Matrix4* matrixOf(const image::Image& picture, const char* name) {
  const auto it = picture.attributes.find(name);
  return it == picture.attributes.end() ? nullptr : std::get_if<Matrix4>(&it->second);
}

}  // namespace

std::string readDepthPlane(const std::string& path, const Matrix4& worldFromObject,
                           std::shared_ptr<const geom::DepthPlane>& plane) {
  image::Image picture;
  if (std::string error = image::readImage(path, picture); !error.empty()) return error;
  const int channel = image::depthChannel(picture);
  if (channel < 0) return format("{}: has no depth channel Z", path);
  const Matrix4 *camera = matrixOf(picture, "worldToCamera"), *ndc = matrixOf(picture, "worldToNDC");
  if (!camera || !ndc) return format("{}: has no worldToCamera and worldToNDC matrices", path);
  // Nothing at all is farther than everything.
  const PixelRect &window = picture.dataWindow, &whole = picture.displayWindow;
  if (window.empty()) return format("{}: has no pixels", path);
  const size_t pixels = static_cast<size_t>(window.width()) * static_cast<size_t>(window.height());
  std::vector<float> depths(pixels);
  for (size_t i = 0; i < pixels; ++i) {
    const float z = picture.pixels[i * picture.channels.size() + static_cast<size_t>(channel)];
    depths[i] = z > 0 ? z : Bound3::kInf;
  }
  // From 0..1 over the whole picture to pixels of the part that is there.
  const Matrix4 pixel =
      *ndc * Matrix4::scale({static_cast<float>(whole.width()), static_cast<float>(whole.height()), 1}) *
      Matrix4::translate({static_cast<float>(whole.x0 - window.x0), static_cast<float>(whole.y0 - window.y0), 0});
  plane = std::make_shared<geom::DepthPlane>(window.width(), window.height(), std::move(depths),
                                             worldFromObject * *camera, worldFromObject * pixel);
  return "";
}

}  // namespace reyes::session
