// SPDX-License-Identifier: Apache-2.0
// Which lights a grid meets, and where each of them is: objects choose lights by name, an area light is a light for
// each of its samples, outputs of light groups switch lights off.
#include <algorithm>
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/shade/grid_services.h"

namespace reyes::shade {
namespace {

struct Words {
  Name P = "P", N = "N", Ng = "Ng", dPdu = "dPdu", dPdv = "dPdv", u = "u", v = "v", s = "s", t = "t";
  Name group = "__group", lightgroup = "__lightgroup";
};
const Words& words() {
  static const Words w;
  return w;
}

bool namedBy(const scene::Light& light, const std::vector<std::string>& list) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& name) {
    return name == light.handle || name == light.group ||
           std::find(light.names.begin(), light.names.end(), name) != light.names.end();
  });
}

float fraction(float x) { return x - std::floor(x); }

}  // namespace

/// False for lights that the grid's object does not want.
bool GridServices::chosen(const scene::Light& light) const {
  const scene::Attributes& a = *grid_->primitive->attributes;
  if (!a.lightSubset.empty() && !namedBy(light, a.lightSubset)) return false;
  return a.lightExclude.empty() || !namedBy(light, a.lightExclude);
}

void GridServices::findLights() {
  slots_.clear();
  lights_.clear();
  if (!frame_.world) return;
  for (const int index : grid_->primitive->attributes->lights) {
    const scene::Light& light = frame_.world->lights[static_cast<size_t>(index)];
    if (!chosen(light)) continue;
    for (int k = 0; k < (light.area ? light.samples : 1); ++k) slots_.push_back({&light, k, true});
  }
  lights_.resize(slots_.size());
}

std::string_view GridServices::groupOf(const scene::Light& light) {
  if (!light.group.empty()) return light.group;
  for (const Name name : {words().group, words().lightgroup}) {
    const vm::Value v = lightInstance(light).parameter(name);
    if (!v.strings.empty() && !v.strings[0].empty()) return v.strings[0];
  }
  return {};
}

void GridServices::setLightSet(const LightSet& set) {
  again_ = set.kind != LightSet::Kind::kAll;
  if (lightServices_) lightServices_->again_ = again_;
  for (LightSlot& slot : slots_) switch (set.kind) {
      case LightSet::Kind::kAll:
        slot.on = true;
        break;
      case LightSet::Kind::kNone:
        slot.on = false;
        break;
      case LightSet::Kind::kGroup:
        slot.on = groupOf(*slot.light) == set.name;
        break;
      case LightSet::Kind::kUngrouped:
        slot.on = groupOf(*slot.light).empty();
        break;
      case LightSet::Kind::kHandle:
        slot.on = slot.light->handle == set.name;
        break;
    }
}

/// Binds the light's own point, axis and, on an area light, surface: for each point that is lit another place.
void GridServices::placeLight(const LightSlot& slot, const vm::Program& program, const float* const P[3]) {
  const Words& w = words();
  const scene::AreaLight* area = slot.light->area.get();
  if (!area) {
    // The origin and z axis of its space.
    const Matrix4& m = lightServices_->spaces().currentFromShader;
    lightMachine_->bindTriple(w.P, transformPoint(m, {0, 0, 0}));
    lightMachine_->bindTriple(w.N, normalize(transformVector(m, {0, 0, 1})));
    return;
  }
  const int points = grid_->vars->points(), lanes = grid_->vars->stride();
  const Matrix4 current = frame_.view ? frame_.view->cameraFromWorld.at(grid_->time) : Matrix4();
  const Matrix4 normalsOf = inverse(current);
  const auto planes = [&](Name name, int n) -> float* {
    if (!program.reads(name)) return nullptr;
    float* p = arena_.make<float>(static_cast<size_t>(lanes) * static_cast<size_t>(n)).data();
    lightMachine_->bindPlanes(name, p, lanes);
    return p;
  };
  float* const place = planes(w.P, 3);
  float* const normals[2] = {planes(w.N, 3), planes(w.Ng, 3)};
  float* const edges[2] = {planes(w.dPdu, 3), planes(w.dPdv, 3)};
  float* const parameters[4] = {planes(w.u, 1), planes(w.v, 1), planes(w.s, 1), planes(w.t, 1)};
  const auto put = [&](float* to, int i, Vec3 value) {
    for (int c = 0; to && c < 3; ++c) to[c * lanes + i] = value[c];
  };
  // Each sample has its own part of the surface, at which a point sees it from a place of its own.
  const float n = static_cast<float>(slot.light->samples), k = static_cast<float>(slot.sample);
  for (int i = 0; i < points; ++i) {
    const uint64_t h = hashCombine(grid_->seed, static_cast<uint64_t>(i), static_cast<uint64_t>(slot.light->index));
    const float x = (k + toUnitFloat(h)) / n, a = fraction(toUnitFloat(mix64(h ^ 1)) + k * 0.75487767f),
                b = fraction(toUnitFloat(mix64(h ^ 2)) + k * 0.56984029f);
    const scene::LightPoint at = area->at(std::min(x, 0.99999994f), a, b);
    const Vec3 p = transformPoint(current, at.P);
    put(place, i, p);
    const bool facing = at.N == Vec3{};
    const Vec3 normal = normalize(facing ? Vec3{P[0][i], P[1][i], P[2][i]} - p : transformNormal(normalsOf, at.N));
    for (float* to : normals) put(to, i, normal);
    put(edges[0], i, transformVector(current, at.dPdu)), put(edges[1], i, transformVector(current, at.dPdv));
    const float values[4] = {at.u, at.v, at.s, at.t};
    for (int c = 0; c < 4; ++c)
      if (parameters[c]) parameters[c][i] = values[c];
  }
}

}  // namespace reyes::shade
