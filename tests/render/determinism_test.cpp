// SPDX-License-Identifier: Apache-2.0
// The same bits for any thread count, bucket size, instruction set and crop; close pictures for any grid size.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
// random(), displacement with and without a declared bound, culling of hidden things, transparency, motion and defocus.
const std::string kScene = R"(
Format 96 72 1
PixelSamples 3 3
PixelFilter "gaussian" 2 2
Projection "perspective" "fov" [40]
Clipping 0.1 100
Shutter 0 1
DepthOfField 4 0.4 6
Translate 0 0 6
WorldBegin
LightSource "ambientlight" 1 "intensity" [0.2]
LightSource "distantlight" 2 "from" [-1 2 -3] "to" [0 0 0]
AttributeBegin
  Surface "speckle"
  Polygon "P" [-4 -2 4  -4 3 4  4 3 4  4 -2 4]
AttributeEnd
AttributeBegin
  Color [0.8 0.4 0.2]
  Surface "plastic"
  Attribute "displacementbound" "float sphere" [0.2] "string coordinatesystem" ["object"]
  Displacement "lumps" "float Km" [0.15]
  Translate -0.8 0 0
  Sphere 0.9 -0.9 0.9 360
AttributeEnd
AttributeBegin
  Color [0.2 0.5 0.8]
  Opacity [0.6 0.6 0.6]
  Surface "plastic"
  MotionBegin [0 1]
    Translate 0.7 -0.2 -0.5
    Translate 1.0 0.2 -0.5
  MotionEnd
  Torus 0.6 0.25 0 360 360
AttributeEnd
AttributeBegin
  Surface "matte"
  Displacement "lumps" "float Km" [0.1]
  Translate 0.3 -1.2 0.5
  Patch "bicubic" "P" [-1.5 0 -1  -0.5 0.6 -1  0.5 -0.6 -1  1.5 0 -1  -1.5 0.3 -0.3  -0.5 0 -0.3  0.5 0 -0.3  1.5 0.2 -0.3
    -1.5 0 0.3  -0.5 0.6 0.3  0.5 -0.6 0.3  1.5 0 0.3  -1.5 0 1  -0.5 0.6 1  0.5 -0.6 1  1.5 0 1]
AttributeEnd
WorldEnd
)";
}  // namespace

TEST_CASE("the same bits for 1, 2 and 4 threads") {
  Setup one;
  one.threads = 1;
  const Picture a = picture(kScene, one);
  CHECK(a.mean("A") > 0.5);
  for (const int threads : {2, 4}) {
    Setup s;
    s.threads = threads;
    CHECK(differences(a.image, picture(kScene, s).image) == 0);
  }
}

TEST_CASE("the same bits for any bucket size") {
  Setup whole;
  whole.bucketWidth = whole.bucketHeight = 16;
  const Picture a = picture(kScene, whole);
  for (const auto& [w, h] : {std::pair{32, 32}, {7, 31}, {1, 1}, {200, 200}}) {
    Setup s;
    s.bucketWidth = w;
    s.bucketHeight = h;
    CAPTURE(w);
    CHECK(differences(a.image, picture(kScene, s).image) == 0);
  }
}

TEST_CASE("a crop is that part of the whole") {
  const Picture a = picture(kScene);
  Setup s;
  s.options = "CropWindow 0.3 0.71 0.2 0.55\n";
  const Picture crop = picture(kScene, s);
  CHECK(crop.image.width() < 60);
  CHECK(differencesWhereBoth(a.image, crop.image) == 0);
}

TEST_CASE("the same bits on every instruction set") {
  const Picture a = picture(kScene);
  for (const Isa isa : supportedIsas()) {
    Setup s;
    s.isa = isa;
    CAPTURE(isaName(isa));
    CHECK(differences(a.image, picture(kScene, s).image) == 0);
  }
}

TEST_CASE(
    "the same bits of everything at once: ids, variables, light groups, velocities, shutter and aperture shapes") {
  std::string scene = kScene;
  const auto put = [&](const std::string& before, const std::string& text) { scene.insert(scene.find(before), text); };
  put("WorldBegin", R"(Hider "hidden" "float[2] shutteropening" [0.2 0.7] "float[4] aperture" [5 20 0.2 0.3]
DisplayChannel "color wide" "string source" "Ci" "string filter" "box" "float[2] filterwidth" [5 3]
DisplayChannel "color mse" "string source" "Ci" "string statistics" "mse"
MotionBegin [0 1] Translate 0 0 0 Translate 0.05 0 0.1 MotionEnd
)");
  put("LightSource \"distantlight\"",
      "Atmosphere \"fog\" \"distance\" [20]\nAttribute \"light\" \"group\" [\"key\"]\n");
  put("WorldEnd", R"(Attribute "identifier" "string name" ["others"]
AttributeBegin Matte 1 Opacity [.7 .7 .7] Translate 0.5 0.6 -1 Disk 0 0.5 360 AttributeEnd
Opacity [.5 .3 .9] Surface "aov_values" "value" [.4 .6 .2]
Polygon "P" [-1 -1 -1.5  -1 0.5 -1.2  1 0.5 -1.5  1 -1 -1]
MotionBegin [0 0.3 1]
Points "P" [-1 1 -1 0 1 -1 1 1 -1] "constantwidth" [0.15]
Points "P" [-1 1 -1 0 1.2 -1 1 1 -1] "constantwidth" [0.15]
Points "P" [-1 1 -1 0.4 1.5 -1 1 1 -1] "constantwidth" [0.15]
MotionEnd
Curves "cubic" [4] "nonperiodic" "P" [-1 -1 -2  -0.5 0 -2  0 0.5 -2  0.5 1 -1] "constantwidth" [0.05]
)");
  const std::string mode =
      "rgba,z,N,dPdtime,wide,mse,aov_value,lightgroup:key,lightgroup:default,Oi,cryptomatte:object|material";
  for (const char* samples : {"3 4", "1 7"}) {
    const auto with = [&](const std::string& options, int threads, Isa isa, int width, int height) {
      Setup s;
      s.options = format("PixelSamples {}\n{}", samples, options);
      s.threads = threads, s.isa = isa, s.bucketWidth = width, s.bucketHeight = height;
      return picture(scene, s, mode);
    };
    const Picture a = with("", 1, bestIsa(), 16, 16);
    CHECK(a.mean("wide.R") > 0.05);
    CHECK(a.mean("key.R") > 0.01);
    CHECK(differences(a.image, with("", 4, bestIsa(), 16, 16).image) == 0);
    CHECK(differences(a.image, with("", 2, Isa::kSse4, 32, 32).image) == 0);
    for (const auto& [w, h] : {std::pair{1, 1}, {7, 5}, {1000, 1000}})
      CHECK(differences(a.image, with("", 2, bestIsa(), w, h).image) == 0);
    CHECK(differencesWhereBoth(a.image, with("CropWindow 0.3 0.71 0.2 0.55\n", 2, bestIsa(), 9, 4).image) == 0);
  }
}

TEST_CASE("grids of 256, 64 and 4 micropolygons agree but for the noise of shading at other points") {
  const Picture a = picture(kScene);
  for (const int grid : {64, 4}) {
    Setup s;
    s.gridSize = grid;
    const Picture b = picture(kScene, s);
    REQUIRE(a.image.pixels.size() == b.image.pixels.size());
    double sum = 0;
    for (size_t i = 0; i < a.image.pixels.size(); ++i) sum += std::fabs(a.image.pixels[i] - b.image.pixels[i]);
    CAPTURE(grid);
    CHECK(sum / static_cast<double>(a.image.pixels.size()) < 0.03);
    CHECK(b.mean("A") == doctest::Approx(a.mean("A")).epsilon(0.005));
  }
}

namespace {
/// Thousands of small things of several kinds, in front of each other, some of them moving, some through the border.
std::string crowd(const std::string& each) {
  std::string all = R"(
Format 96 72 1
PixelSamples 2 2
Projection "perspective" "fov" [40]
Shutter 0 1
Translate 0 0 6
WorldBegin
LightSource "distantlight" 2 "from" [-1 2 -3] "to" [0 0 0]
Surface "speckle"
)";
  std::mt19937 random(4);
  const auto number = [&](double size) { return (static_cast<double>(random() % 20001) / 10000 - 1) * size; };
  for (int i = 0; i < 3000; ++i) {
    all += "AttributeBegin\n" + each;
    const double x = number(3), y = number(2.5), z = number(2);
    const std::string to = reyes::format("Translate {:.3f} {:.3f} {:.3f}\n", x, y, z);
    all += i % 5 ? to
                 : "MotionBegin [0 1]\n" + to + reyes::format("Translate {:.3f} {:.3f} {:.3f}\n", x + 0.2, y, z) +
                       "MotionEnd\n";
    static const char* const kKinds[] = {"Sphere 0.06 -0.06 0.06 360\n", "Disk 0 0.1 360\n",
                                         "Cylinder 0.03 -0.1 0.1 360\n", "Polygon \"P\" [0 0 0 0.1 0 0.05 0 0.1 0]\n",
                                         "Points \"P\" [0 0 0 0.05 0.05 0] \"constantwidth\" [0.05]\n"};
    all += std::string(kKinds[i % 7 % 5]) + "AttributeEnd\n";
  }
  return all + "WorldEnd\n";
}
}  // namespace

TEST_CASE("a crowd is drawn as its members would be, for any threads, buckets and crop") {
  Setup one;
  one.threads = 1;
  const Picture base = picture(crowd(""), one);
  CHECK(base.mean("A") > 0.3);
  // Each with a root of its own, opened before the first bucket.
  CHECK(differences(base.image, picture(crowd("Attribute \"cull\" \"hidden\" [0]\n"), one).image) == 0);
  Setup other;
  other.threads = 3, other.bucketWidth = 13, other.bucketHeight = 7;
  const Picture threads = picture(crowd(""), other);
  CHECK(differences(base.image, threads.image) == 0);
  other.options = "CropWindow 0.3 0.8 0.2 0.9\n";
  CHECK(differencesWhereBoth(base.image, picture(crowd(""), other).image) == 0);
  // What nobody saw is counted as for others.
  CHECK(base.result.stats.get(Counter::kPrimitives) == 3000);
  CHECK(base.result.stats.get(Counter::kNodes) == 3000);
}

TEST_CASE("counts do not depend on threads, nor where grids turn out to lie beside the picture") {
  // Small faces, half of them out to the left, whose bounds reach in; every face is opened by some bucket.
  std::string mesh, loops, vertices;
  constexpr int kSide = 14;
  for (int j = 0; j <= kSide; ++j)
    for (int i = 0; i <= kSide; ++i) mesh += format("{} {} 0 ", (i - 7) * 0.05, (j - 7) * 0.07);
  for (int j = 0; j < kSide; ++j)
    for (int i = 0; i < kSide; ++i) {
      const int a = j * (kSide + 1) + i;
      loops += "4 ", vertices += format("{} {} {} {} ", a, a + 1, a + kSide + 2, a + kSide + 1);
    }
  const std::string scene =
      "Format 48 36 1\nPixelSamples 2 1\nProjection \"perspective\" \"fov\" [30]\nWorldBegin\nOpacity 0.2 0.2 0.2\n"
      "Surface \"constant\"\nDisplacement \"lumps\" \"float Km\" [0.02] \"float freq\" [9]\n"
      "Attribute \"displacementbound\" \"float sphere\" [0.1]\nTranslate -1.42 0 4\nPointsPolygons [" +
      loops + "] [" + vertices + "] \"P\" [" + mesh + "]\nWorldEnd\n";
  Setup setup;
  setup.bucketWidth = setup.bucketHeight = 8;
  setup.threads = 1;
  const Stats want = picture(scene, setup).result.stats;
  CHECK(want.get(Counter::kGridsHidden) > 5);
  setup.threads = 4;
  for (int round = 0; round < 5; ++round) {
    const Stats got = picture(scene, setup).result.stats;
    for (int c = 0; c < static_cast<int>(Counter::kCount); ++c)
      CHECK_MESSAGE(got.counts[static_cast<size_t>(c)] == want.counts[static_cast<size_t>(c)],
                    counterName(static_cast<Counter>(c)));
  }
}
