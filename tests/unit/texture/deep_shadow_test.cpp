// SPDX-License-Identifier: Apache-2.0
// Deep shadow maps against the closed form: cards, fog, hair, colours; wide filters; files that are broken.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/texture/deep_shadow.h"

using namespace reyes;
using namespace reyes::texture;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path = fs::temp_directory_path() / format("reyes_deep_shadow_test_{}", getpid());
  TempFolder() { fs::create_directories(path); }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

struct Sample {
  float z, zBack;
  std::array<float, 3> alpha;
};

constexpr int kSize = 64;

/// A view of 64 x 64 pixels, 90 degrees wide, from the world's origin along +z.
template <class F>
image::DeepImage deepPicture(bool coloured, const F& samplesAt) {
  image::DeepImage d;
  d.dataWindow = d.displayWindow = {0, 0, kSize, kSize};
  for (const char* name : {"Z", "ZBack"}) d.channels.push_back({name, image::PixelType::kFloat});
  if (coloured)
    for (const char* name : {"AR", "AG", "AB"}) d.channels.push_back({name, image::PixelType::kFloat});
  else
    d.channels.push_back({"A", image::PixelType::kFloat});
  std::vector<std::vector<Sample>> all;
  std::vector<uint32_t> counts;
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) {
      all.push_back(samplesAt(x, y));
      counts.push_back(static_cast<uint32_t>(all.back().size()));
    }
  d.allocate(counts);
  uint64_t at = 0;
  for (const auto& pixel : all)
    for (const Sample& s : pixel) {
      d.set(0, at, s.z), d.set(1, at, s.zBack);
      for (size_t c = 0; c < (coloured ? 3u : 1u); ++c) d.set(2 + c, at, s.alpha[c]);
      ++at;
    }
  d.attributes["worldToCamera"] = Matrix4();
  d.attributes["worldToNDC"] = image::ndcFromScreen(Matrix4::perspective(90, 1, 100));
  return d;
}

std::array<float, 3> shadowAt(const ShadowMap& map, Vec3 p, float blur = 0) {
  const float* w[3] = {&p.x, &p.y, &p.z};
  const Vec3 du{0.001f, 0, 0}, dv{0, 0.001f, 0};
  const float *u[3] = {&du.x, &du.y, &du.z}, *v[3] = {&dv.x, &dv.y, &dv.z};
  ShadowOptions o;
  o.blur = blur;
  float out[3];
  float* const planes[3] = {&out[0], &out[1], &out[2]};
  map.look({1, nullptr, w, u, v, nullptr}, o, 3, planes);
  return {out[0], out[1], out[2]};
}

DeepShadow made(const image::DeepImage& picture, int64_t bytes = 0) {
  DeepShadow map;
  REQUIRE(map.take(picture, bytes) == "");
  return map;
}

}  // namespace

TEST_CASE("cards: one of 50 %, two, one that moves half of the time, colours") {
  const auto card = [](std::vector<Sample> samples) { return [samples](int, int) { return samples; }; };
  const DeepShadow one = made(deepPicture(false, card({{5, 5, {.5f, 0, 0}}})));
  CHECK(shadowAt(one, {0, 0, 4})[0] == 0);
  CHECK(shadowAt(one, {0, 0, 5})[0] == 0);
  CHECK(shadowAt(one, {0, 0, 9})[0] == doctest::Approx(.5).epsilon(1e-4));
  CHECK(shadowAt(one, {2, -1, 9})[1] == doctest::Approx(.5).epsilon(1e-4));
  const DeepShadow two = made(deepPicture(false, card({{5, 5, {.5f, 0, 0}}, {7, 7, {.5f, 0, 0}}})));
  CHECK(shadowAt(two, {0, 0, 6})[0] == doctest::Approx(.5).epsilon(1e-4));
  CHECK(shadowAt(two, {0, 0, 9})[0] == doctest::Approx(.75).epsilon(1e-4));
  // Files of others: in any order, and with depths that are none.
  const float none = std::numeric_limits<float>::quiet_NaN();
  const DeepShadow odd = made(deepPicture(
      false, card({{7, 7, {.5f, 0, 0}}, {none, none, {1, 0, 0}}, {5, 5, {.5f, 0, 0}}, {6, none, {0, 0, 0}}})));
  CHECK(shadowAt(odd, {0, 0, 6})[0] == doctest::Approx(.5).epsilon(1e-4));
  CHECK(shadowAt(odd, {0, 0, 9})[0] == doctest::Approx(.75).epsilon(1e-4));
  // What moves over a pixel covers it for a part of the shutter: an opacity.
  const DeepShadow moving = made(deepPicture(false, card({{5, 5, {.25f, 0, 0}}, {5.1f, 5.1f, {1, 0, 0}}})));
  CHECK(shadowAt(moving, {0, 0, 9})[0] == 1);
  const DeepShadow glass = made(deepPicture(true, card({{5, 5, {.1f, .5f, .9f}}, {6, 6, {.5f, .5f, .5f}}})));
  const auto behind = shadowAt(glass, {0, 0, 9});
  CHECK(behind[0] == doctest::Approx(.55).epsilon(1e-3));
  CHECK(behind[1] == doctest::Approx(.75).epsilon(1e-3));
  CHECK(behind[2] == doctest::Approx(.95).epsilon(1e-3));
}

TEST_CASE("fog: exp(-k z) within the samples and behind them") {
  const float k = 0.3f;
  const DeepShadow fog = made(deepPicture(false, [&](int, int) {
    std::vector<Sample> s;
    for (int i = 0; i < 4; ++i) {
      const float z = 2 + 2 * static_cast<float>(i);
      s.push_back({z, z + 2, {1 - std::exp(-k * 2), 0, 0}});
    }
    return s;
  }));
  for (const float z : {1.0f, 2.5f, 3.0f, 4.7f, 8.0f, 9.9f, 20.0f}) {
    CAPTURE(z);
    const float depth = std::clamp(z, 2.0f, 10.0f) - 2;
    CHECK(std::fabs(shadowAt(fog, {0, 0, z})[0] - (1 - std::exp(-k * depth))) < 0.02f * (1 + z / 20));
  }
}

TEST_CASE("hair: many thin strands pass on the product of what each lets through") {
  uint64_t seed = 1;
  const DeepShadow hair = made(deepPicture(false, [&](int, int) {
    std::vector<Sample> s;
    for (int i = 0; i < 50; ++i) {
      const float z = 4 + static_cast<float>(i) * 0.04f + 0.03f * toUnitFloat(mix64(seed++));
      s.push_back({z, z, {0.04f, 0, 0}});
    }
    return s;
  }));
  CHECK(shadowAt(hair, {0, 0, 10})[0] == doctest::Approx(1 - std::pow(0.96, 50)).epsilon(0.01));
  CHECK(shadowAt(hair, {0, 0, 5}, 0.1f)[0] == doctest::Approx(1 - std::pow(0.96, 25)).epsilon(0.06));
}

TEST_CASE("an edge under filters of any width: the share of the box, on every level") {
  const DeepShadow half = made(deepPicture(false, [](int x, int) {
    return x < kSize / 2 ? std::vector<Sample>{{5, 5, {1, 0, 0}}} : std::vector<Sample>{};
  }));
  for (const float blur : {0.05f, 0.1f, 0.2f, 0.5f, 0.9f})
    for (const float x : {-1.0f, -0.4f, 0.0f, 0.3f, 1.0f}) {
      CAPTURE(blur);
      CAPTURE(x);
      // In pixels at z = 10: x * 3.2 from the edge.
      const float want = std::clamp(0.5f - x * 3.2f / (blur * kSize), 0.0f, 1.0f);
      CHECK(std::fabs(shadowAt(half, {x, 0, 10}, blur)[0] - want) < 0.06f);
    }
}

TEST_CASE("lines: simplified within the tolerance, and their mean") {
  DeepLine line;
  for (int i = 0; i <= 100; ++i) {
    const float t = std::exp(-0.03f * static_cast<float>(i));
    line.push_back({1 + 0.1f * static_cast<float>(i), {t, t, t}});
  }
  const DeepLine less = simplified(line, 0.01f, 1);
  CHECK(less.size() < 15);
  for (const DeepCorner& c : line)
    for (size_t i = 1; i < less.size(); ++i)
      if (c.z >= less[i - 1].z && c.z <= less[i].z) {
        const float x = (c.z - less[i - 1].z) / (less[i].z - less[i - 1].z);
        CHECK(std::fabs(less[i - 1].t[0] + (less[i].t[0] - less[i - 1].t[0]) * x - c.t[0]) <= 0.0101f);
      }
  const DeepLine step{{5, {1, 1, 1}}, {5, {0, 0, 0}}};
  const DeepLine all = mean({step, DeepLine{}, DeepLine{{6, {1, 1, 1}}, {6, {0, 0, 0}}}, DeepLine{}}, 1);
  REQUIRE(all.size() == 4);
  CHECK(all[0].t[0] == 1);
  CHECK(all[1].t[0] == .75f);
  CHECK(all[3].t[0] == .5f);
}

TEST_CASE("files: read by shadow(), bounded by memory; broken and missing ones are one message each") {
  const TempFolder tmp;
  const image::DeepImage picture = deepPicture(false, [](int x, int y) {
    std::vector<Sample> s;
    for (int i = 0; i < 20; ++i)
      s.push_back({4 + 0.1f * static_cast<float>(i) + 0.001f * static_cast<float>(x * y % 7), 0, {.1f, 0, 0}});
    for (Sample& one : s) one.zBack = one.z;
    return s;
  });
  const DeepShadow whole = made(picture), small = made(picture, 60000);
  CHECK(whole.levelsLost() == 0);
  CHECK(small.levelsLost() > 0);
  CHECK(small.bytes() <= 60000);
  CHECK(shadowAt(small, {0, 0, 9})[0] == doctest::Approx(1 - std::pow(.9, 20)).epsilon(0.01));

  REQUIRE(image::writeDeep(tmp.file("d.shd"), picture, 1) == "");
  Diagnostics diag;
  diag.setPrinter({});
  TextureSystem textures(diag, 0);
  const Vec3 p{0, 0, 9};
  const float* w[3] = {&p.x, &p.y, &p.z};
  float out = -1;
  float* const planes[1] = {&out};
  textures.shadow(tmp.file("d.shd"), 1, nullptr, w, nullptr, nullptr, nullptr, {}, 1, planes, {});
  CHECK(out == doctest::Approx(1 - std::pow(.9, 20)).epsilon(0.01));
  CHECK(diag.all().empty());
  // Too little memory: a coarser picture, and a word of it.
  TextureSystem few(diag, 120000);
  few.shadow(tmp.file("d.shd"), 1, nullptr, w, nullptr, nullptr, nullptr, {}, 1, planes, {});
  CHECK(diag.count(Severity::kWarning) == 1);
  std::string bytes;
  {
    std::ifstream in(tmp.file("d.shd"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::ofstream(tmp.file("cut.shd"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  for (int i = 0; i < 3; ++i)
    textures.shadow(tmp.file("cut.shd"), 1, nullptr, w, nullptr, nullptr, nullptr, {}, 1, planes, {});
  CHECK(diag.count(Severity::kError) == 1);
  CHECK(diag.has(Impact::kPicture));
  CHECK(out == 0);
  textures.shadow(tmp.file("none.shd"), 1, nullptr, w, nullptr, nullptr, nullptr, {}, 1, planes, {});
  CHECK(diag.count(Severity::kError) == 2);
}
