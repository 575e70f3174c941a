// SPDX-License-Identifier: Apache-2.0
// Displacement bounds: what leaves them is not drawn and is said once with the bound to set; where none is declared one
// is found. And displaced pictures are functions of the scene like all others.
#include <doctest/doctest.h>

#include "render_fixture.h"

using namespace reyes;
using namespace reyes::render;

namespace {

std::shared_ptr<scene::Attributes> bumpy(const TestScene& s, float bound) {
  auto a = s.attributes();
  a->displacement = std::make_shared<scene::ShaderInstance>();
  a->displacementBound = bound;
  a->displacementBoundDeclared = bound >= 0;
  return a;
}

std::string textOf(const Diagnostics& diag, const std::string& code) {
  for (const Diagnostic& d : diag.all())
    if (d.code == code) return d.text;
  return "";
}

}  // namespace

TEST_CASE("a declared bound that holds is silent; one that does not is said once") {
  for (const float bound : {0.2f, 0.05f, 0.0f}) {
    TestScene s(80, 80);
    s.shading.amplitude = 0.15f;
    s.add(s.sphere(1), bumpy(s, bound), Matrix4::scale({2, 2, 2}) * Matrix4::translate({0, 0, 6}));
    s.render(2);
    CAPTURE(bound);
    CHECK(s.diag.hasCode("displacement-bound") == (bound < 0.15f / 2));  // the bound is in object space, scaled by 2
    CHECK(s.diag.has(Impact::kPicture) == (bound < 0.15f / 2));
    if (bound < 0.15f / 2) CHECK(textOf(s.diag, "displacement-bound").find("0.07") != std::string::npos);
  }
}

TEST_CASE("what is beyond the bound is not drawn, whatever the buckets") {
  TestScene s(80, 80);
  s.shading.amplitude = 0.3f;
  s.view.gridSize = 64;
  s.add(s.sphere(1), bumpy(s, 0.01f), Matrix4::translate({0, 0, 4}));
  const image::Image a = s.render(1);
  CHECK(s.diag.hasCode("displacement-bound"));
  s.view.bucketWidth = 7, s.view.bucketHeight = 31;
  CHECK(sameBits(a, s.render(4), s.view.crop));
}

TEST_CASE("without a declared bound one is found that holds") {
  TestScene s(80, 80);
  s.shading.amplitude = 0.3f;
  s.add(s.sphere(1), bumpy(s, -1), Matrix4::translate({0, 0, 4}));
  const image::Image found = s.render(2);
  CHECK(s.diag.hasCode("displacement-bound-found"));
  CHECK_FALSE(s.diag.hasCode("displacement-bound"));
  TestScene d(80, 80);
  d.shading.amplitude = 0.3f;
  d.add(d.sphere(1), bumpy(d, 0.5f), Matrix4::translate({0, 0, 4}));
  CHECK(sameBits(found, d.render(2), d.view.crop));
}

TEST_CASE("displaced and moving and defocused pictures do not depend on threads, buckets or crops") {
  TestScene s(80, 60);
  s.view.gridSize = 64;
  s.view.shutterClose = 1;
  s.view.fStop = 4, s.view.focalLength = 0.5f, s.view.focalDistance = 4;
  s.shading.amplitude = 0.1f;
  const auto a = bumpy(s, 0.12f);
  for (int i = 0; i < 3; ++i) {
    scene::Primitive& p = s.add(i == 1 ? s.torus(0.8f, 0.3f) : s.sphere(0.6f), a, {});
    p.worldFromObject.times = {0, 0.5f, 1};
    std::vector<Matrix4> turned;
    for (int k = 0; k < 3; ++k)
      turned.push_back(
          Matrix4::rotate(10.0f * static_cast<float>(k), {0, 1, 1}) *
          Matrix4::translate({static_cast<float>(i - 1) + 0.1f * static_cast<float>(k), 0, 4 + static_cast<float>(i)}));
    p.worldFromObject.matrices = std::move(turned);
  }
  const image::Image whole = s.render(1);
  CHECK(sameBits(whole, s.render(3), s.view.crop));
  for (const auto& [seed, times] : s.shading.shaded) CHECK(times == 1);
  for (const auto& [w, h] : {std::pair{32, 32}, {7, 31}, {1, 1}}) {
    CAPTURE(w);
    s.view.bucketWidth = w, s.view.bucketHeight = h;
    const image::Image r = s.render(2);
    CHECK(sameBits(whole, r, s.view.crop));
  }
  s.view.bucketWidth = s.view.bucketHeight = 16;
  s.view.crop = {21, 13, 50, 41};
  CHECK(sameBits(whole, s.render(2), s.view.crop));
}

TEST_CASE("a bound far too large costs no memory, and counts do not depend on threads") {
  TestScene s(160, 120);
  s.view.gridSize = 64;
  s.shading.amplitude = 0.1f;
  scene::AttributesPtr loose = bumpy(s, 2), tight = bumpy(s, 0.12f);
  for (int i = 0; i < 3; ++i) s.add(s.sphere(0.7f), tight, Matrix4::translate({static_cast<float>(i - 1), 0, 4}));
  const image::Image picture = s.render(1);
  const int64_t bytes = s.result.peakGridBytes;
  for (scene::Primitive& p : s.world.primitives) p.attributes = loose;
  CHECK(sameBits(picture, s.render(1), s.view.crop));
  const RenderResult first = s.result;
  CHECK(first.peakGridBytes < 4 * bytes);
  // Buckets that the bound reaches and the grid does not never ask for it.
  CHECK(first.stats.get(Counter::kGridsHidden) < 2 * first.stats.get(Counter::kGridsDiced));
  for (const int threads : {2, 3, 4}) {
    CAPTURE(threads);
    CHECK(sameBits(picture, s.render(threads), s.view.crop));
    for (const Counter c : {Counter::kGridsDiced, Counter::kGridsShaded, Counter::kGridsHidden, Counter::kCulledHidden})
      CHECK(s.result.stats.get(c) == first.stats.get(c));
  }
}
