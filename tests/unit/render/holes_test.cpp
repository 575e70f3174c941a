// SPDX-License-Identifier: Apache-2.0
// No holes: what is closed lets no background through, whatever the dice rates of its pieces, displaced or not, still
// or moving. Seen with Sides 1, so that a hole in the front does not show the back.
#include <doctest/doctest.h>

#include "render_fixture.h"

using namespace reyes;
using namespace reyes::render;

namespace {

/// Pixels that are not full although nothing empty is near: not a silhouette, a hole.
int holes(const image::Image& r, int reach = 2) {
  int n = 0;
  for (int y = reach; y < r.height() - reach; ++y)
    for (int x = reach; x < r.width() - reach; ++x) {
      if (at(r, x, y, "A") == 1) continue;
      bool nearEmpty = false;
      for (int dy = -reach; dy <= reach; ++dy)
        for (int dx = -reach; dx <= reach; ++dx) nearEmpty = nearEmpty || at(r, x + dx, y + dy, "A") == 0;
      if (nearEmpty) continue;
      ++n;
    }
  return n;
}

TestScene& closeUp(TestScene& s) {
  s.shading.random = false;
  s.view.filter = {"box", 1, 1};
  s.view.xSamples = s.view.ySamples = 4;
  s.view.gridSize = 36;
  return s;
}

Matrix4 angle(int i) {
  return Matrix4::rotate(37.0f * static_cast<float>(i), {1, 0.3f * static_cast<float>(i), 0.2f}) *
         Matrix4::rotate(71.0f * static_cast<float>(i), {0, 1, 0.1f}) * Matrix4::translate({0, 0, 3.2f});
}

scene::AttributesPtr oneSided(const TestScene& s, float rate, bool displaced) {
  auto a = s.attributes();
  a->sides = 1;
  a->shadingRate = rate;
  if (displaced) {
    a->displacement = std::make_shared<scene::ShaderInstance>();
    a->displacementBound = 0.1f, a->displacementBoundDeclared = true;
  }
  return a;
}

geom::GeometryPtr cube(TestScene& s) {
  ParamList p;
  Param v;
  v.spec = {"P", Type::kPoint, Storage::kVertex, 0};
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c) v.floats.push_back((i >> c) & 1 ? 0.8f : -0.8f);
  p.add(v);
  const int loops[6] = {1, 1, 1, 1, 1, 1}, counts[6] = {4, 4, 4, 4, 4, 4};
  const int vertices[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
  return geom::makePolygons(s.context(), loops, counts, vertices, {&p, 1});
}

}  // namespace

TEST_CASE("closed surfaces are closed") {
  for (int shape = 0; shape < 3; ++shape)
    for (const float rate : {0.7f, 3.0f, 17.0f})
      for (int i = 0; i < 10; ++i) {
        TestScene s(90, 90);
        closeUp(s);
        const geom::GeometryPtr g = shape == 0 ? s.sphere(1.2f) : shape == 1 ? s.torus(1, 0.45f) : cube(s);
        s.add(g, oneSided(s, rate, false), angle(i));
        CAPTURE(shape);
        CAPTURE(rate);
        CAPTURE(i);
        CHECK(holes(s.render(2)) == 0);
      }
}

TEST_CASE("displaced surfaces are closed") {
  for (int shape = 0; shape < 3; ++shape)
    for (const float rate : {1.0f, 9.0f})
      for (int i = 0; i < 10; ++i) {
        TestScene s(90, 90);
        closeUp(s);
        s.shading.amplitude = 0.06f;
        const geom::GeometryPtr g = shape == 0 ? s.sphere(1.2f) : shape == 1 ? s.torus(1, 0.45f) : cube(s);
        s.add(g, oneSided(s, rate, true), angle(i));
        CAPTURE(shape);
        CAPTURE(rate);
        CAPTURE(i);
        CHECK(holes(s.render(2)) == 0);
        CHECK_FALSE(s.diag.hasCode("displacement-bound"));
      }
}

TEST_CASE("moving surfaces are closed") {
  for (const bool displaced : {false, true})
    for (int i = 0; i < 5; ++i) {
      TestScene s(90, 90);
      closeUp(s);
      s.shading.amplitude = 0.05f;
      s.view.shutterClose = 1;
      scene::Primitive& p = s.add(s.torus(1, 0.45f), oneSided(s, 4, displaced), {});
      p.worldFromObject.times = {0, 1};
      p.worldFromObject.matrices = {angle(i),
                                    Matrix4::rotate(4, {0, 0, 1}) * angle(i) * Matrix4::translate({0.1f, 0.05f, 0.1f})};
      CAPTURE(displaced);
      CAPTURE(i);
      CHECK(holes(s.render(2), 8) == 0);
    }
}

TEST_CASE("two primitives that share an edge share its points at equal rates") {
  TestScene s(90, 90);
  closeUp(s);
  const auto a = s.attributes();
  a->shadingRate = 5;
  // Four patches around a tilted quad, of very different sizes along the other way.
  const Matrix4 m = Matrix4::rotate(20, {1, 0.5f, 0.3f}) * Matrix4::translate({0, 0, 2});
  s.add(s.patch({-2, -2, 0, 0, -2, 0, -2, 2, 0, 0, 2, 0.3f}), a, m);
  s.add(s.patch({0, -2, 0, 0.02f, -2, 0, 0, 2, 0.3f, 0.02f, 2, 0.3f}), a, m);
  s.add(s.patch({0.02f, -2, 0, 2, -2, 0, 0.02f, 2, 0.3f, 2, 2, 0}), a, m);
  CHECK(holes(s.render(2)) == 0);
}
