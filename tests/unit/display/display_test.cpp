// SPDX-License-Identifier: Apache-2.0
// Displays: types, quantisation by hand, exposure, tiles in any order, crops, what lands in the file.
#include "reyes/display/display.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <thread>

#include "reyes/base/format.h"

using namespace reyes;
using namespace reyes::display;
using image::PixelType;
namespace fs = std::filesystem;

namespace {

struct TempFolder {
  fs::path path;
  TempFolder() : path(fs::temp_directory_path() / format("reyes_display_test_{}", getpid())) {
    fs::create_directories(path);
  }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

DisplayRequest request(const std::string& name, const std::string& type, PixelRect data, PixelRect full) {
  DisplayRequest r;
  r.name = name, r.type = type;
  r.channels = {{"R"}, {"G"}, {"B"}, {"A", false}};
  r.dataWindow = data, r.displayWindow = full;
  return r;
}

/// Sends tiles of 7x5 out of order, each pixel (x, y, x + y, 1) / 100.
void send(Display& d, PixelRect w) {
  std::vector<PixelRect> tiles;
  for (int y = w.y0; y < w.y1; y += 5)
    for (int x = w.x0; x < w.x1; x += 7) tiles.push_back({x, y, std::min(x + 7, w.x1), std::min(y + 5, w.y1)});
  std::vector<std::thread> threads;
  for (int k = 0; k < 3; ++k)
    threads.emplace_back([&, k] {
      for (size_t i = tiles.size(); i-- > 0;) {
        if (static_cast<int>(i % 3) != k) continue;
        std::vector<float> p;
        for (int y = tiles[i].y0; y < tiles[i].y1; ++y)
          for (int x = tiles[i].x0; x < tiles[i].x1; ++x)
            for (const float v : {x / 100.0f, y / 100.0f, (x + y) / 100.0f, 1.0f}) p.push_back(v);
        d.tile(tiles[i], p);
      }
    });
  for (std::thread& t : threads) t.join();
}

const float* at(const image::Image& im, int x, int y) { return im.pixel(x, y); }
int channel(const image::Image& im, const std::string& name) {
  for (size_t c = 0; c < im.channels.size(); ++c)
    if (im.channels[c].name == name) return static_cast<int>(c);
  return -1;
}

}  // namespace

TEST_CASE("display types") {
  CHECK(formatOf("file", "a.tif") == "tiff");
  CHECK(formatOf("file", "a.PNG") == "png");
  CHECK(formatOf("file", "a.exr") == "exr");
  CHECK(formatOf("file", "a.jpg") == "jpeg");
  CHECK(formatOf("file", "scene.pic") != "");
  CHECK(formatOf("file", "v1.2/scene") == "tiff");
  CHECK(formatOf("tiff", "a.png") == "tiff");
  CHECK(formatOf("openexr", "a") == "exr");
  CHECK(formatOf("framebuffer", "teapot") == "exr");
  CHECK(formatOf("it", "teapot.tif") == "tiff");
  CHECK(formatOf("piqsl", "x") == "exr");
  CHECK(formatOf("zfile", "x.z") == "zfile");
  CHECK(formatOf("shadow", "x.z") == "shadow");
  CHECK(formatOf("null", "x") == "null");
  CHECK(formatOf("xpm", "x").empty());
  CHECK(formatOf("DeepEXR", "x") == "deepexr");
  CHECK(isPassType("zfile"));
  CHECK(isPassType("deepshad"));
  CHECK_FALSE(isPassType("file"));
}

TEST_CASE("quantise table") {
  const QuantizeSpec none{true, 255, 0, 255, 0.5f};
  CHECK(quantizeValue(0.3f, none, 0, 0, 0) == 0.3f);
  const QuantizeSpec zero{false, 0, 0, 0, 0};
  CHECK(quantizeValue(0.3f, zero, 0, 0, 0) == 0.3f);
  const QuantizeSpec byte{false, 255, 0, 255, 0};
  struct Row {
    float v, want;
  };
  const float inf = std::numeric_limits<float>::infinity();
  for (const Row r : {Row{0, 0}, Row{1, 255}, Row{0.5f, 128}, Row{0.25f, 64}, Row{1.5f, 255}, Row{-1, 0},
                      Row{0.0019f, 0}, Row{0.002f, 1}, Row{inf, 255}, Row{-inf, 0}, Row{std::nanf(""), 0}})
    CHECK(quantizeValue(r.v, byte, 3, 4, 0) == r.want);
  const QuantizeSpec wide{false, 65535, 100, 60000, 0};
  CHECK(quantizeValue(0.5f, wide, 0, 0, 0) == 32768);
  CHECK(quantizeValue(0, wide, 0, 0, 0) == 100);
  CHECK(quantizeValue(1, wide, 0, 0, 0) == 60000);
  // Dither: within half a step, a function of pixel and channel, right in the mean.
  const QuantizeSpec dithered{false, 255, 0, 255, 0.5f};
  double sum = 0;
  std::set<float> seen;
  for (int y = 0; y < 100; ++y)
    for (int x = 0; x < 100; ++x) {
      const float q = quantizeValue(100.3f / 255, dithered, x, y, 1);
      sum += q, seen.insert(q);
      CHECK_EQ(q, quantizeValue(100.3f / 255, dithered, x, y, 1));
    }
  CHECK(seen == std::set<float>{100, 101});
  CHECK(sum / 10000 == doctest::Approx(100.3).epsilon(0.0005));
}

TEST_CASE("exr: half colour, float z, crop, exposure, end attributes, no quantisation") {
  const TempFolder tmp;
  Diagnostics diag;
  DisplayRequest r = request(tmp.file("a.exr"), "exr", {10, 20, 50, 43}, {0, 0, 64, 48});
  r.quantize.floating = false;
  r.gain = 4, r.gamma = 2;
  auto d = makeDisplay(r, diag);
  send(*d, r.dataWindow);
  d->setAttribute("reyes/status", std::string("complete"));
  REQUIRE(d->finish() == "");
  CHECK(d->wrote() == r.name);
  image::Image im;
  REQUIRE(image::readImage(r.name, im) == "");
  CHECK(im.dataWindow == r.dataWindow);
  CHECK(im.displayWindow == r.displayWindow);
  CHECK(std::get<std::string>(im.attributes.at("reyes/status")) == "complete");
  CHECK(im.attributes.count("capDate") == 1);
  CHECK(std::get<float>(im.attributes.at("framesPerSecond")) == 24);
  for (const auto& [x, y] : {std::pair{10, 20}, std::pair{49, 42}, std::pair{33, 30}}) {
    CHECK(at(im, x, y)[channel(im, "R")] == doctest::Approx(std::sqrt(x / 25.0)).epsilon(0.001));
    CHECK(at(im, x, y)[channel(im, "G")] == doctest::Approx(std::sqrt(y / 25.0)).epsilon(0.001));
    CHECK(at(im, x, y)[channel(im, "A")] == 1);
  }
}

TEST_CASE("tiff and png hold quantised bytes, float tiff where asked") {
  const TempFolder tmp;
  Diagnostics diag;
  for (const char* type : {"tiff", "png"}) {
    CAPTURE(type);
    DisplayRequest r = request(tmp.file("q"), type, {0, 0, 40, 30}, {0, 0, 40, 30});
    r.quantize = {false, 255, 0, 255, 0};
    auto d = makeDisplay(r, diag);
    send(*d, r.dataWindow);
    REQUIRE(d->finish() == "");
    image::Image im;
    REQUIRE(image::readImage(r.name, im) == "");
    CHECK(im.channels[0].type == PixelType::kUint8);
    CHECK(at(im, 20, 10)[0] == 51);
    CHECK(at(im, 20, 10)[1] == 26);
    CHECK(at(im, 39, 29)[3] == 255);
  }
  DisplayRequest r = request(tmp.file("f.tif"), "tiff", {0, 0, 40, 30}, {0, 0, 40, 30});
  auto d = makeDisplay(r, diag);
  send(*d, r.dataWindow);
  REQUIRE(d->finish() == "");
  image::Image im;
  REQUIRE(image::readImage(r.name, im) == "");
  CHECK(at(im, 20, 10)[0] == doctest::Approx(0.2f).epsilon(0.001));
  // PNG cannot hold floats: eight bits.
  r = request(tmp.file("f.png"), "file", {0, 0, 40, 30}, {0, 0, 40, 30});
  d = makeDisplay(r, diag);
  send(*d, r.dataWindow);
  REQUIRE(d->finish() == "");
  REQUIRE(image::readImage(r.name, im) == "");
  CHECK(std::fabs(at(im, 20, 10)[0] - 51) <= 1);
}

TEST_CASE("whole numbers: their bits in an EXR, their values elsewhere, and what does not fit is told") {
  const TempFolder folder;
  const PixelRect window{0, 0, 3, 1};
  Diagnostics diag;
  diag.setPrinter({});
  const auto write = [&](const char* name, const char* type, PixelType stored, std::optional<QuantizeSpec> own,
                         std::vector<uint32_t> numbers, image::Image& back) {
    DisplayRequest r = request(folder.file(name), type, window, window);
    r.channels = {{"id", false, stored}};
    r.channels[0].whole = true, r.channels[0].quantize = own;
    const auto d = makeDisplay(r, diag);
    std::vector<float> bits;
    for (const uint32_t n : numbers) bits.push_back(std::bit_cast<float>(n));
    d->tile(window, bits);
    CHECK(d->finish() == "");
    CHECK(image::readExact(folder.file(name), back) == "");
    return d->lost();
  };
  image::Image back;
  // 0x7fc00001 is no number as a float.
  CHECK(write("a.exr", "exr", PixelType::kUint32, {}, {0x7fc00001u, 4294967293u, 16777217}, back) == "");
  CHECK(std::bit_cast<uint32_t>(back.pixels[0]) == 0x7fc00001u);
  CHECK(std::bit_cast<uint32_t>(back.pixels[1]) == 4294967293u);
  CHECK(std::bit_cast<uint32_t>(back.pixels[2]) == 16777217u);
  CHECK(write("b.exr", "exr", PixelType::kFloat, {}, {5, 4294967293u, 16777216}, back) == "");
  CHECK(back.pixels == std::vector<float>{5, -3, 16777216});
  CHECK(write("c.exr", "exr", PixelType::kFloat, {}, {5, 6, 16777217}, back) != "");
  CHECK(write("a.tif", "tiff", PixelType::kUint32, {}, {5, 255, 70000}, back) == "");
  CHECK(back.pixels == std::vector<float>{5, 255, 70000});
  CHECK(write("a.png", "png", PixelType::kUint32, {}, {5, 255, 300}, back) != "");
  CHECK(back.pixels == std::vector<float>{5, 255, 255});
  CHECK(write("b.png", "png", PixelType::kUint32, QuantizeSpec{false, 1, 0, 65535, 0.5f}, {5, 255, 65535}, back) == "");
  CHECK(back.pixels == std::vector<float>{5, 255, 65535});
}

TEST_CASE("shadow passes store float Z with matrices; viewers and unknown types become files; null writes nothing") {
  const TempFolder tmp;
  Diagnostics diag;
  DisplayRequest r = request(tmp.file("s.z"), "shadow", {0, 0, 4, 4}, {0, 0, 4, 4});
  r.channels = {{"z"}};
  r.quantize = {false, 255, 0, 255, 0.5f};
  r.attributes["worldToCamera"] = Matrix4::translate({0, 0, 5});
  r.attributes["worldToNDC"] = Matrix4();
  auto d = makeDisplay(r, diag);
  std::vector<float> z(16, 123456.789f);
  z[3] = std::numeric_limits<float>::infinity();
  d->tile(r.dataWindow, z);
  REQUIRE(d->finish() == "");
  image::Image im;
  REQUIRE(image::readImage(r.name, im) == "");
  CHECK(im.channels[0].name == "Z");
  CHECK(im.channels[0].type == PixelType::kFloat);
  CHECK(im.pixels == z);
  CHECK(std::get<Matrix4>(im.attributes.at("worldToCamera")).m[3][2] == 5);

  r = request(tmp.file("window"), "framebuffer", {0, 0, 4, 4}, {0, 0, 4, 4});
  d = makeDisplay(r, diag);
  REQUIRE(d->finish() == "");
  CHECK(d->wrote() == tmp.file("window.exr"));
  r = request(tmp.file("odd"), "nosuchtype", {0, 0, 4, 4}, {0, 0, 4, 4});
  r.compression = "lzw";
  d = makeDisplay(r, diag);
  CHECK(diag.hasCode("display-compression"));
  REQUIRE(d->finish() == "");
  CHECK(fs::exists(tmp.file("odd")));
  d = makeDisplay(request(tmp.file("none"), "null", {0, 0, 4, 4}, {0, 0, 4, 4}), diag);
  d->tile({0, 0, 1, 1}, std::vector<float>(4));
  CHECK(d->finish() == "");
  CHECK(d->wrote().empty());
  CHECK_FALSE(fs::exists(tmp.file("none")));
  // A tile beyond the window is clipped, a short one ignored.
  r = request(tmp.file("clip.exr"), "exr", {2, 2, 4, 4}, {0, 0, 4, 4});
  d = makeDisplay(r, diag);
  d->tile({0, 0, 8, 8}, std::vector<float>(8 * 8 * 4, 0.5f));
  d->tile({0, 0, 8, 8}, std::vector<float>(3, 1.0f));
  CHECK(d->finish() == "");
  REQUIRE(image::readImage(r.name, im) == "");
  for (const float v : im.pixels) CHECK(v == 0.5f);
  // The folder is missing: an error, and no name.
  d = makeDisplay(request(tmp.file("no/such/x.exr"), "exr", {0, 0, 4, 4}, {0, 0, 4, 4}), diag);
  CHECK(d->finish().find("no such folder") != std::string::npos);
  CHECK(d->wrote().empty());
}

TEST_CASE("a display that cannot be written says so before the first tile") {
  TempFolder folder;
  Diagnostics diag;
  diag.setPrinter({});
  std::string text;
  const PixelRect w{0, 0, 4, 4};
  CHECK(makeDisplay(request(folder.file("a.exr"), "file", w, w), diag)->problem(text) == Impact::kNone);
  CHECK(fs::is_empty(folder.path));
  CHECK(makeDisplay(request(folder.file("no/such/a.exr"), "file", w, w), diag)->problem(text) == Impact::kEnvironment);
  CHECK(text.find("no such folder") != std::string::npos);
  CHECK(makeDisplay(request("", "null", w, w), diag)->problem(text) == Impact::kNone);
}
