// SPDX-License-Identifier: Apache-2.0
// Transformations, in motion or still, and named coordinate systems.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/view_builder.h"

namespace reyes::session {
namespace {
/// Numbers whose squares are floats too: lengths and areas of what is placed by them can be told.
bool sane(const Matrix4& m) {
  for (const auto& row : m.m)
    for (const float v : row)
      if (!(std::fabs(v) < 1e18f)) return false;
  return true;
}
}  // namespace

void SceneBuilder::applyTransform(const char* request, const Matrix4& m, bool replaces) {
  if (!sane(m))
    return run_.diag.error("rib-bad-argument", at(),
                           reyes::format("{}: a number is not finite, or beyond 1e18", request));
  if (motion_) {
    if (motion_->calls++ == 0) motion_->request = request, motion_->replaces = replaces;
    if (motion_->request != request)
      return run_.diag.error("rib-bad-motion", at(),
                             reyes::format("{} among {} in a motion block", request, motion_->request));
    if (motion_->matrices.size() < motion_->times.size()) motion_->matrices.push_back(m);
    return;
  }
  // What nearly all are, without an allocation.
  if (const Matrix4 still = m * state_.ctm.matrices[0]; !replaces && state_.ctm.still() && sane(still)) {
    state_.ctm.matrices[0] = still;
    return;
  }
  scene::AnimatedTransform ctm(m);
  if (!replaces)
    ctm = scene::concat(m, state_.ctm);
  else if (!bases_.empty())
    ctm = scene::concat(m, bases_.back());
  if (!std::all_of(ctm.matrices.begin(), ctm.matrices.end(), sane))
    return run_.diag.error("rib-bad-argument", at(),
                           reyes::format("{}: together with those before it beyond 1e18, so it is ignored", request));
  state_.ctm = std::move(ctm);
}

void SceneBuilder::finishTransformMotion(Motion& motion) {
  scene::AnimatedTransform op;
  op.matrices = motion.matrices;
  op.times = motion.times;
  op.times.resize(op.matrices.size());
  if (op.matrices.size() == 1) op.times.clear();
  for (const Matrix4& m : op.matrices)
    if (mirrors(m) != mirrors(op.matrices[0])) {
      run_.diag.warning(
          "rib-motion-mirrors", motion.loc,
          reyes::format("the keys of {} differ in handedness; that of the first is taken", motion.request));
      break;
    }
  if (!motion.replaces)
    state_.ctm = scene::concat(op, state_.ctm);
  else
    state_.ctm = bases_.empty() ? op : scene::concat(op, bases_.back());
}

void SceneBuilder::identity() { applyTransform("Identity", Matrix4(), true); }
void SceneBuilder::transform(const Matrix4& m) { applyTransform("Transform", m, true); }
void SceneBuilder::concatTransform(const Matrix4& m) { applyTransform("ConcatTransform", m, false); }
void SceneBuilder::translate(float x, float y, float z) {
  applyTransform("Translate", Matrix4::translate({x, y, z}), false);
}
void SceneBuilder::scale(float x, float y, float z) { applyTransform("Scale", Matrix4::scale({x, y, z}), false); }

void SceneBuilder::rotate(float degrees, float x, float y, float z) {
  if (x == 0 && y == 0 && z == 0 && degrees != 0)
    run_.diag.error("rib-bad-argument", at(), "Rotate about no axis is ignored");
  applyTransform("Rotate", Matrix4::rotate(degrees, {x, y, z}), false);
}

void SceneBuilder::skew(float degrees, Vec3 d1, Vec3 d2) {
  applyTransform("Skew", Matrix4::skew(degrees, d1, d2), false);
}

void SceneBuilder::perspective(float fov) {
  if (!(fov > 0 && fov < 180))
    return run_.diag.error("rib-bad-argument", at(), reyes::format("Perspective of {} degrees", fov));
  // Section 5: x and y are divided by z tan(fov/2), z becomes 1 - 1/z, with planes at 1 and infinity.
  Matrix4 m;
  m.m[0][0] = m.m[1][1] = static_cast<float>(1 / std::tan(double(fov) * 3.14159265358979323846 / 360));
  m.m[2][2] = 1, m.m[2][3] = 1, m.m[3][2] = -1, m.m[3][3] = 0;
  applyTransform("Perspective", m, false);
}

void SceneBuilder::coordinateSystem(const std::string& name) {
  // The world is complete while the content of a procedural is made: names given there hold inside it.
  if (procedural_) return scopedCoordinateSystem(name);
  frozen_.reset();
  spaces_[name] = state_.ctm;
}

void SceneBuilder::scopedCoordinateSystem(const std::string& name) {
  scene::Attributes& a = state_.edit();
  auto scoped =
      a.scopedSpaces ? std::make_shared<scene::SpaceMap>(*a.scopedSpaces) : std::make_shared<scene::SpaceMap>();
  (*scoped)[name] = state_.ctm;
  a.scopedSpaces = std::move(scoped);
  // Lights and imagers, which have no such scope, find the first one.
  frozen_.reset();
  spaces_.try_emplace(name, state_.ctm);
}

bool SceneBuilder::predefinedSpace(const std::string& name, scene::AnimatedTransform& space) const {
  if (name == "world") {
    space = world_ ? scene::AnimatedTransform() : state_.ctm;
    return world_ != nullptr;
  }
  if (name == "object" || name == "shader" || name == "current") {
    space = state_.ctm;
    return true;
  }
  const scene::AnimatedTransform fromCamera = world_ ? worldFromCamera() : scene::AnimatedTransform();
  if (name == "camera") {
    space = fromCamera;
    return true;
  }
  if (name != "screen" && name != "raster" && name != "NDC") return false;
  const scene::View view = world_ ? detailView_ : buildView(options_, state_.ctm, run_.options, {false, frame_});
  Matrix4 toSpace = view.screenFromCamera();
  if (name != "screen") toSpace = toSpace * view.rasterFromScreen();
  if (name == "NDC")
    toSpace = toSpace * Matrix4::scale({1.0f / static_cast<float>(view.xResolution),
                                        1.0f / static_cast<float>(view.yResolution), 1});
  space = scene::concat(inverse(toSpace), fromCamera);
  return true;
}

void SceneBuilder::coordSysTransform(const std::string& name) {
  if (motion_) return run_.diag.error("rib-bad-motion", at(), "CoordSysTransform does not move");
  scene::AnimatedTransform space;
  const auto& scoped = state_.attributes->scopedSpaces;
  if (scoped && scoped->count(name))
    state_.ctm = scoped->at(name);
  else if (const auto it = spaces_.find(name); it != spaces_.end())
    state_.ctm = it->second;
  else if (predefinedSpace(name, space))
    state_.ctm = space;
  else
    run_.diag.error("rib-unknown-space", at(), reyes::format("there is no coordinate system '{}'", name));
}

}  // namespace reyes::session
