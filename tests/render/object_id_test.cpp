// SPDX-License-Identifier: Apache-2.0
// The output variable id: whose a pixel is, whole and never mixed, flat and deep.
#include <doctest/doctest.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

// One unit is a pixel, y up, the middle of the picture at (32, 32).
const std::string kCamera =
    "Format 64 64 1\nProjection \"orthographic\"\nScreenWindow -32 32 -32 32\nClipping 0.1 100\nTranslate 0 0 5\n"
    "PixelSamples 4 4\nPixelFilter \"gaussian\" 3 3\n";

/// A sheet of pixels x0 to x1 of the raster, all rows, so far behind the plane z = 0.
std::string sheet(double x0, double x1, double z = 0, const std::string& more = "") {
  return format("Patch \"bilinear\" \"P\" [{0} 40 {2} {1} 40 {2} {0} -40 {2} {1} -40 {2}]{3}\n", x0 - 32, x1 - 32, z,
                more);
}
std::string object(const std::string& id, const std::string& shape) {
  return format("AttributeBegin\n{}{}AttributeEnd\n",
                id.empty() ? "" : format("Attribute \"identifier\" \"id\" [{}]\n", id), shape);
}
std::string world(const std::string& things) { return "WorldBegin\nSurface \"constant\"\n" + things + "WorldEnd\n"; }

uint32_t idAt(const Picture& p, int x, int y = 20, const std::string& channel = "id") {
  CHECK(p.image.channels[static_cast<size_t>(p.channel(channel))].type == image::PixelType::kUint32);
  return std::bit_cast<uint32_t>(p.at(x, y, channel));
}

std::set<uint32_t> idsOf(const Picture& p) {
  std::set<uint32_t> ids;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) ids.insert(idAt(p, x, y));
  return ids;
}

}  // namespace

TEST_CASE("id is the number of what is in front, unmixed, and 0 where nothing is or nothing has one") {
  const std::string things = object("7", sheet(10.5, 30)) + object("", sheet(30, 40)) +
                             object("12", sheet(40, 50.25, 2)) + object("3", sheet(45, 46.5, 1));
  const Picture p = picture(kCamera + world(things), {}, "rgba,id");
  CHECK(p.messages.empty());
  CHECK(idsOf(p) == std::set<uint32_t>{0, 3, 7, 12});
  // Half a pixel, or a quarter, is enough; no filter reaches further.
  for (const auto& [x, id] : std::map<int, uint32_t>{{9, 0},
                                                     {10, 7},
                                                     {29, 7},
                                                     {30, 0},
                                                     {39, 0},
                                                     {40, 12},
                                                     {44, 12},
                                                     {45, 3},
                                                     {46, 3},
                                                     {47, 12},
                                                     {50, 12},
                                                     {51, 0}})
    CHECK(idAt(p, x) == id);
  // The picture beside it is the one without.
  const Picture alone = picture(kCamera + world(things));
  for (int x = 0; x < 64; ++x) CHECK(p.at(x, 20, "R") == alone.at(x, 20, "R"));
}

TEST_CASE("ids are 32 bits: exact as whole numbers, told of where a float rounds them") {
  const std::string things = object("16777217", sheet(0, 8)) + object("2147483647", sheet(8, 16)) +
                             object("-3", sheet(16, 24)) + object("65535", sheet(24, 32)) +
                             object("65536", sheet(32, 40)) + object("1000000007", sheet(40, 48));
  const std::string channels =
      "DisplayChannel \"integer id\"\nDisplayChannel \"float number\" \"string source\" [\"float id\"]\n";
  const Picture p = picture(kCamera + channels + world(things), {}, "rgba,id,number");
  CHECK(idsOf(p) == std::set<uint32_t>{0, 16777217, 2147483647, 4294967293u, 65535, 65536, 1000000007});
  CHECK(p.at(4, 20, "number") == 16777216.0f);
  CHECK(p.at(20, 20, "number") == -3.0f);
  CHECK(p.at(28, 20, "number") == 65535.0f);
  CHECK(p.hasCode("display-id"));
  const Picture small = picture(kCamera + channels + world(object("16777216", sheet(0, 64))), {}, "number");
  CHECK(small.messages.empty());
  CHECK(small.at(30, 30, "number") == 16777216.0f);
}

TEST_CASE("ids go by opacity as depths do") {
  const auto veiled = [](const char* options, const char* matte) {
    return picture(kCamera + options +
                       world(object("1", "Opacity 0.5 0.5 0.5\n" + sheet(0, 40)) +
                             object("2", std::string(matte) + sheet(20, 50, 1))),
                   {}, "rgba,z,id");
  };
  const Picture p = veiled("", "");
  CHECK(idAt(p, 10) == 1);
  CHECK(idAt(p, 30) == 2);
  CHECK(p.at(30, 20, "Z") == 6.0f);
  const Picture front = veiled("Option \"limits\" \"zthreshold\" [0.4 0.4 0.4]\n", "");
  CHECK(idAt(front, 30) == 1);
  CHECK(front.at(30, 20, "Z") == 5.0f);
  // What is matte is cut out, as of other variables.
  CHECK(idAt(veiled("", "Matte 1\n"), 45) == 0);
  CHECK(idAt(veiled("DisplayChannel \"integer id\" \"int matte\" [0]\n", "Matte 1\n"), 45) == 2);
}

TEST_CASE("ids of what moves or is out of focus are not mixed") {
  const std::string moving =
      object("5", "MotionBegin [0 1]\nTranslate 0 0 0\nTranslate 20 0 0\nMotionEnd\n" + sheet(10, 14));
  const Picture p = picture(kCamera + "Shutter 0 1\n" + world(moving + object("9", sheet(0, 64, 3))), {}, "rgba,id");
  CHECK(idsOf(p) == std::set<uint32_t>{5, 9});
  CHECK(idAt(p, 8) == 9);
  for (int x = 11; x < 33; ++x) CHECK(idAt(p, x) == 5);
  CHECK(idAt(p, 35) == 9);
}

TEST_CASE("ids are attributes: of blocks, of instances, of points, curves and small faces") {
  const std::string block = "AttributeBegin\nAttribute \"identifier\" \"id\" [4]\n" + sheet(0, 4) +
                            object("6", sheet(4, 8)) + sheet(8, 12) + "AttributeEnd\n" + sheet(12, 16);
  const std::string instances = "ObjectBegin 1\n" + sheet(0, 4) + "ObjectEnd\n" +
                                object("21", "Translate 16 0 0\nObjectInstance 1\n") +
                                object("22", "Translate 20 0 0\nObjectInstance 1\n");
  const std::string curve = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [0 -40 0 0 40 0] \"constantwidth\" [3]\n";
  const std::string elements =
      object("70001", "Translate 0 0 0\n" + curve) + object("70002", "Points \"P\" [8 11.5 0] \"constantwidth\" [6]\n");
  // A crowd of faces smaller than a micropolygon.
  std::string faces = "PointsPolygons [", at = "\"P\" [", loops;
  for (int i = 0; i < 16 * 16; ++i) {
    faces += "4 ";
    const double x = 16 + i % 16 * 0.5, y = 8 + i / 16 * 0.5;
    for (int k = 0; k < 4; ++k) {
      loops += format("{} ", 4 * i + k);
      at += format("{} {} 0 ", x + (k == 1 || k == 2 ? 0.5 : 0), y + (k > 1 ? 0.5 : 0));
    }
  }
  const Picture p = picture(
      kCamera + world(block + instances + elements + object("70003", faces + "] [" + loops + "] " + at + "]\n")), {},
      "rgba,id");
  CHECK(p.messages.empty());
  for (const auto& [x, id] : std::map<int, uint32_t>{
           {2, 4}, {6, 6}, {10, 4}, {14, 0}, {18, 21}, {22, 22}, {32, 70001}, {40, 70002}, {50, 70003}})
    CHECK(idAt(p, x) == id);
}

TEST_CASE("what has no id has the variable of that name") {
  const std::string own = " \"uniform float id\" [11]";
  const Picture p =
      picture(kCamera + world(object("", sheet(0, 20, 0, own)) + object("8", sheet(20, 40, 0, own))), {}, "id");
  CHECK(p.messages.empty());
  CHECK(idAt(p, 10) == 11);
  CHECK(idAt(p, 30) == 8);
  // Nothing has any: said as of other variables.
  CHECK(picture(kCamera + world(sheet(0, 64)), {}, "id").hasCode("display-variable-unwritten"));
}

TEST_CASE("what would mix ids is left out and told of") {
  for (const char* bad : {"\"string filter\" [\"box\"]", "\"string opacity\" [\"Oi\"]",
                          "\"string statistics\" [\"variance\"]", "\"string type\" [\"half\"]"}) {
    const Picture p = picture(kCamera + format("DisplayChannel \"integer id\" {}\n", bad) +
                                  world(object("9", sheet(10.5, 20)) + object("100", sheet(20, 30.5))),
                              {}, "id");
    CHECK(p.hasCode("display-id"));
    CHECK(idsOf(p) == std::set<uint32_t>{0, 9, 100});
  }
}

TEST_CASE("ids are the same bits whatever the threads, buckets and instruction set") {
  const std::string scene =
      kCamera + "Shutter 0 1\n" +
      world(
          object("16777219", "MotionBegin [0 1]\nRotate 0 0 0 1\nRotate 30 0 0 1\nMotionEnd\nTorus 18 6 0 360 360\n") +
          object("2", "Sphere 15 -15 15 360\n") + object("4", "Opacity 0.7 0.7 0.7\nSphere 17 -17 17 360\n") +
          object("3", sheet(0, 64, 20)));
  const Picture first = picture(scene, {}, "rgba,id");
  CHECK(idsOf(first) == std::set<uint32_t>{2, 3, 16777219});
  Setup other;
  other.threads = 1, other.bucketWidth = 7, other.bucketHeight = 13, other.isa = Isa::kSse4;
  CHECK(differences(first.image, picture(scene, other, "rgba,id").image) == 0);
}

TEST_CASE("deep samples are of one id, in front of each other as they are, however much is merged") {
  const auto file = std::filesystem::temp_directory_path() / format("reyes-id-{}.exr", getpid());
  Setup setup;
  setup.options = format(
      "DisplayChannel \"float number\" \"string source\" [\"float id\"]\n"
      "Display \"+{}\" \"deepexr\" \"rgba,id,number\" \"float tolerance\" [1] \"float depthtolerance\" [1]\n",
      file.string());
  // Two half opaque sheets that lie as good as in one place, a moving one over them, one behind without an id.
  const std::string half = "Opacity 0.5 0.5 0.5\n";
  const std::string scene =
      kCamera + world(object("16777217", half + sheet(0, 64, 0)) + object("2", half + sheet(0, 40, 0.001)) +
                      object("2", half + sheet(0, 20, 0.002)) + object("", sheet(0, 64, 1)));
  picture(scene, setup);
  image::DeepImage d;
  REQUIRE(image::readDeep(file.string(), d) == "");
  std::filesystem::remove(file);
  const auto id = static_cast<size_t>(d.channel("id")), number = static_cast<size_t>(d.channel("number"));
  CHECK(d.channels[id].type == image::PixelType::kUint32);
  CHECK(d.channels[number].type == image::PixelType::kFloat);
  const auto check = [&](int x, const std::vector<double>& ids) {
    REQUIRE(d.count(x, 30) == ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      const uint64_t at = d.first(x, 30) + i;
      CHECK(static_cast<double>(d.value(number, at)) == (ids[i] == 16777217 ? 16777216 : ids[i]));
      uint32_t stored = 0;
      std::memcpy(&stored, &d.planes[id][at * sizeof stored], sizeof stored);
      CHECK(static_cast<double>(stored) == ids[i]);
    }
  };
  check(10, {16777217, 2, 0});
  check(30, {16777217, 2, 0});
  check(50, {16777217, 0});
}
