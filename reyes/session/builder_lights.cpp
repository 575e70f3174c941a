// SPDX-License-Identifier: Apache-2.0
// Lights: LightSource, AreaLightSource with the primitives that are its surface, and which objects they shine on.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/light_names.h"
#include "reyes/session/shader_binding.h"

namespace reyes::session {
namespace {

std::string textOf(const scene::Attributes& a, const char* key) {
  const auto it = a.named.find(key);
  return it == a.named.end() || it->second.strings.empty() ? "" : it->second.strings[0];
}

/// The light group that the scene file gives a light: by a parameter of its own, else by the attribute.
std::string groupOf(const ParamList& params, const scene::Attributes& a) {
  for (const Param& p : params.all())
    if (isLightGroupParameter(p.spec.name.str()) && !p.strings.empty()) return p.strings[0];
  const std::string group = textOf(a, "light:group");
  return group.empty() ? textOf(a, "light:lightgroup") : group;
}

/// True of a light that looks a shadow map up by itself, one that its parameters name.
bool namesShadow(const scene::ShaderInstance& shader) {
  for (const Param& p : shader.params.all())
    if (!p.strings.empty() && !p.strings[0].empty() && p.spec.name.str().find("shad") != std::string::npos) return true;
  return false;
}

/// The shadow map that a light's attributes ask for; false: none.
bool shadowOf(const scene::Attributes& a, const scene::Light& light, AutoShadow& out) {
  out = {};
  out.light = light.index;
  out.file = textOf(a, "autoshadows:shadowmapname");
  out.deep = textOf(a, "autoshadows:type") == "deep";
  const auto res = a.named.find("autoshadows:res");
  if (res != a.named.end() && !res->second.floats.empty())
    out.resolution = static_cast<int>(std::clamp(res->second.floats[0], 1.0f, 16384.0f));
  return !out.file.empty() || (textOf(a, "light:shadows") == "on" && !namesShadow(*light.shader));
}

int samplesOf(const scene::Attributes& a) {
  constexpr int kDefault = 16, kMost = 1024;
  for (const char* key : {"light:nsamples", "light:samples"}) {
    const auto it = a.named.find(key);
    if (it == a.named.end() || it->second.floats.empty()) continue;
    return static_cast<int>(std::clamp(it->second.floats[0], 1.0f, static_cast<float>(kMost)));
  }
  return kDefault;
}

}  // namespace

int SceneBuilder::addLight(const char* request, const std::string& name, const rib::Handle& handle,
                           const ParamList& params) {
  if (!attributeMoves(request)) return -1;
  if (procedural_)
    return run_.notBuilt(at(), reyes::format("{} inside a procedural", request), "it lights nothing"), -1;
  frozen_.reset();
  const std::string key = rib::handleText(handle);
  const scene::ShaderPtr shader = makeShader(request, vm::ShaderType::kLight, name, params);
  // A handle used again names the new light from here on; the old one keeps shining, no longer to be switched.
  if (!shader) return lightHandles_[key] = -1;
  scene::Light light;
  light.handle = key, light.shader = shader;
  light.index = static_cast<int>(lights_.size());
  const scene::Attributes& a = *state_.attributes;
  light.group = groupOf(params, a);
  light.names = nameList(textOf(a, "grouping:membership"));
  if (!a.identifierName.empty()) light.names.push_back(a.identifierName.str());
  light.samples = samplesOf(a);
  AutoShadow shadow;
  autoShadows_.erase(light.index);
  if (shadowOf(a, light, shadow)) autoShadows_[light.index] = shadow;
  state_.edit().lights.push_back(light.index);
  lightHandles_[key] = light.index;
  lights_.push_back(std::move(light));
  return lights_.back().index;
}

void SceneBuilder::lightSource(const std::string& name, const rib::Handle& handle, const ParamList& params) {
  addLight("LightSource", name, handle, params);
}

void SceneBuilder::areaLightSource(const std::string& name, const rib::Handle& handle, const ParamList& params) {
  // Primitives from here to the end of the attribute block, or to the next one, are its surface.
  const bool none = name.empty() || name == "null";
  const int light = none ? -1 : addLight("AreaLightSource", name, handle, params);
  state_.areaLight = light;
  if (light >= 0) areaPrimitives_[light];
}

std::vector<AutoShadow> SceneBuilder::wantedShadows(const scene::World& world) const {
  std::vector<AutoShadow> wanted;
  for (const auto& [light, shadow] : autoShadows_) {
    if (light >= std::ssize(world.lights)) continue;
    wanted.push_back(shadow);
    if (const auto it = areaPrimitives_.find(light); it != areaPrimitives_.end()) wanted.back().surface = it->second;
  }
  return wanted;
}

void SceneBuilder::illuminate(const rib::Handle& handle, bool on) {
  const std::string key = rib::handleText(handle);
  std::vector<int> meant;
  if (const auto it = lightHandles_.find(key); it != lightHandles_.end()) {
    meant.push_back(it->second);
  } else {
    // Not a handle: a group, or another name.
    for (const scene::Light& light : lights_)
      if (light.group == key || std::find(light.names.begin(), light.names.end(), key) != light.names.end())
        meant.push_back(light.index);
    if (meant.empty()) return run_.diag.error("rib-unknown-handle", at(), reyes::format("there is no light '{}'", key));
  }
  std::vector<int>& lights = state_.edit().lights;
  for (const int index : meant) {
    const auto place = std::find(lights.begin(), lights.end(), index);
    if (index >= 0 && on && place == lights.end()) lights.push_back(index);
    if (!on && place != lights.end()) lights.erase(place);
  }
}

}  // namespace reyes::session
