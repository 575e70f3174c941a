// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/instance_cache.h"

#include <utility>

namespace reyes::shade {

Matrix4 currentFromShader(const scene::ShaderInstance& shader, const scene::View* view, float time) {
  const Matrix4 world = shader.worldFromShader.at(time);
  return view ? world * view->cameraFromWorld.at(time) : world;
}

const vm::Instance& InstanceCache::get(const scene::ShaderInstance& shader, const Spaces& spaces,
                                       vm::Services& services) {
  Recent& r = recent_[reinterpret_cast<uintptr_t>(&shader) / sizeof(scene::ShaderInstance) % recent_.size()];
  if (r.shader != &shader || r.time != spaces.time) r = {&shader, spaces.time, &find(shader, spaces, services)};
  return *r.instance;
}

const vm::Instance& InstanceCache::find(const scene::ShaderInstance& shader, const Spaces& spaces,
                                        vm::Services& services) {
  std::list<Bound>& known = instances_[&shader];
  for (const Bound& b : known)
    if (b.time == spaces.time) return b.instance;
  vm::Instance instance(shader.program);
  for (const Param& p : shader.params.all()) {
    // Values were given in the shader's space, or in the space that was current at the time.
    Matrix4 from = spaces.currentFromShader;
    for (const auto& [name, worldFromSpace] : shader.pointSpaces)
      if (name == p.spec.name)
        from =
            worldFromSpace.at(spaces.time) * (spaces.view ? spaces.view->cameraFromWorld.at(spaces.time) : Matrix4{});
    instance.set(p, from);  // session/ has checked names and types, and told the user
  }
  const vm::Instance*& first = firstOf_[shader.program.get()];
  instance.initialise(services, isa_, first);
  const vm::Instance& kept = known.emplace_back(Bound{spaces.time, std::move(instance)}).instance;
  if (!first) first = &kept;
  return kept;
}

}  // namespace reyes::shade
