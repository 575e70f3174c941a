// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/light_probe.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "reyes/shade/grid_services.h"

namespace reyes::session {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr int kDirections = 4096;  ///< all around: one in every 2 degrees
constexpr float kSpacing = 2.5f * kPi / 180;

/// What the light does at each point: the way from the light to it, and whether it is reached.
struct Answer {
  bool ambient = false, known = false;
  std::vector<Vec3> along;
  std::vector<bool> lit;
};

/// The light alone on points that are no grid.
Answer ask(const scene::World& world, int light, const std::vector<Vec3>& points, float time, Isa isa) {
  Arena arena(size_t{256} * 1024);
  const int n = static_cast<int>(points.size());
  VarBlock vars(n);
  for (const auto& [name, type] : {std::pair<const char*, Type>{"P", Type::kPoint}, {"N", Type::kNormal}}) {
    Var& v = vars.add({name, type, Storage::kVarying, 0}, arena);
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c) v.plane(c)[i] = type == Type::kPoint ? points[static_cast<size_t>(i)][c] : c == 2;
  }
  auto attributes = std::make_shared<scene::Attributes>();
  attributes->lights = {light};
  scene::Primitive primitive;
  primitive.attributes = attributes;
  shade::ShadeGrid grid{n - 1, 0, 1, 1, &vars, &arena, &primitive, {}, time, 1};
  grid.elements = true;
  shade::FrameServices frame;
  frame.world = &world, frame.isa = isa;
  shade::GridServices services(frame);
  services.startGrid(grid);
  const Var p = *vars.find("P");
  const float* planes[3] = {p.plane(0), p.plane(1), p.plane(2)};
  const vm::Lanes lanes{n, vars.stride(), nullptr, 0, {}};
  vm::LightSample sample;
  Answer a;
  a.known = services.lightCount() > 0 && services.light(0, lanes, planes, sample);
  if (!a.known) return a;
  a.ambient = sample.ambient;
  for (int i = 0; i < n && !a.ambient; ++i) {
    a.along.push_back(Vec3{-sample.L[0][i], -sample.L[1][i], -sample.L[2][i]});
    a.lit.push_back(!sample.lit || sample.lit[i]);
  }
  return a;
}

std::vector<Vec3> lattice(const Bound3& box) {
  std::vector<Vec3> points;
  const Vec3 size = box.max - box.min;
  for (int k = 0; k < 125; ++k) {
    const Vec3 t{static_cast<float>(k % 5), static_cast<float>(k / 5 % 5), static_cast<float>(k / 25)};
    // Not quite regular, so that no point is the light itself.
    points.push_back(box.min + Vec3{size.x * (t.x * 0.249f + 0.001f), size.y * (t.y * 0.248f + 0.003f),
                                    size.z * (t.z * 0.247f + 0.005f)});
  }
  return points;
}

/// Directions all around, and more of them near those that lights are likely to point along.
std::vector<Vec3> directions(std::initializer_list<Vec3> likely) {
  std::vector<Vec3> all;
  for (int i = 0; i < kDirections; ++i) {
    const float z = 1 - (2 * static_cast<float>(i) + 1) / kDirections, r = std::sqrt(std::max(0.0f, 1 - z * z));
    const float a = 2.39996323f * static_cast<float>(i);
    all.push_back({r * std::cos(a), r * std::sin(a), z});
  }
  for (const Vec3 d : likely) {
    if (!(length(d) > 0)) continue;
    const Vec3 axis = normalize(d),
               x = normalize(cross(axis, std::fabs(axis.x) < 0.7f ? Vec3{1, 0, 0} : Vec3{0, 1, 0})), y = cross(axis, x);
    for (int i = 0; i < 1024; ++i) {
      const float r = 0.2f * std::sqrt(static_cast<float>(i) / 1024), a = 2.39996323f * static_cast<float>(i);
      all.push_back(normalize(axis + x * (r * std::cos(a)) + y * (r * std::sin(a))));
    }
  }
  return all;
}

/// All lit points get light along one direction.
bool isParallel(const Answer& a, Vec3& axis) {
  int count = 0;
  for (size_t i = 0; i < a.along.size(); ++i) {
    if (!a.lit[i] || !(length(a.along[i]) > 0)) continue;
    const Vec3 d = normalize(a.along[i]);
    if (count++ == 0) axis = d;
    if (length(d - axis) > 1e-4f) return false;
  }
  return count > 1;
}

/// All points see the light at one place.
bool isOnePlace(const Answer& a, const std::vector<Vec3>& points, float size, Vec3& from) {
  from = points[0] - a.along[0];
  for (size_t i = 1; i < points.size(); ++i)
    if (length(points[i] - a.along[i] - from) > 1e-3f * (size + length(from))) return false;
  return std::isfinite(from.x) && std::isfinite(from.y) && std::isfinite(from.z);
}

}  // namespace

LightPlace probeLight(const scene::World& world, int light, const Bound3& scene, float time, Isa isa) {
  LightPlace place;
  // 1. What it does where the scene is.
  const std::vector<Vec3> points = lattice(scene);
  const Answer there = ask(world, light, points, time, isa);
  if (!there.known || there.ambient) return place;
  const float size = length(scene.max - scene.min);
  if (isParallel(there, place.axis)) {
    place.kind = LightPlace::Kind::kParallel;
    return place;
  }
  place.kind = LightPlace::Kind::kNone;
  if (!isOnePlace(there, points, size, place.from)) return place;
  // 2. Which way it shines.
  const Matrix4 own = world.lights[static_cast<size_t>(light)].shader->worldFromShader.at(time);
  const Vec3 centre = (scene.min + scene.max) * 0.5f, toScene = centre - place.from;
  const std::vector<Vec3> ways = directions({toScene, transformVector(own, {0, 0, 1}), there.along[0]});
  const float radius = std::max(length(toScene), 1e-3f * size);
  std::vector<Vec3> around;
  for (const Vec3 d : ways) around.push_back(place.from + d * radius);
  const Answer all = ask(world, light, around, time, isa);
  int lit = 0;
  for (size_t i = 0; i < around.size(); ++i) {
    if (!all.lit[i]) continue;
    place.axis = place.axis + ways[i];
    lit += i < static_cast<size_t>(kDirections) ? 1 : 0;
  }
  place.kind = LightPlace::Kind::kNothing;
  if (place.axis == Vec3{}) return place;
  place.kind = LightPlace::Kind::kAround;
  if (lit > kDirections * 2 / 3 || !(length(place.axis) > 0)) return place;
  place.axis = normalize(place.axis);
  float least = 1;
  for (size_t i = 0; i < around.size(); ++i)
    if (all.lit[i]) least = std::min(least, dot(ways[i], place.axis));
  place.angle = std::acos(std::clamp(least, -1.0f, 1.0f)) + kSpacing;
  place.kind = LightPlace::Kind::kCone;
  return place;
}

}  // namespace reyes::session
