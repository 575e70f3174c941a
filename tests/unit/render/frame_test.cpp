// SPDX-License-Identifier: Apache-2.0
// The frame around the buckets: motion, facing, clipping planes, imager, layers, memory, stopping.
#include <doctest/doctest.h>

#include "render_fixture.h"

using namespace reyes;
using namespace reyes::render;

TEST_CASE("a moving edge covers what it passes, by the time it is there") {
  TestScene s(80, 20);
  s.shading.random = false;
  s.view.projection = scene::ProjectionType::kOrthographic;
  s.view.filter = {"box", 1, 1};
  s.view.xSamples = s.view.ySamples = 8;
  s.view.shutterClose = 1;
  // A square from x = -2 to 0 that moves 2 units (20 pixels of 10 a unit) to the right.
  scene::Primitive& p = s.add(s.patch({-2, -2, 1, 0, -2, 1, -2, 2, 1, 0, 2, 1}), s.attributes(), {});
  p.worldFromObject.times = {0, 1};
  p.worldFromObject.matrices = {Matrix4{}, Matrix4::translate({2, 0, 0})};
  const image::Image r = s.render(2);
  REQUIRE_FALSE(r.pixels.empty());
  for (int i = 0; i < 20; ++i) {
    const float expected = 1 - (static_cast<float>(i) + 0.5f) / 20;
    CHECK(at(r, 40 + i, 10, "A") == doctest::Approx(expected).epsilon(0.03).scale(1));
  }
}

TEST_CASE("a moving camera is a moving world") {
  TestScene s(60, 60);
  s.view.shutterClose = 1;
  s.shading.random = false;
  s.add(s.sphere(1), s.attributes(), Matrix4::translate({0, 0, 5}));
  s.view.cameraFromWorld.times = {0, 1};
  s.view.cameraFromWorld.matrices = {Matrix4{}, Matrix4::translate({0.5f, 0, 0})};
  const image::Image camera = s.render(2);
  TestScene w(60, 60);
  w.view.shutterClose = 1;
  w.shading.random = false;
  scene::Primitive& p = w.add(w.sphere(1), w.attributes(), {});
  p.worldFromObject.times = {0, 1};
  p.worldFromObject.matrices = {Matrix4::translate({0, 0, 5}), Matrix4::translate({0.5f, 0, 5})};
  CHECK(sameBits(camera, w.render(2), w.view.crop));
}

TEST_CASE("sides 1 hides what faces away; ReverseOrientation turns that round") {
  for (const bool reverse : {false, true})
    for (const bool mirror : {false, true}) {
      TestScene s(40, 40);
      auto a = s.attributes();
      a->sides = 1, a->reverseOrientation = reverse;
      s.add(s.sphere(1), a, Matrix4::scale({mirror ? -1.0f : 1.0f, 1, 1}) * Matrix4::translate({0, 0, 4}));
      const image::Image r = s.render();
      CAPTURE(reverse);
      CAPTURE(mirror);
      CHECK(at(r, 20, 20, "Z") == doctest::Approx(reverse ? 5 : 3).epsilon(0.02));
    }
}

TEST_CASE("a clipping plane cuts") {
  TestScene s(40, 40);
  s.add(s.sphere(1), s.attributes(), Matrix4::translate({0, 0, 4}));
  s.view.clippingPlanes = {{Vec3{0, 0, 0}, Vec3{1, 0, 0}}};
  const image::Image r = s.render();
  CHECK(at(r, 14, 20, "A") == 0);
  CHECK(at(r, 26, 20, "A") == 1);
}

TEST_CASE("the imager runs on every pixel, empty ones too, after filtering") {
  TestScene s(40, 40);
  s.shading.random = false;
  s.add(s.sphere(1), s.attributes({0.5f, 0, 0}), Matrix4::translate({0, 0, 4}));
  s.view.imager = std::make_shared<scene::ShaderInstance>();
  s.shading.imagerAdds = {0.25f, 0.5f, 1};
  const image::Image r = s.render(2);
  CHECK(at(r, 0, 0, "R") == 0.25f);
  CHECK(at(r, 39, 39, "B") == 1);
  CHECK(at(r, 39, 39, "A") == 1);
  CHECK(at(r, 20, 20, "R") == doctest::Approx(0.75f));
}

TEST_CASE("displays of one name are layers of one file") {
  TestScene s(40, 40);
  s.add(s.sphere(1), s.attributes(), Matrix4::translate({0, 0, 4}));
  scene::DisplaySpec d;
  d.name = (std::filesystem::temp_directory_path() / format("reyes_layers_{}.exr", ::getpid())).string();
  d.type = "openexr";
  d.quantize.one = 0;
  d.variables = {{"Ci", Type::kColor, ""}, {"a", Type::kFloat, ""}};
  s.view.displays.push_back(d);
  d.name = "+" + d.name;
  d.variables = {{"N", Type::kNormal, ""}};
  s.view.displays.push_back(d);
  d.variables = {{"s", Type::kFloat, ""}};
  s.view.displays.push_back(d);
  const image::Image r = s.render(2, true);
  REQUIRE(s.result.files.size() == 1);
  for (const char* c : {"R", "G", "B", "A", "N.x", "N.y", "N.z", "s"}) CHECK(channelOf(r, c) >= 0);
  CHECK(at(r, 20, 20, "N.z") == doctest::Approx(-1).epsilon(0.02));
  CHECK(r.attributes.count("worldToNDC") == 1);
  CHECK(r.attributes.count("worldToCamera") == 1);
  CHECK(r.attributes.count("reyes/status") == 1);
}

TEST_CASE("an empty world is an empty picture") {
  TestScene s(33, 17);
  const image::Image r = s.render(2);
  REQUIRE(r.pixels.size() == 33 * 17 * 5);
  CHECK(at(r, 16, 8, "A") == 0);
}

TEST_CASE("stopping and the memory limit give up without writing") {
  TestScene s(64, 64);
  s.add(s.sphere(1), s.attributes(), Matrix4::translate({0, 0, 4}));
  s.options.stop = [] { return true; };
  s.render(2);
  CHECK(s.result.stopped);
  CHECK(s.result.files.empty());
  s.options.stop = nullptr;
  s.options.memoryLimitBytes = 1000;
  s.render(2);
  CHECK(s.result.stopped);
  CHECK(s.diag.has(Impact::kMemory));
}

TEST_CASE("progress ends at 1, and grids are freed as the frontier moves") {
  TestScene s(256, 256);
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 8; ++i)
      s.add(s.sphere(0.15f), s.attributes(),
            Matrix4::translate({(static_cast<float>(i) - 3.5f) * 0.4f, (static_cast<float>(j) - 3.5f) * 0.4f, 3}));
  float last = 0;
  s.options.progress = [&](float f) { last = std::max(last, f); };
  s.render(1);
  CHECK(last == 1);
  const int64_t all = s.result.stats.get(Counter::kPointsShaded) * 6 * static_cast<int64_t>(sizeof(float));
  CHECK(s.result.peakGridBytes < all / 2);
}

TEST_CASE("cull hidden 0 shades what nobody sees") {
  TestScene s(40, 40);
  auto a = s.attributes();
  a->cullHidden = false;
  s.add(s.patch({-3, -3, 2, 3, -3, 2, -3, 3, 2, 3, 3, 2}), s.attributes(), {});
  const RenderResult none = (s.render(2), s.result);
  s.add(s.sphere(1), a, Matrix4::translate({0, 0, 6}));
  s.render(2);
  CHECK(s.result.stats.get(Counter::kGridsShaded) > none.stats.get(Counter::kGridsShaded));
}
