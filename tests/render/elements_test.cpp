// SPDX-License-Identifier: Apache-2.0
// Points and curves in pictures: coverage against closed forms, thin and broad, still and moving; and the same bits
// whatever the buckets, threads and crop.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
// Screen window -1..1, one unit is 32 pixels, y up; a box filter of one pixel keeps coverage local.
const std::string kCamera =
    "Format 64 64 1\nProjection \"orthographic\"\nScreenWindow -1 1 -1 1\nClipping 0.1 100\nTranslate 0 0 5\n"
    "PixelSamples 8 8\nPixelFilter \"box\" 1 1\nExposure 1 1\n";

std::string world(const std::string& content, const std::string& options = "") {
  return kCamera + options + "WorldBegin\nSurface \"constant\"\n" + content + "WorldEnd\n";
}
/// Covered area in units of the screen window.
double area(const Picture& p) { return p.mean("A") * 4; }

std::string scatteredPoints(int n, double width, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](double size) { return (static_cast<double>(random() % 20001) / 10000 - 1) * size; };
  std::string p, c, w;
  for (int i = 0; i < n; ++i) {
    p += format("{:.4f} {:.4f} {:.4f} ", number(1.1), number(1.1), number(1));
    c += format("{:.3f} {:.3f} {:.3f} ", number(0.5) + 0.5, number(0.5) + 0.5, number(0.5) + 0.5);
    w += format("{:.4f} ", width * (1 + number(0.9)));
  }
  return format("Points \"P\" [{}] \"varying float width\" [{}] \"varying color Cs\" [{}]\n", p, w, c);
}

std::string scatteredCurves(int n, double width, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](double size) { return (static_cast<double>(random() % 20001) / 10000 - 1) * size; };
  std::string counts, p, c;
  for (int i = 0; i < n; ++i) {
    double x = number(1), y = number(1), z = number(1);
    counts += "7 ";
    for (int k = 0; k < 7; ++k) {
      p += format("{:.4f} {:.4f} {:.4f} ", x, y, z);
      x += number(0.2), y += number(0.2), z += number(0.2);
    }
    c += format("{:.3f} {:.3f} {:.3f} ", number(0.5) + 0.5, number(0.5) + 0.5, number(0.5) + 0.5);
  }
  return format("Curves \"cubic\" [{}] \"nonperiodic\" \"P\" [{}] \"constantwidth\" [{}] \"uniform color Cs\" [{}]\n",
                counts, p, width, c);
}
}  // namespace

TEST_CASE("a point covers the area of its disc") {
  for (const double width : {1.3, 0.2, 0.06}) {
    CAPTURE(width);
    // Many small ones in a lattice, so that their sum is known well.
    const int side = width > 1 ? 1 : width > 0.1 ? 4 : 12;
    std::string p;
    for (int i = 0; i < side * side; ++i)
      p += format("{} {} 0 ", (i % side + 0.5) * 1.8 / side - 0.9 + 0.003, (i / side + 0.5) * 1.8 / side - 0.9 + 0.001);
    const Picture r = picture(world(format("Points \"P\" [{}] \"constantwidth\" [{}]\n", p, width)));
    CHECK(area(r) == doctest::Approx(side * side * std::numbers::pi * width * width / 4).epsilon(0.01));
  }
}

TEST_CASE("points far thinner than a pixel cover by chance, not by a stair") {
  // 0.005 units are 0.16 pixels: 2000 of them.
  std::string p;
  std::mt19937 random(9);
  for (int i = 0; i < 2000; ++i)
    p += format("{} {} {} ", (random() % 1800) / 1000.0 - 0.9, (random() % 1800) / 1000.0 - 0.9, i * 0.001);
  const Picture r = picture(world("Points \"P\" [" + p + "] \"constantwidth\" [0.005]\n"));
  CHECK(area(r) == doctest::Approx(2000 * std::numbers::pi * 0.005 * 0.005 / 4).epsilon(0.05));
}

TEST_CASE("a straight ribbon covers length times width, thin, broad or tapering") {
  for (const double width : {0.01, 0.05, 0.3, 0.8}) {
    CAPTURE(width);
    const std::string line = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [-0.5 -0.4 0  0.5 0.4 0.5] ";
    const double length = std::hypot(1.0, 0.8);
    const Picture even = picture(world(line + format("\"constantwidth\" [{}]\n", width)));
    CHECK(area(even) == doctest::Approx(length * width).epsilon(0.015));
    const Picture taper = picture(world(line + format("\"varying float width\" [{} 0]\n", width)));
    CHECK(area(taper) == doctest::Approx(length * width / 2).epsilon(0.02));
  }
}

TEST_CASE("a bent polyline keeps its width at the corner, without gap or double coverage") {
  // Half opaque: what is covered twice would show.
  const std::string l =
      "Opacity 0.5 0.5 0.5\nCurves \"linear\" [3] \"nonperiodic\" \"P\" [-0.7 0.5 0  0 -0.2 0  0.7 0.5 0] "
      "\"constantwidth\" [0.1]\n";
  const Picture p = picture(world(l));
  // Two legs meet in a mitre: each loses and gains the same triangle.
  CHECK(area(p) == doctest::Approx(0.5 * 2 * std::hypot(0.7, 0.7) * 0.1).epsilon(0.02));
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) CHECK(p.at(x, y, "A") <= 0.5f + 1e-5f);
}

TEST_CASE("a circle of curves: b-spline, periodic") {
  // Six control points of radius r give a closed curve; its area as a ribbon is length times width.
  std::string c;
  for (int i = 0; i < 12; ++i)
    c += format("{} {} 0 ", 0.6 * std::cos(i * std::numbers::pi / 6), 0.6 * std::sin(i * std::numbers::pi / 6));
  const Picture p = picture(world("Basis \"b-spline\" 1 \"b-spline\" 1\nCurves \"cubic\" [12] \"periodic\" \"P\" [" +
                                  c + "] \"constantwidth\" [0.08]\n"));
  const double radius = 0.6 * (4 + 2 * std::cos(std::numbers::pi / 6)) / 6;
  CHECK(area(p) == doctest::Approx(2 * std::numbers::pi * radius * 0.08).epsilon(0.02));
}

TEST_CASE("width is of object space, and normals turn ribbons") {
  const std::string line = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [0 -0.5 0  0 0.5 0] ";
  CHECK(area(picture(world("Scale 2 1 1\n" + line + "\"constantwidth\" [0.2]\n"))) ==
        doctest::Approx(1 * 0.4).epsilon(0.01));
  CHECK(area(picture(world("Scale 0.5 0.5 0.5\n" + line + "\"constantwidth\" [0.2]\n"))) ==
        doctest::Approx(0.5 * 0.1).epsilon(0.01));
  CHECK(area(picture(world("Scale 0.5 0.5 0.5\nPoints \"P\" [0 0 0] \"constantwidth\" [1]\n"))) ==
        doctest::Approx(std::numbers::pi / 16).epsilon(0.01));
  // 60 degrees from the eye: half as broad.
  const std::string n = "\"constantwidth\" [0.2] \"varying normal N\" [0.866025 0 -0.5 0.866025 0 -0.5]\n";
  CHECK(area(picture(world(line + n))) == doctest::Approx(1 * 0.1).epsilon(0.02));
}

TEST_CASE("uniform values of a curve reach uniform parameters of its shader") {
  // Two curves, Ka 0 and 1 under an ambient light.
  const Picture p =
      picture(kCamera +
              "WorldBegin\nLightSource \"ambientlight\" 1 \"intensity\" [1]\nSurface \"matte\"\n"
              "Curves \"linear\" [2 2] \"nonperiodic\" \"P\" [-0.5 -0.9 0 -0.5 0.9 0 0.5 -0.9 0 0.5 0.9 0] "
              "\"constantwidth\" [0.1] \"uniform float Ka\" [0 1]\nWorldEnd\n");
  CHECK(p.at(16, 32, "R") == 0.0f);
  CHECK(p.at(48, 32, "R") > 0.9f);
  CHECK(p.at(16, 32, "A") > 0.9f);
}

TEST_CASE("derivatives stay within a point and within a curve") {
  const std::string steps = kCamera + "WorldBegin\nSurface \"steps\"\n";
  // Points of different s are no neighbours.
  const Picture points = picture(steps +
                                 "Points \"P\" [-0.5 0 0 0 0 0 0.5 0 0] \"constantwidth\" [0.4] "
                                 "\"varying float s\" [0 10 3]\nWorldEnd\n");
  CHECK(points.mean("A") > 0.05);
  for (const char* channel : {"R", "G", "B"}) CHECK(points.mean(channel) == 0);
  // Neither are curves; along a curve v goes from 0 to 1 in steps that add up.
  const Picture curves = picture(steps +
                                 "Curves \"linear\" [2 2 2] \"nonperiodic\" \"P\" [-0.5 -0.8 0 -0.5 0.8 0  "
                                 "0 -0.8 0 0 0.8 0  0.5 -0.8 0 0.5 0.8 0] \"constantwidth\" [0.03] "
                                 "\"uniform float s\" [0 10 3]\nWorldEnd\n");
  CHECK(curves.mean("A") > 0.01);
  CHECK(curves.mean("R") == 0);
  CHECK(curves.mean("G") == 0);
  CHECK(curves.mean("B") > 0);
  CHECK(curves.mean("B") <= curves.mean("A"));
}

TEST_CASE("a broad ribbon is lit alike all over, wherever buckets cut it") {
  const Picture p =
      picture(kCamera +
              "WorldBegin\nLightSource \"distantlight\" 1 \"from\" [0 0 -1] \"to\" [0 0 0]\nSurface \"matte\" "
              "\"Ka\" [0]\nCurves \"cubic\" [4] \"nonperiodic\" \"P\" [-2 -0.3 0 -0.5 -0.3 0 0.5 -0.3 0 2 -0.3 0] "
              "\"constantwidth\" [0.7]\nWorldEnd\n");
  for (int x = 0; x < 64; ++x)
    for (int y = 35; y < 50; ++y) CHECK(p.at(x, y, "R") == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("a moving point and a moving curve cover by time") {
  const std::string shutter = "Shutter 0 1\n";
  const Picture p =
      picture(world("MotionBegin [0 1] Translate -0.5 0 0 Translate 0.5 0 0 MotionEnd\n"
                    "Points \"P\" [0 0 0] \"constantwidth\" [0.4]\n",
                    shutter));
  CHECK(area(p) == doctest::Approx(std::numbers::pi * 0.04).epsilon(0.02));
  const Picture c =
      picture(world("MotionBegin [0 1] Translate -0.5 0 0 Translate 0.5 0 0 MotionEnd\n"
                    "Curves \"linear\" [2] \"nonperiodic\" \"P\" [0 -0.5 0 0.1 0.5 0] "
                    "\"constantwidth\" [0.1]\n",
                    shutter));
  CHECK(area(c) == doctest::Approx(std::hypot(1.0, 0.1) * 0.1).epsilon(0.02));
}

TEST_CASE("points and curves: the same bits for any threads, buckets and crop") {
  const std::string moving = "MotionBegin [0 1] Translate 0 0 0 Translate 0.06 0.03 0 MotionEnd\n";
  for (const std::string& content :
       {scatteredPoints(700, 0.05, 1), scatteredPoints(60, 0.5, 2), scatteredCurves(60, 0.02, 3),
        scatteredCurves(6, 0.3, 4), moving + scatteredPoints(300, 0.05, 5), moving + scatteredCurves(40, 0.02, 6),
        "Opacity 0.4 0.5 0.6\n" + scatteredPoints(200, 0.1, 7) + scatteredCurves(40, 0.04, 8)}) {
    const std::string rib = world(content, "PixelSamples 4 4\nShutter 0 1\n");
    CAPTURE(content.substr(0, 90));
    Setup one;
    one.threads = 1;
    const Picture a = picture(rib, one, "rgbaz");
    CHECK(a.mean("A") > 0.05);
    Setup other;
    other.threads = 2, other.bucketWidth = 7, other.bucketHeight = 19;
    CHECK(differences(a.image, picture(rib, other, "rgbaz").image) == 0);
    Setup crop = one;
    crop.options = "CropWindow 0.25 0.7 0.1 0.6\n";
    CHECK(differencesWhereBoth(a.image, picture(rib, crop, "rgbaz").image) == 0);
    Setup sse = one;
    sse.isa = Isa::kSse4;
    CHECK(differences(a.image, picture(rib, sse, "rgbaz").image) == 0);
  }
}

TEST_CASE("the eye inside a curve: few splits, and what is lost is said") {
  const std::string eye = "Format 32 24 1\nProjection \"perspective\" \"fov\" [50]\nPixelSamples 2 2\n";
  const std::string curve = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [-1 -1 0 1 1 0.2] \"constantwidth\" ";
  // Broader than its distance is far.
  const Picture broad = picture(eye + "Translate 0 0 5\nWorldBegin\n" + curve + "[20]\nWorldEnd\n");
  CHECK(broad.hasCode("eye-splits"));
  CHECK(broad.result.stats.get(Counter::kNodes) < 20000);
  // Thin, through the eye: all but what is beside the eye is drawn.
  const Picture thin = picture(eye + "WorldBegin\n" + curve + "[0.02]\nWorldEnd\n");
  CHECK(thin.result.stats.get(Counter::kNodes) < 20000);
}

TEST_CASE("points and curves under a transform that divides: the same bits in any buckets, or an error") {
  const std::string eye =
      "Format 48 36 1\nProjection \"perspective\" \"fov\" [50]\nPixelSamples 2 2\nTranslate 0 0 5\n";
  for (const std::string& content : {scatteredCurves(30, 0.06, 11), scatteredPoints(200, 0.1, 12)}) {
    const std::string rib = eye +
                            "ConcatTransform [1 0 0 .3 0 1 0 0 0 0 1 .2 0 0 0 1]\nWorldBegin\nSurface \"constant\"\n" +
                            content + "WorldEnd\n";
    Setup one, other;
    one.threads = 1, other.threads = 2, other.bucketWidth = 3, other.bucketHeight = 5;
    const Picture a = picture(rib, one, "rgbaz"), b = picture(rib, other, "rgbaz");
    CHECK(a.mean("A") > 0.01);
    CHECK(differences(a.image, b.image) == 0);
    const Picture beyond =
        picture(eye + "ConcatTransform [1 0 0 .9 0 1 0 0 0 0 1 -1 0 0 0 1]\nWorldBegin\n" + content + "WorldEnd\n");
    CHECK(beyond.hasCode("transform-infinity"));
  }
}

TEST_CASE("a normal without direction leaves a ribbon to the eye, and normals move") {
  const std::string line = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [-0.5 0 0 0.5 0 0] \"constantwidth\" [0.2] ";
  CHECK(area(picture(world(line + "\"varying normal N\" [0 0 0 0 0 0]\n"))) == doctest::Approx(0.2).epsilon(0.02));
  // Turned from the eye to the side: half as broad on average, or a little more.
  const Picture moving = picture(world("MotionBegin [0 1]\n" + line + "\"varying normal N\" [0 0 -1 0 0 -1]\n" + line +
                                           "\"varying normal N\" [0 -1 0 0 -1 0]\nMotionEnd\n",
                                       "Shutter 0 1\n"));
  CHECK(area(moving) == doctest::Approx(0.1).epsilon(0.1));
}

TEST_CASE("points in one plane: the first of the file is in front") {
  std::string p, c;
  for (int i = 0; i < 40; ++i) {
    p += format("{} {} 0 ", 0.9 * std::sin(i * 1.7), 0.9 * std::cos(i * 2.3));
    c += i == 0 ? "1 0 0 " : "0 1 0 ";
  }
  const Picture r =
      picture(world("Points \"P\" [" + p + "] \"constantwidth\" [1.2] \"varying color Cs\" [" + c + "]\n"));
  CHECK(r.mean("R") * 4 == doctest::Approx([] {
                             // Point 0 is at (0, 0.9): the part of its disc inside the window.
                             double covered = 0;
                             for (int i = 0; i < 2000; ++i) {
                               const double y = 0.9 - 0.6 + (i + 0.5) * 1.2 / 2000;
                               if (y <= 1) covered += 2 * std::sqrt(0.36 - (y - 0.9) * (y - 0.9)) * 1.2 / 2000;
                             }
                             return covered;
                           }())
                               .epsilon(0.01));
}

TEST_CASE("in a transition of levels of detail each sample sees one of the two") {
  const std::string levels =
      "AttributeBegin\nColor 1 0 0\nDetail [-1 1 -1 1 -1 1]\nDetailRange [0 0 3000 4424]\n{}AttributeEnd\n"
      "AttributeBegin\nColor 0 1 0\nDetail [-1 1 -1 1 -1 1]\nDetailRange [3000 4424 1e38 1e38]\n{}AttributeEnd\n";
  const auto both = [&](const std::string& a, const std::string& b) {
    std::string s = levels;
    s.replace(s.find("{}"), 2, a), s.replace(s.find("{}"), 2, b);
    return world(s, "PixelSamples 4 4\n");
  };
  // 64 x 64 pixels: (4096 - 3000) / 1424 of the samples see the larger level.
  const double share = 1096.0 / 1424;
  const std::string sphere = "Sphere 0.7 -0.7 0.7 360\n", point = "Points \"P\" [0 0 0] \"constantwidth\" [1.4]\n",
                    ribbon = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [-0.7 0 0 0.7 0 0] \"constantwidth\" [0.9]\n";
  for (const auto& [a, b] : {std::pair{sphere, sphere}, {sphere, point}, {point, point}, {ribbon, sphere}}) {
    Setup one, other;
    one.threads = 1, other.threads = 2, other.bucketWidth = 7, other.bucketHeight = 5;
    const Picture p = picture(both(a, b), one);
    CHECK(p.mean("G") / p.mean("A") == doctest::Approx(share).epsilon(0.06));
    CHECK(p.mean("R") + p.mean("G") == doctest::Approx(p.mean("A")));
    CHECK(p.at(32, 32, "R") + p.at(32, 32, "G") == doctest::Approx(1));
    CHECK(differences(p.image, picture(both(a, b), other).image) == 0);
  }
}

TEST_CASE("calculatenormal() of points and ribbons faces the eye, or along their own normals") {
  // Ribbons along y that wave towards the eye, points, and a ribbon that is turned by its normals: colours are
  // (normal + 1) / 2, so blue is below a half where they face the eye.
  const auto mean = [&](const std::string& shape) {
    const Picture p = picture(kCamera +
                              "WorldBegin\nDisplacement \"renormal\"\nSurface \"shownormal\"\nAttribute "
                              "\"displacementbound\" \"sphere\" [0.03] \"coordinatesystem\" [\"object\"]\n" +
                              shape + "WorldEnd\n");
    CHECK(p.messages.empty());
    const double a = p.mean("A");
    REQUIRE(a > 0.01);
    return Vec3{static_cast<float>(p.mean("R") / a), static_cast<float>(p.mean("G") / a),
                static_cast<float>(p.mean("B") / a)};
  };
  const std::string line = "\"P\" [-0.5 -0.8 0 -0.5 0.8 0  0.5 -0.8 0 0.5 0.8 0]";
  for (const char* width : {"0.03", "0.3"}) {
    CAPTURE(width);
    const Vec3 n = mean("Curves \"linear\" [2 2] \"nonperiodic\" " + line + " \"constantwidth\" [" + width + "]\n");
    CHECK(n.x == doctest::Approx(0.5).epsilon(0.02));
    CHECK(n.y == doctest::Approx(0.5).epsilon(0.05));
    CHECK(n.z < 0.05);
  }
  const Vec3 points = mean("Points \"P\" [-0.5 0 0 0.5 0 0] \"constantwidth\" [0.4]\n");
  CHECK(points.z < 0.01);
  const Vec3 turned = mean("Curves \"linear\" [2 2] \"nonperiodic\" " + line +
                           " \"constantwidth\" [0.03] \"varying normal N\" [.8 0 -.6 .8 0 -.6 .8 0 -.6 .8 0 -.6]\n");
  CHECK(turned.x == doctest::Approx(0.9).epsilon(0.05));
  CHECK(turned.z == doctest::Approx(0.2).epsilon(0.2));
}

TEST_CASE("displaced ribbons keep their width where displacement bends them, thin and broad") {
  // y = 0.2 sin(4 pi v), x from -0.75 to 0.75.
  double length = 0;
  constexpr int kSteps = 10000;
  for (int i = 0; i < kSteps; ++i) {
    const double slope = 0.2 * 4 * std::numbers::pi * std::cos(4 * std::numbers::pi * (i + 0.5) / kSteps);
    length += std::hypot(1.5, slope) / kSteps;
  }
  const std::string displaced =
      "Displacement \"swing\"\nAttribute \"displacementbound\" \"sphere\" [0.25] \"coordinatesystem\" [\"object\"]\n";
  for (const char* line :
       {"Curves \"linear\" [2] \"nonperiodic\" \"P\" [-.75 0 0 .75 0 0] ",
        "Curves \"cubic\" [7] \"nonperiodic\" \"P\" [-.75 0 0 -.5 0 0 -.25 0 0 0 0 0 .25 0 0 .5 0 0 .75 0 0] "})
    for (const double width : {0.03, 0.15}) {
      CAPTURE(line);
      CAPTURE(width);
      const std::string rib = world(displaced + line + format("\"constantwidth\" [{}]\n", width));
      const Picture p = picture(rib);
      CHECK(p.messages.empty());
      CHECK(area(p) == doctest::Approx(length * width).epsilon(0.02));
      // No gap between pieces, whatever they are.
      Setup small;
      small.gridSize = 32, small.bucketWidth = small.bucketHeight = 13;
      const Picture pieces = picture(rib, small);
      CHECK(area(pieces) == doctest::Approx(length * width).epsilon(0.02));
      int holes = 0;
      for (int x = 12; x < 52 && width > 0.1; ++x) {
        const double v = ((x + 0.5) / 32 - 1 + 0.75) / 1.5;
        const double y = 32 - 32 * 0.2 * std::sin(4 * std::numbers::pi * v);
        if (pieces.at(x, static_cast<int>(y), "A") < 0.999f) ++holes;
      }
      CHECK(holes == 0);
    }
}
