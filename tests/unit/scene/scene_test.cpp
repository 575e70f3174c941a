// SPDX-License-Identifier: Apache-2.0
// Transforms with motion keys, and the projections of a View.
#include <doctest/doctest.h>

#include "reyes/scene/view.h"

using namespace reyes;
using scene::AnimatedTransform;

TEST_CASE("between keys matrices are interpolated, outside they stand still") {
  AnimatedTransform t;
  t.times = {0, 1, 3};
  t.matrices = {Matrix4::translate({0, 0, 0}), Matrix4::translate({1, 0, 0}), Matrix4::translate({5, 0, 0})};
  const auto x = [&](float time) { return transformPoint(t.at(time), {0, 0, 0}).x; };
  CHECK(x(-1) == 0);
  CHECK(x(0.5f) == 0.5f);
  CHECK(x(1) == 1);
  CHECK(x(2) == 3);
  CHECK(x(9) == 5);
}

TEST_CASE("concat merges keys; inverse undoes") {
  AnimatedTransform a, b;
  a.times = {0, 1};
  a.matrices = {Matrix4::translate({0, 0, 0}), Matrix4::translate({2, 0, 0})};
  b.times = {0.5f, 1};
  b.matrices = {Matrix4::translate({0, 1, 0}), Matrix4::translate({0, 3, 0})};
  const AnimatedTransform c = scene::concat(a, b);
  CHECK(c.times == std::vector<float>{0, 0.5f, 1});
  CHECK(transformPoint(c.at(0.5f), {0, 0, 0}) == Vec3{1, 1, 0});
  CHECK(transformPoint(scene::concat(c, scene::inverse(c)).at(1), {7, 8, 9}) == Vec3{7, 8, 9});
}

TEST_CASE("perspective: a point at 45 degrees lies on the edge of the screen") {
  scene::View v;
  v.projection = scene::ProjectionType::kPerspective;
  v.xResolution = 200, v.yResolution = 100;
  v.screenWindow[0] = -2, v.screenWindow[1] = 2;
  v.near = 1, v.far = 100;
  const Matrix4 raster = v.screenFromCamera() * v.rasterFromScreen();
  const Vec3 top = transformPoint(raster, {0, 10, 10});
  CHECK(top.x == doctest::Approx(100));
  CHECK(top.y == doctest::Approx(0).epsilon(1e-4));
  const Vec3 right = transformPoint(raster, {20, 0, 10});
  CHECK(right.x == doctest::Approx(200));
  CHECK(right.y == doctest::Approx(50));
}
