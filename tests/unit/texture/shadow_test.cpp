// SPDX-License-Identifier: Apache-2.0
// Shadow maps of scenes whose shadows are known: a square blocker before a receiving plane.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/image/image.h"
#include "reyes/texture/texture_system.h"
#include "reyes/texture/z_map.h"

using namespace reyes;
using namespace reyes::texture;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path;
  TempFolder() : path(fs::temp_directory_path() / format("reyes_shadow_test_{}", getpid())) {
    fs::create_directories(path);
  }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

Matrix4 ndcOf(const Matrix4& screenFromWorld) { return image::ndcFromScreen(screenFromWorld); }

/// Depth picture of 256 x 256 from a light at the world's origin looking along +z, 90 degrees wide: a square
/// |x|, |y| < 1 at z = 5 before nothing, or before a wall at z = wall.
image::Image depthPicture(float wall) {
  image::Image im;
  im.dataWindow = im.displayWindow = {0, 0, 256, 256};
  im.channels = {{"Z", image::PixelType::kFloat}};
  im.allocate();
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x) {
      const float sx = (static_cast<float>(x) + 0.5f) / 128 - 1, sy = (static_cast<float>(y) + 0.5f) / 128 - 1;
      const bool square = std::fabs(sx) < 0.2f && std::fabs(sy) < 0.2f;
      *im.pixel(x, y) = square ? 5.0f : wall;
    }
  im.attributes["worldToCamera"] = Matrix4();
  im.attributes["worldToNDC"] = ndcOf(Matrix4::perspective(90, 1, 100));
  return im;
}

float shadowAt(TextureSystem& textures, const std::string& file, Vec3 p, const ShadowOptions& options, float extent = 0,
               uint32_t seed = 1) {
  const float* w[3] = {&p.x, &p.y, &p.z};
  const Vec3 du{extent, 0, 0}, dv{0, extent, 0};
  const float *u[3] = {&du.x, &du.y, &du.z}, *v[3] = {&dv.x, &dv.y, &dv.z};
  float out = -1;
  float* const planes[1] = {&out};
  textures.shadow(file, 1, nullptr, w, extent > 0 ? u : nullptr, extent > 0 ? v : nullptr, &seed, options, 1, planes,
                  {});
  return out;
}

/// Width in x over which a plane at z = 10 goes from dark to lit, and where its middle is.
std::pair<float, float> edge(TextureSystem& textures, const std::string& file, const ShadowOptions& options) {
  float first = 0, last = 0, area = 0;
  const int n = 2000;
  for (int i = 0; i < n; ++i) {
    const float x = 4.0f * static_cast<float>(i) / n;
    const float s = shadowAt(textures, file, {x, 0, 10}, options, 0.001f, static_cast<uint32_t>(i));
    area += s * 4.0f / n;
    if (s == 1) first = x;
    if (s > 0) last = x;
  }
  return {last - first, area};
}

}  // namespace

TEST_CASE("shadow of a square: dark behind, lit in front, beside, outside and behind the light") {
  const TempFolder tmp;
  Diagnostics diag;
  diag.setPrinter({});
  const float inf = Bound3::kInf;
  REQUIRE(image::writeImage(tmp.file("z.exr"), "exr", depthPicture(inf), 1) == "");
  REQUIRE(makeShadow(tmp.file("z.exr"), tmp.file("s.shd")) == "");
  TextureSystem textures(diag, 0);
  const std::string map = tmp.file("s.shd");
  ShadowOptions o;
  CHECK(shadowAt(textures, map, {0, 0, 10}, o) == 1);
  CHECK(shadowAt(textures, map, {1.5f, -1.5f, 10}, o, 0.05f) == 1);
  CHECK(shadowAt(textures, map, {2.5f, 0, 10}, o) == 0);
  CHECK(shadowAt(textures, map, {0, 0, 4}, o) == 0);
  CHECK(shadowAt(textures, map, {0, 0, 5}, o) == 0);  // the blocker itself, by its bias
  CHECK(shadowAt(textures, map, {0, 0, 5.2f}, o) == 1);
  CHECK(shadowAt(textures, map, {0, 0, -10}, o) == 0);
  CHECK(shadowAt(textures, map, {30, 0, 10}, o) == 0);
  CHECK(shadowAt(textures, map, {0, 0, 0}, o) == 0);
  // Between the two biases some samples are dark.
  o.bias0 = 0, o.bias1 = 1;
  const float s = shadowAt(textures, map, {0, 0, 5.5f}, o, 0.01f);
  CHECK(s > 0.2f);
  CHECK(s < 0.8f);
  CHECK(diag.count(Severity::kError) == 0);
  CHECK(textures.lookups() == 10);
}

TEST_CASE("the edge lies where it should and widens with blur") {
  const TempFolder tmp;
  Diagnostics diag;
  REQUIRE(image::writeImage(tmp.file("z.exr"), "exr", depthPicture(1000), 1) == "");
  TextureSystem textures(diag, 0);
  ShadowOptions o;
  float before = 0;
  for (const float blur : {0.0f, 0.02f, 0.05f, 0.1f}) {
    CAPTURE(blur);
    o.blur = blur;
    const auto [width, area] = edge(textures, tmp.file("z.exr"), o);
    CHECK(area == doctest::Approx(2).epsilon(0.02));
    // A blur of b of the map is 20 b on this plane; never less than a pixel of the map.
    CHECK(width <= std::max(20 * blur, 0.08f) * 1.1f + 0.02f);
    CHECK(width >= 20 * blur * 0.7f);
    CHECK(width >= before);
    before = width;
  }
}

TEST_CASE("blur and width of one axis alone") {
  const TempFolder tmp;
  Diagnostics diag;
  REQUIRE(image::writeImage(tmp.file("z.exr"), "exr", depthPicture(1000), 1) == "");
  TextureSystem textures(diag, 0);
  // Dark shares at places beside the left and the upper edge.
  const auto sides = [&](const ShadowOptions& o, float extent) {
    std::pair<double, double> sums{0, 0};
    for (uint32_t i = 0; i < 64; ++i) {
      sums.first += static_cast<double>(shadowAt(textures, tmp.file("z.exr"), {2.15f, 0, 10}, o, extent, i)) / 64;
      sums.second += static_cast<double>(shadowAt(textures, tmp.file("z.exr"), {0, 2.15f, 10}, o, extent, i)) / 64;
    }
    return sums;
  };
  // A blur of a twentieth is 1 on this plane, half of it inwards.
  ShadowOptions o;
  o.blur = 0.05f, o.tBlur = 0;
  CHECK(sides(o, 0.001f).first == doctest::Approx(.35).epsilon(.1));
  CHECK(sides(o, 0.001f).second == 0);
  o.blur = 0, o.tBlur = 0.05f;
  CHECK(sides(o, 0.001f).first == 0);
  CHECK(sides(o, 0.001f).second == doctest::Approx(.35).epsilon(.1));
  o.tBlur = -1, o.width = 0, o.tWidth = 1;
  CHECK(sides(o, 1).first == 0);
  CHECK(sides(o, 1).second == doctest::Approx(.35).epsilon(.1));
}

TEST_CASE("a sloping plane does not shade itself, also with blur; mid-point maps") {
  const TempFolder tmp;
  Diagnostics diag;
  // The plane z = 10 + x seen from the origin: at screen s, x = s z, so z = 10 / (1 - s).
  image::Image im = depthPicture(1000);
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x) {
      const float sx = (static_cast<float>(x) + 0.5f) / 128 - 1;
      *im.pixel(x, y) = 10 / (1 - sx);
    }
  REQUIRE(image::writeImage(tmp.file("p.exr"), "exr", im, 1) == "");
  TextureSystem textures(diag, 0);
  ShadowOptions o;
  o.blur = 0.03f, o.bias0 = 0.1f, o.bias1 = 0.2f;
  for (int i = 0; i < 200; ++i) {
    const float x = -4 + 0.03f * static_cast<float>(i);
    const Vec3 p{x, 0.3f, 10 + x}, du{0.02f, 0, 0.02f}, dv{0, 0.02f, 0};
    const float *w[3] = {&p.x, &p.y, &p.z}, *u[3] = {&du.x, &du.y, &du.z}, *v[3] = {&dv.x, &dv.y, &dv.z};
    const uint32_t seed = static_cast<uint32_t>(i);
    float out = -1;
    float* const planes[1] = {&out};
    textures.shadow(tmp.file("p.exr"), 1, nullptr, w, u, v, &seed, o, 1, planes, {});
    CAPTURE(x);
    CHECK(out == 0);
  }
  // Half way between a blocker and a wall: neither needs a bias.
  im = depthPicture(1000);
  for (float& z : im.pixels) z = z == 5 ? 7.5f : 1000;
  REQUIRE(image::writeImage(tmp.file("m.exr"), "exr", im, 1) == "");
  o = {16, 0, 1, 0, 0};
  CHECK(shadowAt(textures, tmp.file("m.exr"), {0, 0, 5}, o) == 0);
  CHECK(shadowAt(textures, tmp.file("m.exr"), {0, 0, 10}, o) == 1);
}

TEST_CASE("crops, orthographic lights, moved lights") {
  const TempFolder tmp;
  Diagnostics diag;
  TextureSystem textures(diag, 0);
  // Looking down the y axis from (0, 10, 0): world y is -depth.
  const Matrix4 camera = Matrix4::translate({0, -10, 0}) * Matrix4::rotate(-90, {1, 0, 0});
  REQUIRE(transformPoint(camera, {0, 4, 0}).z == doctest::Approx(6));
  image::Image im;
  im.displayWindow = {0, 0, 100, 100};
  im.dataWindow = {40, 40, 60, 60};
  im.channels = {{"R", image::PixelType::kFloat}, {"Z", image::PixelType::kFloat}};
  im.allocate();
  for (size_t i = 1; i < im.pixels.size(); i += 2) im.pixels[i] = 6;
  im.attributes["worldToCamera"] = camera;
  im.attributes["worldToNDC"] = ndcOf(camera * Matrix4::scale({0.1f, 0.1f, 1}));
  REQUIRE(image::writeImage(tmp.file("o.exr"), "exr", im, 1) == "");
  const ShadowOptions o;
  CHECK(shadowAt(textures, tmp.file("o.exr"), {1, 0, 1}, o) == 1);
  CHECK(shadowAt(textures, tmp.file("o.exr"), {1, 5, 1}, o) == 0);
  CHECK(shadowAt(textures, tmp.file("o.exr"), {3, 0, 1}, o) == 0);
  // The same from a map of that channel alone, and after the file was rewritten.
  REQUIRE(makeShadow(tmp.file("o.exr"), tmp.file("o.shd")) == "");
  CHECK(shadowAt(textures, tmp.file("o.shd"), {1, 0, 1}, o) == 1);
  for (size_t i = 1; i < im.pixels.size(); i += 2) im.pixels[i] = 50;
  REQUIRE(image::writeImage(tmp.file("o.shd"), "exr", im, 1) == "");
  CHECK(shadowAt(textures, tmp.file("o.shd"), {1, 0, 1}, o) == 1);
  textures.invalidate(tmp.file("o.shd"));
  CHECK(shadowAt(textures, tmp.file("o.shd"), {1, 0, 1}, o) == 0);
  std::vector<float> numbers;
  std::string text;
  CHECK(textures.info(tmp.file("o.shd"), "type", numbers, text));
  CHECK(text == "shadow");
  CHECK(textures.info(tmp.file("o.shd"), "viewingmatrix", numbers, text));
  CHECK(numbers.size() == 16);
}

namespace {

/// Waves of depth seen from `from`, 90 degrees wide.
image::Image waves(int size, Vec3 from) {
  image::Image im;
  im.dataWindow = im.displayWindow = {0, 0, size, size};
  im.channels = {{"R", image::PixelType::kHalf}, {"Z", image::PixelType::kFloat}};
  im.allocate();
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) im.pixel(x, y)[1] = 8 + std::sin(0.3f * x + from.x) * std::cos(0.2f * y);
  im.attributes["worldToCamera"] = Matrix4::translate(-from);
  im.attributes["worldToNDC"] = ndcOf(Matrix4::translate(-from) * Matrix4::perspective(90, 1, 100));
  return im;
}

struct Points {
  static constexpr int kCount = 64;
  float p[3][kCount], u[3][kCount] = {}, v[3][kCount] = {};
  uint32_t seed[kCount];
  Points() {
    for (int i = 0; i < kCount; ++i) {
      const float x = static_cast<float>(i);
      p[0][i] = -9 + 0.3f * x, p[1][i] = 8 * std::sin(1.7f * x), p[2][i] = 8.2f;
      u[0][i] = v[1][i] = 0.1f, seed[i] = static_cast<uint32_t>(i);
    }
  }
  std::vector<float> look(TextureSystem& textures, const std::string& file, float blur) const {
    std::vector<float> out(kCount, -1.0f);
    const float *pp[3] = {p[0], p[1], p[2]}, *uu[3] = {u[0], u[1], u[2]}, *vv[3] = {v[0], v[1], v[2]};
    float* const planes[1] = {out.data()};
    ShadowOptions o;
    o.blur = blur;
    textures.shadow(file, kCount, nullptr, pp, uu, vv, seed, o, 1, planes, {});
    return out;
  }
};

}  // namespace

TEST_CASE("many maps stay within the memory for textures, and give the same bits") {
  const TempFolder tmp;
  constexpr int kMaps = 12;
  constexpr int64_t kLimit = 700 << 10;  // of 256 KB each
  std::vector<std::string> files;
  for (int k = 0; k < kMaps; ++k) {
    files.push_back(tmp.file(format("w{}.exr", k)));
    REQUIRE(image::writeImage(files.back(), "exr", waves(256, {0.1f * static_cast<float>(k), 0, 0}), 1) == "");
  }
  Diagnostics diag;
  diag.setPrinter({});
  TextureSystem all(diag, 0), few(diag, kLimit);
  const Points points;
  for (int round = 0; round < 3; ++round)
    for (const std::string& file : files)
      for (const float blur : {0.0f, 0.1f}) CHECK(points.look(few, file, blur) == points.look(all, file, blur));
  const TextureStats held = few.stats(), free = all.stats();
  CHECK(held.shadowMaps == kMaps);
  CHECK(held.shadowBytesHeld <= kLimit);
  CHECK(held.shadowPagesAgain > 0);
  CHECK(free.shadowPagesAgain == 0);
  CHECK(free.shadowBytesHeld > kMaps * 256 * 1024);
  // From many threads at once.
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      for (size_t k = 0; k < 40; ++k) {
        const std::string& file = files[(k * (t + 3)) % files.size()];
        good[t] += points.look(few, file, 0.05f) == points.look(all, file, 0.05f);
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(good == std::vector<int>(4, 40));
  CHECK(diag.all().empty());
  // A map that goes away meanwhile: one message, and light.
  for (const std::string& file : files) fs::remove(file);
  for (int round = 0; round < 2; ++round)
    for (const std::string& file : files) points.look(few, file, 0.1f);
  CHECK(diag.count(Severity::kError) >= kMaps - 2);
  CHECK(diag.count(Severity::kError) <= kMaps);
}

TEST_CASE("blurs and biases of each point") {
  const TempFolder tmp;
  REQUIRE(image::writeImage(tmp.file("w.exr"), "exr", waves(128, {0, 0, 0}), 1) == "");
  MapMemory memory(0);
  ZMap map(memory);
  REQUIRE(map.open(tmp.file("w.exr")) == "");
  const Points points;
  const float *pp[3] = {points.p[0], points.p[1], points.p[2]}, *uu[3] = {points.u[0], points.u[1], points.u[2]},
              *vv[3] = {points.v[0], points.v[1], points.v[2]};
  float blurs[Points::kCount], biases[Points::kCount];
  for (int i = 0; i < Points::kCount; ++i) blurs[i] = 0.01f * static_cast<float>(i % 5), biases[i] = 0.1f * (i % 3 - 1);
  const ShadowBatch batch{Points::kCount, nullptr, pp, uu, vv, points.seed};
  std::vector<float> all(Points::kCount), one(Points::kCount);
  float *toAll[1] = {all.data()}, *toOne[1] = {one.data()};
  ShadowOptions each;
  each.blurs = blurs, each.biases = biases;
  map.look(batch, each, 1, toAll);
  for (int i = 0; i < Points::kCount; ++i) {
    ShadowOptions o;
    o.blur = blurs[i], o.bias0 = o.bias1 = biases[i];
    map.look(batch, o, 1, toOne);
    CHECK(one[static_cast<size_t>(i)] == all[static_cast<size_t>(i)]);
  }
}

TEST_CASE("depths in strips of a few rows, or all in one, are the same bits") {
  const TempFolder tmp;
  image::Image im = waves(200, {0, 0, 0});
  REQUIRE(image::writeImage(tmp.file("w.exr"), "exr", im, 1) == "");
  MapMemory memory(0);
  ZMap small(memory, 1), whole(memory);
  REQUIRE(small.open(tmp.file("w.exr")) == "");
  REQUIRE(whole.open(tmp.file("w.exr")) == "");
  CHECK(memory.stats().read == 26);
  const Points points;
  const float *pp[3] = {points.p[0], points.p[1], points.p[2]}, *uu[3] = {points.u[0], points.u[1], points.u[2]},
              *vv[3] = {points.v[0], points.v[1], points.v[2]};
  for (const float blur : {0.0f, 0.02f, 0.3f}) {
    std::vector<float> a(Points::kCount), b(Points::kCount);
    float *toA[1] = {a.data()}, *toB[1] = {b.data()};
    ShadowOptions o;
    o.blur = blur;
    const ShadowBatch batch{Points::kCount, nullptr, pp, uu, vv, points.seed};
    small.look(batch, o, 1, toA), whole.look(batch, o, 1, toB);
    CHECK(a == b);
    CHECK(*std::max_element(a.begin(), a.end()) > 0);
  }
}

TEST_CASE("missing maps and pictures that are none: one message each, lit") {
  const TempFolder tmp;
  Diagnostics diag;
  diag.setPrinter({});
  TextureSystem textures(diag, 0);
  const ShadowOptions o;
  CHECK(shadowAt(textures, tmp.file("none.shd"), {0, 0, 1}, o) == 0);
  CHECK(shadowAt(textures, tmp.file("none.shd"), {0, 0, 1}, o) == 0);
  CHECK(diag.count(Severity::kError) == 1);
  CHECK(diag.has(Impact::kPicture));
  CHECK(diag.hasCode("texture-missing"));
  image::Image im = depthPicture(10);
  im.attributes.clear();
  REQUIRE(image::writeImage(tmp.file("bare.exr"), "exr", im, 1) == "");
  CHECK(shadowAt(textures, tmp.file("bare.exr"), {0, 0, 1}, o) == 0);
  CHECK(diag.count(Severity::kError) == 2);
  CHECK(makeShadow(tmp.file("bare.exr"), tmp.file("x")).find("worldToCamera") != std::string::npos);
  CHECK(makeShadow(tmp.file("none.exr"), tmp.file("x")).find("no such file") != std::string::npos);
  // Made afterwards, it is found.
  REQUIRE(image::writeImage(tmp.file("none.shd"), "exr", depthPicture(10), 1) == "");
  textures.invalidate(tmp.file("none.shd"));
  CHECK(shadowAt(textures, tmp.file("none.shd"), {0, 0, 10}, o) == 1);
}

TEST_CASE("speed of look-ups") {
  const TempFolder tmp;
  Diagnostics diag;
  REQUIRE(image::writeImage(tmp.file("z.exr"), "exr", depthPicture(1000), 1) == "");
  TextureSystem textures(diag, 0);
  constexpr int n = 20000;
  std::vector<float> x(n), y(n), z(n, 10.0f), out(n);
  std::vector<uint32_t> seed(n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i % 200) * 0.04f - 4, y[i] = static_cast<float>(i / 200) * 0.08f - 4, seed[i] = i;
  const float* p[3] = {x.data(), y.data(), z.data()};
  ShadowOptions o;
  o.blur = 0.01f;
  shadowAt(textures, tmp.file("z.exr"), {0, 0, 1}, o);
  float* const planes[1] = {out.data()};
  const auto start = std::chrono::steady_clock::now();
  textures.shadow(tmp.file("z.exr"), n, nullptr, p, nullptr, nullptr, seed.data(), o, 1, planes, {});
  const double ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / n;
  MESSAGE("shadow look-up: ", ns, " ns a point");
  CHECK(ns < 20000);
}
