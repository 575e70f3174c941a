// SPDX-License-Identifier: Apache-2.0
// Small faces drawn many in a grid: bit for bit what the same faces give one by one, whatever the shader asks of its
// neighbours, still, moving and out of focus; no cracks towards faces that are too large for it; and few grids.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

struct Point {
  double x, y, z;
};
using Shape = std::function<Point(double, double)>;

const std::string kCamera =
    "Format 96 64 1\nProjection \"perspective\" \"fov\" [40]\nClipping 0.1 100\nPixelSamples 3 3\n"
    "Translate 0 0 4\nRotate 25 1 0.3 0\n";

std::string world(const std::string& content, const std::string& options = "") {
  return kCamera + options +
         "WorldBegin\nLightSource \"distantlight\" 1 \"from\" [1 2 -3] \"to\" [0 0 0]\nShadingRate 9\n" + content +
         "WorldEnd\n";
}

std::string numbers(const Point& p) { return format("{:.5f} {:.5f} {:.5f} ", p.x, p.y, p.z); }
std::string tint(double u, double v) { return format("{:.3f} {:.3f} {:.3f} ", u, v, 0.5 + 0.5 * std::sin(9 * u * v)); }

/// A sheet of side x side faces as one mesh.
std::string mesh(int side, const Shape& shape, bool triangles = false) {
  std::string counts, indices, p, c;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int a = j * (side + 1) + i, b = a + 1, d = a + side + 1, e = d + 1;
      counts += triangles ? "3 3 " : "4 ";
      indices += triangles ? format("{} {} {} {} {} {} ", a, b, e, a, e, d) : format("{} {} {} {} ", a, b, e, d);
    }
  for (int j = 0; j <= side; ++j)
    for (int i = 0; i <= side; ++i) {
      const double u = double(i) / side, v = double(j) / side;
      p += numbers(shape(u, v)), c += tint(u, v);
    }
  return format("PointsPolygons [{}] [{}] \"P\" [{}] \"varying color tint\" [{}]\n", counts, indices, p, c);
}

/// The same faces, each a primitive of its own.
std::string singly(int side, const Shape& shape, bool triangles = false) {
  std::string all;
  const auto face = [&](std::initializer_list<std::pair<int, int>> corners) {
    std::string p, c;
    for (const auto& [i, j] : corners) {
      const double u = double(i) / side, v = double(j) / side;
      p += numbers(shape(u, v)), c += tint(u, v);
    }
    all += format("Polygon \"P\" [{}] \"varying color tint\" [{}]\n", p, c);
  };
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      if (!triangles) {
        face({{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}});
        continue;
      }
      face({{i, j}, {i + 1, j}, {i + 1, j + 1}});
      face({{i, j}, {i + 1, j + 1}, {i, j + 1}});
    }
  return all;
}

Point wave(double u, double v) {
  return {2.2 * (u - 0.5), 0.2 * std::sin(7 * u) * std::cos(5 * v) + 0.1 * std::sin(60 * v), 1.8 * (v - 0.5)};
}

int64_t dicedGrids(const Picture& p) { return p.result.stats.get(Counter::kGridsDiced); }

}  // namespace

TEST_CASE("many small faces in a grid give the bits of each alone") {
  const Shape shape = wave;
  struct Case {
    const char *name, *attributes, *options;
  };
  const Case cases[] = {
      {"smooth", "Surface \"cellvalues\"\n", ""},
      {"flat", "Surface \"cellvalues\"\nShadingInterpolation \"constant\"\n", ""},
      {"one side", "Surface \"cellvalues\"\nSides 1\nOrientation \"inside\"\n", ""},
      {"clear", "Surface \"cellvalues\"\nOpacity [.4 .5 .6]\n", ""},
      {"mirrored", "Surface \"cellvalues\"\nScale -1 1 1\nSides 1\n", ""},
      {"texture coordinates", "Surface \"cellvalues\"\nTextureCoordinates 0 0 2 0 0 3 2 3\n", ""},
      {"orthographic", "Surface \"cellvalues\"\n", "Projection \"orthographic\"\nScreenWindow -1 1 -1 1\n"},
      {"out of focus", "Surface \"cellvalues\"\n", "DepthOfField 8 1 4\n"},
      {"a sample a pixel", "Surface \"cellvalues\"\n", "PixelSamples 1 1\n"}};
  for (const Case& c : cases)
    for (const bool triangles : {false, true}) {
      CAPTURE(c.name);
      CAPTURE(triangles);
      const int side = 90;
      const Picture together = picture(world(c.attributes + mesh(side, shape, triangles), c.options));
      const Picture alone = picture(world(c.attributes + singly(side, shape, triangles), c.options));
      CHECK(together.mean("A") > 0.05);
      CHECK(differences(together.image, alone.image) == 0);
      CHECK(dicedGrids(together) * 8 < dicedGrids(alone));
    }
}

TEST_CASE("moving faces, too") {
  const std::string shutter = "Shutter 0 1\n";
  const auto later = [](double u, double v) {
    const Point p = wave(u, v);
    return Point{p.x + 0.1 * v, p.y + 0.2 * u, p.z};
  };
  const auto moving = [&](const std::string& a, const std::string& b) {
    return "MotionBegin [0 1]\n" + a + b + "MotionEnd\n";
  };
  const std::string content =
      "Surface \"cellvalues\"\nMotionBegin [0 1]\nTranslate 0 0 0\nTranslate .1 0 .2\nMotionEnd\n";
  const Picture together = picture(world(content + mesh(90, wave), shutter));
  const Picture alone = picture(world(content + singly(90, wave), shutter));
  CHECK(differences(together.image, alone.image) == 0);
  CHECK(dicedGrids(together) * 8 < dicedGrids(alone));
  // Deformation: the shutter opens between two keys.
  const std::string bends = "Surface \"cellvalues\"\n" + moving(mesh(90, wave), mesh(90, later));
  std::string one;
  const std::string before = singly(90, wave), after = singly(90, later);
  for (size_t a = 0, b = 0; a < before.size();) {
    const size_t endA = before.find('\n', a) + 1, endB = after.find('\n', b) + 1;
    one += moving(before.substr(a, endA - a), after.substr(b, endB - b));
    a = endA, b = endB;
  }
  const std::string late = "Shutter 0.25 0.75\n";
  CHECK(differences(picture(world(bends, late)).image, picture(world("Surface \"cellvalues\"\n" + one, late)).image) ==
        0);
}

TEST_CASE("faces of all sizes meet without cracks, and pictures do not depend on buckets, threads and crop") {
  // Towards one corner faces become a hundred times as small.
  const auto shape = [](double u, double v) {
    const double a = u * u * u * (u + 0.02), b = v * v * v * (v + 0.02);
    return Point{3.4 * (a - 0.5), 0.25 * std::sin(9 * a) * std::sin(8 * b), 2.6 * (b - 0.5)};
  };
  const std::string red = "Surface \"constant\"\nColor [1 0 0]\nPolygon \"P\" [-9 -2 9 9 -2 9 9 -2 -9 -9 -2 -9]\n";
  const std::string content = red + "Color [0 1 0]\nShadingRate 1\n" + mesh(60, shape);
  const std::string scene = world(content, "PixelSamples 4 4\n");
  Setup one;
  one.threads = 1;
  const Picture whole = picture(scene, one);
  CHECK(whole.result.stats.get(Counter::kGridsShaded) > 100);
  // Behind the sheet all is red: inside of it no sample may be. Its outline is left out.
  int inside = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) {
      bool green = true;
      for (int dy = -4; dy <= 4 && green; ++dy)
        for (int dx = -4; dx <= 4 && green; ++dx)
          green = x + dx >= 0 && x + dx < 96 && y + dy >= 0 && y + dy < 64 && whole.at(x + dx, y + dy, "G") > 0.4f;
      if (!green) continue;
      ++inside;
      CHECK(whole.at(x, y, "R") == 0);
    }
  CHECK(inside > 500);
  for (const int size : {5, 64}) {
    Setup other;
    other.threads = 4, other.bucketWidth = size, other.bucketHeight = size + 3;
    CHECK(differences(whole.image, picture(scene, other).image) == 0);
  }
  Setup many;
  many.threads = 4;
  CHECK(dicedGrids(whole) == dicedGrids(picture(scene, many)));
  Setup crop;
  crop.options = "CropWindow 0.21 0.63 0.3 0.77\n";
  CHECK(differencesWhereBoth(whole.image, picture(scene, crop).image) == 0);
}

TEST_CASE("values that a shader takes as uniform keep faces apart") {
  std::string faces;
  for (int i = 0; i < 40 * 40; ++i) faces += format("{} ", i % 7);
  std::string sheet = mesh(40, wave);
  sheet.insert(sheet.size() - 1, format(" \"uniform float face\" [{}]", faces));
  const auto small = [](const std::string& what) { return world("Surface \"cellvalues\"\nScale .2 .2 .2\n" + what); };
  const Picture with = picture(small(sheet)), without = picture(small(mesh(40, wave)));
  CHECK(with.messages.empty());
  CHECK(with.mean("A") == without.mean("A"));
  CHECK(with.mean("R") == doctest::Approx(without.mean("R") + 0.05 * 3 * with.mean("A")).epsilon(0.01));
}
