// SPDX-License-Identifier: Apache-2.0
// The seam between the conductor and the shaders: what a worker asks of shade/. Production frames use the
// ShadeContext of shade/; unit tests give shading functions of their own. One object a thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "reyes/shade/shader_runner.h"

namespace reyes::render {

class GridShader {
 public:
  virtual ~GridShader() = default;
  virtual bool displaces(const scene::Attributes& attributes) const = 0;
  virtual std::vector<Name> wantedPrimvars(const scene::Attributes& attributes,
                                           std::span<const scene::OutputVariable> outputs) const = 0;
  /// True where each point is displaced without a look at others, in a grid of any shape.
  virtual bool displacesPointwise(const scene::Attributes&) { return false; }
  /// True where every grid is opaque, unless its geometry has a variable among those added.
  virtual bool isOpaque(const scene::Attributes&, std::vector<Name>&) const { return false; }
  virtual void displace(shade::ShadeGrid& grid) = 0;
  /// True where a displaced grid's variable is not as it was diced.
  virtual bool displacementKeeps(const scene::Attributes&, Name) { return true; }
  /// Such variables are back in a grid that was diced anew: brings the others up to date.
  virtual void displaced(shade::ShadeGrid&) {}
  /// Displaces where P alone is wanted.
  virtual void displacePoints(shade::ShadeGrid& grid) { displace(grid); }
  virtual void shade(shade::ShadeGrid& grid, std::span<const scene::OutputVariable> wanted) = 0;
  virtual void image(const scene::ShaderInstance& imager, int n, const float* x, const float* y, float* const ci[3],
                     float* const oi[3], float* alpha) = 0;
};

/// Makes one for a worker thread.
using GridShaderFactory = std::function<std::unique_ptr<GridShader>()>;

}  // namespace reyes::render
