// SPDX-License-Identifier: Apache-2.0
// Frames with the shaders of the scene: binds shade/ to the conductor.
#include <array>
#include <map>

#include "reyes/render/frame_renderer.h"
#include "reyes/render/frame_setup.h"
#include "reyes/render/grid_shader.h"
#include "reyes/vm/faults.h"
#include "reyes/vm/opaque.h"

namespace reyes::render {
namespace {

class SceneShader final : public GridShader {
 public:
  explicit SceneShader(const shade::FrameServices& services) : context_(services) {}
  bool displaces(const scene::Attributes& a) const override { return shade::ShadeContext::displaces(a); }
  std::vector<Name> wantedPrimvars(const scene::Attributes& a,
                                   std::span<const scene::OutputVariable> outputs) const override {
    // A frame has the same outputs for all, and few programs for many attributes.
    std::vector<Name>& names = wanted_[{programOf(a.surface), programOf(a.displacement), programOf(a.atmosphere)}];
    if (names.empty()) names = context_.wantedPrimvars(a, outputs);
    return names;
  }
  bool displacesPointwise(const scene::Attributes& a) override {
    const vm::Program* program = programOf(a.displacement);
    const auto known = pointwise_.find(program);
    if (known != pointwise_.end()) return known->second;
    return pointwise_.emplace(program, shade::ShadeContext::displacesPointwise(a)).first->second;
  }
  bool isOpaque(const scene::Attributes& a, std::vector<Name>& constants) const override {
    if (!shade::ShadeContext::mayBeOpaque(a, constants)) return false;
    // Few programs serve many attributes.
    const auto [known, isNew] = opaque_.try_emplace({programOf(a.surface), constants}, false);
    if (isNew) known->second = vm::leavesOpaque(*known->first.first, constants);
    return known->second;
  }
  void displace(shade::ShadeGrid& grid) override { context_.displace(grid); }
  bool displacementKeeps(const scene::Attributes& a, Name variable) override {
    return context_.displacementKeeps(a, variable);
  }
  void displaced(shade::ShadeGrid& grid) override { context_.displaced(grid); }
  void displacePoints(shade::ShadeGrid& grid) override { context_.displacePoints(grid); }
  void shade(shade::ShadeGrid& grid, std::span<const scene::OutputVariable> wanted) override {
    context_.shade(grid, wanted);
  }
  void image(const scene::ShaderInstance& imager, int n, const float* x, const float* y, float* const ci[3],
             float* const oi[3], float* alpha) override {
    context_.image(imager, n, x, y, ci, oi, alpha);
  }

 private:
  static const vm::Program* programOf(const scene::ShaderPtr& s) { return s ? s->program.get() : nullptr; }

  shade::ShadeContext context_;
  mutable std::map<std::array<const vm::Program*, 3>, std::vector<Name>> wanted_;
  std::map<const vm::Program*, bool> pointwise_;
  mutable std::map<std::pair<const vm::Program*, std::vector<Name>>, bool> opaque_;
};

}  // namespace

RenderResult renderFrame(const scene::World& world, const scene::View& view, const RenderOptions& options) {
  reportUnwritten(world, view, *options.diag);
  vm::FaultCounts faults;
  const shade::FrameServices services{&world,      &view,           options.textures, options.diag,
                                      options.isa, options.profile, &faults};
  RenderResult result = renderFrameWith(world, view, options, [&] { return std::make_unique<SceneShader>(services); });
  faults.report(*options.diag);
  return result;
}

}  // namespace reyes::render
