// SPDX-License-Identifier: Apache-2.0
// Names output variables of displays that nothing in the world can fill, before the frame starts.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/render/frame_setup.h"
#include "reyes/render/object_id.h"
#include "reyes/vm/program.h"

namespace reyes::render {
namespace {

/// Variables that every grid has.
bool onEveryGrid(Name name) {
  static const Name kNames[] = {"Ci", "Oi", "a", "z", "P", "N",    "Ng",   "Cs",      "Os", "s", "t",
                                "u",  "v",  "I", "E", "L", "dPdu", "dPdv", "dPdtime", "du", "dv"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

bool gives(const scene::Primitive& p, Name name) {
  const scene::Attributes& a = *p.attributes;
  if (name == "id" && (p.deferred || objectIdOf(a))) return true;
  for (const scene::ShaderPtr& s : {a.surface, a.displacement, a.atmosphere})
    if (s && s->program->find(name)) return true;
  const auto primvars = p.geometry->primvars();
  return std::any_of(primvars.begin(), primvars.end(), [&](const VarSpec& v) { return v.name == name; });
}

/// Outputs of lights alone, which shaders run for (shade/light_groups.h): there if such a light is.
bool givenByLights(const scene::World& world, const std::string& name) {
  const auto wants = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto any = [&](const auto& fits) { return std::any_of(world.lights.begin(), world.lights.end(), fits); };
  if (wants("lightgroup:"))
    return name == "lightgroup:default" || any([&](const scene::Light& l) {
             return l.group == name.substr(11) || (l.group.empty() && (l.shader->program->find("__group") ||
                                                                       l.shader->program->find("__lightgroup")));
           });
  return wants("light:") && any([&](const scene::Light& l) { return l.handle == name.substr(6); });
}

}  // namespace

void reportUnwritten(const scene::World& world, const scene::View& view, Diagnostics& diag) {
  if (world.primitives.empty()) return;
  for (const scene::DisplaySpec& d : view.displays)
    for (const scene::OutputVariable& v : d.variables) {
      const auto given = [&](const scene::Primitive& p) { return gives(p, v.name); };
      MatteKind kind;
      if (onEveryGrid(v.name) || matteKindOf(v.name.str(), kind) || givenByLights(world, v.name.str()) ||
          std::any_of(world.primitives.begin(), world.primitives.end(), given))
        continue;
      diag.warning("display-variable-unwritten", d.loc,
                   format("display \"{}\": no shader and no primitive of this world has a variable \"{}\": it is zero",
                          d.name, v.name.str()));
    }
}

}  // namespace reyes::render
