// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/spaces.h"

namespace reyes::shade {

bool Spaces::fromCurrent(std::string_view space, Matrix4& m) const {
  if (!view) return false;
  if (space == "screen") {
    m = view->screenFromCamera();
    return true;
  }
  if (space != "raster" && space != "NDC") return false;
  m = view->screenFromCamera() * view->rasterFromScreen();
  if (space == "NDC")
    m = m *
        Matrix4::scale({1.0f / static_cast<float>(view->xResolution), 1.0f / static_cast<float>(view->yResolution), 1});
  return true;
}

bool Spaces::currentFrom(std::string_view space, Matrix4& m) const {
  if (space == "current" || space == "camera" || space == "eye") {
    m = {};
    return true;
  }
  if (space == "object") {
    m = currentFromObject;
    return true;
  }
  if (space == "shader") {
    m = currentFromShader;
    return true;
  }
  if (space == "world") {
    m = view ? view->cameraFromWorld.at(time) : Matrix4{};
    return true;
  }
  Matrix4 projective;
  if (fromCurrent(space, projective)) {
    m = inverse(projective);
    return true;
  }
  const std::string name(space);
  for (const scene::SpaceMap* spaces : {scoped, world ? &world->coordinateSystems : nullptr}) {
    if (!spaces) continue;
    const auto named = spaces->find(name);
    if (named == spaces->end()) continue;
    m = named->second.at(time) * (view ? view->cameraFromWorld.at(time) : Matrix4{});
    return true;
  }
  return false;
}

bool Spaces::between(std::string_view from, std::string_view to, Matrix4& m) const {
  if (from == to) {
    m = {};
    return currentFrom(from, m) && ((m = Matrix4{}), true);
  }
  Matrix4 in, out;
  if (!currentFrom(from, in)) return false;
  if (!fromCurrent(to, out)) {
    if (!currentFrom(to, out)) return false;
    out = inverse(out);
  }
  m = in * out;
  return true;
}

}  // namespace reyes::shade
