// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/light_groups.h"

#include <algorithm>

#include "reyes/vm/program.h"

namespace reyes::shade {
namespace {
constexpr std::string_view kGroup = "lightgroup:", kLight = "light:";
}

bool lightSetOf(std::string_view output, LightSet& set) {
  if (output.starts_with(kGroup)) {
    const std::string_view name = output.substr(kGroup.size());
    set = {name == "default" ? LightSet::Kind::kUngrouped : LightSet::Kind::kGroup, name};
    return true;
  }
  if (!output.starts_with(kLight)) return false;
  set = {LightSet::Kind::kHandle, output.substr(kLight.size())};
  return true;
}

LightGroups::LightGroups(ShadeGrid& grid, std::span<const scene::OutputVariable> wanted,
                         std::span<const scene::ShaderPtr* const> shaders)
    : grid_(grid) {
  LightSet set;
  for (const scene::OutputVariable& o : wanted)
    if (lightSetOf(o.name.str(), set)) wanted_.push_back({o.name, set});
  if (wanted_.empty()) return;
  // Shaders write some variables of the grid in place: each run must find them as the first one did.
  for (const Var& v : grid.vars->all()) {
    if (v.uniform || !v.data) continue;
    bool written = v.spec.name == Name("Ci") || v.spec.name == Name("Oi");
    for (const scene::ShaderPtr* s : shaders) written = written || (*s && (*s)->program->writes(v.spec.name));
    if (written) planes_.emplace_back(v.data, static_cast<size_t>(v.spec.width()) * static_cast<size_t>(v.stride));
  }
  before_ = save();
}

LightGroups::Kept LightGroups::save() const {
  Kept kept;
  for (const auto& [data, floats] : planes_) kept.emplace_back(data, std::vector<float>(data, data + floats));
  return kept;
}

void LightGroups::restore(const Kept& kept) {
  for (const auto& [data, values] : kept) std::copy(values.begin(), values.end(), data);
}

void LightGroups::shade(GridServices& services, const std::function<void()>& run) {
  if (wanted_.empty()) return;
  const Kept after = save();
  const Var ci = *grid_.vars->find("Ci");
  const size_t floats = 3 * static_cast<size_t>(ci.stride);
  const auto runWith = [&](const LightSet& set) {
    restore(before_);
    services.setLightSet(set);
    run();
  };
  // 1. What there is without light.
  std::vector<float> dark(floats, 0.0f);
  if (std::any_of(wanted_.begin(), wanted_.end(),
                  [](const Wanted& w) { return w.set.kind != LightSet::Kind::kUngrouped; })) {
    runWith({LightSet::Kind::kNone});
    std::copy_n(ci.data, floats, dark.begin());
  }
  // 2. Each group adds its light to that.
  for (const Wanted& w : wanted_) {
    runWith(w.set);
    const Var* to = grid_.vars->find(w.name);
    if (!to || to->uniform || !isTriple(to->spec.type)) continue;
    const bool all = w.set.kind == LightSet::Kind::kUngrouped;
    for (size_t i = 0; i < floats; ++i) to->data[i] = all ? ci.data[i] : ci.data[i] - dark[i];
  }
  services.setLightSet({});
  restore(after);
}

}  // namespace reyes::shade
