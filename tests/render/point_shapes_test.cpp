// SPDX-License-Identifier: Apache-2.0
// Points that are surfaces, in pictures: spheres against Sphere, discs along normals against Disk, patches that face
// the camera against their size and angle, blobs against Blobby.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {
std::string camera(const char* projection, const char* before = "") {
  return format(
      "Format 64 64 1\nProjection {}\nScreenWindow -1 1 -1 1\nClipping 0.1 100\n{}\nTranslate 0 0 5\n"
      "PixelSamples 6 6\nPixelFilter \"box\" 1 1\nExposure 1 1\n",
      projection, before);
}
const std::string kFlat = camera("\"orthographic\"");

/// Lit from the side, so that normals show.
std::string world(const std::string& content, const std::string& view = kFlat) {
  return view + "WorldBegin\nLightSource \"distantlight\" 1 \"from\" [-1 1 -1] \"to\" [0 0 0]\nSurface \"matte\"\n" +
         content + "WorldEnd\n";
}
double area(const Picture& p) { return p.mean("A") * 4; }

double worstDifference(const Picture& a, const Picture& b) {
  double worst = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      for (const char* c : {"R", "G", "B", "A"})
        worst = std::max(worst, std::fabs(double(a.at(x, y, c)) - b.at(x, y, c)));
  return worst;
}
double meanDifference(const Picture& a, const Picture& b) {
  double sum = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) sum += std::fabs(double(a.at(x, y, "R")) - b.at(x, y, "R"));
  return sum / (64 * 64);
}
}  // namespace

TEST_CASE("a point of type sphere is a Sphere: the same bits where floats allow it") {
  const Picture sphere = picture(world("Sphere 0.5 -0.5 0.5 360\n"));
  const Picture point =
      picture(world("Points \"P\" [0 0 0] \"constantwidth\" [1] \"uniform string type\" \"sphere\"\n"));
  CHECK(sphere.mean("R") > 0.05);
  CHECK(differences(sphere.image, point.image) == 0);
  // Elsewhere, many, moving, in perspective: the same picture but for rounding.
  const std::string view = camera("\"perspective\" \"fov\" 45", "Shutter 0 1");
  std::string spheres, places, later, widths, colours;
  for (int i = 0; i < 25; ++i) {
    const double x = (i % 5 - 2) * 0.6, y = (i / 5 - 2) * 0.6, z = 0.2 * (i % 3), w = 0.1 + 0.02 * i;
    spheres += format(
        "AttributeBegin\nColor [{} 0.5 0.5]\nMotionBegin [0 1]\nTranslate {} {} {}\nTranslate {} {} {}\n"
        "MotionEnd\nSphere {} {} {} 360\nAttributeEnd\n",
        i / 25.0, x, y, z, x + 0.1, y, z, w / 2, -w / 2, w / 2);
    places += format("{} {} {} ", x, y, z), later += format("{} {} {} ", x + 0.1, y, z);
    widths += format("{} ", w), colours += format("{} 0.5 0.5 ", i / 25.0);
  }
  const std::string rest =
      format(" \"varying float width\" [{}] \"varying color Cs\" [{}] \"type\" \"sphere\"\n", widths, colours);
  const Picture a = picture(world(spheres, view));
  const Picture b = picture(world("Declare \"type\" \"uniform string\"\nMotionBegin [0 1]\nPoints \"P\" [" + places +
                                      "]" + rest + "Points \"P\" [" + later + "]" + rest + "MotionEnd\n",
                                  view));
  CHECK(b.messages.empty());
  CHECK(a.mean("A") > 0.1);
  CHECK(meanDifference(a, b) < 2e-3);
}

TEST_CASE("patches: as wide as the point, aspect, angle, towards the eye whatever the transform") {
  const auto patches = [](const std::string& more) {
    return "Points \"P\" [-0.5 -0.5 0  0.5 0.5 0.2] \"constantwidth\" [0.4] \"uniform string type\" \"patch\" " + more +
           "\n";
  };
  CHECK(area(picture(world(patches("")))) == doctest::Approx(2 * 0.16).epsilon(0.02));
  CHECK(area(picture(world(patches("\"constant float patchaspectratio\" [2]")))) ==
        doctest::Approx(2 * 0.08).epsilon(0.02));
  CHECK(area(picture(world(patches("\"varying float patchaspectratio\" [2 0.5]")))) ==
        doctest::Approx(0.08 + 0.32).epsilon(0.02));
  const Picture turned = picture(world(patches("\"constant float patchangle\" [45]")));
  CHECK(area(turned) == doctest::Approx(2 * 0.16).epsilon(0.02));
  // Its corner is where the side's middle was: half a diagonal from the centre.
  CHECK(turned.at(16 + 8, 48, "A") > 0.5f);
  CHECK(turned.at(16 + 5, 48 - 5, "A") == 0.0f);
  // Turned and mirrored objects, one-sided surfaces: the same silhouette, lit from the front.
  const Picture plain = picture(world("Sides 1\n" + patches("")));
  for (const char* how : {"Rotate 50 0 0 1\nRotate -50 0 0 1\n", "Scale 1 1 -1\n", "ReverseOrientation\n",
                          "Orientation \"rh\"\n", "Scale 1 1 -1\nReverseOrientation\n"}) {
    CAPTURE(how);
    CHECK(worstDifference(plain, picture(world(std::string("Sides 1\n") + how + patches("")))) < 0.03);
  }
  // Rotated about the point, it still faces the eye.
  CHECK(area(picture(world("Rotate 70 0 1 0\nPoints \"P\" [0 0 0] \"constantwidth\" [0.8] \"uniform string type\" "
                           "\"patch\"\n"))) == doctest::Approx(0.64).epsilon(0.02));
  // Its s and t are those of a picture: to the right and down.
  const Picture texture = picture(kFlat +
                                  "WorldBegin\nSurface \"show_st\"\nPoints \"P\" [0 0 0] \"constantwidth\" [2] "
                                  "\"uniform string type\" \"patch\"\nWorldEnd\n");
  CHECK(texture.at(60, 2, "R") == doctest::Approx(60.5 / 64).epsilon(0.02));
  CHECK(texture.at(60, 2, "G") == doctest::Approx(2.5 / 64).epsilon(0.1));
}

TEST_CASE("patches move, and turn with a moving camera") {
  const std::string view = camera("\"perspective\" \"fov\" 45",
                                  "Shutter 0 1\nMotionBegin [0 1]\nRotate 0 0 1 0\n"
                                  "Rotate 10 0 1 0\nMotionEnd");
  const std::string one = "\"constantwidth\" [0.6] \"uniform string type\" \"patch\"";
  const Picture p = picture(world(
      "MotionBegin [0 1]\nPoints \"P\" [0 0 0] " + one + "\nPoints \"P\" [0 0.2 0] " + one + "\nMotionEnd\n", view));
  CHECK(p.messages.empty());
  // At any time a square of 0.6 at depth 5: what is covered in all is that.
  const double side = 0.6 / 5 / std::tan(std::numbers::pi / 8);
  CHECK(area(p) == doctest::Approx(side * side).epsilon(0.04));
}

TEST_CASE("discs along their normals; without normals they face the camera") {
  const std::string disk = "Points \"P\" [0 0 0] \"constantwidth\" [1] \"uniform string type\" \"disk\"";
  CHECK(area(picture(world(disk + "\n"))) == doctest::Approx(std::numbers::pi / 4).epsilon(0.02));
  const Picture a = picture(world(disk + " \"varying normal N\" [0.866025 0 -0.5]\n"));
  CHECK(area(a) == doctest::Approx(std::numbers::pi / 8).epsilon(0.02));
  const Picture b = picture(world("Rotate -60 0 1 0\nRotate 180 1 0 0\nDisk 0 0.5 360\n"));
  CHECK(area(b) == doctest::Approx(area(a)).epsilon(0.02));
}

TEST_CASE("points of type blobby flow together") {
  const Picture points =
      picture(world("Points \"P\" [-0.3 0 0 0.3 0 0] \"constantwidth\" [0.7] \"uniform string type\" \"blobby\"\n"));
  const Picture blobby = picture(world(
      "Blobby 2 [1001 0 1001 16 0 2 0 1] [.7 0 0 0 0 .7 0 0 0 0 .7 0 -.3 0 0 1  .7 0 0 0 0 .7 0 0 0 0 .7 0 .3 0 0 1] "
      "[\"\"]\n"));
  CHECK(points.mean("A") > 0.1);
  CHECK(worstDifference(points, blobby) < 1e-4);
  CHECK(area(points) > 2 * std::numbers::pi / 4 * 0.49 - 0.05);
}

TEST_CASE("a type that is not there is named") {
  const Picture p = picture(world("Points \"P\" [0 0 0] \"constantwidth\" [1] \"uniform string type\" \"cube\"\n"));
  CHECK(p.hasCode("geom-bad-type"));
  CHECK(area(p) == doctest::Approx(std::numbers::pi / 4).epsilon(0.02));
}
