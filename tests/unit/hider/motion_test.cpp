// SPDX-License-Identifier: Apache-2.0
// Moving and defocused grids: coverage by analysis, energy, agreement with still sampling and between buckets,
// watertight at every time and lens point.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "grids.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

SamplingSpec spec(int xs, int ys) {
  SamplingSpec s;
  s.xSamples = xs, s.ySamples = ys;
  return s;
}

double columnMean(const SampleTile& t, int px) {
  double sum = 0;
  int n = 0;
  for (int y = 0; y < t.rect.height(); ++y)
    for (int i = 0; i < t.samples; ++i, ++n) sum += t.value(t.rect.x0 + px, t.rect.y0 + y, i, SampleTile::kOi);
  return sum / n;
}

}  // namespace

TEST_CASE("a moving edge covers each column for its share of the shutter") {
  OwnedGrid g(4, 8, 2);
  g.rectangle(-20, 0, 2, 16, 1, 0).rectangle(-20, 0, 12, 16, 1, 1);
  SampleTile t;
  render(spec(4, 4), {0, 0, 16, 16}, {&g}, &t);
  for (int px = 0; px < 16; ++px) {
    const double expected = std::clamp(1 - (px + 0.5 - 2) / 10, 0.0, 1.0);
    CHECK(columnMean(t, px) == doctest::Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("three keys with uneven times") {
  OwnedGrid g(1, 1, 3);
  g.times = {0, 0.25f, 1};
  // In [0, 0.25) crosses from x -4..0 to 0..4, then rests.
  g.rectangle(-4, 0, 0, 8, 1, 0).rectangle(0, 0, 4, 8, 1, 1).rectangle(0, 0, 4, 8, 1, 2);
  SampleTile t;
  render(spec(8, 8), {0, 0, 8, 8}, {&g}, &t);
  for (int px = 0; px < 4; ++px) CHECK(columnMean(t, px) == doctest::Approx(1 - 0.25 * (px + 0.5) / 4).epsilon(0.02));
  CHECK(columnMean(t, 5) == 0.0);
}

TEST_CASE("a blurred point keeps its energy") {
  for (const float travel : {0.3f, 5.0f, 40.0f}) {
    OwnedGrid g(1, 1, 2);
    g.rectangle(4, 8, 4.7f, 8.7f, 1, 0).rectangle(4 + travel, 8 + travel / 3, 4.7f + travel, 8.7f + travel / 3, 1, 1);
    SampleTile t;
    render(spec(8, 8), {0, 0, 64, 32}, {&g}, &t);
    CHECK(mean(t, SampleTile::kOi) * 64 * 32 == doctest::Approx(0.49).epsilon(0.1));
  }
  // Through a lens: depth 4, focus at 1, circle of 6 pixels.
  SamplingSpec s = spec(8, 8);
  s.focalDistance = 1, s.lensPixelsX = s.lensPixelsY = 8;
  OwnedGrid g(1, 1);
  g.rectangle(16, 16, 17.5f, 17.5f, 4);
  SampleTile t;
  render(s, {0, 0, 32, 32}, {&g}, &t);
  CHECK(mean(t, SampleTile::kOi) * 1024 == doctest::Approx(2.25).epsilon(0.1));
  // Nothing beyond the circle, something near its rim.
  double beyond = 0, rim = 0;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x)
      for (int i = 0; i < 64; ++i) {
        const float v = t.value(x, y, i, SampleTile::kOi);
        const double d = std::hypot(x + 0.5 - 16.75, y + 0.5 - 16.75);
        if (d > 4.5) (d > 7.8 ? beyond : rim) += v;
      }
  CHECK(beyond == 0);
  CHECK(rim > 0);
}

TEST_CASE("resting keys give the still picture") {
  OwnedGrid still(6, 5), moving(6, 5, 3);
  const auto shape = [](float u, float v, float& x, float& y, float& z) {
    x = 2 + 9 * u + 2 * v, y = 1 + 8 * v - u * v, z = 1 + u * v;
  };
  still.place(0, shape);
  for (int k = 0; k < 3; ++k) moving.place(k, shape);
  for (const float opacity : {1.0f, 0.5f}) {
    if (opacity < 1) still.opacity(opacity), moving.opacity(opacity);
    SampleTile a, b;
    const std::vector<float> va = render(spec(5, 4), {0, 0, 16, 16}, {&still}, &a);
    const std::vector<float> vb = render(spec(5, 4), {0, 0, 16, 16}, {&moving}, &b);
    int wrong = 0;
    for (size_t i = SampleTile::kOi; i < va.size(); i += static_cast<size_t>(a.channels)) wrong += va[i] != vb[i];
    CHECK(wrong == 0);
  }
}

TEST_CASE("moving, defocused grids tile exactly, in any bucket, on every instruction set") {
  const PixelRect frame{3, 5, 27, 24};
  for (const int mode : {1, 2, 3})
    for (const float size : {0.8f, 5.0f}) {
      SamplingSpec s = spec(4, 3);
      if (mode & 2) s.focalDistance = 2, s.lensPixelsX = 9, s.lensPixelsY = 7;
      const int keys = mode & 1 ? 3 : 1;
      // A sheet of grids, half opaque, that slides, turns a little and stretches; the tile stays inside at all times.
      const int span = static_cast<int>(60 / size / 6) + 1;
      std::vector<OwnedGrid> grids;
      for (int gy = 0; gy < span; ++gy)
        for (int gx = 0; gx < span; ++gx) {
          OwnedGrid g(6, 6, keys);
          if (keys == 3) g.times = {0, 0.4f, 1};
          for (int k = 0; k < keys; ++k)
            g.place(k, [&](float u, float v, float& x, float& y, float& z) {
              const float bx = (static_cast<float>(gx * 6) + std::round(u * 6)) * size - 16,
                          by = (static_cast<float>(gy * 6) + std::round(v * 6)) * size - 16;
              const float t = static_cast<float>(k);
              x = bx + 0.05f * t * by + 2.3f * t + 0.2f * size * std::sin(by),
              y = by - 0.04f * t * bx - t + 0.2f * size * std::cos(bx), z = 1.5f + 0.01f * bx;
            });
          grids.push_back(std::move(g.opacity(0.5f).color(0.5f, 0.25f, 0)));
        }
      std::vector<OwnedGrid*> all;
      for (OwnedGrid& g : grids) all.push_back(&g);
      SampleTile whole;
      const std::vector<float> values = render(s, frame, all, &whole);
      int wrong = 0;
      for (size_t i = SampleTile::kOi; i < values.size(); i += static_cast<size_t>(whole.channels))
        wrong += values[i] != 0.5f;
      CHECK(wrong == 0);
      for (const Isa isa : supportedIsas()) {
        s.isa = isa;
        CHECK(render(s, frame, all) == values);
      }
      int differ = 0;
      for (int y = frame.y0; y < frame.y1; y += 8)
        for (int x = frame.x0; x < frame.x1; x += 5) {
          SampleTile part;
          const std::vector<float> partValues = render(s, intersect({x, y, x + 5, y + 8}, frame), all, &part);
          const size_t row = static_cast<size_t>(whole.samples * whole.channels);
          for (int qy = part.rect.y0; qy < part.rect.y1; ++qy)
            for (int qx = part.rect.x0; qx < part.rect.x1; ++qx) {
              const auto* p =
                  &partValues[static_cast<size_t>((qy - part.rect.y0) * part.rect.width() + qx - part.rect.x0) * row];
              differ += !std::equal(
                  p, p + row, &values[static_cast<size_t>((qy - frame.y0) * frame.width() + qx - frame.x0) * row]);
            }
        }
      CHECK(differ == 0);
    }
}

namespace {

/// Triangles of a moving grid that a sample is in; -1 where it is too near to an edge to tell.
int trianglesAt(const OwnedGrid& g, const SamplingSpec& s, const SamplePoint& p, double px, double py) {
  const int row = g.grid.nu + 1, points = g.grid.points();
  int count = 0;
  for (int j = 0; j < g.grid.nv; ++j)
    for (int i = 0; i < g.grid.nu; ++i) {
      const int v[4] = {j * row + i, j * row + i + 1, j * row + i + row + 1, j * row + i + row};
      double x[4], y[4];
      for (int n = 0; n < 4; ++n) {
        const auto a = static_cast<size_t>(v[n]), b = static_cast<size_t>(v[n] + points);
        const auto between = [&](const std::vector<float>& of) { return of[a] + double(p.time) * (of[b] - of[a]); };
        const double coc = s.focalDistance > 0 ? 1.0 / s.focalDistance - 1.0 / g.z[a] : 0;
        x[n] = between(g.x) + p.lensX * s.lensPixelsX * coc - px,
        y[n] = between(g.y) + p.lensY * s.lensPixelsY * coc - py;
      }
      for (const auto& t : {std::array{0, 1, 2}, std::array{0, 2, 3}}) {
        int left = 0, near = 0;
        for (int e = 0; e < 3; ++e) {
          const int a = t[static_cast<size_t>(e)], b = t[static_cast<size_t>((e + 1) % 3)];
          const double dx = x[b] - x[a], dy = y[b] - y[a], length = std::hypot(dx, dy);
          const double d = (dx * -y[a] + dy * x[a]) / std::max(length, 1e-9);
          left += d > 0, near += std::fabs(d) < 0.03;
        }
        if (near > 0 && (left + near >= 3 || left - near <= 0)) return -1;
        count += left == 3 || left == 0;
      }
    }
  return count;
}

}  // namespace

TEST_CASE("neighbours that move unlike each other are seen by the samples that analysis says, in any bucket") {
  for (const bool lens : {false, true})
    for (const float noise : {3.0f, 25.0f}) {
      SamplingSpec s = spec(4, 4);
      s.opacityThreshold = 1;  // all layers count
      if (lens) s.focalDistance = 2, s.lensPixelsX = 9, s.lensPixelsY = 7;
      OwnedGrid g(10, 9, 2);
      for (int k = 0; k < 2; ++k)
        g.place(k, [&](float u, float v, float& x, float& y, float& z) {
          const auto r = [&](uint32_t axis) {
            const auto at = static_cast<uint32_t>(std::lround(u * 10) + 11 * std::lround(v * 9));
            return toUnitFloat(mix64(at * 2 + axis)) - 0.5f;
          };
          x = 4 + 12 * u + noise * static_cast<float>(k) * r(0), y = 3 + 10 * v + noise * static_cast<float>(k) * r(1);
          z = 1.5f;
        });
      g.opacity(0.5f);
      const PixelRect frame{0, 0, 24, 19};
      SampleTile whole;
      const std::vector<float> values = render(s, frame, {&g}, &whole);
      int wrong = 0, told = 0, seen = 0;
      for (int y = 0; y < frame.y1; ++y)
        for (int x = 0; x < frame.x1; ++x)
          for (int i = 0; i < whole.samples; ++i) {
            const SamplePoint p = samplePoint(s, x, y, i);
            const int count = trianglesAt(g, s, p, x + double(p.x), y + double(p.y));
            if (count < 0) continue;
            ++told, seen += count > 0;
            wrong += std::fabs(whole.value(x, y, i, SampleTile::kOi) - (1 - std::pow(0.5f, count))) > 1e-5f;
          }
      CHECK(wrong == 0);
      CHECK(told > 2000);
      CHECK(seen > 400);
      for (const Isa isa : supportedIsas()) {
        s.isa = isa;
        CHECK(render(s, frame, {&g}) == values);
        int differ = 0;
        for (int y = 0; y < frame.y1; y += 7)
          for (int x = 0; x < frame.x1; x += 5) {
            SampleTile part;
            render(s, intersect({x, y, x + 5, y + 7}, frame), {&g}, &part);
            for (int qy = part.rect.y0; qy < part.rect.y1; ++qy)
              for (int qx = part.rect.x0; qx < part.rect.x1; ++qx)
                for (int i = 0; i < part.samples; ++i)
                  differ += part.value(qx, qy, i, SampleTile::kOi) != whole.value(qx, qy, i, SampleTile::kOi);
          }
        CHECK(differ == 0);
      }
    }
}

TEST_CASE("a card that turns over during the shutter is culled for the right half") {
  OwnedGrid g(1, 1, 2);
  g.rectangle(0, 0, 8, 8, 1, 0).rectangle(8, 0, 0, 8, 1, 1);
  g.grid.cullFacing = 1;
  SampleTile t;
  render(spec(8, 8), {0, 0, 8, 8}, {&g}, &t);
  // Width |8 - 16 t| around x = 4, seen only after t = 1/2: a quarter of the area-time.
  CHECK(mean(t, SampleTile::kOi) == doctest::Approx(0.25).epsilon(0.02));
}
