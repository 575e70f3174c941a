// SPDX-License-Identifier: Apache-2.0
// Shadows of a lamp that shines all around, in a room with one wall in each direction: depths and deep maps, made by
// the lamp and by hand, against what the cards between lamp and walls let through.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/texture/shadow_map.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;
namespace fs = std::filesystem;

namespace {

constexpr int kSize = 24;
constexpr float kWall = 4;  ///< distance of the walls from the middle of the room
constexpr Vec3 kLamp{.2f, -.3f, .1f};

/// World to camera, of cameras along +x -x +y -y +z -z.
const std::array<std::string, 6> kLook = {"Rotate -90 0 1 0", "Rotate 90 0 1 0", "Rotate 90 1 0 0",
                                          "Rotate -90 1 0 0", "Rotate 0 0 1 0",  "Rotate 180 0 1 0"};
const std::array<Matrix4, 6> kCameras = {Matrix4::rotate(-90, {0, 1, 0}),
                                         Matrix4::rotate(90, {0, 1, 0}),
                                         Matrix4::rotate(90, {1, 0, 0}),
                                         Matrix4::rotate(-90, {1, 0, 0}),
                                         Matrix4(),
                                         Matrix4::rotate(180, {0, 1, 0})};

/// Six squares of half width `half`, at that distance along each axis from a place.
std::string squares(Vec3 at, float distance, float half) {
  std::string all;
  for (const std::string& look : kLook) {
    // Camera to world: the same turn the other way.
    std::string back = look;
    const size_t space = back.find(' ') + 1;
    back = back[space] == '-' ? back.erase(space, 1) : back.insert(space, "-");
    all += format(
        "TransformBegin Translate {} {} {} {} Polygon \"P\" [-{h} -{h} {d} {h} -{h} {d} {h} {h} {d} -{h} {h} {d}] "
        "TransformEnd\n",
        at.x, at.y, at.z, back, fmt::arg("h", half), fmt::arg("d", distance));
  }
  return all;
}

std::string view(int face) {
  return format(
      "Format {0} {0} 1 Projection \"orthographic\" ScreenWindow -{1} {1} -{1} {1} PixelFilter \"box\" 1 1 {2} ", kSize,
      kWall, kLook[static_cast<size_t>(face)]);
}

std::string world(const std::string& light, const std::string& between) {
  return "WorldBegin\n" + light + "\nSurface \"matte\" \"Ka\" 0 \"Kd\" 1 " + squares({0, 0, 0}, kWall, kWall) +
         "Surface \"constant\" Attribute \"visibility\" \"integer camera\" 0 " + between + "\nWorldEnd\n";
}

std::string lamp(const std::string& more = "") {
  return format("LightSource \"shadowpoint\" 1 \"from\" [{} {} {}] \"intensity\" 30 \"samples\" 32 {}", kLamp.x,
                kLamp.y, kLamp.z, more);
}

const std::string kDeep =
    "Attribute \"light\" \"string shadows\" \"on\" Attribute \"autoshadows\" \"integer res\" 64 \"string type\" "
    "\"deep\" ";
const std::string kDepths =
    "Attribute \"light\" \"string shadows\" \"on\" Attribute \"autoshadows\" \"integer res\" 128 ";
const std::string kHalf = "Opacity [.5 .5 .5] ";

/// Where the way from the lamp to a place on a wall meets the cube of half width 1 around the lamp: the larger of the
/// two other coordinates.
float offCentre(int face, int x, int y) {
  const float u = (static_cast<float>(x) + .5f) * 2 * kWall / kSize - kWall,
              v = kWall - (static_cast<float>(y) + .5f) * 2 * kWall / kSize;
  const Vec3 at = transformPoint(inverse(kCameras[static_cast<size_t>(face)]), {u, v, kWall}) - kLamp;
  std::array<float, 3> far = {std::fabs(at.x), std::fabs(at.y), std::fabs(at.z)};
  std::sort(far.begin(), far.end());
  return far[1] / far[2];
}

/// The greatest distance from `inside`, and from 1 outside the cards, of what passes, over all walls; places nearer
/// than `margin` to the border of the cards are left out. In the corners of the room, where pixels of the map see two
/// walls, a tenth of it counts.
std::array<float, 2> worst(const std::string& light, const std::string& plain, const std::string& between, float half,
                           float inside, float margin, const std::string& before = "") {
  std::array<float, 2> most{0, 0};
  for (int face = 0; face < 6; ++face) {
    const Picture dark = picture(before + view(face) + world(light, between)),
                  lit = picture(view(face) + world(plain, between));
    for (const Diagnostic& d : dark.messages) MESSAGE(Diagnostics::format(d));
    CHECK(dark.messages.empty());
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x) {
        const float off = offCentre(face, x, y), passes = dark.at(x, y, "R") / lit.at(x, y, "R");
        REQUIRE(lit.at(x, y, "R") > 0);
        if (std::fabs(off - half) < margin) continue;
        const size_t k = off < half ? 0 : 1;
        const bool corner = x == 0 || y == 0 || x == kSize - 1 || y == kSize - 1;
        most[k] = std::max(most[k], std::fabs(passes - (k == 0 ? inside : 1)) * (corner ? 0.1f : 1.0f));
      }
  }
  return most;
}

struct TempFolder {
  fs::path path = fs::temp_directory_path() / format("reyes_cube_shadows_{}", getpid());
  TempFolder() { fs::create_directories(path); }
  ~TempFolder() { fs::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

/// Six passes from the lamp, of a display type.
void renderPasses(const TempFolder& tmp, const std::string& type, const std::string& between, float fov) {
  for (int f = 0; f < 6; ++f) {
    Setup pass;
    pass.options = format("Display \"+{}\" \"{}\" \"z\"\n", tmp.file(format("face{}.z", f)), type);
    picture(format("Format 64 64 1 Projection \"perspective\" \"fov\" {} PixelSamples 4 4 PixelFilter \"box\" 1 1 {} "
                   "Translate {} {} {} {}",
                   fov, kLook[static_cast<size_t>(f)], -kLamp.x, -kLamp.y, -kLamp.z,
                   world("", "Attribute \"visibility\" \"integer camera\" 1 " + between)),
            pass);
  }
}

std::string six(const TempFolder& tmp) {
  std::string names;
  for (int f = 0; f < 6; ++f) names += (f ? "," : "") + tmp.file(format("face{}.z", f));
  return names;
}

}  // namespace

TEST_CASE("a lamp's own deep map: a card of 50 % in each of the six directions, and a closed box of it") {
  const std::array<float, 2> cards = worst(kDeep + lamp(), lamp(), kHalf + squares(kLamp, 1, .5f), .5f, .5f, .12f);
  CHECK(cards[0] < .01f);
  CHECK(cards[1] < .03f);
  // Of a box the seams of the map are in the shadow.
  CHECK(worst(kDeep + lamp(), lamp(), kHalf + squares(kLamp, 1, 1), 2, .5f, 0)[0] < .02f);
  CHECK(worst(kDeep + lamp("\"blur\" .08"), lamp(), kHalf + squares(kLamp, 1, 1), 2, .5f, 0)[0] < .02f);
  // Two boxes, one around the other.
  CHECK(worst(kDeep + lamp(), lamp(), kHalf + squares(kLamp, 1, 1) + squares(kLamp, 2, 2), 2, .25f, 0)[0] < .02f);
}

TEST_CASE("a lamp's own map of depths: a card in each of the six directions, and a closed box") {
  const std::array<float, 2> cards = worst(kDepths + lamp(), lamp(), squares(kLamp, 1, .5f), .5f, 0, .12f);
  CHECK(cards[0] == 0);
  CHECK(cards[1] == 0);
  CHECK(worst(kDepths + lamp("\"blur\" .08"), lamp(), squares(kLamp, 1, 1), 2, 0, 0)[0] == 0);
}

TEST_CASE("walls at a slant to a lamp do not shade themselves, deep or not") {
  // The lamp is near a wall, which it lights at up to 80 degrees.
  const std::string near = "LightSource \"pointlight\" 1 \"from\" [.3 1 3] \"intensity\" 9 ";
  const std::string finer = "Attribute \"autoshadows\" \"integer res\" 128 ";
  for (const std::string& on : {kDepths, kDeep})
    for (int face = 0; face < 6; ++face) {
      const Picture dark = picture(view(face) + world(on + finer + near, "")),
                    lit = picture(view(face) + world(near, ""));
      CAPTURE(face);
      CAPTURE(on);
      int faults = 0;
      for (int y = 1; y < kSize - 1; ++y)
        for (int x = 1; x < kSize - 1; ++x) faults += dark.at(x, y, "R") < 0.98f * lit.at(x, y, "R") ? 1 : 0;
      CHECK(faults <= 2);
    }
}

TEST_CASE("by hand: six deep passes made into one map, or named one by one") {
  const TempFolder tmp;
  const std::string box = kHalf + squares(kLamp, 1, 1), cards = squares(kLamp, 1, .5f), map = tmp.file("lamp.shd");
  const std::string make = format("MakeShadow \"{}\" \"{}\"\n", six(tmp), map), one = "\"shadowname\" \"" + map + "\"";
  renderPasses(tmp, "deepshad", box, 90);
  CHECK(worst(lamp(one), lamp(), box, 2, .5f, 0, make)[0] < .02f);
  renderPasses(tmp, "zfile", cards, 90);
  const std::array<float, 2> depths = worst(lamp(one), lamp(), cards, .5f, 0, .12f, make);
  CHECK(depths[0] == 0);
  CHECK(depths[1] < .01f);
  // Pictures a little wider than a face serve one by one, too.
  std::string names;
  for (int f = 0; f < 6; ++f)
    names += format("\"sf{}{}\" \"{}\" ", f % 2 ? 'n' : 'p', "xyz"[f / 2], tmp.file(format("face{}.z", f)));
  renderPasses(tmp, "deepshad", box, 94);
  CHECK(worst(lamp(names), lamp(), box, 2, .5f, 0)[0] < .02f);
}

TEST_CASE("cubes that cannot be made say why") {
  const TempFolder tmp;
  renderPasses(tmp, "deepshad", "", 90);
  std::array<std::string, 6> faces;
  for (size_t f = 0; f < 6; ++f) faces[f] = tmp.file(format("face{}.z", f));
  CHECK(texture::makeCubeShadow(faces, tmp.file("all.shd")) == "");
  faces[3] = tmp.file("none.z");
  CHECK(texture::makeCubeShadow(faces, tmp.file("x.shd")).find("none.z") != std::string::npos);
  // One of depths among deep ones, and the other way round.
  fs::copy_file(tmp.file("face0.z"), tmp.file("deep.z"));
  renderPasses(tmp, "zfile", "", 90);
  faces = {tmp.file("deep.z"), faces[1], faces[2], tmp.file("face3.z"), faces[4], faces[5]};
  CHECK(texture::makeCubeShadow(faces, tmp.file("x.shd")).find("not deep") != std::string::npos);
  faces = {tmp.file("face0.z"), faces[1], faces[2], tmp.file("deep.z"), faces[4], faces[5]};
  CHECK(texture::makeCubeShadow(faces, tmp.file("x.shd")).find("deep as") != std::string::npos);
  CHECK(!fs::exists(tmp.file("x.shd")));
}

TEST_CASE("a lamp's own deep cube: the same bits for any threads, buckets and instruction set") {
  const std::string scene = view(0) + world(kDeep + lamp("\"blur\" .05"), kHalf + squares(kLamp, 1, 1));
  Setup setup;
  setup.threads = 1;
  const Picture one = picture(scene, setup);
  for (const int threads : {2, 4}) {
    setup.threads = threads, setup.bucketWidth = threads == 2 ? 13 : 32, setup.bucketHeight = threads == 2 ? 9 : 7;
    CHECK(differences(one.image, picture(scene, setup).image) == 0);
  }
  setup.isa = Isa::kSse4;
  CHECK(differences(one.image, picture(scene, setup).image) == 0);
}
