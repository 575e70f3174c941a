// SPDX-License-Identifier: Apache-2.0
// Attribute "dice": what micropolygons are measured in, by counting them on squares whose sizes are known.
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

constexpr const char* kView =
    "Format 200 200 1\nPixelSamples 1 1\nShutter 0 0\nScreenWindow -1 1 -1 1\nPixelFilter \"box\" 1 1\n";

/// Micropolygons of a square of 1 by 1 units (100 by 100 pixels in the orthographic view) under `transform`, with grids
/// large enough not to be split.
double diced(const std::string& attributes, const std::string& transform, const std::string& projection = "",
             int gridSize = 20000) {
  Setup setup;
  setup.gridSize = gridSize;
  const Picture p = picture(std::string(kView) + projection + "WorldBegin\n" + attributes + transform +
                                "Patch \"bilinear\" \"P\" [-0.5 -0.5 0 0.5 -0.5 0 -0.5 0.5 0 0.5 0.5 0]\nWorldEnd\n",
                            setup);
  CHECK(p.messages.empty());
  return static_cast<double>(p.result.stats.get(Counter::kMicropolygons));
}

/// Rounding of the parts of an edge, and the rows next to the sides, add to what is wanted.
doctest::Approx about(double n) { return doctest::Approx(1.12 * n).epsilon(0.15); }

const std::string kFlat = "Translate 0 0 1\n";
const std::string kSteep = "Translate 0 0 1\nRotate 80 1 0 0\n";

}  // namespace

TEST_CASE("rasterorient 0: a surface seen from the side is diced as one that faces the camera") {
  CHECK(diced("", kFlat) == about(100 * 100));
  CHECK(diced("", kSteep) == about(100 * 18));  // cos(80) * 100 = 17.4
  CHECK(diced("Attribute \"dice\" \"rasterorient\" [0]\n", kFlat) == about(100 * 100));
  CHECK(diced("Attribute \"dice\" \"rasterorient\" [0]\n", kSteep) == about(100 * 100));
}

TEST_CASE("micropolygonlength in pixels is the root of ShadingRate, whichever is said first") {
  for (const char* text : {"Attribute \"dice\" \"micropolygonlength\" [4]\n",
                           "ShadingRate 1\nAttribute \"dice\" \"micropolygonlength\" [4]\n",
                           "Attribute \"dice\" \"micropolygonlength\" [4]\nShadingRate 1\n"})
    CHECK_MESSAGE(diced(text, kFlat) == diced("ShadingRate 16\n", kFlat), text);
}

TEST_CASE("worlddistance and objectdistance count units, wherever the camera stands") {
  const std::string units = "Attribute \"dice\" \"micropolygonlength\" [0.02] \"strategy\" ";
  for (const std::string& place : {kFlat, kSteep}) {
    CHECK(diced(units + "\"worlddistance\"\n", place) == about(50 * 50));
    CHECK(diced(units + "\"worlddistance\"\n", place + "Scale 1 2 1\n") == about(50 * 100));
    CHECK(diced(units + "\"objectdistance\"\n", place + "Scale 1 2 1\n") == about(50 * 50));
    CHECK(diced(units + "\"worlddistance\"\n", place, "Projection \"perspective\" \"fov\" [90]\n") == about(50 * 50));
  }
  // No finer than an eighth of a pixel, whatever is asked.
  CHECK(diced("Attribute \"dice\" \"micropolygonlength\" [1e-9] \"strategy\" \"worlddistance\"\n",
              kFlat + "Scale 0.1 0.1 0.1\n") <= about(80 * 80));
}

TEST_CASE("sphericalprojection measures angles: pixels in the middle, fewer towards the borders of a wide view") {
  const std::string sphere = "Attribute \"dice\" \"strategy\" \"sphericalprojection\"\n";
  const std::string wide = "Projection \"perspective\" \"fov\" [120]\n", large = "Translate 0 0 1\nScale 3 3 1\n";
  const double planar = diced("", large, wide, 100000), spherical = diced(sphere, large, wide, 100000);
  CHECK(spherical < 0.65 * planar);
  const std::string small = "Translate 0 0 1\nScale 0.3 0.3 1\n";
  CHECK(diced(sphere, small, wide) == doctest::Approx(diced("", small, wide)).epsilon(0.1));
  CHECK(diced(sphere, kFlat) == about(100 * 100));  // without perspective as planarprojection
}

TEST_CASE("focusfactor: what the lens spreads over 32 pixels is diced three times as coarsely") {
  // A lens of radius 0.32 focused far away: 32 pixels at depth 1, where a unit is 100 pixels.
  const std::string view = "Projection \"perspective\" \"fov\" [90]\n";
  const std::string blurred = view + "DepthOfField 1 0.64 1e6\n", sharp = view + "DepthOfField 1 0.64 1\n";
  const double fine = diced("", kFlat, view);
  CHECK(diced("", kFlat, blurred) == doctest::Approx(fine / 3).epsilon(0.15));
  CHECK(diced("", kFlat, sharp) == fine);
  CHECK(diced("GeometricApproximation \"focusfactor\" 0\n", kFlat, blurred) == fine);
  CHECK(diced("GeometricApproximation \"focusfactor\" 2\n", kFlat, blurred) == doctest::Approx(fine / 5).epsilon(0.15));
  // A part of it is in focus.
  CHECK(diced("", "Translate 0 0 1\nRotate 60 1 0 0\n", sharp) ==
        doctest::Approx(diced("", "Translate 0 0 1\nRotate 60 1 0 0\n", view)).epsilon(0.15));
}

TEST_CASE("micropolygons are counted once, whatever the buckets and threads; visits of buckets are told apart") {
  // Side by side, since what hides behind something else depends on what a bucket saw first.
  const std::string scene =
      "Format 96 96 1\nPixelSamples 2 2\nShutter 0 1\nScreenWindow -3 3 -3 3\nWorldBegin\nSurface \"constant\"\n"
      "Translate 0 0 5\nAttributeBegin\nTranslate -1.5 1.5 0\nDisk 0 1.3 360\nAttributeEnd\n"
      "AttributeBegin\nMotionBegin [0 1]\nTranslate 1.4 1.5 0\nTranslate 1.6 1.5 0\nMotionEnd\nDisk 0 1.2 360\n"
      "AttributeEnd\nCurves \"linear\" [3 2] \"nonperiodic\" \"P\" [-2.5 -2.5 0 -1.5 -0.5 0 -0.5 -2.5 0 -2.5 -0.3 0 "
      "-0.5 "
      "-0.3 0] \"constantwidth\" [0.05]\nPoints \"P\" [1 -1 0 2 -1 0 1.5 -2 0] \"constantwidth\" [0.6]\nWorldEnd\n";
  Setup whole, small;
  whole.bucketWidth = whole.bucketHeight = 96;
  small.bucketWidth = small.bucketHeight = 8;
  const Stats one = picture(scene, whole).result.stats, many = picture(scene, small).result.stats;
  small.threads = 1;
  const Stats alone = picture(scene, small).result.stats;
  for (const Counter c : {Counter::kGridsShaded, Counter::kPointsShaded, Counter::kMicropolygons,
                          Counter::kMicropolygonsCulled, Counter::kBucketMicropolygons, Counter::kBucketCulled}) {
    const bool visits = c == Counter::kBucketMicropolygons || c == Counter::kBucketCulled;
    CHECK_MESSAGE((visits || one.get(c) == many.get(c)), counterName(c));
    CHECK_MESSAGE(many.get(c) == alone.get(c), counterName(c));
  }
  CHECK(one.get(Counter::kBucketMicropolygons) <= one.get(Counter::kMicropolygons));
  CHECK(many.get(Counter::kBucketMicropolygons) > one.get(Counter::kBucketMicropolygons));
  // A square of a grid: its steps, no more.
  CHECK(diced("", kFlat, "Option \"limits\" \"bucketsize\" [7 11]\n") == diced("", kFlat));
}

TEST_CASE("motionfactor: what moves 32 pixels is diced three times as coarsely, or as its factor says") {
  const auto moved = [](const std::string& attributes, double pixels, const char* shutter = "Shutter 0 1\n") {
    const std::string move = format("MotionBegin [0 1]\nTranslate 0 0 1\nTranslate {} 0 1\nMotionEnd\n", pixels / 100);
    return diced(attributes, move, shutter);
  };
  const double fine = diced("", kFlat);
  const std::string none = "GeometricApproximation \"motionfactor\" 0\n",
                    two = "GeometricApproximation \"motionfactor\" 2\n";
  CHECK(moved(none, 32) == fine);
  CHECK(moved("", 32) == doctest::Approx(fine / 3).epsilon(0.15));
  CHECK(moved("GeometricApproximation \"motionfactor\" 1\n", 32) == moved("", 32));
  CHECK(moved(two, 32) == doctest::Approx(fine / 5).epsilon(0.15));
  CHECK(moved("", 16) == doctest::Approx(fine / 2).epsilon(0.15));
  // Four times the unit at most counts; a shutter that does not open shows no motion.
  CHECK(moved("", 64) == doctest::Approx(fine / 5).epsilon(0.15));
  CHECK(moved("", 128) == moved("", 64));
  CHECK(moved("", 32, "Shutter 0.5 0.5\n") == fine);
  CHECK(moved("", 32, "Shutter 0 0.5\n") == doctest::Approx(fine / 2).epsilon(0.15));
}

TEST_CASE("motionfactor: fewer points are shaded, and the picture stays within what blur hides") {
  // 33.6 pixels of motion.
  const auto ball = [](int factor) {
    return picture(
        format("Format 256 192 1\nPixelSamples 4 4\nScreenWindow -1.333 1.333 -1 1\nShutter 0 1\nWorldBegin\n"
               "LightSource \"distantlight\" 1 \"from\" [1 1 -1] \"to\" [0 0 0]\nSurface \"plastic\"\n"
               "GeometricApproximation \"motionfactor\" {}\nMotionBegin [0 1]\nTranslate -0.175 0 3\n"
               "Translate 0.175 0 3\nMotionEnd\nSphere 0.75 -0.75 0.75 360\nWorldEnd\n",
               factor));
  };
  const Picture p[] = {ball(0), ball(1), ball(2)};
  const auto points = [&](int i) { return static_cast<double>(p[i].result.stats.get(Counter::kPointsShaded)); };
  // Not by as much as of what is flat: steps that turn stay short enough for the shape.
  CHECK(points(1) < 0.6 * points(0));
  CHECK(points(2) < 0.65 * points(1));
  for (int i = 1; i < 3; ++i)
    for (const char* channel : {"R", "A"}) {
      double most = 0, sum = 0;
      for (int y = 0; y < 192; ++y)
        for (int x = 0; x < 256; ++x) {
          const double d = std::fabs(static_cast<double>(p[i].at(x, y, channel) - p[0].at(x, y, channel)));
          most = std::max(most, d), sum += d;
        }
      CHECK(most < 0.06);
      CHECK(sum / (256 * 192) < 0.0005);
      CHECK(p[i].mean(channel) == doctest::Approx(p[0].mean(channel)).epsilon(0.001));
    }
}

TEST_CASE("however surfaces are diced they have no holes, and the same bits in any buckets and threads") {
  for (const char* dice : {"\"rasterorient\" [0]", "\"strategy\" \"sphericalprojection\"",
                           "\"strategy\" \"worlddistance\" \"micropolygonlength\" [0.05]",
                           "\"strategy\" \"objectdistance\" \"micropolygonlength\" [0.05]"}) {
    const std::string scene = format(
        "Format 96 96 1\nPixelSamples 3 3\nProjection \"perspective\" \"fov\" [60]\nWorldBegin\nSurface \"constant\"\n"
        "Attribute \"dice\" {}\nTranslate 0.4 0 2.5\nRotate 50 1 1 0\nSphere 1 -1 1 360\nWorldEnd\n",
        dice);
    Setup one, other;
    one.threads = 1, other.threads = 4, other.bucketWidth = 13, other.bucketHeight = 7;
    const Picture p = picture(scene, one), q = picture(scene, other);
    CHECK_MESSAGE(differences(p.image, q.image) == 0, dice);
    // Where all around is covered a pixel is, too.
    int holes = 0;
    for (int y = 1; y < 95; ++y)
      for (int x = 1; x < 95; ++x)
        holes += p.at(x, y, "A") < 1 && p.at(x - 1, y, "A") == 1 && p.at(x + 1, y, "A") == 1 &&
                 p.at(x, y - 1, "A") == 1 && p.at(x, y + 1, "A") == 1;
    CHECK_MESSAGE(holes == 0, dice);
  }
}

TEST_CASE("a strategy that is not there is named") {
  const Picture p = picture("WorldBegin\nAttribute \"dice\" \"strategy\" \"diagonal\"\nSphere 1 -1 1 360\nWorldEnd\n");
  CHECK(p.hasCode("rib-bad-argument"));
}
