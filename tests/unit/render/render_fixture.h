// SPDX-License-Identifier: Apache-2.0
// Small scenes for the tests of render/: real geometry, hider and files, shading functions instead of shaders.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/geom/factory.h"
#include "reyes/image/image.h"
#include "reyes/render/frame_renderer.h"

namespace reyes::render {

/// What the shading functions of a test do, and what they have been asked.
struct TestShading {
  float amplitude = 0;  ///< of displacement along N, in camera space
  float frequency = 7;
  bool random = true;  ///< colours depend on the grid's seed and point
  float opacity = 1;
  Color imagerAdds{0, 0, 0};
  std::mutex mutex;
  std::map<uint64_t, int> shaded;  ///< times by seed
  std::atomic<int> displaced{0};
};

class TestShader final : public GridShader {
 public:
  explicit TestShader(TestShading& t) : t_(t) {}
  bool displaces(const scene::Attributes& a) const override { return a.displacement != nullptr; }
  std::vector<Name> wantedPrimvars(const scene::Attributes&, std::span<const scene::OutputVariable>) const override {
    return {"N", "Cs"};
  }
  void displace(shade::ShadeGrid& g) override {
    ++t_.displaced;
    const Var *p = g.vars->find("P"), *n = g.vars->find("N");
    for (int i = 0; i < g.vars->points(); ++i) {
      const Vec3 q{p->plane(0)[i], p->plane(1)[i], p->plane(2)[i]};
      Vec3 m = normalize(Vec3{n->plane(0)[i], n->plane(1)[i], n->plane(2)[i]});
      const float h = t_.amplitude * std::sin(t_.frequency * q.x) * std::sin(t_.frequency * q.y + 1);
      for (int c = 0; c < 3; ++c) p->plane(c)[i] += m[c] * h;
    }
  }
  bool displacementKeeps(const scene::Attributes&, Name variable) override { return variable == "P"; }
  void shade(shade::ShadeGrid& g, std::span<const scene::OutputVariable> wanted) override {
    {
      const std::lock_guard lock(t_.mutex);
      ++t_.shaded[g.seed];
    }
    const Var& ci = g.vars->add({"Ci", Type::kColor, Storage::kVarying, 0}, *g.arena);
    const Color base = g.primitive->attributes->color;
    for (int i = 0; i < g.vars->points(); ++i)
      for (int c = 0; c < 3; ++c) {
        const float r =
            t_.random ? toUnitFloat(hashCombine(g.seed, static_cast<uint64_t>(i), static_cast<uint64_t>(c))) : 0;
        ci.plane(c)[i] = (base[c] * (1 - 0.5f * r)) * t_.opacity;
      }
    const Var& oi = g.vars->add({"Oi", Type::kColor, Storage::kVarying, 0}, *g.arena);
    for (int c = 0; c < 3; ++c) std::fill_n(oi.plane(c), g.vars->points(), t_.opacity);
    (void)wanted;
  }
  void image(const scene::ShaderInstance&, int n, const float*, const float*, float* const ci[3], float* const[3],
             float* alpha) override {
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < 3; ++c) ci[c][i] += t_.imagerAdds[c];
      alpha[i] = 1;
    }
  }

 private:
  TestShading& t_;
};

/// A world, a view of it, and how to render them.
struct TestScene {
  scene::World world;
  scene::View view;
  Diagnostics diag;
  TestShading shading;
  RenderOptions options;
  RenderResult result;

  TestScene(int width = 96, int height = 64) {
    diag.setPrinter({});
    view.xResolution = width, view.yResolution = height;
    const float aspect = static_cast<float>(width) / static_cast<float>(height);
    const float w[4] = {-aspect, aspect, -1, 1};
    std::copy_n(w, 4, view.screenWindow);
    view.crop = {0, 0, width, height};
    view.projection = scene::ProjectionType::kPerspective;
    view.fov = 60;
    view.near = 0.1f, view.far = 1e6f;
    view.bucketWidth = view.bucketHeight = 16;
  }

  std::shared_ptr<scene::Attributes> attributes(Color c = {1, 1, 1}) const {
    auto a = std::make_shared<scene::Attributes>();
    a->color = c;
    return a;
  }
  scene::Primitive& add(geom::GeometryPtr g, const scene::AttributesPtr& a, const Matrix4& m) {
    scene::Primitive p;
    p.geometry = std::move(g);
    p.attributes = a;
    p.worldFromObject = m;
    p.path = world.primitives.size() + 1;
    world.primitives.push_back(std::move(p));
    return world.primitives.back();
  }
  geom::Context context() {
    geom::Context c;
    c.diag = &diag;
    geom::namedBasis("bezier", c.uBasis, c.uStep);
    geom::namedBasis("bezier", c.vBasis, c.vStep);
    return c;
  }
  geom::GeometryPtr sphere(float radius) {
    const std::array<float, 4> d{radius, -radius, radius, 360};
    const ParamList none;
    return geom::makeSphere(context(), {&d, 1}, {&none, 1});
  }
  geom::GeometryPtr torus(float major, float minor) {
    const std::array<float, 5> d{major, minor, 0, 360, 360};
    const ParamList none;
    return geom::makeTorus(context(), {&d, 1}, {&none, 1});
  }
  /// Bilinear patch from its corners in RI's order.
  geom::GeometryPtr patch(const std::vector<float>& corners) {
    ParamList p;
    Param v;
    v.spec = {"P", Type::kPoint, Storage::kVertex, 0};
    v.floats = corners;
    p.add(v);
    return geom::makePatch(context(), "bilinear", {&p, 1});
  }

  /// Renders rgba to a float EXR and reads it back.
  image::Image render(int threads = 1, bool keepDisplays = false) {
    const std::string file =
        (std::filesystem::temp_directory_path() / format("reyes_render_test_{}.exr", ::getpid())).string();
    if (!keepDisplays) {
      scene::DisplaySpec d;
      d.name = file, d.type = "openexr", d.mode = "rgba";
      d.variables = {{"Ci", Type::kColor, ""}, {"a", Type::kFloat, ""}, {"z", Type::kFloat, ""}};
      d.filter = view.filter;
      d.quantize.one = 0;
      Param type;
      type.spec = {"exrpixeltype", Type::kString, Storage::kUniform, 0};
      type.strings = {"float"};
      d.params.add(type);
      view.displays = {d};
    }
    Parallel parallel(threads);
    options.parallel = &parallel;
    options.diag = &diag;
    options.isa = bestIsa();
    shading.shaded.clear();
    result = renderFrameWith(world, view, options, [this] { return std::make_unique<TestShader>(shading); });
    image::Image r;
    if (!result.files.empty()) {
      const std::string error = image::readImage(result.files[0], r);
      if (!error.empty()) r.pixels.clear();
      std::filesystem::remove(result.files[0]);
    }
    return r;
  }
};

inline int channelOf(const image::Image& i, const std::string& name) {
  for (size_t c = 0; c < i.channels.size(); ++c)
    if (i.channels[c].name == name) return static_cast<int>(c);
  return -1;
}
inline float at(const image::Image& i, int x, int y, const std::string& channel) {
  return i.pixel(x, y)[channelOf(i, channel)];
}
/// Bit-equal pixels over `rect`.
inline bool sameBits(const image::Image& a, const image::Image& b, const PixelRect& rect) {
  if (a.pixels.empty() || b.pixels.empty() || a.channels.size() != b.channels.size()) return false;
  for (int y = rect.y0; y < rect.y1; ++y)
    for (int x = rect.x0; x < rect.x1; ++x)
      for (size_t c = 0; c < a.channels.size(); ++c)
        if (std::bit_cast<uint32_t>(a.pixel(x, y)[c]) != std::bit_cast<uint32_t>(b.pixel(x, y)[c])) return false;
  return true;
}

}  // namespace reyes::render
