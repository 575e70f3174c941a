// SPDX-License-Identifier: Apache-2.0
// Shadows of lights that ask for their maps: where they must lie, by geometry; no acne and no leaks.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

const float kGaps[] = {0, 0.05f, 0.2f, 1, 3};
constexpr int kSize = 96;

/// A floor y = 0, 8 wide, and a unit sphere that far above it, seen from straight above; or, through the floor's
/// underside, the light on it down to where the sphere touches.
std::string sphereOver(float gap, const std::string& light, bool below = false) {
  return format(
      "Format {0} {0} 1 Projection \"orthographic\" ScreenWindow -4 4 -4 4 PixelFilter \"box\" 1 1 Rotate {3} 1 0 0 "
      "Translate 0 {4} 0 WorldBegin\n{1}\nSurface {5} Polygon \"P\" [-4 0 -4 4 0 -4 4 0 4 -4 0 4] "
      "Translate 0 {2} 0 Sphere 1 -1 1 360 WorldEnd\n",
      kSize, light, 1 + gap, below ? 90 : -90, below ? 20 : -20, below ? "\"arrives\"" : "\"matte\" \"Ka\" 0 \"Kd\" 1");
}

/// How far the ray from a floor point towards the light (or along -axis) misses the sphere: below 1 it hits.
float missOf(float x, float z, float gap, Vec3 light, bool parallel) {
  const Vec3 p{x, 0, z}, centre{0, 1 + gap, 0}, d = normalize(parallel ? light * -1.0f : light - p);
  const Vec3 to = centre - p;
  const float along = dot(to, d);
  return along <= 0 ? 100.0f : length(to - d * along);
}

struct Faults {
  int acne = 0, leaks = 0, floor = 0, dark = 0;
  float x = 0, z = 0;  ///< of the last one
};

/// Compares a picture with the one without shadows: floor pixels by geometry, with a margin.
Faults faultsOf(const Picture& shadowed, const Picture& plain, float gap, Vec3 light, bool parallel, float margin,
                bool below = false) {
  Faults f;
  for (int y = 1; y < kSize - 1; ++y)
    for (int x = 1; x < kSize - 1; ++x) {
      const float wx = (static_cast<float>(x) + 0.5f) * 8 / kSize - 4,
                  wz = (4 - (static_cast<float>(y) + 0.5f) * 8 / kSize) * (below ? -1.0f : 1.0f);
      const float bright = plain.at(x, y, "R"), seen = shadowed.at(x, y, "R");
      const float r = std::sqrt(wx * wx + wz * wz);
      const int faults = f.acne + f.leaks;
      if (!below && std::fabs(r - 1) < 0.1f) continue;
      if (!below && r < 1) {
        // The sphere: where it faces the light it is lit.
        const Vec3 n{wx, std::sqrt(1 - r * r), wz}, at = n + Vec3{0, 1 + gap, 0};
        const float facing = dot(n, normalize(parallel ? light * -1.0f : light - at));
        if (facing > 0.3f && seen < bright * 0.999f) ++f.acne;
        continue;
      }
      const float miss = missOf(wx, wz, gap, light, parallel);
      if (miss > 1 + margin && seen < bright * 0.999f) ++f.acne;
      if (miss < 1 - margin && seen > bright * 0.001f) ++f.leaks;
      if (f.acne + f.leaks > faults) f.x = wx, f.z = wz;
      ++f.floor;
      f.dark += miss < 1 - margin ? 1 : 0;
    }
  return f;
}

const std::string kDistant = "LightSource \"distantlight\" 1 \"from\" [0 0 0] \"to\" [1 -1 .4]";
const std::string kSpot =
    "LightSource \"spotlight\" 1 \"from\" [-5 7 -2] \"to\" [0 0 0] \"coneangle\" 0.9 \"conedeltaangle\" 0.01 "
    "\"intensity\" 50 \"beamdistribution\" 0";
const std::string kPoint = "LightSource \"pointlight\" 1 \"from\" [-1.5 5.5 -1] \"intensity\" 30";
const std::string kOn = "Attribute \"light\" \"string shadows\" \"on\" Attribute \"autoshadows\" \"integer res\" 512\n";

}  // namespace

namespace {

/// A lamp that is high enough for the sphere's shadow to fall on the floor.
struct Lamp {
  std::string name;
  Vec3 place;  ///< or the direction of parallel light
  bool parallel;
  std::string text(float gap) const {
    if (parallel) return format("LightSource \"shadowdistant\" 1 \"to\" [{} {} {}] ", place.x, place.y, place.z);
    const Vec3 at = from(gap);
    return format("LightSource \"{}\" 1 \"from\" [{} {} {}] \"intensity\" {} ", name, at.x, at.y, at.z, at.y * at.y) +
           (name == "shadowspot" ? "\"to\" [0 0 0] \"coneangle\" 0.9 \"conedeltaangle\" 0.01 \"beamdistribution\" 0 "
                                 : "");
  }
  Vec3 from(float gap) const { return parallel || gap < 2 ? place : Vec3{place.x * 0.5f, 12, place.z * 0.5f}; }
};
const Lamp kLamps[] = {{"shadowdistant", {1, -1, .4f}, true},
                       {"shadowspot", {-5, 7, -2}, false},
                       {"shadowpoint", {-1.5f, 5.5f, -1}, false}};

/// One lamp and gap, from above and from below; without shadows.
struct Lit {
  Lit(const Lamp& l, float g)
      : lamp(l), gap(g), plain{picture(sphereOver(g, l.text(g))), picture(sphereOver(g, l.text(g), true))} {}
  const Lamp& lamp;
  float gap;
  Picture plain[2];

  /// The same with shadows.
  void check(const std::string& shadowed, std::initializer_list<bool> views = {false, true}) const {
    for (const bool below : views) {
      CAPTURE(lamp.name);
      CAPTURE(gap);
      CAPTURE(below);
      const Picture dark = picture(sphereOver(gap, shadowed, below));
      for (const Diagnostic& d : dark.messages) MESSAGE(Diagnostics::format(d));
      CHECK(dark.messages.empty());
      const Faults f = faultsOf(dark, plain[below ? 1 : 0], gap, lamp.from(gap), lamp.parallel, 0.12f, below);
      CAPTURE(f.x);
      CAPTURE(f.z);
      CHECK(f.acne == 0);
      CHECK(f.leaks == 0);
      CHECK(f.dark > 100);
    }
  }
};

}  // namespace

TEST_CASE("a sphere over a floor at five distances: no acne, no leaks, with no bias and with three that are chosen") {
  const std::string folder = (std::filesystem::temp_directory_path() / format("reyes_shadows_{}", getpid())).string();
  std::filesystem::create_directories(folder);
  const std::string map = folder + "/lamp.shd";
  for (const Lamp& lamp : kLamps)
    for (const float gap : kGaps) {
      const Lit lit(lamp, gap);
      lit.check(kOn + lamp.text(gap));
      // A small one is for acne, which shows from above; a large one for leaks where the two touch.
      for (const float bias : {0.005f, 0.02f, 0.08f}) {
        CAPTURE(bias);
        const std::string ask = format(
            "Attribute \"autoshadows\" \"string shadowmapname\" \"{}\" \"integer res\" {}\n{}"
            "\"blur\" 0 \"shadowbias\" {} \"shadowname\" \"{}\"",
            map, lamp.name == "shadowpoint" ? 256 : 512, lamp.text(gap), bias, map);
        if (bias < 0.05f) lit.check(ask, {false});
        if (bias > 0.01f) lit.check(ask, {true});
      }
    }
  CHECK(std::filesystem::exists(map));
  std::filesystem::remove_all(folder);
}

TEST_CASE("a bias by option is for look-ups that name none") {
  // One that is too large lets the light through where the sphere stands.
  Setup large;
  large.options = "Option \"shadow\" \"float bias\" 5\n";
  const std::string scene = sphereOver(0.2f, kOn + kSpot);
  CHECK(picture(scene, large).mean("R") > picture(scene).mean("R") * 1.02);
  large.options = "Option \"shadow\" \"float bias0\" 5 \"float bias1\" 5.1\n";
  CHECK(picture(scene, large).mean("R") > picture(scene).mean("R") * 1.02);
}

TEST_CASE("an area light's own maps give a penumbra as broad as geometry says") {
  // A square of side 2 at height 8 over the edge of a card at height 4: the floor's penumbra is 2 wide.
  const std::string scene = format(
      "Format {0} {0} 1 Projection \"orthographic\" ScreenWindow -4 4 -4 4 PixelFilter \"box\" 1 1 Rotate -90 1 0 0 "
      "Translate 0 -3 0 WorldBegin\nAttributeBegin Attribute \"light\" \"string shadows\" \"on\" \"integer nsamples\" "
      "64 "
      "Attribute \"autoshadows\" \"integer res\" 256 AreaLightSource \"arealight\" 1 \"intensity\" 60 "
      "Polygon \"P\" [-1 8 -1 1 8 -1 1 8 1 -1 8 1] AttributeEnd Illuminate 1 1\n"
      "Surface \"matte\" \"Ka\" 0 \"Kd\" 1 Polygon \"P\" [-4 0 -4 4 0 -4 4 0 4 -4 0 4] "
      "Polygon \"P\" [-9 4 -9 0 4 -9 0 4 9 -9 4 9] WorldEnd\n",
      32);
  std::string bare = scene;
  bare.replace(bare.find("\"on\""), 4, "\"off\"");
  const Picture shadowed = picture(scene), plain = picture(bare);
  CHECK(shadowed.messages.empty());
  const auto share = [&](float x) {
    double sum = 0, all = 0;
    for (int y = 12; y < 20; ++y) {
      const int px = static_cast<int>((x + 4) * 4);
      sum += shadowed.at(px, y, "R"), all += plain.at(px, y, "R");
    }
    return sum / all;
  };
  CHECK(share(-1.4f) < 0.02);
  CHECK(share(1.4f) > 0.98);
  for (const float x : {-0.875f, -0.375f, 0.125f, 0.625f}) {
    CAPTURE(x);
    CHECK(share(x) == doctest::Approx((x + 1) / 2).epsilon(0.08));
  }
}

TEST_CASE("shadows of any light are the same bits for any threads, buckets and instruction set") {
  const std::string area =
      "AttributeBegin Attribute \"light\" \"integer nsamples\" 4 AreaLightSource \"arealight\" 1 \"intensity\" 30 "
      "Translate -1 6 0 Rotate 90 1 0 0 Disk 0 .5 360 AttributeEnd Illuminate 1 1 ";
  for (const std::string& light : {kSpot, kPoint, kDistant, area}) {
    Setup setup;
    setup.threads = 1;
    const std::string scene = sphereOver(0.2f, kOn + "Attribute \"autoshadows\" \"integer res\" 128\n" + light);
    const Picture one = picture(scene, setup);
    CHECK(one.mean("R") < picture(sphereOver(0.2f, light)).mean("R"));
    setup.threads = 2, setup.bucketWidth = 13, setup.bucketHeight = 9;
    CHECK(differences(one.image, picture(scene, setup).image) == 0);
    setup.threads = 4, setup.bucketWidth = 40, setup.bucketHeight = 64;
    CHECK(differences(one.image, picture(scene, setup).image) == 0);
    setup.isa = Isa::kSse4;
    CHECK(differences(one.image, picture(scene, setup).image) == 0);
  }
}

TEST_CASE(
    "who casts: not the lamp's own surface, nor what says so; ambient light and lights without a place ask nothing") {
  const std::string lamp =
      "AttributeBegin Attribute \"light\" \"integer nsamples\" 1 AreaLightSource \"uberlight\" 1 \"lighttype\" "
      "\"omni\" "
      "Translate -1 6 0 Disk 0 .5 360 AttributeEnd Illuminate 1 1 ";
  const Picture lit = picture(sphereOver(1, lamp)), own = picture(sphereOver(1, kOn + lamp));
  CHECK(own.at(90, 48, "R") == lit.at(90, 48, "R"));
  CHECK(own.mean("R") < lit.mean("R"));
  for (const char* off : {"Attribute \"render\" \"string casts_shadows\" \"none\"\n",
                          "Attribute \"visibility\" \"integer transmission\" 0\n"})
    CHECK(picture(sphereOver(1, kOn + kDistant + off)).mean("R") == picture(sphereOver(1, kDistant)).mean("R"));
  // A floor that casts none gets the shadow of a single sheet, and none of its own.
  const std::string sheet =
      "Format 64 64 1 Projection \"orthographic\" ScreenWindow -4 4 -4 4 PixelFilter \"box\" 1 1 Rotate -90 1 0 0 "
      "Translate 0 -1 0 WorldBegin " +
      kOn + kDistant +
      " Surface \"matte\" \"Kd\" 1 Polygon \"P\" [-2 2 -1 0 2 -1 0 2 1 -2 2 1]\n"
      "Attribute \"render\" \"string casts_shadows\" \"none\" Polygon \"P\" [-4 0 -4 4 0 -4 4 0 4 -4 0 4] WorldEnd";
  const Picture under = picture(sheet);
  CHECK(under.at(40, 26, "R") == 0);  // x = 1, z = 0.8: behind the sheet
  CHECK(under.at(10, 50, "R") > 0.5f);
  CHECK(under.at(60, 30, "R") == under.at(10, 50, "R"));
  // A map that is asked for is made if the light shines on something; what the camera does not see casts, too.
  const std::string unseen = "Attribute \"visibility\" \"integer camera\" 0\n";
  std::string hidden = sphereOver(1, kOn + kDistant);
  hidden.insert(hidden.find("Translate 0 2 0 Sphere"), unseen);
  const Picture ghost = picture(hidden);
  CHECK(ghost.at(48, 48, "R") > 0.5f);
  CHECK(ghost.at(72, 39, "R") == 0);
  const Picture ambient = picture(sphereOver(1, kOn + "LightSource \"ambientlight\" 1"));
  CHECK(ambient.messages.empty());
}

namespace {

/// A floor seen from straight above, cards over it that the camera does not see, and a light from above.
std::string underCards(const std::string& cards, const std::string& type) {
  return "Format 32 32 1 Projection \"orthographic\" ScreenWindow -4 4 -4 4 PixelFilter \"box\" 1 1 Shutter 0 1 Rotate "
         "-90 1 0 0 "
         "Translate 0 -1 0 WorldBegin Attribute \"autoshadows\" \"string type\" \"" +
         type + "\" " + kOn + "LightSource \"distantlight\" 1 \"from\" [0 1 0] \"to\" [0 0 0]\n" +
         "Surface \"matte\" \"Ka\" 0 \"Kd\" 1 Polygon \"P\" [-4 0 -4 4 0 -4 4 0 4 -4 0 4]\nSurface \"constant\" " +
         cards + "\nWorldEnd";
}
std::string card(float height, float x0, float x1) {
  return format("Polygon \"P\" [{1} {0} -2 {2} {0} -2 {2} {0} 2 {1} {0} 2]\n", height, x0, x1);
}

}  // namespace

TEST_CASE("deep maps of lights: cards that are half there, coloured, one over the other, and one that moves") {
  const Picture half = picture(underCards("Opacity [.5 .5 .5]" + card(2, -2, 2), "deep"));
  for (const Diagnostic& d : half.messages) MESSAGE(Diagnostics::format(d));
  CHECK(half.messages.empty());
  CHECK(half.at(16, 16, "R") == doctest::Approx(.5).epsilon(.01));
  CHECK(half.at(2, 16, "R") == doctest::Approx(1).epsilon(.01));
  const Picture two = picture(underCards("Opacity [.5 .5 .5]" + card(2, -2, 2) + card(3, -2, 0), "deep"));
  CHECK(two.at(12, 16, "R") == doctest::Approx(.25).epsilon(.01));
  CHECK(two.at(20, 16, "R") == doctest::Approx(.5).epsilon(.01));
  const Picture glass = picture(underCards("Opacity [.1 .5 .9]" + card(2, -2, 2), "deep"));
  CHECK(glass.at(16, 16, "R") == doctest::Approx(.9).epsilon(.01));
  CHECK(glass.at(16, 16, "G") == doctest::Approx(.5).epsilon(.01));
  CHECK(glass.at(16, 16, "B") == doctest::Approx(.1).epsilon(.05));
  // A card 2 wide that moves by 4: over its middle it is there for half of the shutter.
  const Picture moving =
      picture(underCards("MotionBegin [0 1] Translate -2 0 0 Translate 2 0 0 MotionEnd\n" + card(2, -1, 1), "deep"));
  CHECK(moving.at(16, 16, "R") == doctest::Approx(.5).epsilon(.06));
  CHECK(moving.at(1, 16, "R") == doctest::Approx(1).epsilon(.01));
  // By depths it is there or not.
  const Picture solid = picture(underCards("Opacity [1 1 1]" + card(2, -2, 2), "depth"));
  CHECK(solid.at(16, 16, "R") == 0);
}

TEST_CASE("what moves does not shade itself in a map of depths, whichever way it goes") {
  const auto mean = [](const std::string& move, const std::string& on) {
    const Picture p = picture(
        "Format 64 64 1 Shutter 0 1 Projection \"orthographic\" ScreenWindow -2 2 -2 2 PixelFilter \"box\" 1 1 "
        "Translate 0 0 9 "
        "WorldBegin " +
        on + "LightSource \"distantlight\" 1 \"from\" [-1 2 -3] \"to\" [0 0 0] Surface \"matte\" \"Kd\" 1 " + move +
        " Sphere 1 -1 1 360 Polygon \"P\" [-9 -9 3 -9 9 3 9 9 3 9 -9 3] WorldEnd");
    CHECK(p.messages.empty());
    return p.at(28, 25, "R");
  };
  const std::string towards = "MotionBegin [0 1] Translate 0 0 0 Translate -.4 .8 -1.2 MotionEnd",
                    away = "MotionBegin [0 1] Translate 0 0 0 Translate .4 -.8 1.2 MotionEnd";
  CHECK(mean(towards, kOn) == mean(towards, ""));
  CHECK(mean(away, kOn) == mean(away, ""));
  CHECK(mean(towards, kOn) > .5f);
}

TEST_CASE("deep maps: hair stops what the share of it that is there says; same bits for any threads") {
  std::string curves = "Opacity [1 1 1] Curves \"linear\" [", counts, p;
  // 100 threads 0.02 wide over 4 units: half of the light.
  for (int i = 0; i < 100; ++i) {
    counts += "2 ";
    const float x = -2 + (static_cast<float>(i) + .5f) * .04f;
    p += format("{:.3f} 2 -2 {:.3f} 2 2 ", x, x);
  }
  const std::string scene =
      underCards(curves + counts + "] \"nonperiodic\" \"P\" [" + p + "] \"constantwidth\" .02", "deep");
  Setup setup;
  setup.threads = 1;
  const Picture one = picture(scene, setup);
  double sum = 0;
  for (int x = 10; x < 22; ++x)
    for (int y = 10; y < 22; ++y) sum += one.at(x, y, "R") / 144;
  CHECK(sum == doctest::Approx(.5).epsilon(.04));
  for (const int threads : {2, 4}) {
    setup.threads = threads, setup.bucketWidth = threads == 2 ? 9 : 20, setup.bucketHeight = threads == 2 ? 5 : 31;
    CHECK(differences(one.image, picture(scene, setup).image) == 0);
  }
}
