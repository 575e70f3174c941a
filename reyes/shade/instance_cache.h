// SPDX-License-Identifier: Apache-2.0
// The shader instances a thread has bound: parameter values taken through their spaces once, then reused by every grid.
#pragma once

#include <array>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>

#include "reyes/base/isa.h"
#include "reyes/shade/spaces.h"
#include "reyes/vm/machine.h"

namespace reyes::shade {

class InstanceCache {
 public:
  explicit InstanceCache(Isa isa) : isa_(isa) {}

  /// The instance of `shader` at `time`, bound on first use. `services` answers its default code; `spaces` are those of
  /// the shader at that time.
  const vm::Instance& get(const scene::ShaderInstance& shader, const Spaces& spaces, vm::Services& services);

 private:
  const vm::Instance& find(const scene::ShaderInstance& shader, const Spaces& spaces, vm::Services& services);

  /// Found a moment ago: grids of one primitive follow each other.
  struct Recent {
    const scene::ShaderInstance* shader = nullptr;
    float time = 0;
    const vm::Instance* instance = nullptr;
  };
  Isa isa_;
  struct Bound {
    float time = 0;
    vm::Instance instance;
  };
  std::unordered_map<const scene::ShaderInstance*, std::list<Bound>> instances_;  ///< one a time
  std::map<const vm::Program*, const vm::Instance*> firstOf_;  ///< of each program: what it decoded serves the others
  std::array<Recent, 64> recent_;
};

/// p_current = p_shader * m at a time.
Matrix4 currentFromShader(const scene::ShaderInstance& shader, const scene::View* view, float time);

}  // namespace reyes::shade
