// SPDX-License-Identifier: Apache-2.0
// Displacement without a declared bound: the bound found by trial holds typical shaders, so the picture is, bit for
// bit, that of a bound declared generously.
#include <doctest/doctest.h>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
const std::string kCube =
    "SubdivisionMesh \"catmull-clark\" [4 4 4 4 4 4] [0 1 3 2  4 6 7 5  0 4 5 1  2 3 7 6  0 2 6 4  1 5 7 3] "
    "[\"interpolateboundary\"] [0 0] [] [] \"P\" [-1 -1 -1  1 -1 -1  -1 1 -1  1 1 -1  -1 -1 1  1 -1 1  -1 1 1  1 1 "
    "1]\n";
const std::string kGenerous =
    "Attribute \"displacementbound\" \"float sphere\" [0.6] \"string coordinatesystem\" [\"shader\"]\n";

std::string sceneOf(const std::string& shape, const std::string& shader, const std::string& bound, int turn) {
  return format(
      "Format 160 120 1\nPixelSamples 2 2\nProjection \"perspective\" \"fov\" [35]\nTranslate 0 0 5\n"
      "Rotate {} 1 0.4 0.2\nWorldBegin\nLightSource \"distantlight\" 1\nSurface \"matte\"\n{}Displacement {}\n{}"
      "WorldEnd\n",
      turn, bound, shader, shape);
}
}  // namespace

TEST_CASE("a bound found by trial holds typical displacement") {
  const std::string shaders[] = {"\"pimples\" \"float Km\" [0.03]",
                                 "\"pimples\" \"Km\" [0.3] \"power\" [8] \"freq\" [9]", "\"fading\"",
                                 "\"lumps\" \"float Km\" [0.2]", "\"lumps\" \"Km\" [0.1] \"freq\" [25]"};
  const std::string shapes[] = {"Sphere 1 -1 1 360\n", kCube, "Scale 0.4 0.4 0.4\nGeometry \"teapot\"\n"};
  for (const std::string& shape : shapes)
    for (const std::string& shader : shaders)
      for (const int turn : {20, 115}) {
        CAPTURE(shape);
        CAPTURE(shader);
        const Picture found = picture(sceneOf(shape, shader, "", turn));
        CHECK(found.hasCode("displacement-bound-found"));
        CHECK_FALSE(found.hasCode("displacement-bound"));
        const Picture declared = picture(sceneOf(shape, shader, kGenerous, turn));
        CHECK_FALSE(declared.hasCode("displacement-bound"));
        CHECK(differences(found.image, declared.image) == 0);
      }
}

TEST_CASE("a declared bound far beyond what was seen is said") {
  const auto bound = [](double size) {
    return format("Attribute \"displacementbound\" \"float sphere\" [{}] \"string coordinatesystem\" [\"object\"]\n",
                  size);
  };
  const std::string shader = "\"lumps\" \"float Km\" [0.1]", sphere = "Sphere 1 -1 1 360\n";
  CHECK(picture(sceneOf(sphere, shader, bound(2), 20)).hasCode("displacement-bound-loose"));
  CHECK_FALSE(picture(sceneOf(sphere, shader, bound(0.12), 20)).hasCode("displacement-bound-loose"));
}
