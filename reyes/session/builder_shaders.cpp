// SPDX-License-Identifier: Apache-2.0
// Shader instances.
#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/shader_binding.h"

namespace reyes::session {
scene::ShaderPtr SceneBuilder::makeShader(const char* request, vm::ShaderType type, const std::string& name,
                                          const ParamList& params) {
  const FoundShader found =
      run_.shaders.find(name, options_.paths.shader, folderOf(at().file.str()), options_.paths.dirMap, at());
  run_.need("shader", name, found.path, at());
  if (!found.program) {
    run_.missing = true;
    if (!run_.firstTime(reyes::format("shader {} {}", request, name))) return nullptr;
    std::string text = reyes::format("{} shader '{}' ", request, name);
    if (!found.missing)
      text += reyes::format("cannot be used ('{}')", found.path);
    else if (!found.foreign.empty())
      text += reyes::format("is not found: '{}' is another renderer's compiled file, its source '{}.sl' is needed",
                            found.foreign, stemOf(found.foreign));
    else
      text += "is not found";
    run_.diag.error("shader-missing", at(), text, Impact::kPicture);
    return nullptr;
  }
  if (found.program->type != type) {
    if (run_.firstTime(reyes::format("shader type {} {}", request, name)))
      run_.diag.error("shader-wrong-type", at(),
                      reyes::format("{}: '{}' is a {} shader", request, name, vm::shaderTypeName(found.program->type)));
    return nullptr;
  }
  auto instance = std::make_shared<scene::ShaderInstance>();
  instance->name = name;
  instance->program = found.program;
  instance->params = bindParameters(params, *found.program, at(), run_.diag);
  // Files that a shader looks up by its parameters obey the rewriting of folders.
  for (Param& p : instance->params.all())
    for (std::string& text : p.strings) text = options_.paths.dirMap.apply(text);
  instance->worldFromShader = state_.ctm;
  instance->loc = at();
  run_.needMaps(instance->params, options_.paths, at());
  return instance;
}

scene::ShaderPtr SceneBuilder::defaultSurface() {
  if (defaultSurface_) return defaultSurface_;
  auto instance = std::make_shared<scene::ShaderInstance>();
  instance->name = "defaultsurface";
  instance->program = run_.shaders.defaultSurface();
  return defaultSurface_ = instance;
}

void SceneBuilder::surface(const std::string& name, const ParamList& params) {
  if (!attributeMoves("Surface")) return;
  const scene::ShaderPtr shader =
      name.empty() ? nullptr : makeShader("Surface", vm::ShaderType::kSurface, name, params);
  state_.edit().surface = shader || !world_ ? shader : defaultSurface();
}

void SceneBuilder::displacement(const std::string& name, const ParamList& params) {
  if (!attributeMoves("Displacement")) return;
  const bool none = name.empty() || name == "null";
  state_.edit().displacement = none ? nullptr : makeShader("Displacement", vm::ShaderType::kDisplacement, name, params);
}

void SceneBuilder::atmosphere(const std::string& name, const ParamList& params) {
  if (!attributeMoves("Atmosphere")) return;
  const bool none = name.empty() || name == "null";
  state_.edit().atmosphere = none ? nullptr : makeShader("Atmosphere", vm::ShaderType::kVolume, name, params);
}

void SceneBuilder::interior(const std::string& name, const ParamList& params) {
  if (!attributeMoves("Interior")) return;
  const bool none = name.empty() || name == "null";
  state_.edit().interior = none ? nullptr : makeShader("Interior", vm::ShaderType::kVolume, name, params);
  run_.hint(at(), "Interior (rays alone)");
}

void SceneBuilder::exterior(const std::string& name, const ParamList& params) {
  if (!attributeMoves("Exterior")) return;
  const bool none = name.empty() || name == "null";
  state_.edit().exterior = none ? nullptr : makeShader("Exterior", vm::ShaderType::kVolume, name, params);
  run_.hint(at(), "Exterior (rays alone)");
}

void SceneBuilder::deformation(const std::string& name, const ParamList& /*params*/) {
  if (!name.empty() && name != "null") run_.notBuilt(at(), "Deformation", "it is ignored");
}

void SceneBuilder::shaderLayer(const std::string&, const std::string&, const std::string&, const ParamList&) {
  run_.notBuilt(at(), "ShaderLayer", "it is ignored");
}

void SceneBuilder::connectShaderLayers(const std::string&, const std::string&, const std::string&, const std::string&,
                                       const std::string&) {
  run_.notBuilt(at(), "ConnectShaderLayers", "it is ignored");
}

void SceneBuilder::moveShader(scene::ShaderPtr& shader, const scene::AnimatedTransform& fromCamera) const {
  if (!shader) return;
  auto moved = std::make_shared<scene::ShaderInstance>(*shader);
  moved->worldFromShader = scene::concat(shader->worldFromShader, fromCamera);
  shader = std::move(moved);
}

void SceneBuilder::moveStateIntoWorld() {
  const scene::AnimatedTransform fromCamera = worldFromCamera();
  scene::Attributes& a = state_.edit();
  for (scene::ShaderPtr* shader : {&a.surface, &a.displacement, &a.atmosphere, &a.interior, &a.exterior})
    moveShader(*shader, fromCamera);
  if (!a.surface) a.surface = defaultSurface();
  for (scene::Light& light : lights_) moveShader(light.shader, fromCamera);
  for (auto& [name, space] : spaces_) space = scene::concat(space, fromCamera);
  if (a.scopedSpaces) {
    auto scoped = std::make_shared<scene::SpaceMap>(*a.scopedSpaces);
    for (auto& [name, space] : *scoped) space = scene::concat(space, fromCamera);
    a.scopedSpaces = std::move(scoped);
  }
  if (state_.detail) state_.detailSpace = scene::concat(state_.detailSpace, fromCamera);
}

}  // namespace reyes::session
