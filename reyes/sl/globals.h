// SPDX-License-Identifier: Apache-2.0
// The predefined variables of each kind of shader (RI 3.2, tables 12.1 to 12.5). Used by the lowering.
#pragma once

#include <string_view>
#include <vector>

#include "reyes/vars/types.h"
#include "reyes/vm/program.h"

namespace reyes::sl {

struct GlobalInfo {
  std::string_view name;
  Type type;
  bool varying;
  bool writable;  ///< the renderer sees what the shader writes to it
};

/// Null where shaders of that kind have no such variable.
const GlobalInfo* findGlobal(vm::ShaderType shader, std::string_view name);
std::vector<std::string_view> globalNames(vm::ShaderType shader);

}  // namespace reyes::sl
