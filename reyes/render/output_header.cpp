// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/output_header.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reyes/base/version.h"

namespace reyes::render {

void addOwnHeader(std::map<std::string, image::Attribute>& h, const ParamList& params) {
  constexpr std::string_view kPrefix = "exrheader_";
  if (const std::string comment = params.stringOr("comment", ""); !comment.empty()) h["comments"] = comment;
  for (const Param& p : params.all()) {
    const std::string& name = p.spec.name.str();
    if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) continue;
    image::Attribute& a = h[name.substr(kPrefix.size())];
    const std::vector<float>& f = p.floats;
    if (!p.strings.empty()) {
      a = p.strings[0];
    } else if (f.size() == 16) {
      Matrix4 m;
      std::copy(f.begin(), f.end(), &m.m[0][0]);
      a = m;
    } else if (f.size() == 2) {
      a = Vec2{f[0], f[1]};
    } else if (f.size() == 3) {
      a = Vec3{f[0], f[1], f[2]};
    } else if (!p.ints.empty()) {
      a = static_cast<int>(p.ints[0]);
    } else {
      a = f.empty() ? 0.0f : f[0];
    }
  }
}

void addHeader(std::map<std::string, image::Attribute>& h, const scene::View& view, const RenderOptions& options) {
  const Matrix4 camera = view.cameraFromWorld.at(view.shutterOpen);
  const Matrix4 ndcFromRaster =
      Matrix4::scale({1.0f / static_cast<float>(view.xResolution), 1.0f / static_cast<float>(view.yResolution), 1});
  const float* w = view.screenWindow;
  h["worldToCamera"] = camera;
  h["worldToNDC"] = camera * view.screenFromCamera() * view.rasterFromScreen() * ndcFromRaster;
  // OpenEXR measures the screen window at unit distance from the eye; a mirrored window is one width to it.
  const float unit = view.perspective() ? static_cast<float>(std::tan(view.fov * std::numbers::pi / 360)) : 1.0f;
  h["screenWindowCenter"] = Vec2{(w[0] + w[1]) / 2 * unit, (w[2] + w[3]) / 2 * unit};
  h["screenWindowWidth"] = std::fabs(w[1] - w[0]) * unit;
  h["clipNear"] = view.near;
  h["clipFar"] = view.far;
  h["shutterOpen"] = view.shutterOpen;
  h["shutterClose"] = view.shutterClose;
  h["reyes/isa"] = std::string(isaName(options.isa));
  h["reyes/version"] = std::string(kVersion);
  if (!options.sceneFile.empty()) h["reyes/scene"] = options.sceneFile;
  if (!options.sceneHash.empty()) h["reyes/sceneHash"] = options.sceneHash;
  h["reyes/frame"] = view.frame;
}

}  // namespace reyes::render
