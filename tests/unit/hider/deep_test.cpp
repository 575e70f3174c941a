// SPDX-License-Identifier: Apache-2.0
// From surfaces to deep samples: stacks with known opacities, matte, merging to a tolerance, filters, tilings.
#include "reyes/hider/deep.h"

#include <doctest/doctest.h>

#include <cmath>

#include "grids.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

const PixelRect kRect{4, 4, 8, 8};

OwnedGrid plane(float z, float red, float opacity, bool matte = false) {
  OwnedGrid g(6, 6);
  g.rectangle(-20, -20, 40, 40, z).color(red * opacity, 0.25f * opacity, 0);
  if (opacity < 1) g.opacity(opacity);
  g.grid.matte = matte;
  return g;
}

/// A plane whose depth goes from `z0` at its left to `z1` at its right border.
OwnedGrid slope(float z0, float z1, float opacity) {
  OwnedGrid g(8, 8);
  g.place(0, [=](float u, float v, float& x, float& y, float& z) {
    x = -20 + 60 * u, y = -20 + 60 * v, z = z0 + u * (z1 - z0);
  });
  g.color(opacity, opacity, opacity);
  if (opacity < 1) g.opacity(opacity);
  return g;
}

DeepTile events(const SamplingSpec& s, const PixelRect& rect, std::vector<OwnedGrid*> grids) {
  BucketHider hider(s);
  hider.reset(rect);
  for (OwnedGrid* g : grids) hider.rasterize(g->get());
  DeepTile tile;
  hider.resolve(&tile);
  return tile;
}

/// Samples of kRect, from buckets of 4 x 4 around it.
DeepPixels deep(const SamplingSpec& s, const Filter& filter, const DeepSpec& spec, std::vector<OwnedGrid*> grids) {
  std::vector<DeepTile> tiles;
  for (int y = 0; y < 12; y += 4)
    for (int x = 0; x < 12; x += 4) tiles.push_back(events(s, {x, y, x + 4, y + 4}, grids));
  const DeepFilter f(s, filter, spec);
  return f(kRect, [&](int x, int y) -> const DeepTile* {
    if (x < 0 || y < 0 || x >= 12 || y >= 12) return nullptr;
    return &tiles[static_cast<size_t>(y / 4 * 3 + x / 4)];
  });
}

bool tidy(const DeepPixels& p, const DeepSpec& spec) {
  const float* v = p.values.data();
  for (const uint32_t n : p.counts) {
    float last = -1;
    for (uint32_t i = 0; i < n; ++i, v += spec.floats()) {
      if (!(v[0] > last) || !(v[1] >= v[0]) || v[2] < 0 || v[2] > 1) return false;
      last = v[1];
    }
  }
  return true;
}

}  // namespace

TEST_CASE("stacked planes are a sample each, with their own opacity and colour") {
  SamplingSpec s;
  s.opacityThreshold = 1;
  DeepSpec spec;
  spec.half = false;
  OwnedGrid a = plane(2, 1, 0.5f), b = plane(3, 0.5f, 0.25f), c = plane(5, 0.75f, 1), hidden = plane(7, 1, 1);
  for (const char* name : {"gaussian", "box", "triangle", "mitchell", "disk"}) {
    CAPTURE(name);
    const DeepPixels p = deep(s, Filter(name, 2, 2), spec, {&c, &a, &hidden, &b});
    CHECK(tidy(p, spec));
    REQUIRE(p.counts.size() == 16);
    const float* v = p.values.data();
    for (const uint32_t n : p.counts) {
      REQUIRE(n == 3);
      const float z[] = {2, 3, 5}, alpha[] = {0.5f, 0.25f, 1}, red[] = {1, 0.5f, 0.75f};
      for (int i = 0; i < 3; ++i, v += spec.floats()) {
        CHECK(v[0] == z[i]);
        CHECK(v[1] == z[i]);
        CHECK(v[2] == doctest::Approx(alpha[i]).epsilon(1e-6));
        CHECK(v[3] == doctest::Approx(alpha[i] * red[i]).epsilon(1e-6));
        CHECK(v[4] == doctest::Approx(alpha[i] * 0.25f).epsilon(1e-6));
      }
    }
  }
}

TEST_CASE("thirty planes in halves: rounding does not add up") {
  SamplingSpec s;
  s.opacityThreshold = 1;
  DeepSpec spec;
  spec.tolerance = 0;
  std::vector<OwnedGrid> grids;
  std::vector<OwnedGrid*> pointers;
  for (int i = 0; i < 30; ++i) grids.push_back(plane(2 + static_cast<float>(i), 1, 0.3f));
  for (OwnedGrid& g : grids) pointers.push_back(&g);
  const DeepPixels p = deep(s, Filter("gaussian", 2, 2), spec, pointers);
  REQUIRE(p.counts[0] == 30);
  double through = 1, red = 0;
  for (int i = 0; i < 30; ++i) {
    const float* v = p.values.data() + i * spec.floats();
    red += through * static_cast<double>(v[3]);
    through *= 1 - static_cast<double>(v[2]);
    CHECK(through == doctest::Approx(std::pow(0.7, i + 1)).epsilon(0.002));
  }
  CHECK(red == doctest::Approx(1 - std::pow(0.7, 30)).epsilon(0.0005));
}

TEST_CASE("matte surfaces show nothing and hide; for a light they have opacity") {
  SamplingSpec s;
  DeepSpec spec;
  OwnedGrid a = plane(2, 1, 0.5f, true), b = plane(3, 0.5f, 1);
  DeepPixels p = deep(s, Filter("box", 1, 1), spec, {&a, &b});
  REQUIRE(p.counts[0] == 1);
  CHECK(p.values[0] == 3);
  CHECK(p.values[2] == 0.5f);
  CHECK(p.values[3] == 0.25f);
  spec.matteHides = true, spec.colour = false, spec.colouredOpacity = true;
  p = deep(s, Filter("box", 1, 1), spec, {&a, &b});
  REQUIRE(p.counts[0] == 2);
  const float expected[] = {2, 2, 0.5f, 0.5f, 0.5f, 0.5f, 3, 3, 1, 1, 1, 1};
  for (size_t i = 0; i < 12; ++i) CHECK(p.values[i] == expected[i]);
}

TEST_CASE("coloured opacities keep their colours") {
  SamplingSpec s;
  s.opacityThreshold = 1;
  DeepSpec spec;
  spec.half = false, spec.colouredOpacity = true;
  OwnedGrid a = plane(2, 1, 0.5f), b = plane(3, 1, 0.5f);
  const size_t n = static_cast<size_t>(a.grid.points());
  for (size_t i = 0; i < n; ++i) a.oi[i] = 0.9f, a.oi[n + i] = 0.3f, a.oi[2 * n + i] = 0;
  const DeepPixels p = deep(s, Filter("gaussian", 2, 2), spec, {&a, &b});
  REQUIRE(p.counts[0] == 2);
  const float* v = p.values.data();
  CHECK(v[2] == doctest::Approx(0.4));
  const double front[] = {0.9, 0.3, 0};
  for (int c = 0; c < 3; ++c) CHECK(v[3 + c] == doctest::Approx(front[c]));
  v += spec.floats();
  for (int c = 0; c < 3; ++c) CHECK(v[3 + c] == doctest::Approx(0.5));
  CHECK(v[2] == doctest::Approx(0.5));
}

TEST_CASE("merging keeps to its tolerance, and to the flat pixel") {
  SamplingSpec s;
  s.xSamples = s.ySamples = 4;
  OwnedGrid a = slope(2, 3, 0.7f), b = slope(4, 9, 1);
  DeepSpec exact;
  exact.half = false, exact.tolerance = 0, exact.depthTolerance = 0;
  const DeepPixels truth = deep(s, Filter("gaussian", 2, 2), exact, {&a, &b});
  CHECK(tidy(truth, exact));
  size_t before = truth.values.size();
  for (const float tolerance : {0.01f, 0.05f, 0.2f}) {
    CAPTURE(tolerance);
    DeepSpec spec = exact;
    spec.tolerance = tolerance;
    const DeepPixels p = deep(s, Filter("gaussian", 2, 2), spec, {&a, &b});
    CHECK(tidy(p, spec));
    CHECK(p.values.size() < before);
    before = p.values.size();
    // What is seen through at the depth of each true sample, of the first pixel.
    const auto through = [&](float z, bool behind) {
      double t = 1;
      for (uint32_t i = 0; i < p.counts[0]; ++i) {
        const float* v = p.values.data() + i * static_cast<size_t>(spec.floats());
        const double all = 1 - static_cast<double>(v[2]);
        if (v[1] < z || (v[1] == z && (behind || v[0] < z)))
          t *= all;
        else if (v[0] < z)
          t *= std::pow(all, static_cast<double>((z - v[0]) / (v[1] - v[0])));
      }
      return t;
    };
    double t = 1, red = 0, merged = 0, left = 1;
    for (uint32_t i = 0; i < truth.counts[0]; ++i) {
      const float* v = truth.values.data() + i * static_cast<size_t>(exact.floats());
      CHECK(std::fabs(through(v[0], false) - t) <= static_cast<double>(tolerance) + 1e-5);
      red += t * static_cast<double>(v[3]);
      t *= 1 - static_cast<double>(v[2]);
      CHECK(std::fabs(through(v[0], true) - t) <= static_cast<double>(tolerance) + 1e-5);
    }
    for (uint32_t i = 0; i < p.counts[0]; ++i) {
      const float* v = p.values.data() + i * static_cast<size_t>(spec.floats());
      merged += left * static_cast<double>(v[3]), left *= 1 - static_cast<double>(v[2]);
    }
    CHECK(merged == doctest::Approx(red).epsilon(1e-4));
    CHECK(left == doctest::Approx(t).epsilon(1e-4));
  }
  // Depth alone: what lies within a hundredth of its depth is one sample.
  DeepSpec near = exact;
  near.depthTolerance = 0.01f;
  const DeepPixels p = deep(s, Filter("gaussian", 2, 2), near, {&a, &b});
  CHECK(tidy(p, near));
  CHECK(p.values.size() < truth.values.size() / 4);
  for (size_t i = 0; i < p.values.size(); i += static_cast<size_t>(near.floats()))
    CHECK(p.values[i + 1] - p.values[i] <= 0.01001f * p.values[i]);
}

TEST_CASE("output variables: colours flatten as Ci does, others are means") {
  SamplingSpec s;
  s.aovFloats = 4;
  DeepSpec spec;
  spec.half = false;
  spec.variables = {{0, 3, true, false}, {3, 1, false, false}};
  OwnedGrid a = plane(2, 1, 0.5f), b = plane(2.001f, 0.5f, 1);
  for (OwnedGrid* g : {&a, &b}) {
    const size_t n = static_cast<size_t>(g->grid.points());
    g->aov.assign(4 * n, g == &a ? 0.25f : 0.5f);
    for (size_t i = 0; i < n; ++i) g->aov[3 * n + i] = g == &a ? 10.0f : 40.0f;
  }
  // Near enough to be one sample: the second is seen through half.
  const DeepPixels p = deep(s, Filter("box", 1, 1), spec, {&a, &b});
  REQUIRE(p.counts[0] == 1);
  CHECK(p.values[0] == 2);
  CHECK(p.values[1] == 2.001f);
  CHECK(p.values[6] == doctest::Approx(0.25 + 0.5 * 0.5));
  CHECK(p.values[9] == doctest::Approx((10 + 0.5 * 40) / 1.5));
}

TEST_CASE("negative lobes are found, and give way to a box") {
  for (const char* name : {"box", "triangle", "gaussian", "blackman-harris", "disk"})
    CHECK_FALSE(hasNegativeLobes(Filter(name, 3, 3)));
  for (const char* name : {"catmull-rom", "mitchell", "lanczos", "sinc", "bessel", "separable-catmull-rom"})
    CHECK(hasNegativeLobes(Filter(name, 6, 6)));
  CHECK(DeepFilter({}, Filter("lanczos", 6, 6), {}).xReach() == 0);
  CHECK(DeepFilter({}, Filter("gaussian", 3, 3), {}).xReach() == 1);
}

TEST_CASE("with tags no sample is of two surfaces, and the flattened pixel stays") {
  SamplingSpec s;
  s.xSamples = s.ySamples = 4;
  DeepSpec spec;
  spec.half = false, spec.tolerance = 1, spec.depthTolerance = 0.5f;
  OwnedGrid left = plane(3, 1, 1), right = plane(3.1f, 0.25f, 1), front = slope(2, 4, 0.5f);
  left.rectangle(-20, -20, 26.3f, 40, 3), left.grid.tag = 7, right.grid.tag = 9, front.grid.tag = 11;
  const Filter filter("gaussian", 2, 2);
  const DeepPixels merged = deep(s, filter, spec, {&left, &right, &front});
  CHECK(merged.tags.empty());
  s.tags = spec.tags = true;
  const DeepPixels p = deep(s, filter, spec, {&left, &right, &front});
  REQUIRE(p.tags.size() * static_cast<size_t>(spec.floats()) == p.values.size());
  CHECK(p.tags.size() > merged.values.size() / static_cast<size_t>(spec.floats()));
  const auto flat = [&](const DeepPixels& of) {
    std::vector<double> out;
    const float* v = of.values.data();
    for (const uint32_t n : of.counts) {
      double through = 1, red = 0;
      for (uint32_t i = 0; i < n; ++i, v += spec.floats())
        red += through * static_cast<double>(v[3]), through *= 1 - static_cast<double>(v[2]);
      out.push_back(1 - through), out.push_back(red);
    }
    return out;
  };
  const std::vector<double> a = flat(p), b = flat(merged);
  for (size_t i = 0; i < a.size(); ++i) CHECK(a[i] == doctest::Approx(b[i]).epsilon(1e-5));
  for (const uint32_t tag : p.tags) CHECK((tag == 7 || tag == 9 || tag == 11));
}
