// SPDX-License-Identifier: Apache-2.0
// A wall of forty shapes of every kind, each at a dicing rate of its own and displaced by noise, before a red ground:
// nothing red shows inside their silhouettes, which a picture at a fine rate gives. And the hard control meshes of
// geom's tests, from all sides, far and near.
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/base/format.h"
#include "tests/render/harness.h"
#include "tests/unit/geom/subdiv_shapes.h"

using namespace reyes;
using namespace reyes::test;

namespace {

/// Red pixels deep inside silhouettes: where a picture of finer micropolygons has nothing red for `reach` pixels
/// around.
int redInside(const Picture& p, const Picture& fine, int width, int height, int reach) {
  const auto red = [&](const Picture& q, int x, int y) {
    const size_t n = q.image.channels.size(), at = static_cast<size_t>(y) * static_cast<size_t>(width);
    return q.image.pixels[(at + static_cast<size_t>(x)) * n + static_cast<size_t>(q.channel("R"))] > 0;
  };
  int count = 0;
  for (int y = reach; y < height - reach; ++y)
    for (int x = reach; x < width - reach; ++x) {
      if (!red(p, x, y)) continue;
      bool inside = true;
      for (int j = -reach; j <= reach && inside; ++j)
        for (int i = -reach; i <= reach && inside; ++i) inside = !red(fine, x + i, y + j);
      count += inside;
    }
  return count;
}

/// Shape k of the wall, about one unit in size.
std::string wallShape(int k, const std::vector<std::string>& meshes) {
  switch (k % 8) {
    case 0:
      return "Sphere 0.5 -0.5 0.5 360\n";
    case 1:
      return "Rotate 60 1 0.3 0\nTorus 0.36 0.17 0 360 360\n";
    case 2:
      return "Scale 0.2 0.2 0.2\nRotate -90 1 0 0\nGeometry \"teapot\"\n";
    case 3:
      return "Blobby 2 [1001 0 1001 16 0 2 0 1] [0.8 0 0 0 0 0.8 0 0 0 0 0.8 0 0.2 0 0 1 0.7 0 0 0 0 0.7 0 0 0 0 0.9 0 "
             "-0.25 0.1 0 1] []\n";
    default:
      return "Scale 0.45 0.45 0.45\nRotate " + format("{}", 23 * k) + " 0.3 1 0.2\n" +
             meshes[static_cast<size_t>(k) % meshes.size()];
  }
}

std::string wall(int seed, bool moving, bool fine) {
  std::vector<std::string> meshes;
  for (const geom::test::SubdivShape& s : geom::test::subdivShapes())
    if (s.closed) meshes.push_back(s.rib());
  // The camera of a seed. Shapes stand apart: slits between two silhouettes would look like cracks.
  const double a = std::sin(seed * 2.4), b = std::cos(seed * 1.7);
  std::string s = format(
      "Format 256 160 1\nPixelSamples 3 3\nPixelFilter \"box\" 1 1\nProjection \"perspective\" \"fov\" [38]\n"
      "Clipping 0.1 100\nShutter 0 1\nTranslate {} {} {}\nRotate {} 1 0 0\nRotate {} 0 1 0\nRotate {} 0 0 1\n"
      "WorldBegin\nSurface \"constant\"\nAttributeBegin\nColor 1 0 0\n"
      "Patch \"bilinear\" \"P\" [-90 -90 9 90 -90 9 -90 90 9 90 90 9]\nAttributeEnd\nColor 0 1 0\n",
      0.4 * a, 0.3 * b, 11 + seed % 3, 14 * a, 18 * b, 3 * seed);
  for (int k = 0; k < 40; ++k) {
    const double rate = fine ? 0.4 : std::pow(2.0, (k * 7 + seed) % 6 - 2);
    s += format("AttributeBegin\nShadingRate {}\nAttribute \"dice\" \"binary\" [{}]\n", rate, k % 5 == 0 ? 1 : 0);
    s += format(
        "Attribute \"displacementbound\" \"float sphere\" [0.15] \"string coordinatesystem\" [\"world\"]\n"
        "Displacement \"lumps\" \"float Km\" [{}] \"float freq\" [{}]\n",
        0.08, 3 + k % 4);
    if (moving) s += format("MotionBegin [0 1]\nTranslate 0 0 0\nTranslate {} {} 0.02\nMotionEnd\n", 0.03, 0.02);
    s += format("Translate {} {} {}\n", (k % 8 - 3.5) * 1.45, (k / 8 - 2) * 1.45, 0.4 * ((k * 5) % 3 - 1));
    s += wallShape(k, meshes) + "AttributeEnd\n";
  }
  return s + "WorldEnd\n";
}

}  // namespace

TEST_CASE("a wall of forty displaced shapes of many rates lets nothing through") {
  for (int seed = 0; seed < 10; ++seed)
    for (const bool moving : {false, true}) {
      CAPTURE(seed);
      CAPTURE(moving);
      const Picture p = picture(wall(seed, moving, false));
      CHECK(p.mean("G") > 0.1);
      CHECK(p.mean("R") > 0.02);
      CHECK_FALSE(p.hasCode("displacement-bound"));
      CHECK(redInside(p, picture(wall(seed, moving, true)), 256, 160, 3) == 0);
    }
}

TEST_CASE("hard control meshes have no holes from twenty directions, far and near") {
  constexpr int kSize = 64;
  for (const geom::test::SubdivShape& shape : geom::test::subdivShapes()) {
    if (!shape.closed) continue;
    CAPTURE(shape.name);
    int holes = 0;
    for (int direction = 0; direction < 20; ++direction)
      for (const double zoom : {12.0, 30.0, 75.0}) {
        const auto scene = [&](double rate) {
          return format(
              "Format {0} {0} 1\nPixelSamples 3 3\nPixelFilter \"box\" 1 1\nProjection \"perspective\" \"fov\" [{1}]\n"
              "Clipping 0.1 100\nTranslate 0 0 5.5\nRotate {2} 1 0 0\nRotate {3} 0 1 0\nWorldBegin\n"
              "Surface \"constant\"\nAttributeBegin\nColor 1 0 0\nSphere 40 -40 40 360\nAttributeEnd\nColor 0 1 0\n"
              "ShadingRate {5}\n{4}WorldEnd\n",
              kSize, zoom, -85 + direction * 8.9, direction * 137.5, shape.rib(), rate);
        };
        holes += redInside(picture(scene(1)), picture(scene(0.3)), kSize, kSize, 2);
      }
    CHECK(holes == 0);
  }
}
