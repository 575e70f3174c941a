// SPDX-License-Identifier: Apache-2.0
// Deep pictures of whole scenes: flattened they are the flat picture; the same samples however they are rendered; what
// a light sees.
#include <doctest/doctest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

struct Both {
  Picture flat;
  image::DeepImage deep;
};

/// Renders a flat and a deep picture at once. `display` is what follows the deep one's name.
Both both(const std::string& rib, Setup setup = {}, const std::string& display = "\"deepexr\" \"rgba\"",
          const std::string& mode = "rgba") {
  static int serial = 0;
  const auto file = std::filesystem::temp_directory_path() / format("reyes-deep-{}-{}.exr", getpid(), serial++);
  setup.options += format("Display \"+{}\" {}\n", file.string(), display);
  Both r{picture(rib, setup, mode), {}};
  CHECK(image::readDeep(file.string(), r.deep) == "");
  std::filesystem::remove(file);
  return r;
}

/// Composites a pixel's samples, a channel after the other, A last.
std::vector<double> flatten(const image::DeepImage& d, int x, int y, std::initializer_list<const char*> names) {
  std::vector<double> sums(names.size() + 1, 0.0);
  const auto a = static_cast<size_t>(d.channel("A"));
  double through = 1;
  for (uint64_t i = d.first(x, y); i < d.first(x, y) + d.count(x, y); ++i) {
    size_t n = 0;
    for (const char* name : names)
      sums[n++] += through * static_cast<double>(d.value(static_cast<size_t>(d.channel(name)), i));
    through *= 1 - static_cast<double>(d.value(a, i));
  }
  sums.back() = 1 - through;
  return sums;
}

bool tidy(const image::DeepImage& d) {
  const auto z = static_cast<size_t>(d.channel("Z")), back = static_cast<size_t>(d.channel("ZBack"));
  for (int y = d.dataWindow.y0; y < d.dataWindow.y1; ++y)
    for (int x = d.dataWindow.x0; x < d.dataWindow.x1; ++x) {
      float last = 0;
      for (uint64_t i = d.first(x, y); i < d.first(x, y) + d.count(x, y); ++i) {
        if (!(d.value(z, i) > last) || d.value(back, i) < d.value(z, i)) return false;
        last = d.value(back, i);
      }
    }
  return true;
}

/// The largest difference, as a part of what halves may differ by.
double worst(const Both& b) {
  double most = 0;
  for (int y = b.deep.dataWindow.y0; y < b.deep.dataWindow.y1; ++y)
    for (int x = b.deep.dataWindow.x0; x < b.deep.dataWindow.x1; ++x) {
      const std::vector<double> v = flatten(b.deep, x, y, {"R", "G", "B"});
      const char* const names[] = {"R", "G", "B", "A"};
      for (size_t c = 0; c < 4; ++c) {
        const auto flat = static_cast<double>(b.flat.at(x, y, names[c]));
        most = std::max(most, std::fabs(v[c] - flat) / (std::fabs(flat) * 0x1p-11 + 0x1p-12));
      }
    }
  return most;
}

bool sameSamples(const image::DeepImage& a, const image::DeepImage& b) {
  return a.starts == b.starts && a.planes == b.planes && a.channels.size() == b.channels.size();
}

const std::string kHead = R"(
Format 64 48 1
PixelSamples 4 4
PixelFilter "gaussian" 2 2
Projection "perspective" "fov" [40]
Clipping 0.1 100
)";
const std::string kThings = R"(
LightSource "ambientlight" 1 "intensity" [0.3]
LightSource "distantlight" 2 "from" [-1 2 -3] "to" [0 0 0]
Surface "plastic"
AttributeBegin Color [0.8 0.4 0.2] Translate -0.6 0 0 Sphere 0.8 -0.8 0.8 360 AttributeEnd
AttributeBegin Color [0.2 0.5 0.8] Opacity [0.6 0.6 0.6] Translate 0.4 0 -1.5 Sphere 0.7 -0.7 0.7 360 AttributeEnd
AttributeBegin Color [0.5 0.5 0.5] Polygon "P" [-4 -2 4  -4 2 2  4 2 2  4 -2 4] AttributeEnd
)";
const std::string kCards = R"(
Surface "constant"
Opacity [0.5 0.5 0.5]  Color [1 0.2 0.1]
Polygon "P" [-1 -1 3  -1 1 3  1 1 3  1 -1 3]
Opacity [0.9 0.3 0.1]  Color [0.3 1 0.1]
Polygon "P" [-1 -1 4  -1 2 4  2 2 4  2 -1 4]
Opacity [0.25 0.25 0.25]  Color [2 4 8]
Polygon "P" [-2 -2 5  -2 1 5  1 1 5  1 -2 5]
Polygon "P" [-2 -2 5.001  -2 1 5.001  1 1 5.001  1 -2 5.001]
Opacity [1 1 1]  Color [0.6 0.6 0.9]
Polygon "P" [-3 -3 7  -3 0 7  3 0 7  3 -3 7]
)";

std::string world(const std::string& things, const std::string& before = "Translate 0 0 5") {
  return kHead + before + "\nWorldBegin\n" + things + "WorldEnd\n";
}

}  // namespace

TEST_CASE("flattened deep is flat") {
  struct Scene {
    const char* name;
    std::string rib;
  };
  const Scene scenes[] = {
      {"opaque and transparent", world(kThings)},
      {"cards, coloured opacities", world(kCards, "")},
      {"matte",
       world("Matte 1\nPolygon \"P\" [0 -1 -1  0 1 -1  1 1 -1  1 -1 -1]\nOpacity [.5 .5 .5]\nPolygon \"P\" [-1 -1 "
             "-1  -1 1 -1  0 1 -1  0 -1 -1]\nMatte 0\nOpacity [1 1 1]\n" +
             kThings)},
      {"fog", world("Atmosphere \"fog\" \"float distance\" [6] \"color background\" [0.3 0.4 0.5]\n" + kThings)},
      {"motion", world("MotionBegin [0 1]\nTranslate -0.5 0 0\nTranslate 0.5 0.2 0.5\nMotionEnd\n" + kThings,
                       "Shutter 0 1\nTranslate 0 0 5")},
      {"depth of field", world(kThings, "DepthOfField 2 0.5 4\nTranslate 0 0 5")},
      {"curves",
       world(kThings + "Opacity [0.7 0.7 0.7]\nCurves \"cubic\" [4 4 4] \"nonperiodic\" \"P\" [-1 -1 -2  -0.5 0 "
                       "-2  0 0.5 -2  0.5 1 -1  -1 1 -2  0 0.9 -1  0.3 0 -2  1 -1 -2  0 -1 -2  0.1 0 -2  0.2 "
                       "0.5 -2  0 1 -2] \"constantwidth\" [0.05]\n")},
      {"points", world("Opacity [0.4 0.4 0.4]\nPoints \"P\" [0 0 -2  0.5 0.5 -1  -0.5 0.3 -2  0.2 -0.4 -1.5] "
                       "\"constantwidth\" [0.4]\n" +
                       kThings)},
  };
  for (const Scene& s : scenes) {
    CAPTURE(s.name);
    const Both b = both(s.rib);
    CHECK(b.deep.tidy);
    CHECK(tidy(b.deep));
    CHECK(b.deep.samples() > 1000);
    CHECK(worst(b) <= 1.5);
  }
}

TEST_CASE("cards of known opacity") {
  const Both b = both(world(kCards, ""), {}, "\"deepexr\" \"rgba\" \"string exrpixeltype\" [\"float\"]");
  REQUIRE(b.deep.count(30, 30) == 4);
  const uint64_t first = b.deep.first(30, 30);
  const auto value = [&](const char* name, uint64_t i) {
    return b.deep.value(static_cast<size_t>(b.deep.channel(name)), first + i);
  };
  CHECK(value("Z", 0) == doctest::Approx(3));
  CHECK(value("A", 0) == doctest::Approx(0.5));
  CHECK(value("R", 0) == doctest::Approx(0.5));
  CHECK(value("A", 1) == doctest::Approx((0.9 + 0.3 + 0.1) / 3));
  // Two that lie within a thousandth of their depth.
  CHECK(value("Z", 2) == doctest::Approx(5));
  CHECK(value("ZBack", 2) == doctest::Approx(5.001));
  CHECK(value("A", 3) == 1);
}

TEST_CASE("merging: fewer samples, the same picture") {
  uint64_t before = 0;
  for (const char* tolerances : {"\"float tolerance\" [0] \"float depthtolerance\" [0]", "",
                                 "\"float tolerance\" [0.1] \"float depthtolerance\" [0.02]"}) {
    const Both b = both(world(kThings), {}, format("\"deepexr\" \"rgba\" {}", tolerances));
    CHECK(tidy(b.deep));
    CHECK(worst(b) <= 1.5);
    if (before > 0) CHECK(b.deep.samples() < before);
    before = b.deep.samples();
  }
  // The option is for displays that say nothing.
  Setup s;
  s.options = "Option \"limits\" \"float deepshadowerror\" [0.1]\n";
  const Both loose = both(world(kThings), s, "\"deepexr\" \"rgba\" \"float depthtolerance\" [0.02]");
  CHECK(loose.deep.samples() == before);
  CHECK(std::get<float>(loose.deep.attributes.at("reyes/deepTolerance")) == 0.1f);
}

TEST_CASE("the scene's own words in the header; what deep pictures have not is said") {
  const Both b = both(world(kThings), {},
                      "\"deepexr\" \"rgba\" \"string comment\" [\"for night\"] \"int exrheader_take\" [7] "
                      "\"string exrheader_shot/name\" [\"ab 10\"] \"float[2] exrheader_pair\" [1 2]");
  CHECK(b.flat.messages.empty());
  CHECK(std::get<std::string>(b.deep.attributes.at("comments")) == "for night");
  CHECK(std::get<int>(b.deep.attributes.at("take")) == 7);
  CHECK(std::get<std::string>(b.deep.attributes.at("shot/name")) == "ab 10");
  CHECK(std::get<Vec2>(b.deep.attributes.at("pair")).y == 2);
  const std::string channel =
      "DisplayChannel \"color mse\" \"string source\" [\"Ci\"] \"string statistics\" [\"mse\"]\n";
  const Both statistics = both(channel + world(kThings), {}, "\"deepexr\" \"rgba,mse\"");
  CHECK(statistics.flat.hasCode("display-variable"));
  CHECK(statistics.deep.channels.size() == 6);
  CHECK(both(world(kThings), {}, "\"deepexr\" \"rgba\" \"int matte\" [0]").flat.hasCode("display-variable"));
}

TEST_CASE("the same samples for any threads, buckets, instruction set; a crop is a part") {
  const std::string rib = world("MotionBegin [0 1]\nTranslate -0.5 0 0\nTranslate 0.5 0.2 0.5\nMotionEnd\n" + kThings,
                                "Shutter 0 1\nDepthOfField 4 0.5 4\nTranslate 0 0 5");
  const char* const display = "\"deepexr\" \"rgba,N\"";
  const Both whole = both(rib, {}, display);
  for (const int threads : {1, 3, 4}) {
    Setup s;
    s.threads = threads;
    CHECK(sameSamples(both(rib, s, display).deep, whole.deep));
  }
  for (const int width : {3, 64, 128}) {
    Setup s;
    s.bucketWidth = width, s.bucketHeight = width == 3 ? 5 : width;
    CHECK(sameSamples(both(rib, s, display).deep, whole.deep));
  }
  Setup plain;
  plain.isa = Isa::kSse4;
  CHECK(sameSamples(both(rib, plain, display).deep, whole.deep));
  Setup crop;
  crop.options = "CropWindow 0.3 0.6 0.25 0.75\n";
  const image::DeepImage part = both(rib, crop, display).deep;
  CHECK(part.dataWindow.width() < 25);
  bool same = true;
  for (int y = part.dataWindow.y0; y < part.dataWindow.y1; ++y)
    for (int x = part.dataWindow.x0; x < part.dataWindow.x1; ++x) {
      same = same && part.count(x, y) == whole.deep.count(x, y);
      for (size_t c = 0; same && c < part.channels.size(); ++c)
        for (uint64_t i = 0; i < part.count(x, y); ++i)
          same = same && part.value(c, part.first(x, y) + i) == whole.deep.value(c, whole.deep.first(x, y) + i);
    }
  CHECK(same);
}

TEST_CASE("overscan: the frame is a part of what lies around it, flat and deep") {
  const std::string rib = world("MotionBegin [0 1]\nTranslate -0.5 0 0\nTranslate 0.5 0.2 0.5\nMotionEnd\n" + kThings,
                                "Shutter 0 1\nTranslate 0 0 5");
  const Both frame = both(rib);
  Setup around;
  around.options = "CropWindow -0.25 1.125 -0.5 1.25\n";
  const Both wide = both(rib, around);
  CHECK(wide.flat.messages.empty());
  CHECK(wide.deep.dataWindow.x0 == -16);
  CHECK(wide.deep.dataWindow.y1 == 60);
  CHECK(wide.deep.displayWindow.x1 == 64);
  CHECK(wide.flat.image.dataWindow.y0 == -24);
  CHECK(differencesWhereBoth(wide.flat.image, frame.flat.image) == 0);
  CHECK(tidy(wide.deep));
  CHECK(worst(wide) <= 1.5);
  bool same = true, outside = false;
  for (int y = -24; y < 60; ++y)
    for (int x = -16; x < 72; ++x) {
      if (frame.deep.dataWindow.contains(x, y))
        same = same && frame.deep.count(x, y) == wide.deep.count(x, y);
      else
        outside = outside || wide.deep.count(x, y) > 0;
    }
  CHECK(same);
  CHECK(outside);
  around.options = "CropWindow -0.6 1 0 1\n";
  CHECK(picture(rib, around).hasCode("rib-bad-argument"));
}

TEST_CASE("a filter with negative lobes is a box in deep pictures, and the header says so") {
  const std::string rib = world(kThings);
  Setup sharp;
  sharp.options = "PixelFilter \"catmull-rom\" 4 4\n";
  const Both b = both(rib, sharp);
  const std::string text = std::get<std::string>(b.deep.attributes.at("reyes/deepFilter"));
  CHECK(text.find("box 1 x 1") == 0);
  Setup box;
  box.options = "PixelFilter \"box\" 1 1\n";
  const Both flat = both(rib, box);
  CHECK(worst({flat.flat, b.deep}) <= 1.5);
  CHECK(std::get<std::string>(flat.deep.attributes.at("reyes/deepFilter")) == "box 1 x 1");
}

TEST_CASE("output variables ride along") {
  const Both b = both(world("Surface \"constant\" Opacity [0.5 0.5 0.5] Polygon \"P\" [-1 -1 0  -1 1 0  1 1 0  1 -1 "
                            "0]\nPolygon \"P\" [-1 0 1  -1 1 1  1 1 1  1 0 1]\n"),
                      {}, "\"deepexr\" \"rgba,N,Oi\"", "rgba,Oi");
  const auto at = [&](const char* name) { return b.deep.channel(name); };
  REQUIRE(at("N.z") >= 0);
  REQUIRE(at("Oi.R") >= 0);
  CHECK(b.deep.channels[static_cast<size_t>(at("N.z"))].type == image::PixelType::kFloat);
  for (uint64_t i = 0; i < b.deep.samples(); ++i)
    CHECK(std::fabs(b.deep.value(static_cast<size_t>(at("N.z")), i)) == doctest::Approx(1));
  // What is added up through opacities flattens to the flat picture's.
  for (int x = 0; x < 64; ++x)
    CHECK(flatten(b.deep, x, 24, {"Oi.R"})[0] ==
          doctest::Approx(static_cast<double>(b.flat.at(x, 24, "Oi.R"))).epsilon(0.001));
}

TEST_CASE("ids of Cryptomatte: a sample is of one, and their shares are the coverages of the flat picture") {
  std::string named = kThings;
  for (const char* name : {"left ball", "glass", "floor"})
    named.replace(named.find("AttributeBegin Color"), 20,
                  format("AttributeBegin Attribute \"identifier\" \"string name\" [\"{}\"] color", name));
  for (size_t at; (at = named.find("color [")) != std::string::npos;) named.replace(at, 5, "Color");
  const std::string rib = world("MotionBegin [0 1]\nTranslate -0.1 0 0\nTranslate 0.1 0 0\nMotionEnd\n" + named,
                                "Shutter 0 1\nTranslate 0 0 5");
  for (const char* tolerance : {"", "\"float tolerance\" [0.1] \"float depthtolerance\" [0.1]"}) {
    const Both b = both(rib, {}, format("\"deepexr\" \"rgba,cryptomatte:object|material\" {}", tolerance),
                        "rgba,cryptomatte:object");
    CHECK(b.flat.messages.empty());
    CHECK(tidy(b.deep));
    CHECK(worst(b) <= 1.5);
    const int id = b.deep.channel("CryptoObject.id");
    REQUIRE(id >= 0);
    CHECK(b.deep.channel("CryptoMaterial.id") >= 0);
    CHECK(b.deep.channels[static_cast<size_t>(id)].type == image::PixelType::kUint32);
    const auto a = static_cast<size_t>(b.deep.channel("A"));
    static const char* const kPairs[][2] = {{"00.red", "00.green"}, {"00.blue", "00.alpha"}, {"01.red", "01.green"}};
    double most = 0;
    int covered = 0;
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 64; ++x) {
        std::map<uint32_t, double> shares;
        double through = 1;
        for (uint64_t i = b.deep.first(x, y); i < b.deep.first(x, y) + b.deep.count(x, y); ++i) {
          uint32_t value;
          std::memcpy(&value, b.deep.planes[static_cast<size_t>(id)].data() + i * 4, 4);
          shares[value] += through * static_cast<double>(b.deep.value(a, i));
          through *= 1 - static_cast<double>(b.deep.value(a, i));
        }
        for (const auto& pair : kPairs) {
          const double coverage = static_cast<double>(b.flat.at(x, y, format("CryptoObject{}", pair[1])));
          if (coverage == 0) continue;
          const auto value = std::bit_cast<uint32_t>(b.flat.at(x, y, format("CryptoObject{}", pair[0])));
          most = std::max(most, std::fabs(shares[value] - coverage));
          ++covered;
        }
      }
    CHECK(covered > 2000);
    CHECK(most < 0.002);
  }
}

TEST_CASE("two deep pictures put into each other are the picture of both") {
  // A tilted sheet of one half goes through a floor and a wall; inside their areas nothing is covered in part.
  const std::string sheet =
      "Surface \"constant\" Color [0.9 0.2 0.1] Opacity [0.5 0.5 0.5]\nPolygon \"P\" [-9 -9 -2  -9 9 5  9 9 5  9 -9 "
      "-2]\n";
  const std::string room =
      "Surface \"constant\" Color [0.2 0.6 0.3] Opacity [1 1 1]\nPolygon \"P\" [-9 -9 1  -9 9 1  9 9 1  9 -9 1]\n"
      "Color [0.1 0.2 0.9] Opacity [0.75 0.75 0.75]\nPolygon \"P\" [-9 -9 -1  -9 9 -1  9 9 -1  9 -9 -1]\n";
  const char* const display =
      "\"deepexr\" \"rgba\" \"float tolerance\" [0] \"float depthtolerance\" [0] "
      "\"string exrpixeltype\" [\"float\"]";
  const Both a = both(world(sheet), {}, display), b = both(world(room), {}, display), all = both(world(sheet + room));
  struct Sample {
    float z, a, c[3];
  };
  double most = 0, mean = 0;
  for (int y = 1; y < 47; ++y)
    for (int x = 1; x < 63; ++x) {
      std::vector<Sample> samples;
      for (const image::DeepImage* d : {&a.deep, &b.deep})
        for (uint64_t i = d->first(x, y); i < d->first(x, y) + d->count(x, y); ++i) {
          const auto v = [&](const char* name) { return d->value(static_cast<size_t>(d->channel(name)), i); };
          samples.push_back({v("Z"), v("A"), {v("R"), v("G"), v("B")}});
        }
      std::sort(samples.begin(), samples.end(), [](const Sample& p, const Sample& q) { return p.z < q.z; });
      double through = 1, sums[3] = {};
      for (const Sample& s : samples) {
        for (int c = 0; c < 3; ++c) sums[c] += through * static_cast<double>(s.c[c]);
        through *= 1 - static_cast<double>(s.a);
      }
      for (int c = 0; c < 3; ++c) {
        const double d = std::fabs(sums[c] - static_cast<double>(all.flat.at(x, y, c == 0 ? "R" : c == 1 ? "G" : "B")));
        most = std::max(most, d), mean += d / (3 * 46 * 62);
      }
    }
  // Where the sheet goes through the others each has both orders in a pixel, which deep pixels do not know of.
  CHECK(mean < 0.002);
  CHECK(most < 0.1);
}

TEST_CASE("what a light sees") {
  const std::string rib = world(
      "Surface \"constant\" Matte 1 Opacity [0.9 0.3 0.1]\nPolygon \"P\" [-3 -3 1  -3 3 1  3 3 1  "
      "3 -3 1]\nMatte 0\nOpacity [1 1 1]\nPolygon \"P\" [-3 -3 2  -3 3 2  3 3 2  3 -3 2]\n");
  const Both grey = both(rib, {}, "\"deepshad\" \"rgbaz\"");
  CHECK(grey.deep.channels.size() == 3);
  REQUIRE(grey.deep.count(32, 24) == 2);
  const uint64_t g = grey.deep.first(32, 24);
  CHECK(grey.deep.value(static_cast<size_t>(grey.deep.channel("A")), g) == doctest::Approx(1.3 / 3).epsilon(0.001));
  CHECK(grey.deep.value(static_cast<size_t>(grey.deep.channel("Z")), g) == doctest::Approx(6));
  CHECK(std::get<std::string>(grey.deep.attributes.at("reyes/mapType")) == "deepshad");
  CHECK(grey.deep.attributes.count("worldToCamera") == 1);
  const Both coloured = both(rib, {}, "\"deepshad\" \"deepopacity\"");
  CHECK(coloured.deep.channels.size() == 6);
  REQUIRE(coloured.deep.count(32, 24) == 2);
  const uint64_t c = coloured.deep.first(32, 24);
  const double expected[] = {0.9, 0.3, 0.1};
  const char* const names[] = {"AR", "AG", "AB"};
  for (size_t i = 0; i < 3; ++i) {
    const auto plane = static_cast<size_t>(coloured.deep.channel(names[i]));
    CHECK(coloured.deep.value(plane, c) == doctest::Approx(expected[i]).epsilon(0.001));
    CHECK(coloured.deep.value(plane, c + 1) == 1);
  }
}

TEST_CASE("a compression that deep files have not is an error before rendering, and other displays go on") {
  const std::string file =
      (std::filesystem::temp_directory_path() / format("reyes-deep-{}-not.exr", getpid())).string();
  Setup s;
  s.options = format("Display \"+{}\" \"deepexr\" \"rgba\" \"string compression\" [\"piz\"]\n", file);
  const Picture p = picture(world(kThings), s);
  CHECK(p.hasCode("write-failed"));
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(p.mean("A") > 0.1);
}
