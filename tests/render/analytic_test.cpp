// SPDX-License-Identifier: Apache-2.0
// Pictures whose answer is known: no reference file.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
// Screen window -1..1, one unit is 32 pixels, y up; box filter of one pixel keeps coverage local.
const std::string kCamera =
    "Format 64 64 1\nProjection \"orthographic\"\nScreenWindow -1 1 -1 1\nClipping 0.1 100\nTranslate 0 0 5\n"
    "PixelSamples 4 4\nPixelFilter \"box\" 1 1\nExposure 1 1\n";

std::string quad(double x0, double x1, double y0, double y1, double z) {
  return format("Patch \"bilinear\" \"P\" [{} {} {} {} {} {} {} {} {} {} {} {}]\n", x0, y1, z, x1, y1, z, x0, y0, z, x1,
                y0, z);
}
std::string world(const std::string& content) {
  return kCamera + "WorldBegin\nSurface \"constant\"\n" + content + "WorldEnd\n";
}
}  // namespace

TEST_CASE("a constant shader gives that constant everywhere") {
  const Picture p = picture(world("Color 0.25 0.5 0.75\n" + quad(-2, 2, -2, 2, 0)));
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      CHECK(p.at(x, y, "R") == 0.25f);
      CHECK(p.at(x, y, "B") == 0.75f);
      CHECK(p.at(x, y, "A") == 1.0f);
    }
}

TEST_CASE("coverage of a half plane with a slanted edge") {
  // Right of the line x = 0.3 y + 0.1: area of the window right of it is half minus the shift.
  const Picture p = picture(world("Patch \"bilinear\" \"P\" [0.7 2 0  3 2 0  -0.5 -2 0  3 -2 0]\n"));
  CHECK(p.mean("A") == doctest::Approx(0.45).epsilon(0.004));
}

TEST_CASE("coverage of a disk is its area") {
  const Picture p = picture(world("Disk 0 0.8 360\n"));
  CHECK(p.mean("A") * 4 == doctest::Approx(std::numbers::pi * 0.64).epsilon(0.004));
}

TEST_CASE("small spheres and coarse ones cover nearly what they are") {
  // Radii in pixels, at a rate of one; and a large one at a rate that asks for one micropolygon.
  for (const double r : {0.4, 0.6, 1.0, 2.0}) {
    CAPTURE(r);
    const Picture p = picture(world(format("Translate 0.01 0.02 0\nSphere {0} -{0} {0} 360\n", r / 32)));
    CHECK(p.mean("A") * 4096 == doctest::Approx(std::numbers::pi * r * r).epsilon(0.16));
  }
  const Picture coarse = picture(world("ShadingRate 3000\nSphere 0.8 -0.8 0.8 360\n"));
  CHECK(coarse.mean("A") * 4 == doctest::Approx(std::numbers::pi * 0.64).epsilon(0.16));
}

TEST_CASE("a trimmed surface is there inside its curves: coverage is their area, still, moving, transparent") {
  // A square of side 2 whose parameters are half of its coordinates; a circle of radius 0.4 of them.
  const std::string curve =
      "[1] [3] [0 0 0 .25 .25 .5 .5 .75 .75 1 1 1] [0] [1] [9]\n"
      "[.9 .636396 .5 .070711 .1 .070711 .5 .636396 .9] [.5 .636396 .9 .636396 .5 .070711 .1 .070711 .5]\n"
      "[1 .707107 1 .707107 1 .707107 1 .707107 1]\n";
  const std::string patch = "NuPatch 2 2 [0 0 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]\n";
  const double area = std::numbers::pi * 0.64;
  const Picture in = picture(world("TrimCurve " + curve + patch));
  CHECK(in.mean("A") * 4 == doctest::Approx(area).epsilon(0.004));
  CHECK(in.at(32, 32, "A") == 1);
  CHECK(in.at(3, 3, "A") == 0);
  const Picture out =
      picture(world("Attribute \"trimcurve\" \"string sense\" [\"outside\"]\nTrimCurve " + curve + patch));
  CHECK(out.mean("A") * 4 == doctest::Approx(4 - area).epsilon(0.004));
  const Picture both =
      picture(world("TrimCurve " + curve + patch + "Attribute \"trimcurve\" \"string sense\" [\"outside\"]\n" + patch));
  CHECK(both.mean("A") == 1);
  const Picture moving = picture(world("MotionBegin [0 1]\nTranslate -0.1 0 0\nTranslate 0.1 0 0\nMotionEnd\n"
                                       "Opacity 0.5 0.5 0.5\nTrimCurve " +
                                       curve + patch),
                                 {.options = "Shutter 0 1\n"});
  CHECK(moving.mean("A") * 4 == doctest::Approx(area / 2).epsilon(0.006));
  // A finer dice cuts the same line.
  const Picture fine = picture(world("ShadingRate 0.1\nTrimCurve " + curve + patch));
  int unlike = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) unlike += std::abs(fine.at(x, y, "A") - in.at(x, y, "A")) > 0.07;
  CHECK(unlike == 0);
}

TEST_CASE("stacked opacities multiply their transparencies") {
  std::string s;
  for (int i = 0; i < 3; ++i) s += format("Opacity 0.5 0.5 0.5\nColor {} 0 0\n", i + 1) + quad(-2, 2, -2, 2, i);
  const Picture p = picture(world(s));
  CHECK(p.at(10, 10, "A") == doctest::Approx(0.875));
  CHECK(p.at(40, 30, "R") == doctest::Approx(0.5 * 1 + 0.25 * 2 + 0.125 * 3));
}

TEST_CASE("a moving edge covers by time: the mean is the integral") {
  const std::string camera = kCamera + "Shutter 0 1\n";
  const std::string s =
      camera + "WorldBegin\nSurface \"constant\"\nMotionBegin [0 1]\nTranslate 0 0 0\nTranslate 0.5 0 0\nMotionEnd\n" +
      quad(-3, 0, -2, 2, 0) + "WorldEnd\n";
  const Picture p = picture(s);
  // The edge moves from column 32 to 48: coverage of column x falls linearly.
  for (const int x : {34, 40, 46}) {
    double sum = 0;
    for (int y = 0; y < 64; ++y) sum += p.at(x, y, "A");
    CHECK(sum / 64 == doctest::Approx(1 - (x + 0.5 - 32) / 16).epsilon(0.03));
  }
  CHECK(p.mean("A") == doctest::Approx((32 + 8) / 64.0).epsilon(0.004));
}

TEST_CASE("a defocused point keeps its energy") {
  const std::string s =
      "Format 64 64 1\nProjection \"perspective\" \"fov\" [53.130102]\nScreenWindow -1 1 -1 1\nClipping 0.1 100\n"
      "PixelSamples 8 8\nPixelFilter \"box\" 1 1\n%sWorldBegin\nSurface \"constant\"\n" +
      quad(-0.2, 0.2, -0.2, 0.2, 4) + "WorldEnd\n";
  std::string sharp = s, soft = s;
  sharp.replace(sharp.find("%s"), 2, "");
  soft.replace(soft.find("%s"), 2, "DepthOfField 2 0.5 2\n");
  const Picture a = picture(sharp), b = picture(soft);
  CHECK(b.mean("A") == doctest::Approx(a.mean("A")).epsilon(0.02));
  CHECK(b.at(32, 32, "A") > 0.2f);
  CHECK(a.at(30, 32, "A") == 1.0f);
}

TEST_CASE("depth is the camera distance of the nearest surface") {
  const Picture p = picture(world(quad(-2, 2, -2, 2, 1) + quad(-2, 0, -2, 2, 0)), {}, "z");
  CHECK(p.at(10, 10, "Z") == doctest::Approx(5));
  CHECK(p.at(50, 10, "Z") == doctest::Approx(6));
}

TEST_CASE("a surface whose edges lie far outside the frame is as round as any") {
  // The inside of a sphere of radius 50 around an orthographic camera that sees 2 units of it: depth 72 at the centre,
  // less than 0.021 nearer in the corners. Its outside, seen from further away: depth 22, and as much farther.
  for (int turn = 0; turn < 180; turn += 20)
    for (const bool inside : {true, false}) {
      const double middle = inside ? 72 : 22;
      const Picture p = picture(format("Format 64 64 1\nProjection \"orthographic\"\nTranslate 0 0 {}\nRotate {} 1 0.2 "
                                       "0\nWorldBegin\nSurface \"constant\"\nSphere 50 -50 50 360\nWorldEnd\n",
                                       inside ? 22 : 72, turn),
                                {}, "z");
      CAPTURE(turn);
      int wrong = 0;
      for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) {
          const double away = (middle - p.at(x, y, "Z")) * (inside ? 1 : -1);
          wrong += away > -0.001 && away < 0.022 ? 0 : 1;
        }
      CHECK(wrong == 0);
    }
}

TEST_CASE("normals of a sphere are finite and unit in every pixel") {
  const Picture p = picture(world("Sphere 0.9 -0.9 0.9 360\n"), {}, "N");
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const float* n = p.image.pixel(x, y);
      CHECK((std::isfinite(n[0]) && std::isfinite(n[1]) && std::isfinite(n[2])));
    }
}

TEST_CASE("an empty scene still writes a picture, of nothing") {
  const Picture p = picture(world(""));
  CHECK(p.mean("A") == 0);
  CHECK(p.image.width() == 64);
}

TEST_CASE("derivatives to s and t are clean on a patch that spans them") {
  // Odd places and sizes: s is rounded everywhere, and must not move along v all the same.
  const Picture p = picture(kCamera + "WorldBegin\nSurface \"deriv\"\nTranslate -3.494354 -3.421401 -1.90734e-06\n" +
                            "Patch \"bilinear\" \"P\" [0 0 0  7 0 0  0 7 0  7 7 0]\nWorldEnd\n");
  for (int y = 1; y < 63; ++y)
    for (int x = 1; x < 63; ++x) {
      CHECK(p.at(x, y, "R") == doctest::Approx(7).epsilon(0.001));
      CHECK(p.at(x, y, "G") == doctest::Approx(7).epsilon(0.001));
      CHECK(p.at(x, y, "B") == 0);
    }
}

TEST_CASE("an output variable that nothing fills is a layer of zeros, and said") {
  const Picture p = picture(world(quad(-2, 2, -2, 2, 0)), {}, "color nowhere");
  CHECK(p.hasCode("display-variable-unwritten"));
  CHECK_FALSE(picture(world(quad(-2, 2, -2, 2, 0)), {}, "Cs").hasCode("display-variable-unwritten"));
}
