// SPDX-License-Identifier: Apache-2.0
// Speed of the hider, in ratios to hand-written loops of the same run.
// Lines: name value unit reference ratio. hide.*: micropolygons of 0.7 pixel, 16 samples, one layer; lens10: a circle
// of confusion of 10 pixels; motion64: 64 samples, 10 pixels of motion; motionlens: a circle of 4 besides; explode:
// 10 pixels, each vertex its own way. hide.cost.*: what one case costs beside another, with the limit for reference.
// `bench_hider CASE [ISA [RUNS]]` (motion10 sse4) measures that case alone, longer.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "../unit/hider/grids.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::hider;
using namespace reyes::hider::test;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Best of several timed runs, seconds.
template <class F>
double best(F&& f, double budget = 0.4) {
  double least = 1e30;
  for (const double end = now() + budget; now() < end;) {
    const double t = now();
    f();
    least = std::min(least, now() - t);
  }
  return least;
}

void line(const char* name, double value, const char* unit, double reference) {
  std::printf("%s %.4g %s %.4g %.3f\n", name, value, unit, reference, reference > 0 ? value / reference : 0);
}

constexpr int kSide = 32, kGrid = 16;
constexpr float kEdge = 0.7f;

/// Grids of 16 x 16 micropolygons of 0.7 pixel that fill a bucket, moving by `travel` pixels.
/// `noise`: every vertex goes as far as that besides, its own way.
std::vector<OwnedGrid> layer(float travel, float margin = 0, float noise = 0) {
  std::vector<OwnedGrid> grids;
  const int n = static_cast<int>(std::ceil((kSide + travel + 2 * margin) / (kGrid * kEdge)));
  for (int gy = 0; gy < n; ++gy)
    for (int gx = 0; gx < n; ++gx) {
      OwnedGrid g(kGrid, kGrid, travel > 0 ? 2 : 1);
      for (int k = 0; k < g.grid.keys; ++k)
        g.place(k, [&](float u, float v, float& x, float& y, float& z) {
          x = (static_cast<float>(gx) + u) * kGrid * kEdge + 0.02f * v * kGrid - travel * (1 - static_cast<float>(k)) -
              margin;
          y = (static_cast<float>(gy) + v) * kGrid * kEdge - 0.02f * u * kGrid - margin;
          z = 2 + 0.1f * u + 0.05f * v;
          if (noise == 0 || k == 0) return;
          const auto of = [&](float at, float grid) { return static_cast<uint32_t>(std::lround((at + grid) * kGrid)); };
          const uint32_t place = of(u, static_cast<float>(gx)) << 12 | of(v, static_cast<float>(gy)) << 1;
          x += noise * (2 * toUnitFloat(mix64(place)) - 1);
          y += noise * (2 * toUnitFloat(mix64(place | 1)) - 1);
        });
      g.get();
      grids.push_back(std::move(g));
    }
  for (OwnedGrid& g : grids) g.get();
  return grids;
}

/// The least work there is: bound, four edges, plane depth, store; nothing else of a hider. Plain loop over samples.
struct BareKernel {
  std::vector<float> sx, sy, z;
  std::vector<uint32_t> id;
  int stride = kSide * 4;
  explicit BareKernel(const SamplingSpec& s) {
    sx.resize(static_cast<size_t>(stride * stride + 16)), sy = sx, z.assign(sx.size(), 1e30f), id.resize(sx.size());
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        for (int i = 0; i < 16; ++i) {
          const SamplePoint p = samplePoint(s, x, y, i);
          const size_t at = static_cast<size_t>((y * 4 + i / 4) * stride + x * 4 + i % 4);
          sx[at] = static_cast<float>(x) + p.x, sy[at] = static_cast<float>(y) + p.y;
        }
  }
  void quad(const float* qx, const float* qy, float depth, uint32_t name) {
    const float x0 = std::min({qx[0], qx[1], qx[2], qx[3]}), x1 = std::max({qx[0], qx[1], qx[2], qx[3]});
    const float y0 = std::min({qy[0], qy[1], qy[2], qy[3]}), y1 = std::max({qy[0], qy[1], qy[2], qy[3]});
    const int c0 = std::max(0, static_cast<int>(x0 * 4)), c1 = std::min(stride - 1, static_cast<int>(x1 * 4));
    const int r0 = std::max(0, static_cast<int>(y0 * 4)), r1 = std::min(stride - 1, static_cast<int>(y1 * 4));
    float a[4], b[4], c[4];
    for (int e = 0; e < 4; ++e) {
      const int f = (e + 1) & 3;
      a[e] = qy[e] - qy[f], b[e] = qx[f] - qx[e], c[e] = -(a[e] * qx[e] + b[e] * qy[e]);
    }
    for (int r = r0; r <= r1; ++r)
      for (int k = c0; k <= c1; k += 8) {
        const size_t at = static_cast<size_t>(r * stride + k);
        for (size_t n = at; n < at + 8; ++n) {
          const bool in = (a[0] * sx[n] + b[0] * sy[n] + c[0] >= 0) & (a[1] * sx[n] + b[1] * sy[n] + c[1] >= 0) &
                          (a[2] * sx[n] + b[2] * sy[n] + c[2] >= 0) & (a[3] * sx[n] + b[3] * sy[n] + c[3] >= 0) &
                          (depth < z[n]);
          z[n] = in ? depth : z[n];
          id[n] = in ? name : id[n];
        }
      }
  }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target_clones("avx2", "default"), gnu::flatten]]
#endif
  void
  grid(const MicroGrid& g) {
    const int row = g.nu + 1;
    for (int j = 0; j < g.nv; ++j)
      for (int i = 0; i < g.nu; ++i) {
        const size_t v = static_cast<size_t>(j * row + i), w = v + static_cast<size_t>(row);
        const float qx[4] = {g.x[v], g.x[v + 1], g.x[w + 1], g.x[w]}, qy[4] = {g.y[v], g.y[v + 1], g.y[w + 1], g.y[w]};
        quad(qx, qy, g.z[v], static_cast<uint32_t>(v));
      }
  }
};

SamplingSpec spec() {
  SamplingSpec s;
  s.xSamples = s.ySamples = 4;
  s.depth = false;
  s.isa = bestIsa();
  return s;
}

struct Case {
  const char* name;
  float travel, circle;  ///< pixels: of motion, diameter of the circle of confusion at the layer's depth
  int side;              ///< samples a pixel side
  float noise = 0;       ///< pixels of motion that neighbours do not share
};

/// Millions of micropolygons a second.
double hide(const Case& test, double bareMmps, int runs, Isa isa) {
  SamplingSpec s = spec();
  s.isa = isa;
  s.xSamples = s.ySamples = test.side;
  if (test.circle > 0) {
    s.focalDistance = 1;
    s.lensPixelsX = s.lensPixelsY = test.circle;  // radius at depth 2: lensPixels * |1/2 - 1|
  }
  const char* name = test.name;
  std::vector<OwnedGrid> grids = layer(test.travel, test.circle / 2, test.noise);
  BucketHider h(s);
  double seconds = 1e30;
  Stats before, after;
  for (int run = 0; run < runs; ++run) {
    h.reset({0, 0, kSide, kSide});
    before = h.stats();
    // A first grid outside warms the lattices, which are the bucket's cost and not the micropolygons'.
    h.rasterize(grids.back().grid);
    h.reset({0, 0, kSide, kSide});
    h.rasterize(grids.back().grid);
    before = h.stats();
    const double t = now();
    for (size_t g = 0; g + 1 < grids.size(); ++g) h.rasterize(grids[g].grid);
    seconds = std::min(seconds, now() - t);
    after = h.stats();
  }
  const auto count = [&](Counter c) { return static_cast<double>(after.get(c) - before.get(c)); };
  const double mps = count(Counter::kBucketMicropolygons), tests = count(Counter::kSampleTests),
               hits = count(Counter::kSampleHits);
  line((std::string("hide.") + name).c_str(), mps / seconds * 1e-6, "Mmp/s", bareMmps);
  line((std::string("hide.") + name + ".tests").c_str(), tests / seconds * 1e-6, "Mtest/s", 0);
  line((std::string("hide.") + name + ".hits").c_str(), hits / seconds * 1e-6, "Mhit/s", 0);
  line((std::string("hide.") + name + ".ste").c_str(), 100 * hits / tests, "%", 0);
  return mps / seconds * 1e-6;
}

double bare() {
  const SamplingSpec s = spec();
  std::vector<OwnedGrid> grids = layer(0);
  BareKernel k(s);
  const double seconds = best([&] {
    std::fill(k.z.begin(), k.z.end(), 1e30f);
    for (OwnedGrid& g : grids) k.grid(g.grid);
  });
  double mps = 0;  // those that touch the bucket, as the hider counts
  for (OwnedGrid& g : grids)
    for (int j = 0; j < kGrid; ++j)
      for (int i = 0; i < kGrid; ++i) {
        const size_t v = static_cast<size_t>(j * (kGrid + 1) + i), w = v + kGrid + 2;
        mps += g.x[v] < kSide && g.y[v] < kSide && g.x[w] > 0 && g.y[w] > 0;
      }
  return mps / seconds * 1e-6;
}

size_t gridBytes(const OwnedGrid& g) {
  const auto of = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return sizeof(MicroGrid) + of(g.x) + of(g.y) + of(g.z) + of(g.ci) + of(g.oi) + of(g.aov) + of(g.times);
}

/// Bytes of grids, and of what a bucket keeps of them, for each micropolygon: twenty layers against one, so that what
/// a bucket has in any case does not count.
void micropolygonBytes(const char* name, float travel, double most) {
  const SamplingSpec s = spec();
  size_t bytes[2], count[2];
  for (const int layers : {1, 20}) {
    BucketHider h(s);
    h.reset({0, 0, kSide, kSide});
    std::vector<std::vector<OwnedGrid>> all;
    size_t held = 0, mps = 0;
    for (int i = 0; i < layers; ++i) {
      all.push_back(layer(travel));
      for (OwnedGrid& g : all.back()) {
        for (float& z : g.z) z -= static_cast<float>(i) * 0.01f;  // each in front of those before
        h.rasterize(g.get());
        held += gridBytes(g), mps += kGrid * kGrid;
      }
    }
    h.resolve();
    bytes[layers > 1] = held + h.bytes(), count[layers > 1] = mps;
  }
  line(name, static_cast<double>(bytes[1] - bytes[0]) / static_cast<double>(count[1] - count[0]), "B", most);
}

/// Bytes of what is seen: a sample's place, a visible opaque hit, a visible entry of transparent layers.
void memory() {
  const SamplingSpec s = spec();
  BucketHider h(s);
  const auto samples = static_cast<double>(kSide * kSide * s.xSamples * s.ySamples);
  h.reset({0, 0, kSide, kSide});
  std::vector<OwnedGrid> grids = layer(0);
  for (OwnedGrid& g : grids) h.rasterize(g.grid);
  line("hide.bytes.sample", static_cast<double>(h.bytes()) / samples, "B", 28);
  line("hide.bytes.opaque", static_cast<double>(h.bytesBy().opaque) / samples, "B", 12);
  const auto before = static_cast<double>(h.stats().get(Counter::kSampleHits));
  for (int i = 0; i < 64; ++i)
    for (OwnedGrid& g : grids) h.rasterize(g.opacity(0.1f).get());
  const double entries = static_cast<double>(h.stats().get(Counter::kSampleHits)) - before;
  line("hide.bytes.entry", static_cast<double>(h.bytesBy().lists) / entries, "B", 16);
  micropolygonBytes("hide.bytes.static", 0, 30);
  micropolygonBytes("hide.bytes.moving", 10, 48);
}

void bucketAndFilter() {
  const SamplingSpec s = spec();
  std::vector<OwnedGrid> grids = layer(0);
  BucketHider h(s);
  const double pixels = kSide * kSide;
  const double reset = best([&] { h.reset({0, 0, kSide, kSide}); });
  line("hide.reset", pixels / reset * 1e-6, "Mpixel/s", 0);
  for (OwnedGrid& g : grids) h.rasterize(g.grid);
  SampleTile tile;
  const double resolve = best([&] { tile = h.resolve(); });
  line("hide.resolve", pixels / resolve * 1e-6, "Mpixel/s", 0);

  const Filter f("gaussian", 2, 2);
  const FilterJob jobs[2] = {{FilterMode::kFilter, SampleTile::kCi, 3}, {FilterMode::kFilter, SampleTile::kOi, 3}};
  std::vector<std::vector<float>> out(2);
  const PixelFilter pixels8(s, f, jobs);
  // Without what opaque pixels save.
  for (int y = 0; y < kSide; ++y)
    for (int k = 0; k < tile.strips; ++k) tile.state(y, k) = SampleTile::kSome;
  const double filter = best([&] {
    pixels8(
        tile.rect, [&](int x, int y) { return tile.rect.contains(x, y) ? &tile : nullptr; }, out);
  });
  // Reference: the same sums by the plainest loop, weights evaluated by the filter's formula once a sample and axis.
  std::vector<SamplePoint> points;
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x)
      for (int i = 0; i < 16; ++i) points.push_back(samplePoint(s, x, y, i));
  const std::vector<float> values = tile.interleaved();
  const double plain = best([&] {
    std::vector<float> sums(static_cast<size_t>(pixels) * 5);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x)
        for (int qy = std::max(0, y - 1); qy <= std::min(kSide - 1, y + 1); ++qy)
          for (int qx = std::max(0, x - 1); qx <= std::min(kSide - 1, x + 1); ++qx)
            for (int i = 0; i < 16; ++i) {
              const size_t at = static_cast<size_t>((qy * kSide + qx) * 16 + i);
              const float w =
                  f(static_cast<float>(qx - x) + points[at].x - 0.5f, static_cast<float>(qy - y) + points[at].y - 0.5f);
              float* sum = &sums[static_cast<size_t>(y * kSide + x) * 5];
              for (size_t c = 0; c < 4; ++c) sum[c] += w * values[at * static_cast<size_t>(tile.channels) + c];
              sum[4] += w;
            }
  });
  line("hide.filter", pixels / filter * 1e-6, "Mpixel/s", pixels / plain * 1e-6);
}

/// Lists of sixteen layers that let four fifths through, in no order. Reference: the plainest loop over samples whose
/// surfaces' values are known already: copies a list, sorts it, composites it.
void lists() {
  constexpr int kLayers = 16, kRows = 8;
  const SamplingSpec s = spec();
  BucketHider h(s);
  h.reset({0, 0, kSide, kRows});
  std::vector<std::vector<OwnedGrid>> layers;
  for (int i = 0; i < kLayers; ++i) {
    layers.push_back(layer(0));
    for (OwnedGrid& g : layers.back()) {
      for (float& z : g.z) z += static_cast<float>(i * 7 % kLayers);
      h.rasterize(g.opacity(0.2f).get());
    }
  }
  const auto fragments = static_cast<double>(h.stats().get(Counter::kSampleHits));
  const double seconds = best([&] { h.resolve(); });

  struct Surface {
    float z, ci[3], oi[3];
  };
  std::vector<Surface> all;
  const size_t samples = static_cast<size_t>(kSide * kRows * s.xSamples * s.ySamples);
  for (size_t n = 0; n < samples; ++n)
    for (int i = 0; i < kLayers; ++i)
      all.push_back({2 + static_cast<float>(i * 7 % kLayers), {1, 1, 1}, {0.2f, 0.2f, 0.2f}});
  std::vector<float> out(samples * 6);
  const double plain = best([&] {
    std::vector<Surface> list;
    for (size_t n = 0; n < samples; ++n) {
      list.assign(&all[n * kLayers], &all[n * kLayers] + kLayers);
      std::sort(list.begin(), list.end(), [](const Surface& a, const Surface& b) { return a.z < b.z; });
      float through[3] = {1, 1, 1}, *to = &out[n * 6];
      std::fill_n(to, 6, 0.0f);
      for (const Surface& a : list)
        for (size_t c = 0; c < 3; ++c)
          to[c] += through[c] * a.ci[c], to[3 + c] += through[c] * a.oi[c], through[c] *= 1 - a.oi[c];
    }
  });
  line("hide.lists", fragments / seconds * 1e-6, "Mfragment/s", static_cast<double>(samples * kLayers) / plain * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr Case kCases[] = {{"static", 0, 0, 4},      {"motion1", 1, 0, 4},        {"motion10", 10, 0, 4},
                             {"motion50", 50, 0, 4},   {"lens10", 0, 10, 4},        {"motion64", 10, 0, 8},
                             {"motionlens", 10, 4, 8}, {"motionlens10", 10, 10, 4}, {"explode", 10, 0, 4, 10}};
  const double reference = argc > 3 ? 0 : bare();
  Isa isa = bestIsa();
  if (argc > 2 && !parseIsa(argv[2], isa)) return 1;
  std::map<std::string, double> rates;
  for (const Case& c : kCases)
    if (argc < 2 || std::strcmp(argv[1], c.name) == 0)
      rates[c.name] = hide(c, reference,
                           argc > 3   ? std::atoi(argv[3])
                           : argc < 2 ? (c.travel + c.circle > 0 ? 20 : 200)
                                      : 1000,
                           isa);
  if (argc < 2) {
    const auto cost = [&](const char* of, const char* beside, double most) {
      line((std::string("hide.cost.") + of).c_str(), rates[beside] / rates[of], "x", most);
    };
    cost("motion50", "motion1", 2), cost("motionlens10", "motion10", 2), cost("motionlens", "motion64", 2);
    cost("explode", "motion10", 0);
  }
  if (argc < 2 || std::strcmp(argv[1], "lists") == 0) lists();
  if (argc < 2) bucketAndFilter(), memory();
  return 0;
}
