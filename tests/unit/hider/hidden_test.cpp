// SPDX-License-Identifier: Apache-2.0
// What the hider calls hidden adds nothing to any sample, and what moves along behind something is hidden.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "grids.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

const PixelRect kRect{8, 16, 24, 32};

/// A card between corners at each of `keys`, a little uneven.
struct Card {
  OwnedGrid own;
  std::vector<RasterBound> boxes;
  RasterBound all;

  Card(const SamplingSpec& s, int keys, const float (*corner)[2], float width, float height, float depth, float slope)
      : own(8, 8, keys) {
    for (int k = 0; k < keys; ++k) {
      RasterBound b;
      own.place(k, [&](float u, float v, float& x, float& y, float& z) {
        x = corner[k][0] + u * width, y = corner[k][1] + v * height, z = depth + slope * u;
        b.add(x, y, z);
      });
      b.x0 -= 0.01f, b.y0 -= 0.01f, b.x1 += 0.01f, b.y1 += 0.01f;
      boxes.push_back(b);
      const float near = std::fabs(1 / s.focalDistance - 1 / b.z0), far = std::fabs(1 / s.focalDistance - 1 / b.z1);
      const float c = s.focalDistance > 0 ? s.lensPixelsX * std::max(near, far) : 0;
      all.add(b.x0 - c, b.y0 - c, b.z0), all.add(b.x1 + c, b.y1 + c, b.z1);
    }
    if (keys == 3) own.times = {0, 0.3f, 1};
  }
  MovingBound path() { return {own.get().times, boxes}; }
};

}  // namespace

TEST_CASE("what is hidden by time and lens adds nothing") {
  int hiddenAtOnce = 0, hiddenByPath = 0, seen = 0;
  for (uint64_t n = 0; n < 1500; ++n) {
    CAPTURE(n);
    uint64_t state = n * 100;
    const auto in = [&](float lo, float hi) {
      return lo + (hi - lo) * static_cast<float>(mix64(++state) >> 40) * 0x1p-24f;
    };
    SamplingSpec s;
    s.xSamples = 3, s.ySamples = 2;
    if (n % 3) s.lensPixelsX = s.lensPixelsY = in(0, 40), s.focalDistance = in(2, 8);
    const int keys = 1 + static_cast<int>(n / 3 % 3);
    // 1. An occluder, and something behind it that moves nearly alike.
    float front[3][2], back[3][2];
    const float way[2] = {in(-40, 40), in(-40, 40)}, stray = in(0, 1) < 0.5f ? 0.0f : 4.0f;
    front[0][0] = in(-8, 24), front[0][1] = in(0, 32);
    for (int k = 1; k < 3; ++k)
      for (int c = 0; c < 2; ++c) front[k][c] = front[0][c] + way[c] * (k == 1 ? in(0, 0.6f) : 1.0f);
    const float offset[2] = {in(-4, 12), in(-4, 12)};
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 2; ++c) back[k][c] = front[k][c] + offset[c] + in(-stray, stray);
    Card occluder(s, keys, front, in(4, 40), in(4, 40), 3, in(-0.2f, 0.2f));
    Card behind(s, keys, back, in(2, 14), in(2, 14), in(2.9f, 4), in(-0.2f, 0.2f));
    // 2. Drawn or not, it is the same.
    BucketHider h(s);
    h.reset(kRect);
    h.rasterize(occluder.own.get());
    const bool atOnce = h.hidden(behind.all), hidden = h.hidden(behind.all, behind.path());
    CHECK((hidden || !atOnce));
    (atOnce ? hiddenAtOnce : hidden ? hiddenByPath : seen)++;
    if (!hidden) continue;
    const std::vector<float> without = h.resolve().interleaved();
    h.reset(kRect);
    h.rasterize(occluder.own.get());
    h.rasterize(behind.own.get());
    CHECK(h.resolve().interleaved() == without);
  }
  CHECK(hiddenAtOnce > 100);
  CHECK(hiddenByPath > 100);
  CHECK(seen > 100);
}

TEST_CASE("a bound along the border of what covers it is hidden") {
  SamplingSpec s;
  OwnedGrid cover(6, 6);
  cover.rectangle(10.5f, 20.5f, 20.5f, 28.5f, 2);
  BucketHider h(s);
  h.reset(kRect);
  h.rasterize(cover.get());
  CHECK(h.hidden(RasterBound{10.6f, 20.6f, 20.4f, 28.4f, 3, 3}));
  CHECK(!h.hidden(RasterBound{9.4f, 20.6f, 20.4f, 28.4f, 3, 3}));
  CHECK(!h.hidden(RasterBound{10.6f, 20.6f, 20.4f, 28.4f, 1, 3}));
}

TEST_CASE("a grid that is sampled without colours and gets them later looks as if it had had them") {
  SamplingSpec spec;
  spec.xSamples = spec.ySamples = 4;
  const PixelRect rect{3, 5, 19, 21};
  // A tilted grid cuts through a flat one; a third is behind both.
  test::OwnedGrid flat(8, 8), tilted(8, 8, 2), behind(8, 8), beside(4, 4);
  flat.rectangle(0, 0, 24, 24, 2).color(1, 0, 0);
  for (int key = 0; key < 2; ++key)
    tilted.place(key, [=](float u, float v, float& x, float& y, float& z) {
      x = 2 + 20 * u + static_cast<float>(key), y = 2 + 20 * v, z = 1 + 2 * u;
    });
  tilted.color(0, 1, 0);
  behind.rectangle(0, 0, 24, 24, 4).color(0, 0, 1);
  beside.rectangle(40, 0, 44, 4, 1);
  const std::vector<float> want = test::render(spec, rect, {&flat, &tilted, &behind});

  BucketHider hider(spec);
  for (int twice = 0; twice < 2; ++twice) {  // names of the first bucket are left in the second
    hider.reset(rect);
    CHECK(hider.rasterizeOpaque(beside.get()) == -1);
    const int places[] = {hider.rasterizeOpaque(behind.get()), hider.rasterizeOpaque(flat.get()),
                          hider.rasterize(tilted.get())};
    CHECK(!hider.isSeen(places[0]));
    CHECK(hider.isSeen(places[1]));
    CHECK(hider.isSeen(places[2]));
    hider.setValues(places[1], flat.get());
    CHECK(hider.resolve().interleaved() == want);
  }
}
