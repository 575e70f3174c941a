// SPDX-License-Identifier: Apache-2.0
// The same bits for any thread count, bucket size, instruction set and crop; close pictures for any grid size.
#include <doctest/doctest.h>

#include <cmath>

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
