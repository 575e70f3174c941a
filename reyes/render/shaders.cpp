// SPDX-License-Identifier: Apache-2.0
// Frames with the shaders of the scene: binds shade/ to the conductor.
#include "reyes/render/frame_renderer.h"
#include "reyes/render/frame_setup.h"
#include "reyes/render/grid_shader.h"

namespace reyes::render {
namespace {

class SceneShader final : public GridShader {
 public:
  explicit SceneShader(const shade::FrameServices& services) : context_(services) {}
  bool displaces(const scene::Attributes& a) const override { return shade::ShadeContext::displaces(a); }
  std::vector<Name> wantedPrimvars(const scene::Attributes& a,
                                   std::span<const scene::OutputVariable> outputs) const override {
    return context_.wantedPrimvars(a, outputs);
  }
  void displace(shade::ShadeGrid& grid) override { context_.displace(grid); }
  void shade(shade::ShadeGrid& grid, std::span<const scene::OutputVariable> wanted) override {
    context_.shade(grid, wanted);
  }
  void image(const scene::ShaderInstance& imager, int n, const float* x, const float* y, float* const ci[3],
             float* const oi[3], float* alpha) override {
    context_.image(imager, n, x, y, ci, oi, alpha);
  }

 private:
  shade::ShadeContext context_;
};

}  // namespace

RenderResult renderFrame(const scene::World& world, const scene::View& view, const RenderOptions& options) {
  reportUnwritten(world, view, *options.diag);
  const shade::FrameServices services{&world, &view, options.textures, options.diag, options.isa};
  return renderFrameWith(world, view, options, [&] { return std::make_unique<SceneShader>(services); });
}

}  // namespace reyes::render
