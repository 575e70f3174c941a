// SPDX-License-Identifier: Apache-2.0
// Cells: unconnected micropolygons in one grid give the samples of each in a grid of its own. And where samples are.
#include <doctest/doctest.h>

#include <random>

#include "grids.h"
#include "reyes/hider/sampling.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

constexpr int kCells = 21;

struct Scattered {
  std::vector<OwnedGrid> alone;
  OwnedGrid together{1, 1};

  Scattered(int keys, bool clear, bool smooth) {
    std::mt19937 random(7);
    const auto number = [&] { return static_cast<float>(random() % 10007) / 10007; };
    together = OwnedGrid(1, 1, keys);
    together.grid.kind = GridKind::kCells, together.grid.nu = kCells, together.grid.smooth = smooth;
    const size_t n = kCells, points = 4 * n;
    for (auto* v : {&together.x, &together.y, &together.z}) v->assign(points * static_cast<size_t>(keys), 0.0f);
    together.ci.assign(3 * points, 0.0f);
    if (clear) together.oi.assign(3 * points, 0.0f);
    for (size_t c = 0; c < n; ++c) {
      OwnedGrid g(1, 1, keys);
      g.grid.smooth = smooth, g.grid.order = c;
      if (clear) g.opacity(0.5f);
      for (int k = 0; k < keys; ++k) {
        const float x = 1 + 13 * number(), y = 1 + 13 * number(), size = 1 + 2 * number();
        g.rectangle(x, y, x + size, y + size, 2 + number(), k);
        for (auto* v : {&g.x, &g.y, &g.z})
          for (size_t i = 0; i < 4; ++i) (*v)[4 * static_cast<size_t>(k) + i] += 0.4f * number();
      }
      for (float& f : g.ci) f = number();
      // Corner i of cell c.
      for (size_t i = 0; i < 4; ++i) {
        const size_t at = i * n + c;
        for (size_t k = 0; k < static_cast<size_t>(keys); ++k) {
          together.x[k * points + at] = g.x[k * 4 + i];
          together.y[k * points + at] = g.y[k * 4 + i];
          together.z[k * points + at] = g.z[k * 4 + i];
        }
        for (size_t p = 0; p < 3; ++p) {
          together.ci[p * points + at] = g.ci[p * 4 + i];
          if (clear) together.oi[p * points + at] = g.oi[p * 4 + i];
        }
      }
      alone.push_back(g);
    }
  }
  std::vector<OwnedGrid*> each() {
    std::vector<OwnedGrid*> all;
    for (OwnedGrid& g : alone) all.push_back(&g);
    return all;
  }
};

}  // namespace

TEST_CASE("cells are sampled as grids of one micropolygon each") {
  for (const int keys : {1, 2})
    for (const bool clear : {false, true})
      for (const bool smooth : {false, true})
        for (const float lens : {0.0f, 3.0f}) {
          CAPTURE(keys);
          CAPTURE(clear);
          CAPTURE(smooth);
          CAPTURE(lens);
          SamplingSpec spec;
          spec.xSamples = spec.ySamples = 4;
          spec.lensPixelsX = spec.lensPixelsY = lens, spec.focalDistance = 2;
          Scattered s(keys, clear, smooth);
          const PixelRect rect{3, 2, 17, 16};
          const std::vector<float> a = render(spec, rect, s.each()), b = render(spec, rect, {&s.together});
          REQUIRE(a.size() == b.size());
          size_t different = 0, seen = 0;
          for (size_t i = 0; i < a.size(); ++i) different += a[i] != b[i], seen += a[i] > 0 && a[i] < 1;
          CHECK(different == 0);
          CHECK(seen > 100);
        }
}

TEST_CASE("a cell without a place takes none with it") {
  SamplingSpec spec;
  Scattered s(1, false, true);
  s.together.x[5] = std::numeric_limits<float>::quiet_NaN();
  std::vector<OwnedGrid*> others = s.each();
  others.erase(others.begin() + 5);
  const PixelRect rect{0, 0, 16, 16};
  CHECK(render(spec, rect, others) == render(spec, rect, {&s.together}));
}

TEST_CASE("sites know where samples are, to the unit") {
  for (const int side : {1, 3, 5})
    for (const bool jitter : {false, true}) {
      SamplingSpec spec;
      spec.xSamples = side, spec.ySamples = side + 1, spec.jitter = jitter;
      const SampleSites sites(spec);
      CHECK(sites.samples() == side * (side + 1));
      std::vector<std::pair<int, int>> places;
      for (int py = -3; py < 4; ++py)
        for (int px = -11; px < 11; ++px)
          for (int i = 0; i < sites.samples(); ++i) {
            const SamplePoint p = samplePoint(spec, px, py, i);
            places.emplace_back(px * kUnits + static_cast<int>(p.x * kUnits),
                                py * kUnits + static_cast<int>(p.y * kUnits));
          }
      std::mt19937 random(3);
      int some = 0, none = 0;
      for (int t = 0; t < 600; ++t) {
        const auto number = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
        const int x0 = number(20 * kUnits) - 10 * kUnits, y0 = number(4 * kUnits) - 2 * kUnits;
        const int x1 = x0 + number(t % 3 ? 40 : 700), y1 = y0 + number(t % 2 ? 60 : 300);
        const bool any = std::any_of(places.begin(), places.end(), [&](const auto& p) {
          return p.first >= x0 && p.first <= x1 && p.second >= y0 && p.second <= y1;
        });
        CHECK(sites.any(x0, y0, x1, y1) == any);
        ++(any ? some : none);
      }
      CHECK(std::min(some, none) > 20);
      // A single sample, and nothing around it.
      const auto [x, y] = places[places.size() / 2];
      CHECK(sites.any(x, y, x, y));
      CHECK_FALSE(sites.any(x + 1, y, x, y));
    }
}
