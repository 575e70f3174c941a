// SPDX-License-Identifier: Apache-2.0
// What becomes of the hits: opacity, truncation, ties, matte, clipping, depth rules, repaired values, hidden().
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "grids.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

const PixelRect kRect{4, 4, 8, 8};
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

OwnedGrid plane(float z, float gray, float opacity = 1, uint64_t order = 0) {
  OwnedGrid g(6, 6);
  g.rectangle(0, 0, 12, 12, z).color(gray * opacity, gray * opacity, gray * opacity);
  if (opacity < 1) g.opacity(opacity);
  g.grid.order = order;
  return g;
}

/// True where every sample has the value in a channel.
bool all(const SampleTile& t, int channel, float value) {
  const std::vector<float> values = t.interleaved();
  for (size_t i = static_cast<size_t>(channel); i < values.size(); i += static_cast<size_t>(t.channels))
    if (values[i] != value) return false;
  return true;
}

}  // namespace

TEST_CASE("stacked opacities") {
  SamplingSpec s;
  OwnedGrid a = plane(3, 1, 0.5f), b = plane(2, 0, 0.5f), c = plane(5, 1, 0.25f), back = plane(9, 1);
  SampleTile t;
  render(s, kRect, {&a, &b, &c}, &t);
  // Front to back: 0.5 black, 0.5 white, 0.25 white.
  CHECK(all(t, SampleTile::kCi, 0.25f + 0.25f * 0.25f));
  CHECK(all(t, SampleTile::kOi, 0.5f + 0.25f + 0.25f * 0.25f));
  CHECK(all(t, SampleTile::kZ, std::numeric_limits<float>::infinity()));
  render(s, kRect, {&back, &a, &c, &b}, &t);
  CHECK(all(t, SampleTile::kOi, 1.0f));
  CHECK(all(t, SampleTile::kZ, 9.0f));
  // In any order of arrival.
  SampleTile u;
  render(s, kRect, {&b, &back, &c, &a}, &u);
  CHECK(t.interleaved() == u.interleaved());
  // Thirty layers: truncated once the threshold is reached.
  std::vector<OwnedGrid> layers;
  std::vector<OwnedGrid*> pointers;
  for (int i = 0; i < 30; ++i) layers.push_back(plane(10 + static_cast<float>(30 - i), 1, 0.5f));
  for (OwnedGrid& g : layers) pointers.push_back(&g);
  render(s, kRect, pointers, &t);
  CHECK(all(t, SampleTile::kOi, 1 - 0x1p-8f));
}

TEST_CASE("ties go to the lower order, opaque or not") {
  SamplingSpec s;
  for (const float o : {1.0f, 0.999f}) {
    OwnedGrid a = plane(3, 0.25f, o, 7), b = plane(3, 0.75f, o, 5);
    SampleTile t, u;
    render(s, kRect, {&a, &b}, &t);
    render(s, kRect, {&b, &a}, &u);
    CHECK(t.interleaved() == u.interleaved());
    CHECK(t.value(kRect.x0, kRect.y0, 0, 0) == 0.75f * o);
  }
}

TEST_CASE("matte holds out") {
  SamplingSpec s;
  OwnedGrid back = plane(9, 1), matte = plane(3, 1), half = plane(3, 1, 0.5f);
  matte.grid.matte = half.grid.matte = true;
  SampleTile t;
  render(s, kRect, {&back, &matte}, &t);
  CHECK(all(t, SampleTile::kCi, 0.0f));
  CHECK(all(t, SampleTile::kOi, 0.0f));
  CHECK(t.hit(kRect.x0, kRect.y0, 0));
  render(s, kRect, {&half, &back}, &t);
  CHECK(all(t, SampleTile::kCi, 0.5f));
  CHECK(all(t, SampleTile::kOi, 0.5f));
}

TEST_CASE("near, far, clip box and facing") {
  SamplingSpec s;
  s.near = 2, s.far = 4;
  OwnedGrid slope(6, 6);
  slope.place(0, [](float u, float v, float& x, float& y, float& z) { x = 12 * u, y = 12 * v, z = 12 * u - 3; });
  SampleTile t;
  render(s, {0, 0, 12, 12}, {&slope}, &t);
  CHECK(mean(t, SampleTile::kOi) == doctest::Approx(2.0 / 12).epsilon(0.03));

  s.near = 0, s.far = 1e30f;
  OwnedGrid clipped = plane(3, 1);
  GridExtras clip;
  clip.hasClip = true;
  clip.clip = {6, 0, 12, 12, 0, 10};
  clipped.grid.extras = &clip;
  render(s, kRect, {&clipped}, &t);
  CHECK(mean(t, SampleTile::kOi) == 0.5);

  OwnedGrid facing = plane(3, 1);
  facing.grid.cullFacing = 1;  // u to the right, v down: clockwise
  render(s, kRect, {&facing}, &t);
  CHECK(mean(t, SampleTile::kOi) == 0.0);
  facing.grid.cullFacing = -1;
  render(s, kRect, {&facing}, &t);
  CHECK(mean(t, SampleTile::kOi) == 1.0);
}

TEST_CASE("depth of a sample") {
  SamplingSpec s;
  OwnedGrid a = plane(3, 1), b = plane(5, 1), glass = plane(2, 1, 0.5f);
  SampleTile t;
  render(s, kRect, {&glass, &a, &b}, &t);
  CHECK(all(t, SampleTile::kZ, 3.0f));
  s.depthFilter = DepthFilter::kMidpoint;
  render(s, kRect, {&b, &glass, &a}, &t);
  CHECK(all(t, SampleTile::kZ, 4.0f));
  render(s, kRect, {&a, &b}, &t);
  CHECK(all(t, SampleTile::kZ, 4.0f));
  render(s, kRect, {&a, &glass}, &t);
  CHECK(all(t, SampleTile::kZ, std::numeric_limits<float>::infinity()));
  CHECK(t.hit(kRect.x0, kRect.y0, 0));
}

TEST_CASE("output variables are those of the surface that gives the depth") {
  SamplingSpec s;
  s.aovFloats = 2;
  OwnedGrid a = plane(3, 1), glass = plane(2, 1, 0.5f);
  const size_t n = a.x.size();
  a.aov.assign(2 * n, 7.0f), glass.aov.assign(2 * n, 9.0f);
  SampleTile t;
  render(s, kRect, {&a, &glass}, &t);
  CHECK(all(t, SampleTile::kAov + 1, 7.0f));
  render(s, kRect, {&glass}, &t);
  CHECK(all(t, SampleTile::kAov, 9.0f));
}

TEST_CASE("flat and smooth shading") {
  SamplingSpec s;
  OwnedGrid g(1, 1);
  g.rectangle(0, 0, 1, 1, 1);
  for (size_t c = 0; c < 3; ++c) g.ci[4 * c] = 0, g.ci[4 * c + 1] = 1, g.ci[4 * c + 2] = 0, g.ci[4 * c + 3] = 1;
  SampleTile t;
  render(s, {0, 0, 1, 1}, {&g}, &t);
  for (int i = 0; i < 4; ++i) CHECK(t.value(0, 0, i, 0) == doctest::Approx(samplePoint(s, 0, 0, i).x).epsilon(1e-5));
  g.grid.smooth = false;
  render(s, {0, 0, 1, 1}, {&g}, &t);
  CHECK(all(t, SampleTile::kCi, 0.0f));
}

TEST_CASE("values and positions that are no numbers") {
  SamplingSpec s;
  OwnedGrid g = plane(3, 1);
  g.ci[24] = kNan;
  g.ci[25] = std::numeric_limits<float>::infinity();
  g.x[0] = kNan;
  BucketHider h(s);
  h.reset({0, 0, 12, 12});
  h.rasterize(g.get());
  const SampleTile t = h.resolve();
  for (const float v : t.interleaved()) CHECK(v == v);
  CHECK(h.stats().get(Counter::kNanRepaired) == 3);  // two values, one micropolygon
  CHECK(h.stats().get(Counter::kBucketCulled) == 1);
  CHECK(mean(t, SampleTile::kOi) == doctest::Approx(1 - 1.0 / 36));
}

TEST_CASE("hidden asks the opaque pyramid") {
  SamplingSpec s;
  BucketHider h(s);
  h.reset(kRect);
  const RasterBound behind{4, 4, 8, 8, 5, 6}, front{4, 4, 8, 8, 2, 6}, outside{20, 4, 22, 8, 5, 6},
      corner{7.2f, 7.2f, 9, 9, 5, 6};
  CHECK(!h.hidden(behind));
  CHECK(h.hidden(outside));
  OwnedGrid glass = plane(2, 1, 0.5f), part = plane(3, 1), whole = plane(4, 1);
  part.rectangle(7, 7, 8, 8, 3);
  h.rasterize(glass.get());
  CHECK(!h.hidden(behind));
  h.rasterize(part.get());
  CHECK(!h.hidden(behind));
  CHECK(h.hidden(corner));
  h.rasterize(whole.get());
  CHECK(h.hidden(behind));
  CHECK(!h.hidden(front));
  CHECK(!h.hidden(RasterBound{4, 4, 8, 8, kNan, kNan}));
  h.resolve();
  h.reset(kRect);
  CHECK(!h.hidden(behind));
}

TEST_CASE("micropolygons of any size and place") {
  SamplingSpec s;
  OwnedGrid huge(1, 1);
  huge.rectangle(-1e9f, -1e9f, 1e9f, 1e9f, 2);
  SampleTile t;
  render(s, kRect, {&huge}, &t);
  CHECK(mean(t, SampleTile::kOi) == 1.0);
  render(s, {30000, 30000, 30003, 30002}, {&huge}, &t);
  CHECK(mean(t, SampleTile::kOi) == 1.0);
  OwnedGrid nothing(0, 0);
  render(s, kRect, {&nothing}, &t);
  CHECK(mean(t, SampleTile::kOi) == 0.0);
  render(s, {3, 3, 3, 9}, {&huge}, &t);
  CHECK(t.interleaved().empty());
}

TEST_CASE("hostile grids leave no trace but numbers") {
  const auto pick = [](uint64_t k) {
    const float odd[] = {kNan, kInf, -kInf, 1e30f, -1e30f, 0, 3e38f, -5, 1e-30f};
    const uint64_t h = mix64(k);
    return h % 4 == 0 ? odd[(h >> 8) % 9] : toUnitFloat(h) * 12;
  };
  for (int round = 0; round < 60; ++round) {
    SamplingSpec s;
    s.xSamples = 1 + round % 5, s.ySamples = 1 + round % 3, s.aovFloats = round % 3;
    s.depthFilter = round % 2 ? DepthFilter::kMidpoint : DepthFilter::kMin;
    if (round % 3 == 0) s.lensPixelsX = 3, s.lensPixelsY = 2, s.focalDistance = round % 2 ? 2.0f : 1e-20f;
    s.perspective = round % 7 != 0;
    s.isa = supportedIsas()[static_cast<size_t>(round) % supportedIsas().size()];
    BucketHider h(s);
    h.reset(kRect);
    GridExtras emptyClip;
    emptyClip.hasClip = true;
    std::vector<OwnedGrid> grids;
    for (int k = 0; k < 4; ++k) {
      OwnedGrid g(5, 4, 1 + (round + k) % 3);
      uint64_t seed = static_cast<uint64_t>(round * 100 + k) << 20;
      if (k % 2) g.opacity(0.5f);
      g.aov.assign(static_cast<size_t>(s.aovFloats) * g.x.size(), 1.0f);
      for (auto* v : {&g.x, &g.y, &g.z, &g.ci, &g.oi, &g.aov})
        for (float& f : *v) f = pick(++seed);
      if (round % 4 == 0)
        for (float& t : g.times) t = pick(++seed);
      if (round % 5 == 0) g.grid.extras = &emptyClip;
      g.grid.cullFacing = round % 3 - 1;
      grids.push_back(std::move(g));
    }
    for (OwnedGrid& g : grids) h.rasterize(g.get());
    (void)h.hidden({pick(1), pick(2), pick(3), pick(4), pick(5), pick(6)});
    const SampleTile t = h.resolve();
    int bad = 0;
    for (const float v : t.interleaved()) bad += v != v;
    CHECK(bad == 0);
  }
}

TEST_CASE("64 layers over a bucket are composited, in the memory of their entries") {
  SamplingSpec s;
  s.xSamples = s.ySamples = 8;
  s.opacityThreshold = 1;
  BucketHider h(s);
  h.reset({0, 0, 16, 16});
  std::vector<OwnedGrid> layers;
  double through = 1, red = 0;
  for (int i = 0; i < 64; ++i) {
    layers.emplace_back(4, 4);
    const float o = 0.01f * static_cast<float>(1 + i % 5);
    layers.back().rectangle(-1, -1, 17, 17, 1 + 0.1f * static_cast<float>(i)).color(o * static_cast<float>(i), 0, 0);
    layers.back().opacity(o);
    red += through * static_cast<double>(o) * i, through *= 1 - static_cast<double>(o);
  }
  // As far from their order as can be: 0, 37, 10, ...
  for (size_t i = 0; i < 64; ++i) h.rasterize(layers[i * 37 % 64].get());
  const double entries = 64.0 * 64 * 256;
  CHECK(h.stats().get(Counter::kSampleHits) == static_cast<int64_t>(entries));
  CHECK(static_cast<double>(h.bytesBy().lists) / entries <= 16);
  const SampleTile t = h.resolve();
  for (const int n : {0, 17, 63}) {
    CHECK(t.value(3, 5, n, SampleTile::kOi) == doctest::Approx(1 - through).epsilon(1e-5));
    CHECK(t.value(15, 0, n, SampleTile::kCi) == doctest::Approx(red).epsilon(1e-5));
  }
  // A bucket that comes after needs no more.
  const size_t bytes = h.bytes();
  h.reset({0, 0, 16, 16});
  CHECK(h.bytes() <= bytes);
}
