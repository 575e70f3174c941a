// SPDX-License-Identifier: Apache-2.0
// What a frame asks of attributes once for the many primitives that share them: whether they displace, which variables
// their shaders want. One a thread, kept by its Worker; of procedurals one a procedural, since attributes go with them.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "reyes/render/grid_shader.h"
#include "reyes/render/outputs.h"

namespace reyes::render {

class AttributeFacts {
 public:
  /// `expanded`: of what a procedural made.
  AttributeFacts(const GridShader& shader, const OutputPlan& outputs, bool expanded)
      : shader_(shader), outputs_(outputs), expanded_(expanded) {}
  struct Facts {
    bool displaces = false;
    std::vector<Name> primvars;
    uint32_t tag = 0;                  ///< for id mattes
    std::optional<uint32_t> objectId;  ///< for the output variable id
    bool opaque = false;
    std::vector<Name> constants;  ///< GridShader::isOpaque()
    bool opaqueWith(const geom::Geometry& geometry) const;
  };
  const Facts& of(const scene::Attributes& a);

 private:
  const GridShader& shader_;
  const OutputPlan& outputs_;
  bool expanded_;
  const scene::Attributes* last_ = nullptr;
  const Facts* lastFacts_ = nullptr;
  std::map<const scene::Attributes*, Facts> known_;
};

}  // namespace reyes::render
