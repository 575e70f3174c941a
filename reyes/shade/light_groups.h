// SPDX-License-Identifier: Apache-2.0
// Outputs of some lights alone: "lightgroup:NAME" (of the lights of a group), "light:HANDLE" (of one). Shaders run
// again for each, with the other lights off. Called by ShadeContext::shade().
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "reyes/shade/grid_services.h"

namespace reyes::shade {

/// The lights that an output of that name wants; false: it is none of these.
bool lightSetOf(std::string_view output, LightSet& set);

class LightGroups {
 public:
  /// Before the shaders run on the grid for the first time; does nothing where no output is of lights alone.
  /// `shaders`: those that `run` runs.
  LightGroups(ShadeGrid& grid, std::span<const scene::OutputVariable> wanted,
              std::span<const scene::ShaderPtr* const> shaders);
  bool empty() const { return wanted_.empty(); }
  /// After it: fills the wanted outputs by `run`, and leaves the grid as it was. The part of Ci that no light gives
  /// (emission, fog) is in "lightgroup:default", the lights without a group: the groups add up to Ci.
  void shade(GridServices& services, const std::function<void()>& run);

 private:
  struct Wanted {
    Name name;
    LightSet set;
  };
  using Kept = std::vector<std::pair<float*, std::vector<float>>>;
  Kept save() const;
  static void restore(const Kept& kept);

  ShadeGrid& grid_;
  std::vector<Wanted> wanted_;
  std::vector<std::pair<float*, size_t>> planes_;  ///< what the shaders write, in floats
  Kept before_;
};

}  // namespace reyes::shade
