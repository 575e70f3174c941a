// SPDX-License-Identifier: Apache-2.0
// Shadow look-ups a second on one thread: depths (16 samples, along edges, where no block decides) and deep maps of
// hair and of coloured cards, over grids of 256 points. Lines: name value unit reference ratio; the reference is 60 ns.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/base/isa.h"
#include "reyes/texture/deep_shadow.h"
#include "reyes/texture/shadow_map.h"

using namespace reyes;
using namespace reyes::texture;

namespace {

constexpr int kSize = 512, kPoints = 256;

template <class P>
void frame(P& picture) {
  picture.dataWindow = picture.displayWindow = {0, 0, kSize, kSize};
  picture.attributes["worldToCamera"] = Matrix4();
  picture.attributes["worldToNDC"] = image::ndcFromScreen(Matrix4::perspective(90, 1, 100));
}

/// Strips 4 pixels wide at z = 5 before a wall.
std::unique_ptr<const ShadowMap> strips(MapMemory& memory) {
  image::Image im;
  frame(im);
  im.channels = {{"Z", image::PixelType::kFloat}};
  im.allocate();
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) *im.pixel(x, y) = x / 4 % 2 ? 5.0f : 20.0f;
  const std::string path =
      (std::filesystem::temp_directory_path() / format("reyes_bench_shadow_{}.exr", getpid())).string();
  std::string error = image::writeImage(path, "exr", im, 1);
  std::unique_ptr<const ShadowMap> map = error.empty() ? openShadowMap(path, 0, memory, error) : nullptr;
  std::filesystem::remove(path);
  if (!map) std::fprintf(stderr, "%s\n", error.c_str());
  return map;
}

DeepShadow deep(int strands, bool coloured) {
  image::DeepImage d;
  frame(d);
  for (const char* name : {"Z", "ZBack"}) d.channels.push_back({name, image::PixelType::kFloat});
  for (const char* name : {"AR", "AG", "AB"})
    if (coloured) d.channels.push_back({name, image::PixelType::kFloat});
  if (!coloured) d.channels.push_back({"A", image::PixelType::kFloat});
  d.allocate(std::vector<uint32_t>(size_t{kSize} * kSize, static_cast<uint32_t>(strands)));
  for (uint64_t i = 0; i < d.samples(); ++i) {
    const float z = 4 + 2 * (static_cast<float>(i % static_cast<uint64_t>(strands)) + toUnitFloat(mix64(i))) /
                            static_cast<float>(strands);
    d.set(0, i, z), d.set(1, i, z);
    for (size_t c = 2; c < d.channels.size(); ++c) d.set(c, i, 0.5f * toUnitFloat(mix64(i * 7 + c)));
  }
  DeepShadow map;
  map.take(d, 0);
  return map;
}

double measure(const ShadowMap& map, const ShadowOptions& options, int channels) {
  std::vector<float> p[3], u[3], v[3], out[3];
  for (auto* planes : {p, u, v, out})
    for (int c = 0; c < 3; ++c) planes[c].assign(kPoints, 0.0f);
  std::vector<uint32_t> seed(kPoints);
  const auto place = [&](int grid) {
    for (int i = 0; i < kPoints; ++i) {
      p[0][size_t(i)] = -8 + 0.05f * static_cast<float>(i % 16) + 0.5f * static_cast<float>(grid % 30);
      p[1][size_t(i)] = -8 + 0.05f * static_cast<float>(i / 16) + 0.5f * static_cast<float>(grid / 30 % 30);
      p[2][size_t(i)] = 10;
      u[0][size_t(i)] = 0.05f, v[1][size_t(i)] = 0.05f;
      seed[size_t(i)] = static_cast<uint32_t>(mix64(static_cast<uint64_t>(grid * kPoints + i)));
    }
  };
  const float *pp[3] = {p[0].data(), p[1].data(), p[2].data()}, *uu[3] = {u[0].data(), u[1].data(), u[2].data()},
              *vv[3] = {v[0].data(), v[1].data(), v[2].data()};
  float* const oo[3] = {out[0].data(), out[1].data(), out[2].data()};
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    double seconds = 0;
    constexpr int kGrids = 900;
    for (int g = 0; g < kGrids; ++g) {
      place(g);
      const auto start = std::chrono::steady_clock::now();
      map.look({kPoints, nullptr, pp, uu, vv, seed.data()}, options, channels, oo);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    best = std::max(best, kGrids * kPoints / seconds / 1e6);
  }
  return best;
}

void line(const char* name, double value) { std::printf("%s %.3f Mlookup/s 16.7 %.3f\n", name, value, value / 16.7); }

}  // namespace

int main() {
  ShadowOptions o;
  o.isa = bestIsa();
  o.blur = 0.01f;
  MapMemory memory(0);
  const std::unique_ptr<const ShadowMap> z = strips(memory);
  if (!z) return 1;
  line("shadow.z16", measure(*z, o, 1));
  line("shadow.deep_hair", measure(deep(24, false), o, 1));
  line("shadow.deep_colour", measure(deep(4, true), o, 3));
  return 0;
}
