// SPDX-License-Identifier: Apache-2.0
// Closed opaque shapes let no background sample through, from any side, still or moving, displaced or not.
// Alpha of an opaque shape is exactly 1 in every pixel inside its silhouette; a pixel below 1 whose whole ring at
// distance 3 is covered is a hole.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
constexpr int kSize = 80;

std::string scene(const std::string& shape, int angle, bool moving, const std::string& attributes) {
  // Ten directions over the sphere: the golden angle about y, and a lean.
  std::string s = format(
      "Format {0} {0} 1\nPixelSamples 4 4\nPixelFilter \"box\" 1 1\n"
      "Projection \"perspective\" \"fov\" [30]\nClipping 0.1 100\nShutter 0 1\nTranslate 0 0 5.5\n"
      "Rotate {1} 1 0 0\nRotate {2} 0 1 0\nWorldBegin\nSides 1\nSurface \"constant\"\nColor 0 1 0\n",
      kSize, -80 + angle * 17.3, angle * 137.5);
  s += attributes;
  if (moving) s += "MotionBegin [0 1]\nTranslate 0 0 0\nTranslate 0.06 0.04 0.02\nMotionEnd\n";
  return s + shape + "WorldEnd\n";
}

/// Pixels that are not fully covered although every pixel at distance 3 around them is.
int holes(const Picture& p) {
  int n = 0;
  for (int y = 3; y < kSize - 3; ++y)
    for (int x = 3; x < kSize - 3; ++x) {
      if (p.at(x, y, "A") >= 1) continue;
      bool inside = true;
      for (int k = -3; k <= 3 && inside; ++k)
        inside = p.at(x + k, y - 3, "A") >= 1 && p.at(x + k, y + 3, "A") >= 1 && p.at(x - 3, y + k, "A") >= 1 &&
                 p.at(x + 3, y + k, "A") >= 1;
      n += inside;
    }
  return n;
}

int holesFromAllSides(const std::string& shape, const std::string& attributes = "", int gridSize = 0) {
  int n = 0;
  for (int angle = 0; angle < 10; ++angle)
    for (const bool moving : {false, true}) {
      Setup s;
      s.gridSize = gridSize;
      const Picture p = picture(scene(shape, angle, moving, attributes), s);
      REQUIRE(p.mean("A") > 0.03);
      n += holes(p);
    }
  return n;
}

const std::string kLumps =
    "Attribute \"displacementbound\" \"float sphere\" [0.25] \"string coordinatesystem\" [\"object\"]\n"
    "Displacement \"lumps\" \"float Km\" [0.2]\n";
const std::string kCube =
    "SubdivisionMesh \"catmull-clark\" [4 4 4 4 4 4] [0 1 3 2  4 6 7 5  0 4 5 1  2 3 7 6  0 2 6 4  1 5 7 3] "
    "[\"interpolateboundary\"] [0 0] [] [] \"P\" [-1 -1 -1  1 -1 -1  -1 1 -1  1 1 -1  -1 -1 1  1 -1 1  -1 1 1  1 1 "
    "1]\n";

/// Circles about z, nine rational points each, over profiles of radius, height and weight.
std::string turned(const std::vector<std::array<double, 3>>& profile, const std::string& knots, int order) {
  const double h = std::sqrt(0.5);
  const double circle[9][3] = {{1, 0, 1},   {1, 1, h},  {0, 1, 1},  {-1, 1, h}, {-1, 0, 1},
                               {-1, -1, h}, {0, -1, 1}, {1, -1, h}, {1, 0, 1}};
  std::string p;
  for (const auto& [r, z, w] : profile)
    for (const auto& c : circle)
      p += format("{} {} {} {}  ", r * c[0] * w * c[2], r * c[1] * w * c[2], z * w * c[2], w * c[2]);
  return format("NuPatch 9 3 [0 0 0 .25 .25 .5 .5 .75 .75 1 1 1] 0 1 {} {} {} 0 1 \"Pw\" [{}]\n", profile.size(), order,
                knots, p);
}
const double kHalf = std::sqrt(0.5);
const std::string kNurbsSphere =
    turned({{0, -1, 1}, {1, -1, kHalf}, {1, 0, 1}, {1, 1, kHalf}, {0, 1, 1}}, "[0 0 0 .5 .5 1 1 1]", 3);
const std::string kNurbsRing = turned({{1.1, 0, 1},
                                       {1.1, 0.35, kHalf},
                                       {0.75, 0.35, 1},
                                       {0.4, 0.35, kHalf},
                                       {0.4, 0, 1},
                                       {0.4, -0.35, kHalf},
                                       {0.75, -0.35, 1},
                                       {1.1, -0.35, kHalf},
                                       {1.1, 0, 1}},
                                      "[0 0 0 .25 .25 .5 .5 .75 .75 1 1 1]", 3);
/// Order five along the profile: patches that are not bicubic.
const std::string kNurbsVase = turned(
    {{0, -1, 1}, {0.8, -1, 1}, {1.1, -0.4, 1}, {0.3, 0.3, 1}, {1.1, 0.9, 1}, {0, 1, 1}}, "[0 0 0 0 0 .6 1 1 1 1 1]", 5);
const std::string kLoop =
    "SubdivisionMesh \"loop\" [3 3 3 3 3 3 3 3] [0 2 4  2 1 4  1 3 4  3 0 4  2 0 5  1 2 5  3 1 5  0 3 5] [] [] [] [] "
    "\"P\" [1.4 0 0 -1.4 0 0 0 1.4 0 0 -1.4 0 0 0 1.4 0 0 -1.4]\n";
const std::string kBlobby =
    "Sides 2\nBlobby 4 [1001 0 1001 16 1002 32 1001 55 0 3 0 1 2 4 4 3] [1.6 0 0 0 0 1.6 0 0 0 0 1.6 0 0.5 0 0 1  "
    "1.2 0 0 0 0 1.2 0 0 0 0 1.6 0 -0.6 0.2 0 1  -0.8 -0.8 0 0.8 0.8 0.4 0.6 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1  "
    "0.9 0 0 0 0 0.9 0 0 0 0 0.9 0 0.5 0 -0.9 1] []\n";

/// A closed cube with n x n faces a side.
std::string fineCube(int n) {
  std::map<std::array<int, 3>, int> vertices;
  std::string points, counts, corners;
  const auto vertex = [&](std::array<int, 3> at) {
    const auto [it, fresh] = vertices.try_emplace(at, static_cast<int>(vertices.size()));
    if (fresh) points += format("{} {} {} ", 2.0 * at[0] / n - 1, 2.0 * at[1] / n - 1, 2.0 * at[2] / n - 1);
    return it->second;
  };
  for (size_t axis = 0; axis < 3; ++axis)
    for (const int end : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          // Anticlockwise from outside, on either end.
          const int ring[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
          counts += "4 ";
          for (int k = 0; k < 4; ++k) {
            const int* step = ring[end ? k : 3 - k];
            std::array<int, 3> at;
            at[axis] = end, at[(axis + 1) % 3] = i + step[0], at[(axis + 2) % 3] = j + step[1];
            corners += format("{} ", vertex(at));
          }
        }
  return "Sides 2\nSubdivisionMesh \"catmull-clark\" [" + counts + "] [" + corners + "] [] [] [] [] \"P\" [" + points +
         "]\n";
}
}  // namespace

TEST_CASE("no holes: NURBS sphere, ring and vase") {
  CHECK(holesFromAllSides("Sides 2\n" + kNurbsSphere) == 0);
  CHECK(holesFromAllSides("Sides 2\n" + kNurbsRing) == 0);
  CHECK(holesFromAllSides("Sides 2\n" + kNurbsVase) == 0);
  CHECK(holesFromAllSides("Sides 2\n" + kNurbsRing, kLumps) == 0);
  CHECK(holesFromAllSides("Sides 2\n" + kNurbsSphere, kLumps, 16) == 0);
}
TEST_CASE("no holes: Loop surface") {
  CHECK(holesFromAllSides(kLoop) == 0);
  CHECK(holesFromAllSides(kLoop, kLumps) == 0);
}
TEST_CASE("no holes: blobby") {
  CHECK(holesFromAllSides(kBlobby) == 0);
  CHECK(holesFromAllSides(kBlobby, kLumps) == 0);
}
TEST_CASE("no holes: sphere") { CHECK(holesFromAllSides("Sphere 1 -1 1 360\n") == 0); }
TEST_CASE("no holes: torus") { CHECK(holesFromAllSides("Torus 0.8 0.35 0 360 360\n") == 0); }
TEST_CASE("no holes: teapot") { CHECK(holesFromAllSides("Sides 2\nScale 0.4 0.4 0.4\nGeometry \"teapot\"\n") == 0); }
TEST_CASE("no holes: subdivision cube") { CHECK(holesFromAllSides(kCube) == 0); }
TEST_CASE("no holes: a cube of many faces, whose corners are extraordinary among regular faces") {
  CHECK(holesFromAllSides(fineCube(3)) == 0);
}
TEST_CASE("no holes: displaced sphere") { CHECK(holesFromAllSides("Sphere 0.9 -0.9 0.9 360\n", kLumps) == 0); }
TEST_CASE("no holes: displaced torus") { CHECK(holesFromAllSides("Torus 0.8 0.35 0 360 360\n", kLumps) == 0); }
TEST_CASE("no holes: displaced subdivision cube") { CHECK(holesFromAllSides(kCube, kLumps) == 0); }
TEST_CASE("no holes: a patch mesh whose neighbours dice at two rates, displaced") {
  // Columns 1, 5 and 1 wide: the middle faces dice at other rates than those beside them.
  std::string p;
  for (const double y : {-1.0, -0.6, 0.9, 1.0})
    for (const double x : {-1.0, -0.9, 0.8, 1.0}) p += format("{} {} {} ", x, y, 0.4 * x * y);
  const std::string mesh = "Sides 2\nPatchMesh \"bilinear\" 4 \"nonperiodic\" 4 \"nonperiodic\" \"P\" [" + p + "]\n";
  CHECK(holesFromAllSides(mesh) == 0);
  CHECK(holesFromAllSides(mesh, kLumps) == 0);
}
TEST_CASE("no holes: patches of their own that share the bits of their borders") {
  // Two bicubic patches, the second finer bent, with one common border; and it is run the other way round.
  const std::string a =
      "Sides 2\nPatch \"bicubic\" \"P\" [-1 -1 0  -0.7 -1 0.2  -0.3 -1 0  0 -1 0.1  -1 -0.3 0  -0.7 -0.3 0.3  -0.3 "
      "-0.3 0  0 "
      "-0.3 "
      "0.4  -1 0.3 0  -0.7 0.3 0  -0.3 0.3 0  0 0.3 -0.2  -1 1 0  -0.7 1 0  -0.3 1 0.2  0 1 0]\n";
  const std::string b =
      "Patch \"bicubic\" \"P\" [1 1 0.5  0.9 1 0  0.2 1 0  0 1 0  1 0.3 0  0.9 0.3 0  0.2 0.3 0  0 0.3 -0.2  1 -0.3 0  "
      "0.9 -0.3 0.6  0.2 -0.3 0  0 -0.3 0.4  1 -1 0.9  0.9 -1 0.2  0.2 -1 0  0 -1 0.1]\n";
  CHECK(holesFromAllSides(a + b) == 0);
}
TEST_CASE("no holes: tiny grids") {
  CHECK(holesFromAllSides("Sphere 1 -1 1 360\n", "", 4) == 0);
  CHECK(holesFromAllSides(kCube, kLumps, 16) == 0);
}
