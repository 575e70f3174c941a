// SPDX-License-Identifier: Apache-2.0
// What reaches through the eye plane: a ground plane through the camera renders, in few splits, without a message.
#include <doctest/doctest.h>

#include "render_fixture.h"

using namespace reyes;
using namespace reyes::render;

TEST_CASE("a ground plane through the camera") {
  TestScene s(96, 96);
  s.shading.random = false;
  s.view.filter = {"box", 1, 1};
  s.view.near = 1e-4f;
  s.add(s.patch({-1000, -1, -1000, 1000, -1, -1000, -1000, -1, 1000, 1000, -1, 1000}), s.attributes(), {});
  const image::Image r = s.render(2);
  REQUIRE_FALSE(r.pixels.empty());
  // The horizon at distance 1000 is 1/1000 of the way down from the middle; everything below is ground.
  for (int x = 0; x < 96; ++x) {
    for (int y = 49; y < 96; ++y) REQUIRE(at(r, x, y, "A") == 1);
    for (int y = 0; y < 47; ++y) REQUIRE(at(r, x, y, "A") == 0);
  }
  CHECK(s.result.stats.get(Counter::kEyeSplits) < 500);
  CHECK(s.result.stats.get(Counter::kPointsShaded) < 200000);
  CHECK(s.diag.all().empty());
}

TEST_CASE("walls on all sides of the camera, and a camera in the plane itself") {
  TestScene s(64, 64);
  s.shading.random = false;
  s.view.near = 1e-3f;
  s.add(s.sphere(3), s.attributes(), {});
  s.add(s.patch({-50, 0, -50, 50, 0, -50, -50, 0, 50, 50, 0, 50}), s.attributes(), {});
  const image::Image r = s.render(2);
  REQUIRE_FALSE(r.pixels.empty());
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) CHECK(at(r, x, y, "A") == 1);
  CHECK_FALSE(s.diag.hasCode("eye-splits"));
}

TEST_CASE("a tilted eye on a wide plane under a wide sky") {
  TestScene s(64, 48);
  s.shading.random = false;
  s.view.near = 0.01f;
  const Matrix4 camera =
      Matrix4::translate({0, -1, 0}) * Matrix4::rotate(12, {0, 1, 0}) * Matrix4::rotate(-8, {1, 0, 0});
  s.view.cameraFromWorld = camera;
  s.add(s.patch({-2000, 0, 2000, 2000, 0, 2000, -2000, 0, -2000, 2000, 0, -2000}), s.attributes(), {});
  s.add(s.sphere(3000), s.attributes(), Matrix4::rotate(-90, {1, 0, 0}));
  const image::Image r = s.render(2);
  REQUIRE_FALSE(r.pixels.empty());
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) CHECK(at(r, x, y, "A") == 1);
  CHECK(s.result.stats.get(Counter::kEyeSplits) < 2000);
  CHECK(s.result.stats.get(Counter::kNodes) < 20000);
  CHECK_FALSE(s.diag.hasCode("eye-splits"));
}

TEST_CASE("wholly behind the camera is nothing, and no message") {
  TestScene s;
  s.add(s.sphere(1), s.attributes(), Matrix4::translate({0, 0, -5}));
  const image::Image r = s.render();
  for (int x = 0; x < 96; ++x) CHECK(at(r, x, 32, "A") == 0);
  CHECK(s.result.stats.get(Counter::kGridsDiced) == 0);
  CHECK(s.diag.all().empty());
}

TEST_CASE("a shape that moves through the camera ends") {
  TestScene s(48, 48);
  s.view.shutterClose = 1;
  scene::Primitive& p = s.add(s.sphere(1), s.attributes(), {});
  p.worldFromObject.times = {0, 1};
  p.worldFromObject.matrices = {Matrix4::translate({0.3f, 0, 4}), Matrix4::translate({0.3f, 0, -4})};
  const image::Image r = s.render(2);
  REQUIRE_FALSE(r.pixels.empty());
  CHECK(at(r, 28, 24, "A") > 0.1f);
  CHECK(s.result.stats.get(Counter::kNodes) < 20000);
}

TEST_CASE("a large displacement bound at the eye plane ends") {
  TestScene s(48, 48);
  auto a = s.attributes();
  a->displacement = std::make_shared<scene::ShaderInstance>();
  a->displacementBound = 100, a->displacementBoundDeclared = true;
  s.add(s.patch({-40, -1, -40, 40, -1, -40, -40, -1, 40, 40, -1, 40}), a, {});
  const image::Image r = s.render(2);
  REQUIRE_FALSE(r.pixels.empty());
  CHECK(at(r, 24, 44, "A") == 1);
  CHECK(s.result.stats.get(Counter::kNodes) < 20000);
}
