// SPDX-License-Identifier: Apache-2.0
// Textures and environments with known values: ramps, wraps, a cube whose faces have a colour each.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "reyes/base/format.h"
#include "reyes/image/image.h"
#include "reyes/texture/make_maps.h"
#include "reyes/texture/texture_system.h"

using namespace reyes;
using namespace reyes::texture;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path;
  TempFolder() : path(fs::temp_directory_path() / format("reyes_texture_test_{}", getpid())) {
    fs::create_directories(path);
  }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

/// R grows along s, G along t, B is 0.25.
image::Image ramp(int w, int h, image::PixelType type) {
  image::Image im;
  im.dataWindow = im.displayWindow = {0, 0, w, h};
  im.channels = {{"R", type}, {"G", type}, {"B", type}};
  im.allocate();
  const float scale = type == image::PixelType::kUint8 ? 255.0f : 1.0f;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      float* p = im.pixel(x, y);
      p[0] = scale * (static_cast<float>(x) + 0.5f) / static_cast<float>(w);
      p[1] = scale * (static_cast<float>(y) + 0.5f) / static_cast<float>(h);
      p[2] = scale * 0.25f;
    }
  return im;
}

std::array<float, 4> lookUp(TextureSystem& t, const std::string& file, float s, float tt, LookupOptions o = {},
                            float size = 0.001f, int channels = 3) {
  const float zero = 0;
  TextureBatch b{1, nullptr, &s, &tt, &size, &zero, &zero, &size};
  std::array<float, 4> r{};
  float* planes[4] = {&r[0], &r[1], &r[2], &r[3]};
  t.texture(file, b, o, channels, planes, {});
  return r;
}

std::string unreadable(const TempFolder& tmp, const std::string& name, const std::string& bytes) {
  std::ofstream(tmp.file(name), std::ios::binary) << bytes;
  Diagnostics diag;
  diag.setPrinter({});
  TextureSystem textures(diag, 0);
  lookUp(textures, tmp.file(name), 0.5f, 0.5f);
  const auto messages = diag.all();
  return messages.size() == 1 ? messages[0].text : format("{} messages", messages.size());
}

std::array<float, 4> lookAlong(TextureSystem& t, const std::string& file, Vec3 d) {
  const float* r[3] = {&d.x, &d.y, &d.z};
  std::array<float, 4> out{};
  float* planes[4] = {&out[0], &out[1], &out[2], &out[3]};
  t.environment(file, 1, nullptr, r, nullptr, nullptr, {}, 3, planes, {});
  return out;
}

MapOptions wraps(const char* s, const char* t) {
  MapOptions o;
  o.sWrap = s, o.tWrap = t;
  return o;
}

}  // namespace

TEST_CASE("a ramp gives its own coordinates; top row is t = 0; missing channels are fill") {
  const TempFolder tmp;
  Diagnostics diag;
  TextureSystem textures(diag, 0);
  REQUIRE(image::writeImage(tmp.file("ramp.tif"), "tiff", ramp(128, 64, image::PixelType::kFloat), 1) == "");
  REQUIRE(image::writeImage(tmp.file("bytes.png"), "png", ramp(128, 64, image::PixelType::kUint8), 1) == "");
  REQUIRE(makeTexture(tmp.file("ramp.tif"), tmp.file("ramp.tex"), {}) == "");
  for (const char* name : {"ramp.tif", "bytes.png", "ramp.tex"}) {
    CAPTURE(name);
    for (const float s : {0.1f, 0.37f, 0.9f}) {
      for (const float t : {0.2f, 0.5f, 0.85f}) {
        const auto c = lookUp(textures, tmp.file(name), s, t);
        CHECK(c[0] == doctest::Approx(s).epsilon(0.02));
        CHECK(c[1] == doctest::Approx(t).epsilon(0.02));
        CHECK(c[2] == doctest::Approx(0.25f).epsilon(0.02));
      }
    }
  }
  // A wide filter gives the mean of what it covers.
  CHECK(lookUp(textures, tmp.file("ramp.tex"), 0.5f, 0.5f, {}, 0.4f)[0] == doctest::Approx(0.5f).epsilon(0.05));
  LookupOptions o;
  o.fill = 0.75f;
  CHECK(lookUp(textures, tmp.file("ramp.tif"), 0.5f, 0.5f, o, 0.001f, 4)[3] == 0.75f);
  o.firstChannel = 1;
  CHECK(lookUp(textures, tmp.file("ramp.tif"), 0.5f, 0.2f, o, 0.001f, 1)[0] == doctest::Approx(0.2f).epsilon(0.02));
  CHECK(diag.count(Severity::kError) == 0);
}

TEST_CASE("wrap modes come from the file") {
  const TempFolder tmp;
  Diagnostics diag;
  TextureSystem textures(diag, 0);
  REQUIRE(image::writeImage(tmp.file("r.tif"), "tiff", ramp(64, 64, image::PixelType::kFloat), 1) == "");
  REQUIRE(makeTexture(tmp.file("r.tif"), tmp.file("p.tex"), wraps("periodic", "clamp")) == "");
  REQUIRE(makeTexture(tmp.file("r.tif"), tmp.file("b.tex"), {}) == "");
  CHECK(lookUp(textures, tmp.file("p.tex"), 1.25f, 0.5f)[0] == doctest::Approx(0.25f).epsilon(0.03));
  CHECK(lookUp(textures, tmp.file("p.tex"), 0.5f, 1.5f)[1] == doctest::Approx(1).epsilon(0.02));
  CHECK(lookUp(textures, tmp.file("b.tex"), 1.25f, 0.5f)[0] == 0);
  // sRGB is converted where asked for, alone.
  image::Image grey = ramp(8, 8, image::PixelType::kUint8);
  for (float& v : grey.pixels) v = 128;
  REQUIRE(image::writeImage(tmp.file("g.png"), "png", grey, 1) == "");
  MapOptions o;
  REQUIRE(makeTexture(tmp.file("g.png"), tmp.file("g.tex"), o) == "");
  o.fromColorSpace = "sRGB";
  REQUIRE(makeTexture(tmp.file("g.png"), tmp.file("l.tex"), o) == "");
  CHECK(lookUp(textures, tmp.file("g.tex"), 0.5f, 0.5f)[1] == doctest::Approx(128 / 255.0f).epsilon(0.001));
  CHECK(lookUp(textures, tmp.file("l.tex"), 0.5f, 0.5f)[1] == doctest::Approx(0.21586f).epsilon(0.001));
  CHECK(makeTexture(tmp.file("r.tif"), tmp.file("x.tex"), wraps("sideways", "clamp")).find("sideways") !=
        std::string::npos);
  CHECK(makeTexture(tmp.file("none.tif"), tmp.file("x.tex"), {}).find("no such file") != std::string::npos);
  CHECK_FALSE(fs::exists(tmp.file("x.tex")));
}

TEST_CASE("environments: +x in the middle, +z on top, no seam; cube faces by their cameras") {
  const TempFolder tmp;
  Diagnostics diag;
  TextureSystem textures(diag, 0);
  REQUIRE(image::writeImage(tmp.file("e.tif"), "tiff", ramp(256, 128, image::PixelType::kFloat), 1) == "");
  REQUIRE(makeLatLong(tmp.file("e.tif"), tmp.file("e.env"), {}) == "");
  CHECK(lookAlong(textures, tmp.file("e.env"), {2, 0, 0})[0] == doctest::Approx(0.5f).epsilon(0.02));
  CHECK(lookAlong(textures, tmp.file("e.env"), {0, 3, 0})[0] == doctest::Approx(0.75f).epsilon(0.02));
  CHECK(lookAlong(textures, tmp.file("e.env"), {0.01f, 0, 1})[1] < 0.02f);
  CHECK(lookAlong(textures, tmp.file("e.env"), {0.01f, 0, -1})[1] > 0.98f);

  const Vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::array<std::string, 6> names;
  for (int f = 0; f < 6; ++f) {
    image::Image face = ramp(32, 32, image::PixelType::kUint8);
    for (size_t i = 2; i < face.pixels.size(); i += 3) face.pixels[i] = static_cast<float>(f * 40);
    // The order of channels is the picture's, whatever the format.
    const bool exr = f % 2 == 1;
    for (size_t i = 0; i < face.pixels.size() && exr; ++i) face.pixels[i] /= 255;
    for (image::Channel& c : face.channels)
      if (exr) c.type = image::PixelType::kHalf;
    names[f] = tmp.file(format("f{}.{}", f, exr ? "exr" : "tif"));
    REQUIRE(image::writeImage(names[f], exr ? "exr" : "tiff", face, 1) == "");
  }
  REQUIRE(makeCubeFace(names, tmp.file("c.env"), 90, {}) == "");
  for (int f = 0; f < 6; ++f) {
    CAPTURE(f);
    CHECK(lookAlong(textures, tmp.file("c.env"), axes[f] + Vec3{0.01f, 0.01f, 0.01f})[2] ==
          doctest::Approx(f * 40 / 255.0f).epsilon(0.03));
  }
  // On +z, x grows to the right and y upwards; on +x, -z lies to the right.
  CHECK(lookAlong(textures, tmp.file("c.env"), {0.5f, 0, 1})[0] == doctest::Approx(0.75f).epsilon(0.04));
  CHECK(lookAlong(textures, tmp.file("c.env"), {0, 0.5f, 1})[1] == doctest::Approx(0.25f).epsilon(0.08));
  CHECK(lookAlong(textures, tmp.file("c.env"), {1, 0, -0.5f})[0] == doctest::Approx(0.75f).epsilon(0.04));
  CHECK(makeCubeFace(names, tmp.file("d.env"), 60, {}) != "");
  std::vector<float> numbers;
  std::string text;
  CHECK(textures.info(tmp.file("c.env"), "type", numbers, text));
  CHECK(text == "environment");
  CHECK(textures.info(tmp.file("c.env"), "resolution", numbers, text));
  CHECK(numbers == std::vector<float>{128, 64});
}

TEST_CASE("missing and damaged files: one message, zeros; search path; threads") {
  const TempFolder tmp;
  Diagnostics diag;
  diag.setPrinter({});
  TextureSystem textures(diag, 0);
  CHECK(lookUp(textures, "none.tif", 0.5f, 0.5f)[0] == 0);
  CHECK(lookUp(textures, "none.tif", 0.5f, 0.5f)[0] == 0);
  CHECK(diag.count(Severity::kError) == 1);
  std::ofstream(tmp.file("junk.tif")) << "this is no picture";
  CHECK(lookUp(textures, tmp.file("junk.tif"), 0.5f, 0.5f)[0] == 0);
  CHECK(diag.count(Severity::kError) == 2);
  CHECK(lookUp(textures, "", 0.5f, 0.5f)[0] == 0);
  std::vector<float> numbers;
  std::string text;
  CHECK(textures.info("none.tif", "exists", numbers, text));
  CHECK(numbers[0] == 0);
  CHECK_FALSE(textures.info("none.tif", "resolution", numbers, text));

  REQUIRE(image::writeImage(tmp.file("found.tif"), "tiff", ramp(64, 64, image::PixelType::kFloat), 1) == "");
  textures.setSearchPath({"/nowhere", tmp.path.string()});
  CHECK(textures.info("found.tif", "exists", numbers, text));
  CHECK(numbers[0] == 1);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&] {
      for (int i = 3; i < 97; ++i) {
        const float s = static_cast<float>(i) / 100;
        if (std::fabs(lookUp(textures, "found.tif", s, 0.5f)[0] - s) > 0.02f) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
  // Values that are no numbers do not travel.
  CHECK(std::isfinite(lookUp(textures, "found.tif", std::nanf(""), 0.5f)[0]));
}

TEST_CASE("files that are no pictures: one line that says what they are") {
  const TempFolder tmp;
  const std::string foreign = unreadable(tmp, "a.tx", std::string("\xce\xfa\x02\x00", 4) + std::string(60, '\1'));
  CHECK(foreign.find("another renderer's texture") != std::string::npos);
  const std::string none = unreadable(tmp, "b.tx", "just words, more words, no picture at all");
  CHECK(none.find("another renderer's") == std::string::npos);
  CHECK(none.find('\n') == std::string::npos);
}

TEST_CASE("channels that a texture has not are filled") {
  const TempFolder tmp;
  REQUIRE(image::writeImage(tmp.file("rgb.exr"), "exr", ramp(64, 64, image::PixelType::kFloat), 1) == "");
  REQUIRE(image::writeImage(tmp.file("small.tif"), "tiff", ramp(64, 64, image::PixelType::kUint8), 1) == "");
  Diagnostics diag;
  diag.setPrinter({});
  TextureSystem textures(diag, 0);
  LookupOptions o;
  o.fill = 0.75f;
  for (const char* filter : {"", "bilinear", "point"}) {
    o.filter = filter;
    o.firstChannel = 2;
    CHECK(lookUp(textures, tmp.file("rgb.exr"), 0.5f, 0.5f, o, 0.001f, 2)[0] == doctest::Approx(0.25));
    CHECK(lookUp(textures, tmp.file("rgb.exr"), 0.5f, 0.5f, o, 0.001f, 2)[1] == 0.75f);
    for (const int first : {3, 4, 1000}) {
      o.firstChannel = first;
      CHECK(lookUp(textures, tmp.file("rgb.exr"), 0.5f, 0.5f, o, 0.3f, 1)[0] == 0.75f);
      CHECK(lookUp(textures, tmp.file("rgb.exr"), 0.9f, 0.1f, o, 0.001f, 3)[2] == 0.75f);
      for (float s = 0.01f; s < 1; s += 0.07f)
        for (const float size : {0.001f, 0.1f})
          CHECK(lookUp(textures, tmp.file("small.tif"), s, 0.99f, o, size, 1)[0] == 0.75f);
    }
  }
  CHECK(diag.count(Severity::kError) == 0);
}
