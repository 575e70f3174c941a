// SPDX-License-Identifier: Apache-2.0
// Pictures that went wrong in renderers like ours: see docs/faults.md for the faults and where the rest of them is
// tested. Answers are known: no reference file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
// Screen window -1..1 over 64 pixels, y up.
std::string world(const std::string& content, const std::string& head = "", int samples = 4) {
  return format(
             "Format 64 64 1\nProjection \"orthographic\"\nScreenWindow -1 1 -1 1\nClipping 0.1 100\n"
             "PixelSamples {0} {0}\nPixelFilter \"box\" 1 1\n",
             samples) +
         head + "Translate 0 0 5\nWorldBegin\nSurface \"constant\"\n" + content + "WorldEnd\n";
}

std::string quad(double x0, double x1, double y0, double y1, double z = 0) {
  return format("Patch \"bilinear\" \"P\" [{} {} {} {} {} {} {} {} {} {} {} {}]\n", x0, y1, z, x1, y1, z, x0, y0, z, x1,
                y0, z);
}

int notFinite(const Picture& p) {
  return static_cast<int>(
      std::count_if(p.image.pixels.begin(), p.image.pixels.end(), [](float v) { return !std::isfinite(v); }));
}

/// The share of the shutter's time, or its one moment, at which `inside` holds.
template <class Position>
double meanOverShutter(double open, double close, const Position& position) {
  constexpr int kSteps = 4000;
  double sum = 0;
  for (int i = 0; i < kSteps; ++i) sum += position(open + (close - open) * (i + 0.5) / kSteps);
  return sum / kSteps;
}
}  // namespace

TEST_CASE("micropolygons stay small on a tiny face beside huge ones") {
  // Faces of width 1 and 0.001: the limit surface of the narrow ones is pulled far beyond their control cage.
  std::string points;
  const double at[] = {-1, -0.9, -0.0005, 0.0005, 0.9, 1};
  for (const double y : at)
    for (const double x : at) points += format("{} {} {} ", x, y, 0.3 * x * y);
  std::string counts, corners;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i) {
      const int a = j * 6 + i;
      counts += "4 ";
      corners += format("{} {} {} {} ", a, a + 1, a + 7, a + 6);
    }
  const std::string mesh = "ShadingRate 1\nSides 2\nSurface \"microarea\"\nSubdivisionMesh \"catmull-clark\" [" +
                           counts + "] [" + corners + "] [\"interpolateboundary\"] [0 0] [] [] \"P\" [" + points +
                           "]\n";
  const Picture p = picture(world(mesh));
  float most = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) most = std::max(most, p.at(x, y, "R"));
  CHECK(most > 0.1f);
  CHECK(most < 4);
}

TEST_CASE("what is one pixel wide at the borders of the frame is drawn") {
  const double px = 2.0 / 64;
  for (const double x : {-1.0, 0.0, 1 - px})
    for (const double y : {-1.0, 0.0, 1 - px}) {
      const Picture p = picture(world(quad(x, x + px, y, y + px)));
      CAPTURE(x);
      CAPTURE(y);
      CHECK(p.mean("A") * 64 * 64 == doctest::Approx(1));
      CHECK(p.at(static_cast<int>((x + 1) * 32), static_cast<int>((1 - y) * 32 - 1), "A") == 1.0f);
    }
}

TEST_CASE("a picture smaller than a bucket is whole") {
  for (const int size : {1, 2, 4, 15, 17}) {
    const Picture p =
        picture(format("Format {0} {0} 1\nPixelFilter \"box\" 1 1\nProjection \"orthographic\"\nTranslate 0 0 "
                       "5\nWorldBegin\nSurface \"constant\"\n",
                       size) +
                quad(-2, 2, -2, 2) + "WorldEnd\n");
    CAPTURE(size);
    CHECK(p.image.width() == size);
    CHECK(p.mean("A") == 1);
    CHECK(p.mean("G") == 1);
  }
}

TEST_CASE("any count of samples a pixel, square or not") {
  for (const char* samples : {"1 1", "1 7", "7 1", "11 11", "32 32", "2 33"}) {
    Setup s;
    s.options = format("PixelSamples {}\nFormat 16 16 1\n", samples);
    const Picture p = picture(world(quad(-2, 0.5, -2, 2)), s);
    CAPTURE(samples);
    CHECK(p.at(3, 8, "A") == 1);
    CHECK(p.at(14, 8, "A") == 0);
    CHECK(p.mean("A") == doctest::Approx(0.75).epsilon(0.001));
  }
}

TEST_CASE("half opaque surfaces are hit once everywhere, across rates, poles and seams") {
  std::string points;
  for (const double y : {-1.2, -0.6, 1.1, 1.2})
    for (const double x : {-1.2, -1.1, 0.8, 1.2}) points += format("{} {} 0 ", x, y);
  const std::string mesh = "PatchMesh \"bilinear\" 4 \"nonperiodic\" 4 \"nonperiodic\" \"P\" [" + points + "]\n";
  const Picture plane = picture(world("Opacity 0.5 0.5 0.5\n" + mesh));
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) CHECK(plane.at(x, y, "A") == 0.5f);
  // The pole of a sphere, and of a disk, in the middle of the frame; one side only.
  for (const char* shape : {"Sphere 2 0 2 360\n", "Sphere 2 -2 0 360\nReverseOrientation\n", "Disk 0 2 360\n"}) {
    const Picture p = picture(world("Sides 2\nOpacity 0.5 0.5 0.5\n" + std::string(shape)));
    CAPTURE(shape);
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) CHECK(p.at(x, y, "A") == 0.5f);
  }
}

TEST_CASE("a moving surface that is wholly transparent is nothing, and no fault") {
  const Picture p = picture(world("Opacity 0 0 0\nMotionBegin [0 1]\nTranslate 0 0 0\nTranslate 0.5 0 0\nMotionEnd\n" +
                                      quad(-1, 1, -1, 1) + "Sphere 1 -1 1 360\n",
                                  "Shutter 0 1\n"));
  CHECK(p.mean("A") == 0);
  CHECK(p.messages.empty());
}

TEST_CASE("shutters and keys of any kind: the mean is the integral") {
  const std::vector<std::pair<double, double>> shutters = {{0, 0}, {-0.1, 0.1}, {0, 1}, {-1, 2}, {0.25, 0.25}};
  const std::vector<std::vector<double>> keys = {{0, 1}, {0, 0.3, 1}, {-0.5, 0.5}};
  for (const auto& shutter : shutters)
    for (const std::vector<double>& times : keys) {
      const double open = shutter.first, close = shutter.second;
      // The edge is at 0.8 t, and stands still outside the keys.
      std::string block = "MotionBegin [";
      for (const double t : times) block += format("{} ", t);
      block += "]\n";
      for (const double t : times) block += format("Translate {} 0 0\n", 0.8 * t);
      const Picture p =
          picture(world(block + "MotionEnd\n" + quad(-3, 0, -2, 2), format("Shutter {} {}\n", open, close)));
      const double edge = meanOverShutter(open, close, [&](double t) {
        return std::clamp(0.8 * std::clamp(t, times.front(), times.back()), -1.0, 1.0);
      });
      CAPTURE(open);
      CAPTURE(close);
      CAPTURE(times.size());
      CHECK(p.mean("A") == doctest::Approx((1 + edge) / 2).epsilon(0.006));
    }
}

TEST_CASE("a mirror between motion keys is said, and the first key's sense is kept") {
  const Picture p =
      picture(world("Sides 1\nMotionBegin [0 1]\nTransform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1]\nTransform [-1 0 0 0 0 1 "
                    "0 0 0 0 1 0 0 0 0 "
                    "1]\nMotionEnd\nSphere 0.8 -0.8 0.8 360\n",
                    "Shutter 0 1\n"));
  CHECK(p.hasCode("rib-motion-mirrors"));
  CHECK(p.at(32, 32, "A") > 0);
}

TEST_CASE("defocus treats a triangle as it treats its parts") {
  const std::string head = "DepthOfField 1 1 3\n";
  const std::string whole = "Polygon \"P\" [-0.7 -0.6 0  0.1 0.8 0  0.7 -0.6 0]\n";
  const std::string parts =
      "Polygon \"P\" [-0.7 -0.6 0  0.1 0.8 0  0 -0.6 0]\nPolygon \"P\" [0 -0.6 0  0.1 0.8 0  0.7 -0.6 0]\n";
  const auto lens = [&](const std::string& shape) {
    std::string s = world(shape, head, 8);
    const std::string flat = "Projection \"orthographic\"";
    return picture(s.replace(s.find(flat), flat.size(), "Projection \"perspective\" \"fov\" [30]"));
  };
  const Picture a = lens(whole), b = lens(parts);
  double sum = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) sum += std::pow(a.at(x, y, "A") - b.at(x, y, "A"), 2);
  CHECK(a.mean("A") > 0.1);
  CHECK(std::sqrt(sum / (64 * 64)) < 0.01);
}

TEST_CASE("a fast thing before a large lens costs no more than its samples") {
  const std::string s =
      "Format 64 64 1\nPixelSamples 4 4\nProjection \"perspective\" \"fov\" [40]\nShutter 0 1\nDepthOfField 1 1 "
      "20\nTranslate 0 0 5\nWorldBegin\nSurface \"matte\"\nLightSource \"ambientlight\" 1\nMotionBegin [0 "
      "1]\nTranslate -8 0 "
      "-2\nTranslate 8 0 -2\nMotionEnd\nSphere 0.5 -0.5 0.5 360\nWorldEnd\n";
  const Picture p = picture(s);
  CHECK(p.mean("A") > 0.001);
  CHECK(p.result.stats.get(Counter::kMicropolygons) < 20000);
  CHECK(p.result.peakGridBytes < (int64_t{8} << 20));
}

TEST_CASE("faces without area give no pixel that is not a number, on any instruction set") {
  const std::string faces =
      "Surface \"plastic\"\nLightSource \"distantlight\" 1\n"
      "Polygon \"P\" [0 0 0  0 0 0  0 0 0]\nPolygon \"P\" [-0.5 0 0  0 0 0  0.5 0 0]\n"
      "PointsPolygons [4 4] [0 0 1 1  0 1 2 2] \"P\" [-0.9 -0.5 0  0.2 0.7 0  0.8 -0.3 0.1]\n"
      "Patch \"bilinear\" \"P\" [-0.9 0.9 0  0.9 0.9 0  -0.9 0.9 0  0.9 0.9 0]\n"
      "Patch \"bilinear\" \"P\" [-0.5 -0.9 0  -0.5 -0.9 0  -0.9 -0.2 0  0.4 -0.2 0]\n"
      "SubdivisionMesh \"catmull-clark\" [4 4] [0 1 2 3 0 3 2 1] [\"interpolateboundary\"] [0 0] [] [] \"P\" [0 0 0 0 "
      "0 0 "
      "0.3 0.3 0 0.3 0.3 0]\nSphere 0.3 0.3 0.3 360\nCone 0 0 360\nTorus 0.2 0 0 360 360\n";
  Picture first;
  for (const Isa isa : supportedIsas()) {
    Setup s;
    s.isa = isa;
    const Picture p = picture(world(faces), s);
    CHECK(notFinite(p) == 0);
    if (first.image.pixels.empty()) first = p;
    CHECK(differences(first.image, p.image) == 0);
  }
}

TEST_CASE("a piece of a huge moving picture is the same in buckets of any size") {
  // Raster coordinates near 100000: a child that sticks out of its parent's bound would be missing in some buckets.
  const std::string s =
      "Format 100000 100000 1\nCropWindow 0.70001 0.70041 0.30003 0.30043\nPixelSamples 2 2\nPixelFilter \"box\" 1 1\n"
      "Projection \"orthographic\"\nShutter 0 1\nTranslate 0 0 5\nWorldBegin\nSurface \"constant\"\nShadingRate 4\n"
      "MotionBegin [0 1]\nTranslate 0 0 0\nTranslate 0.00007 0.00003 0.1\nMotionEnd\n"
      "Patch \"bicubic\" \"P\" [-2 2 0 -0.7 2 1 0.6 2 0 2 2 0  -2 0.7 0 -0.7 0.6 1 0.6 0.7 -1 2 0.6 0\n"
      "-2 -0.7 0 -0.7 -0.7 0 0.6 -0.6 1 2 -0.7 0  -2 -2 0 -0.7 -2 0 0.6 -2 1 2 -2 0]\nWorldEnd\n";
  Setup a, b;
  a.bucketWidth = a.bucketHeight = 16;
  b.bucketWidth = 5, b.bucketHeight = 64;
  const Picture p = picture(s, a);
  CHECK(p.image.width() == 40);
  CHECK(p.mean("A") == 1);
  CHECK(differences(p.image, picture(s, b).image) == 0);
}
