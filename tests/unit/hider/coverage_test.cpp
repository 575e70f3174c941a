// SPDX-License-Identifier: Apache-2.0
// Which samples a micropolygon covers: against analysis, against brute force, over split buckets, on every
// instruction set.
#include <doctest/doctest.h>

#include <cmath>

#include "grids.h"
#include "reyes/base/hash.h"
#include "reyes/hider/sampling.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

SamplingSpec spec(int xs, int ys) {
  SamplingSpec s;
  s.xSamples = xs, s.ySamples = ys;
  return s;
}

float randomAt(uint64_t a, uint64_t b) { return toUnitFloat(hashCombine(a, b)); }

/// Is p in triangle v (units, integers) by the rule that a shared edge belongs to exactly one side.
bool inside(const long v[3][2], long px, long py) {
  const long area = (v[1][0] - v[0][0]) * (v[2][1] - v[0][1]) - (v[1][1] - v[0][1]) * (v[2][0] - v[0][0]);
  if (area == 0) return false;
  for (int k = 0; k < 3; ++k) {
    const int a = area > 0 ? k : (k + 1) % 3, b = area > 0 ? (k + 1) % 3 : k;
    const long dx = v[b][0] - v[a][0], dy = v[b][1] - v[a][1];
    const long e = dx * (py - v[a][1]) - dy * (px - v[a][0]);
    if (!(e > 0 || (e == 0 && (dx > 0 || (dx == 0 && dy > 0))))) return false;
  }
  return true;
}

/// A grid of jumbled quads: some folded, some degenerate, some large.
OwnedGrid soup(int seed, float size) {
  OwnedGrid g(9, 7);
  for (size_t v = 0; v < g.x.size(); ++v) {
    const uint64_t k = static_cast<uint64_t>(seed) * 1000 + v;
    g.x[v] = 3 + static_cast<float>(v % 10) * size + randomAt(k, 1) * size * 2;
    g.y[v] = 3 + static_cast<float>(v / 10) * size + randomAt(k, 2) * size * 2;
    g.z[v] = 1 + randomAt(k, 3);
    if (randomAt(k, 4) < 0.15f && v > 0) g.x[v] = g.x[v - 1], g.y[v] = g.y[v - 1];
    for (size_t c = 0; c < 3; ++c) g.ci[c * g.x.size() + v] = randomAt(k, 5 + c);
  }
  g.grid.order = static_cast<uint64_t>(seed);
  return g;
}

}  // namespace

TEST_CASE("samples are stratified and pure") {
  const SamplingSpec s = spec(4, 3);
  for (int py = -2; py < 3; ++py)
    for (int px = -2; px < 3; ++px) {
      std::vector<int> times(12), lens(4);
      for (int i = 0; i < 12; ++i) {
        const SamplePoint p = samplePoint(s, px, py, i);
        CHECK(static_cast<int>(p.x * 4) == i % 4);
        CHECK(static_cast<int>(p.y * 3) >= i / 4 - 0);
        CHECK(p.y * 3 <= static_cast<float>(i / 4 + 1) + 0.01f);
        ++times[static_cast<size_t>(p.time * 12)];
        ++lens[static_cast<size_t>((p.lensX > 0 ? 1 : 0) + (p.lensY > 0 ? 2 : 0))];
        CHECK(p.lensX * p.lensX + p.lensY * p.lensY <= 1.0001f);
        const SamplePoint q = samplePoint(s, px, py, i);
        CHECK(p.x == q.x);
        CHECK(p.time == q.time);
      }
      for (const int t : times) CHECK(t == 1);
    }
  SamplingSpec still = spec(2, 2);
  still.jitter = false;
  CHECK(samplePoint(still, 5, 5, 3).x == 0.75f);
  CHECK(samplePoint(still, 5, 5, 0).y == 0.25f);
}

TEST_CASE("coverage of a half plane and a disc") {
  const SamplingSpec s = spec(4, 4);
  SampleTile tile;
  // Edge x = 10.3 + 0.37 y over 32 x 32 pixels.
  OwnedGrid half(40, 40);
  half.place(0, [](float u, float v, float& x, float& y, float& z) { y = 32 * v, x = (10.3f + 0.37f * y) * u, z = 1; });
  render(s, {0, 0, 32, 32}, {&half}, &tile);
  CHECK(mean(tile, SampleTile::kOi) == doctest::Approx((10.3 + 0.37 * 16) / 32).epsilon(0.004));
  // Disc of radius 12.
  OwnedGrid disc(96, 24);
  disc.place(0, [](float u, float v, float& x, float& y, float& z) {
    x = 16 + 12 * v * std::cos(u * 6.2831853f), y = 16 + 12 * v * std::sin(u * 6.2831853f), z = 1;
  });
  render(s, {0, 0, 32, 32}, {&disc}, &tile);
  CHECK(mean(tile, SampleTile::kOi) == doctest::Approx(3.14159 * 144 / 1024).epsilon(0.006));
}

TEST_CASE("a full-frame polygon covers every sample, whatever the sample counts") {
  for (const auto& [xs, ys] : {std::pair{1, 1}, {1, 7}, {3, 2}, {11, 11}, {32, 32}}) {
    OwnedGrid all(1, 1), fine(13, 17);
    all.rectangle(0, 0, 8, 8, 1), fine.rectangle(0, 0, 8, 8, 1);
    for (OwnedGrid* g : {&all, &fine}) {
      SampleTile tile;
      render(spec(xs, ys), {0, 0, 8, 8}, {g}, &tile);
      CHECK(tile.samples == xs * ys);
      CHECK(mean(tile, SampleTile::kOi) == 1.0);
      render(spec(xs, ys), {8, 0, 12, 4}, {g}, &tile);
      CHECK(mean(tile, SampleTile::kOi) == 0.0);
    }
  }
}

TEST_CASE("grids that share borders hit every sample exactly once") {
  // A wobbly 3 x 3 arrangement of grids of half opacity: a double hit shows as 0.75, a hole as 0.
  std::vector<OwnedGrid> grids;
  const auto wobble = [](int i, int j, float& x, float& y) {
    x = static_cast<float>(i) * 0.9f - 2 + 0.8f * std::sin(static_cast<float>(i * 7 + j * 3));
    y = static_cast<float>(j) * 0.9f - 2 + 0.8f * std::cos(static_cast<float>(i * 5 + j * 11));
    if (i % 5 == 0)
      x = static_cast<float>(i) * 0.9f - 2, y = static_cast<float>(j - j % 2) * 0.9f - 2;  // coincident points
  };
  for (int gy = 0; gy < 3; ++gy)
    for (int gx = 0; gx < 3; ++gx) {
      OwnedGrid g(8, 8);
      size_t v = 0;
      for (int j = 0; j <= 8; ++j)
        for (int i = 0; i <= 8; ++i, ++v) {
          // The gentle part of the wobble keeps quads from folding over.
          float x, y;
          wobble(gx * 8 + i, gy * 8 + j, x, y);
          const float bx = static_cast<float>(gx * 8 + i) * 0.9f - 2, by = static_cast<float>(gy * 8 + j) * 0.9f - 2;
          g.x[v] = bx + 0.15f * (x - bx), g.y[v] = by + 0.15f * (y - by);
          if ((gx * 8 + i) % 5 == 0) g.x[v] = x, g.y[v] = y;
        }
      g.opacity(0.5f).color(0.5f, 0.25f, 0);
      grids.push_back(std::move(g));
    }
  std::vector<OwnedGrid*> all;
  for (OwnedGrid& g : grids) all.push_back(&g);
  for (const auto& [xs, ys] : {std::pair{1, 1}, {4, 4}, {7, 5}, {16, 16}}) {
    SampleTile tile;
    const std::vector<float> values = render(spec(xs, ys), {1, 1, 14, 14}, all, &tile);
    int wrong = 0;
    for (size_t i = SampleTile::kOi; i < values.size(); i += static_cast<size_t>(tile.channels))
      wrong += values[i] != 0.5f;
    CHECK(wrong == 0);
  }
}

TEST_CASE("random triangles against brute force, in buckets of any size, on every instruction set") {
  const PixelRect frame{0, 0, 32, 31};
  for (const float size : {0.4f, 0.9f, 3.0f, 9.0f})
    for (const int opaque : {1, 0}) {
      SamplingSpec s = spec(3, 4);
      std::vector<OwnedGrid> grids;
      for (int k = 0; k < 4; ++k) grids.push_back(soup(k + 1, size));
      std::vector<OwnedGrid*> all;
      for (OwnedGrid& g : grids) {
        if (!opaque) g.opacity(0.5f);
        all.push_back(&g);
      }
      SampleTile whole;
      const std::vector<float> values = render(s, frame, all, &whole);

      // Brute force over triangles: how many cover each sample, and the nearest depth's bounds.
      int wrong = 0;
      for (int py = 0; py < 31; ++py)
        for (int px = 0; px < 32; ++px)
          for (int i = 0; i < 12; ++i) {
            const SamplePoint p = samplePoint(s, px, py, i);
            const long sx = std::lrint((static_cast<float>(px) + p.x) * 512),
                       sy = std::lrint((static_cast<float>(py) + p.y) * 512);
            int count = 0;
            for (OwnedGrid& g : grids)
              for (int j = 0; j < 7; ++j)
                for (int u = 0; u < 9; ++u) {
                  const int a = j * 10 + u, corner[2][3] = {{a, a + 1, a + 11}, {a, a + 11, a + 10}};
                  for (const auto& t : corner) {
                    long v[3][2];
                    for (int n = 0; n < 3; ++n)
                      v[n][0] = std::lrint(g.x[static_cast<size_t>(t[n])] * 512),
                      v[n][1] = std::lrint(g.y[static_cast<size_t>(t[n])] * 512);
                    count += inside(v, sx, sy);
                  }
                }
            const float alpha =
                values[static_cast<size_t>(((py * 32 + px) * 12 + i) * whole.channels + SampleTile::kOi)];
            float through = 1, sum = 0;
            for (int n = 0; n < count && !(sum >= s.opacityThreshold); ++n) sum += through * 0.5f, through *= 0.5f;
            wrong += alpha != (opaque ? static_cast<float>(count > 0) : sum);
          }
      CHECK(wrong == 0);

      // The same bits in other buckets and on other instruction sets.
      for (const Isa isa : supportedIsas()) {
        s.isa = isa;
        CHECK(render(s, frame, all) == values);
      }
      for (const auto& [w, h] : {std::pair{1, 1}, {7, 31}, {16, 16}}) {
        int differ = 0;
        for (int y = 0; y < 31; y += h)
          for (int x = 0; x < 32; x += w) {
            SampleTile part;
            const std::vector<float> partValues = render(s, intersect({x, y, x + w, y + h}, frame), all, &part);
            const size_t row = 12 * static_cast<size_t>(part.channels);
            for (int qy = part.rect.y0; qy < part.rect.y1; ++qy)
              for (int qx = part.rect.x0; qx < part.rect.x1; ++qx) {
                const auto* p =
                    &partValues[static_cast<size_t>((qy - part.rect.y0) * part.rect.width() + qx - part.rect.x0) * row];
                differ += !std::equal(p, p + row, &values[static_cast<size_t>(qy * 32 + qx) * row]);
              }
          }
        CHECK(differ == 0);
      }
    }
}

TEST_CASE("patterns: every stratum has one sample, at any sample counts") {
  for (const auto& [xs, ys] : {std::pair{4, 4}, {3, 3}, {3, 5}, {1, 7}, {11, 11}, {16, 8}, {2, 1}}) {
    const PatternTables t(spec(xs, ys));
    const size_t n = static_cast<size_t>(t.n);
    const auto once = [n](const auto& cell) {
      std::vector<int> seen(n);
      for (size_t i = 0; i < n; ++i) ++seen[static_cast<size_t>(cell(i))];
      return std::all_of(seen.begin(), seen.end(), [](int k) { return k == 1; });
    };
    for (size_t p = 0; p < static_cast<size_t>(t.patterns()); ++p) {
      const size_t at = p * n;
      const int columns = t.lensColumns, rows = t.lensRows, strata = t.n;
      CHECK(once([&](size_t i) { return t.stratum[at + i]; }));
      CHECK(once([&](size_t i) { return static_cast<int>(t.time[at + i] * static_cast<float>(strata)); }));
      // Disc back to square: each lens cell once, and by class alike.
      const size_t cls = static_cast<size_t>(lensClass(static_cast<int>(p), static_cast<int>(p >> 3)));
      CHECK(once([&](size_t i) { return t.lensCell[cls * n + i]; }));
      int out = 0;
      for (size_t i = 0; i < n; ++i) {
        const float x = t.lensX[at + i], y = t.lensY[at + i], r = std::sqrt(x * x + y * y) * 1.00001f;
        const int cell = t.lensCell[cls * n + i], column = cell % columns, row = cell / columns;
        // The cell's ring: its farthest corner from the middle bounds it.
        const float a = std::max(std::fabs(2.0f * static_cast<float>(column) / static_cast<float>(columns) - 1),
                                 std::fabs(2.0f * static_cast<float>(column + 1) / static_cast<float>(columns) - 1));
        const float b = std::max(std::fabs(2.0f * static_cast<float>(row) / static_cast<float>(rows) - 1),
                                 std::fabs(2.0f * static_cast<float>(row + 1) / static_cast<float>(rows) - 1));
        out += r > std::max(a, b) + 1e-4f;
        // Positions: in their cells, off the pixel's border, and stratified along each axis.
        const int ux = t.unitX[at + i], uy = t.unitY[at + i];
        out += ux < 1 || ux > 511 || uy < 1 || uy > 511;
        out += ux < static_cast<int>(i) % xs * 512 / xs || ux >= (static_cast<int>(i) % xs * 512 + 512 + xs - 1) / xs;
        out += uy < static_cast<int>(i) / xs * 512 / ys || uy >= (static_cast<int>(i) / xs * 512 + 512 + ys - 1) / ys;
      }
      CHECK(out == 0);
      if (512 % strata == 0) {
        CHECK(once([&](size_t i) { return t.unitX[at + i] * strata / 512; }));
        CHECK(once([&](size_t i) { return t.unitY[at + i] * strata / 512; }));
      }
    }
  }
}
