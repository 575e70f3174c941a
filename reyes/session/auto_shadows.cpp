// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/auto_shadows.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reyes/base/format.h"
#include "reyes/session/light_probe.h"
#include "reyes/texture/shadow_map.h"

namespace reyes::session {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kWidest = 60 * kPi / 180;  ///< half the opening of a single view; beyond it, six

/// p_camera = p_world * matrix of a view from a place along a direction.
Matrix4 lookAlong(Vec3 from, Vec3 axis) {
  const Vec3 z = normalize(axis), up = std::fabs(z.y) < 0.9f ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const Vec3 x = normalize(cross(up, z)), y = cross(z, x);
  Matrix4 m;
  for (int r = 0; r < 3; ++r) m.m[r][0] = x[r], m.m[r][1] = y[r], m.m[r][2] = z[r];
  return Matrix4::translate(from * -1.0f) * m;
}

/// The box of what the camera can see of the scene.
Bound3 seenBound(const Bound3& scene, const scene::View& camera, float time) {
  const Matrix4 cameraFromWorld = camera.cameraFromWorld.at(time), worldFromCamera = inverse(cameraFromWorld);
  float deepest = 0;
  for (int i = 0; i < 8; ++i) deepest = std::max(deepest, transformPoint(cameraFromWorld, scene.corner(i)).z);
  if (!(deepest > 0)) return scene;
  const float reach = std::min(deepest, camera.far);
  const float wide = camera.perspective() ? std::tan(std::min(camera.fov, 175.0f) * kPi / 360) : 1.0f;
  Bound3 frustum;
  for (int i = 0; i < 8; ++i) {
    const float z = i & 4 ? reach : 0, scale = wide * (camera.perspective() ? z : 1.0f);
    frustum.add(transformPoint(
        worldFromCamera, {camera.screenWindow[i & 1] * scale, camera.screenWindow[2 + ((i >> 1) & 1)] * scale, z}));
  }
  Bound3 both;
  both.min = {std::max(scene.min.x, frustum.min.x), std::max(scene.min.y, frustum.min.y),
              std::max(scene.min.z, frustum.min.z)};
  both.max = {std::min(scene.max.x, frustum.max.x), std::min(scene.max.y, frustum.max.y),
              std::min(scene.max.z, frustum.max.z)};
  return both.min.x < both.max.x && both.min.y < both.max.y && both.min.z < both.max.z ? both : scene;
}

/// A depth view: one sample a pixel, in its middle.
scene::View depthView(const scene::View& camera, int resolution, const Matrix4& cameraFromWorld,
                      const std::string& file, scene::DepthFilter filter, bool passing) {
  scene::View v;
  v.xResolution = v.yResolution = resolution;
  v.crop = {0, 0, resolution, resolution};
  v.projection = scene::ProjectionType::kPerspective;
  v.cameraFromWorld = cameraFromWorld;
  // Where all is when it is shaded, or what moves would shade itself.
  v.shutterOpen = v.shutterClose = camera.shutterOpen;
  v.xSamples = v.ySamples = 1;
  v.jitter = false;
  v.filter = {"box", 1, 1};
  v.depthFilter = filter;
  v.opacityThreshold = camera.opacityThreshold, v.zThreshold = camera.zThreshold;
  v.bucketWidth = camera.bucketWidth, v.bucketHeight = camera.bucketHeight, v.gridSize = camera.gridSize;
  v.frame = camera.frame;
  v.isPass = true;
  scene::DisplaySpec d;
  d.name = file, d.type = "shadow", d.mode = "z";
  d.variables.push_back({"z", Type::kFloat, ""});
  d.quantize.one = 0;
  d.filter = v.filter;
  // What goes away after the frame is not worth the time.
  if (passing) {
    Param none;
    none.spec.name = "exrcompression", none.spec.type = Type::kString;
    none.strings = {"none"};
    d.params.add(std::move(none));
  }
  v.displays.push_back(std::move(d));
  return v;
}

/// Half the opening of a view from a place that has all of a box before it; beyond kWidest where there is none.
float openingFor(const Bound3& box, Vec3 from, Vec3& axis) {
  axis = (box.min + box.max) * 0.5f - from;
  if (!(length(axis) > 0)) return kPi;
  axis = normalize(axis);
  float least = 1;
  for (int i = 0; i < 8; ++i) {
    const Vec3 d = box.corner(i) - from;
    least = std::min(least, length(d) > 0 ? dot(normalize(d), axis) : -1.0f);
  }
  return std::acos(std::clamp(least, -1.0f, 1.0f));
}

/// In place of depths: what is in the way of the light, by depth and colour, over the whole shutter.
void makeDeep(scene::View& v, float shutterClose) {
  v.shutterClose = shutterClose;
  v.xSamples = v.ySamples = 4;
  v.jitter = true;
  scene::DisplaySpec& d = v.displays[0];
  d.type = "deepshad", d.mode = "deepopacity";
  d.variables = {{"Oi", Type::kColor, ""}};
  // Depths of a surface that a pixel sees at a slant are one step: finer than half of that pixel nobody looks.
  Param steps;
  steps.spec.name = "depthtolerance", steps.spec.type = Type::kFloat;
  steps.floats = {1 / static_cast<float>(std::max(v.xResolution, 1))};
  d.params.add(std::move(steps));
}

class Maker {
 public:
  /// Half way between the two nearest surfaces is the best of depths. Where something gets shadows and casts none,
  /// there may be one surface alone, whose own depth serves then.
  Maker(const AutoShadowJob& job, const scene::World& casters, bool allCast, bool deep, const Bound3& scene,
        const Bound3& seen)
      : job_(job),
        casters_(casters),
        deep_(deep),
        filter_(allCast ? scene::DepthFilter::kMidpoint : scene::DepthFilter::kMin),
        scene_(scene),
        seen_(seen) {}

  /// One map from one place; error text or "".
  std::string make(const LightPlace& place, const std::string& file, int resolution) const {
    if (place.kind == LightPlace::Kind::kParallel) return parallel(place.axis, file, resolution);
    if (place.kind == LightPlace::Kind::kCone && place.angle <= kWidest)
      return cone(place.from, place.axis, place.angle, file, resolution);
    Vec3 axis;
    const float opening = openingFor(seen_, place.from, axis);
    if (opening <= kWidest) return cone(place.from, axis, opening * 1.02f, file, resolution);
    return cube(place.from, file, resolution);
  }

 private:
  std::string cone(Vec3 from, Vec3 axis, float angle, const std::string& file, int resolution) const {
    scene::View v = depthView(job_.camera, resolution, lookAlong(from, axis), file, filter_, passing(file));
    v.fov = angle * 360 / kPi;
    if (deep_) makeDeep(v, job_.camera.shutterClose);
    job_.render(casters_, v);
    return "";
  }

  std::string parallel(Vec3 axis, const std::string& file, int resolution) const {
    const Matrix4 along = lookAlong({0, 0, 0}, axis);
    const Bound3 window = transformBound(along, seen_), all = transformBound(along, scene_);
    const Vec3 size = window.max - window.min, middle = (window.min + window.max) * 0.5f;
    const float half = 0.5f * std::max(size.x, size.y) * 1.01f, back = 0.01f * (all.max.z - all.min.z) + half;
    scene::View v =
        depthView(job_.camera, resolution, along * Matrix4::translate({-middle.x, -middle.y, back - all.min.z}), file,
                  filter_, passing(file));
    v.projection = scene::ProjectionType::kOrthographic;
    const float corners[4] = {-half, half, -half, half};
    std::copy(corners, corners + 4, v.screenWindow);
    if (deep_) makeDeep(v, job_.camera.shutterClose);
    job_.render(casters_, v);
    return "";
  }

  std::string cube(Vec3 from, const std::string& file, int resolution) const {
    const Vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    std::array<std::string, 6> faces;
    for (size_t f = 0; f < 6; ++f) {
      faces[f] = (job_.folder / format("face{}.z", f)).string();
      scene::View v = depthView(job_.camera, resolution, lookAlong(from, axes[f]), faces[f], filter_, true);
      v.fov = 90;
      if (deep_) makeDeep(v, job_.camera.shutterClose);
      job_.render(casters_, v);
    }
    std::string error = texture::makeCubeShadow(faces, file, passing(file) ? "none" : "zips");
    std::error_code ec;
    for (const std::string& name : faces) std::filesystem::remove(name, ec);
    return error;
  }

  bool passing(const std::string& file) const { return std::filesystem::path(file).parent_path() == job_.folder; }

  const AutoShadowJob& job_;
  const scene::World& casters_;
  const bool deep_;
  const scene::DepthFilter filter_;
  const Bound3 scene_, seen_;
};

/// name.shd for sample 3 is name.3.shd.
std::string sampleName(const std::string& file, int sample) {
  const std::filesystem::path path(file);
  return (path.parent_path() / format("{}.{}{}", path.stem().string(), sample, path.extension().string())).string();
}

bool shinesOnAnything(const scene::World& world, int light) {
  return std::any_of(world.primitives.begin(), world.primitives.end(), [&](const scene::Primitive& p) {
    const std::vector<int>& on = p.attributes->lights;
    return p.deferred || std::find(on.begin(), on.end(), light) != on.end();
  });
}

/// What stands in a light's way, whether or not the camera sees it.
scene::World castersFor(const scene::World& world, const AutoShadow& wanted) {
  scene::World w = world;
  for (scene::Primitive& p : w.primitives) {
    if (p.attributes->visibleToCamera) continue;
    auto attributes = std::make_shared<scene::Attributes>(*p.attributes);
    attributes->visibleToCamera = true;
    p.attributes = std::move(attributes);
  }
  std::erase_if(w.primitives, [&](const scene::Primitive& p) {
    return !castsShadow(*p.attributes) ||
           std::find(wanted.surface.begin(), wanted.surface.end(), p.path) != wanted.surface.end();
  });
  return w;
}

}  // namespace

bool castsShadow(const scene::Attributes& a) {
  const auto text = [&](const char* key) -> std::string {
    const auto it = a.named.find(key);
    if (it == a.named.end()) return "";
    return !it->second.strings.empty()                              ? it->second.strings[0]
           : it->second.floats.empty() || it->second.floats[0] != 0 ? ""
                                                                    : "0";
  };
  const std::string transmission = text("visibility:transmission");
  return text("render:casts_shadows") != "none" && transmission != "0" && transmission != "transparent";
}

Bound3 sceneBound(const scene::World& world, float open, float close) {
  Bound3 all;
  for (const scene::Primitive& p : world.primitives) {
    if (!p.geometry) continue;
    for (int k = 0; k < p.geometry->keyCount(); ++k) {
      Bound3 box = p.geometry->bound(0, p.geometry->faceCount(), k);
      box.grow(p.attributes->displacementBound);
      for (const float time : {open, close}) all.add(transformBound(p.worldFromObject.at(time), box));
    }
  }
  return all;
}

void makeAutoShadows(std::vector<AutoShadow>& wanted, scene::World& world, const AutoShadowJob& job, Isa isa,
                     Diagnostics& diag) {
  const float time = job.camera.shutterOpen;
  const Bound3 scene = sceneBound(world, time, job.camera.shutterClose);
  if (scene.empty()) return;
  const Bound3 seen = seenBound(scene, job.camera, time);
  for (size_t i = 0; i < wanted.size(); ++i) {
    AutoShadow& w = wanted[i];
    if (!shinesOnAnything(world, w.light)) continue;
    scene::Light& light = world.lights[static_cast<size_t>(w.light)];
    if (w.resolution <= 0) w.resolution = light.area ? 256 : 512;
    const std::string file = w.file.empty() ? (job.folder / format("light{}.shd", i)).string() : w.file;
    const scene::World casters = castersFor(world, w);
    const bool allCast = std::all_of(world.primitives.begin(), world.primitives.end(),
                                     [](const scene::Primitive& p) { return castsShadow(*p.attributes); });
    const Maker maker(job, casters, allCast, w.deep, scene, seen);
    const SourceLoc& loc = light.shader->loc;
    const auto make = [&](const LightPlace& place, const std::string& name) {
      const std::string error = maker.make(place, name, w.resolution);
      if (!error.empty()) diag.error("map-not-made", loc, format("shadow map '{}': {}", name, error), Impact::kPicture);
      job.made(name, w.resolution);
    };
    if (light.area) {
      // A map from the middle of each sample's part of the surface.
      for (int k = 0; k < light.samples; ++k) {
        LightPlace place;
        place.kind = LightPlace::Kind::kAround;
        place.from = light.area->at((static_cast<float>(k) + 0.5f) / static_cast<float>(light.samples), 0.5f, 0.5f).P;
        light.sampleMaps.push_back(sampleName(file, k));
        make(place, light.sampleMaps.back());
      }
      light.ownMap = w.file;
      continue;
    }
    const LightPlace place = probeLight(world, w.light, scene, time, isa);
    if (place.kind == LightPlace::Kind::kNothing || place.kind == LightPlace::Kind::kAmbient) continue;
    if (place.kind == LightPlace::Kind::kNone) {
      diag.error("light-without-place", loc,
                 format("light {} shines from another place for each point: it casts no shadow", light.handle),
                 Impact::kPicture);
      continue;
    }
    make(place, file);
    if (w.file.empty()) light.sampleMaps = {file};
  }
}

}  // namespace reyes::session
