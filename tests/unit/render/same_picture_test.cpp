// SPDX-License-Identifier: Apache-2.0
// The picture is a function of the scene: the same bits for any threads, buckets and crops; nothing is shaded twice.
#include <doctest/doctest.h>

#include <numbers>

#include "render_fixture.h"

using namespace reyes;
using namespace reyes::render;

namespace {

/// Overlapping spheres and a torus, some transparent to the tests of occlusion, over a large patch.
void fill(TestScene& s) {
  s.view.gridSize = 64;
  const auto red = s.attributes({1, 0.2f, 0.1f}), blue = s.attributes({0.1f, 0.2f, 1}),
             grey = s.attributes({0.5f, 0.5f, 0.5f});
  s.add(s.patch({-9, -5, 9, 9, -5, 9, -9, 5, 9, 9, 5, 9}), grey, {});
  for (int i = 0; i < 5; ++i)
    s.add(s.sphere(0.7f), i % 2 ? red : blue,
          Matrix4::translate(
              {static_cast<float>(i) - 2.0f, 0.2f * static_cast<float>(i % 3), 4 + 0.3f * static_cast<float>(i)}));
  s.add(s.torus(1, 0.3f), red, Matrix4::rotate(50, {1, 1, 0}) * Matrix4::translate({0.4f, -0.5f, 4}));
}

}  // namespace

TEST_CASE("a sphere covers its disk") {
  TestScene s(100, 100);
  s.shading.random = false;
  s.add(s.sphere(1), s.attributes({0.25f, 0.5f, 0.75f}), Matrix4::translate({0, 0, 5}));
  const image::Image r = s.render();
  REQUIRE(r.pixels.size() == 100 * 100 * 5);
  CHECK(at(r, 50, 50, "R") == doctest::Approx(0.25f));
  CHECK(at(r, 50, 50, "G") == doctest::Approx(0.5f));
  CHECK(at(r, 50, 50, "A") == doctest::Approx(1));
  CHECK(at(r, 50, 50, "Z") == doctest::Approx(4).epsilon(0.01));
  CHECK(at(r, 3, 3, "A") == 0);
  // The silhouette cone of a unit sphere at distance 5: tan = 1 / sqrt(24).
  const double pixels = 50 / std::tan(std::numbers::pi / 6) / std::sqrt(24.0);
  double area = 0;
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 100; ++x) area += at(r, x, y, "A");
  CHECK(area == doctest::Approx(std::numbers::pi * pixels * pixels).epsilon(0.01));
  CHECK(s.diag.all().empty());
}

TEST_CASE("threads, buckets and grids of the same scene") {
  TestScene s;
  fill(s);
  const image::Image whole = s.render(1);
  const RenderResult first = s.result;
  for (const auto& [seed, times] : s.shading.shaded) CHECK(times == 1);
  CHECK(first.stats.get(Counter::kGridsShaded) == static_cast<int64_t>(s.shading.shaded.size()));
  CHECK(first.stats.get(Counter::kCulledHidden) + first.stats.get(Counter::kGridsHidden) > 0);
  for (const int threads : {2, 4}) {
    CAPTURE(threads);
    const image::Image r = s.render(threads);
    CHECK(sameBits(whole, r, s.view.crop));
    for (const auto& [seed, times] : s.shading.shaded) CHECK(times == 1);
    for (const Counter c :
         {Counter::kGridsShaded, Counter::kGridsHidden, Counter::kCulledHidden, Counter::kSplits, Counter::kNodes})
      CHECK(s.result.stats.get(c) == first.stats.get(c));
  }
  for (const auto& [w, h] : {std::pair{32, 32}, {7, 31}, {1, 1}}) {
    CAPTURE(w);
    s.view.bucketWidth = w, s.view.bucketHeight = h;
    const image::Image r = s.render(2);
    CHECK(sameBits(whole, r, s.view.crop));
    for (const auto& [seed, times] : s.shading.shaded) CHECK(times == 1);
  }
}

TEST_CASE("a crop equals that part of the whole") {
  TestScene s;
  fill(s);
  const image::Image whole = s.render(2);
  for (const PixelRect& crop : {PixelRect{10, 12, 40, 30}, PixelRect{0, 0, 5, 64}, PixelRect{95, 63, 96, 64}}) {
    s.view.crop = crop;
    const image::Image part = s.render(2);
    CHECK(part.dataWindow == crop);
    CHECK(sameBits(whole, part, crop));
  }
}

TEST_CASE("transparent surfaces give the same bits too") {
  TestScene s;
  fill(s);
  s.shading.opacity = 0.4f;
  const image::Image whole = s.render(1);
  s.view.bucketWidth = 5, s.view.bucketHeight = 9;
  CHECK(sameBits(whole, s.render(4), s.view.crop));
}
