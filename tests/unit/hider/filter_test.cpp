// SPDX-License-Identifier: Apache-2.0
// Pixel filters: formulas, constants kept, direct evaluation, tiling, depth modes, instruction sets.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "grids.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::hider;

namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

float random(int x, int y, int i, int c) {
  return toUnitFloat(hashCombine(static_cast<uint64_t>(y * 1000 + x), static_cast<uint64_t>(i * 16 + c)));
}

SampleTile noise(const SamplingSpec& s, const PixelRect& rect, bool constant) {
  SampleTile t(rect, s.xSamples * s.ySamples, 0, false, true, 0);
  for (int y = rect.y0; y < rect.y1; ++y)
    for (int k = 0; k < t.strips; ++k) {
      t.state(y, k) = SampleTile::kSome;
      for (int i = 0; i < t.samples; ++i) {
        t.hits(y, k)[i] = 0xff;
        for (int l = 0; l < 8; ++l)
          for (int c = 0; c < t.channels; ++c)
            t.strip(y, k)[static_cast<size_t>(c) * t.planeFloats() + static_cast<size_t>(i * 8 + l)] =
                constant ? 0.75f : random((t.firstStrip() + k) * 8 + l, y, i, c);
      }
    }
  return t;
}

std::vector<float> filtered(const SamplingSpec& s, const Filter& f, const PixelRect& target,
                            const std::vector<const SampleTile*>& tiles, FilterJob job = {}) {
  std::vector<std::vector<float>> out(1);
  PixelFilter(s, f, std::span(&job, 1))(
      target,
      [&](int x, int y) -> const SampleTile* {
        for (const SampleTile* t : tiles)
          if (t->rect.contains(x, y)) return t;
        return nullptr;
      },
      out);
  return out[0];
}

const char* const kAll[] = {"box",    "triangle", "catmull-rom",          "gaussian",
                            "sinc",   "mitchell", "blackman-harris",      "disk",
                            "bessel", "lanczos",  "separable-catmull-rom"};

}  // namespace

TEST_CASE("filters by formula") {
  CHECK(Filter("box", 2, 2)(0.9f, -0.9f) == 1.0f);
  CHECK(Filter("box", 2, 2)(1.1f, 0) == 0.0f);
  CHECK(Filter("triangle", 2, 4)(0.5f, 1) == doctest::Approx(0.25));
  CHECK(Filter("gaussian", 2, 2)(0.5f, 0.25f) == doctest::Approx(std::exp(-2 * (0.25 + 0.0625))));
  CHECK(Filter("catmull-rom", 4, 4)(0, 0) == 2.0f);
  CHECK(Filter("catmull-rom", 4, 4)(1.5f, 0) == doctest::Approx(-1.5 * 2.25 + 5 * 2.25 - 12 + 4));
  CHECK(Filter("sinc", 4, 4)(0.5f, 0) == doctest::Approx(2 / 3.14159265 * std::cos(3.14159265 / 8)));
  CHECK(Filter("lanczos", 4, 4)(0.5f, 0) == doctest::Approx(2 / 3.14159265 * std::sin(0.785398) / 0.785398));
  CHECK(Filter("separable-catmull-rom", 4, 4)(0.5f, 0) == doctest::Approx(0.5625));
  CHECK(Filter("bessel", 4, 4)(0, 0) == 1.0f);
  // J1's first zero, and values on both sides of where its expansions meet, against the library's.
  CHECK(std::fabs(Filter("bessel", 9, 9)(1.21967f, 0)) < 1e-5f);
  for (const double r : {0.5, 3.7, 3.8, 3.9, 7.5})
    CHECK(Filter("bessel", 20, 20)(static_cast<float>(r), 0) ==
          doctest::Approx(2 * ::j1(3.14159265358979 * r) / (3.14159265358979 * r) * std::cos(3.14159265 / 20 * r))
              .epsilon(1e-3));
  for (const char* name : {"sinc", "bessel", "lanczos"}) {
    CHECK(std::fabs(Filter(name, 5, 5)(2.49999f, 0)) < 1e-4f);
    CHECK(Filter(name, 5, 5)(0, 2.6f) == 0.0f);
  }
  CHECK(Filter("mitchell", 4, 4)(0, 0) == doctest::Approx(64.0 / 81));
  CHECK(Filter("blackman-harris", 4, 4)(0, 0) == doctest::Approx(1.0));
  CHECK(Filter("disk", 2, 2)(0.8f, 0.8f) == 0.0f);
  CHECK(!Filter("bogus", 2, 2).valid());
  CHECK(Filter("box", 1, 1).xReach() == 0);
  CHECK(Filter("gaussian", 2, 3).xReach() == 1);
  CHECK(Filter("gaussian", 2, 3).yReach() == 1);
  CHECK(Filter("sinc", 4, 4).xReach() == 2);
}

TEST_CASE("constants stay, direct evaluation agrees, tiles and instruction sets do not matter") {
  for (const auto& [xs, ys] : {std::pair{4, 4}, {3, 5}, {1, 1}})
    for (const char* name : kAll)
      for (const float width : {1.0f, 2.0f, 3.3f, 6.0f}) {
        SamplingSpec s;
        s.xSamples = xs, s.ySamples = ys;
        const Filter f(name, width, width * 0.8f);
        const PixelRect sampled{-4, -3, 9, 8}, target{0, 0, 6, 5};
        const SampleTile grey = noise(s, sampled, true);
        if (!(std::string(name) == "sinc" || std::string(name).find("catmull-rom") != std::string::npos))
          for (const float v : filtered(s, f, target, {&grey})) CHECK(v == doctest::Approx(0.75));

        const SampleTile t = noise(s, sampled, false);
        std::vector<SamplePoint> points;
        for (int qy = -3; qy < 8; ++qy)
          for (int qx = -4; qx < 9; ++qx)
            for (int i = 0; i < t.samples; ++i) points.push_back(samplePoint(s, qx, qy, i));
        const std::vector<float> got = filtered(s, f, target, {&t});
        double worst = 0;
        for (int y = 0; y < 5; ++y)
          for (int x = 0; x < 6; ++x) {
            double sum = 0, weight = 0, size = 0;
            for (int qy = -3; qy < 8; ++qy)
              for (int qx = -4; qx < 9; ++qx)
                for (int i = 0; i < t.samples; ++i) {
                  const SamplePoint& p = points[static_cast<size_t>(((qy + 3) * 13 + qx + 4) * t.samples + i)];
                  const double w = f(static_cast<float>(qx - x) + p.x - 0.5f, static_cast<float>(qy - y) + p.y - 0.5f);
                  sum += w * t.value(qx, qy, i, 0);
                  weight += w, size += std::fabs(w);
                }
            if (weight == 0) continue;
            worst = std::max(
                worst, std::fabs(got[static_cast<size_t>((y * 6 + x) * 3)] - sum / weight) * std::fabs(weight) / size);
          }
        CHECK(worst < 1e-5);

        // Cut into tiles, and target by target.
        std::vector<SampleTile> cut;
        for (int y = -3; y < 8; y += 4)
          for (int x = -4; x < 9; x += 3) cut.push_back(noise(s, intersect({x, y, x + 3, y + 4}, sampled), false));
        std::vector<const SampleTile*> pieces;
        for (const SampleTile& piece : cut) pieces.push_back(&piece);
        CHECK(filtered(s, f, target, pieces) == got);
        const std::vector<float> one = filtered(s, f, {2, 3, 3, 4}, pieces);
        CHECK(std::equal(one.begin(), one.end(), got.begin() + (3 * 6 + 2) * 3));
        for (const Isa isa : supportedIsas()) {
          s.isa = isa;
          CHECK(filtered(s, f, target, {&t}) == got);
        }
      }
}

TEST_CASE("depth modes and nearest") {
  SamplingSpec s;
  SampleTile t = noise(s, {0, 0, 2, 1}, true);
  const float z[4] = {5, 3, kInfinite, 4};
  float *strip = t.strip(0, 0), *depths = strip + SampleTile::kZ * t.planeFloats();
  for (size_t i = 0; i < 4; ++i) {
    depths[i * 8] = z[i], depths[i * 8 + 1] = kInfinite;
    t.hits(0, 0)[i] = z[i] < kInfinite ? 1 : 0;
    strip[i * 8] = static_cast<float>(i);
  }
  const Filter f("gaussian", 2, 2);
  const auto depth = [&](FilterMode m) { return filtered(s, f, t.rect, {&t}, {m, SampleTile::kZ, 1}); };
  CHECK(depth(FilterMode::kZMin) == std::vector<float>{3, kInfinite});
  CHECK(depth(FilterMode::kZMax) == std::vector<float>{kInfinite, kInfinite});
  CHECK(depth(FilterMode::kZAverage) == std::vector<float>{4, kInfinite});
  CHECK(depth(FilterMode::kZMidpoint) == std::vector<float>{3, kInfinite});
  CHECK(filtered(s, f, t.rect, {&t}, {FilterMode::kNearest, 0, 1}) == std::vector<float>{1, 0});
}
