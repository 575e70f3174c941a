// SPDX-License-Identifier: Apache-2.0
// Blurred pictures whose answer is an integral: edges, discs and blades that move or are out of focus, apertures, depth
// filters, stacks; at any count of samples, in buckets of any size.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

constexpr double kPi = std::numbers::pi;

/// Raster x is 32 + 32 x at depth 1, y down; at depth 4 a unit is 8 pixels. A lens of radius 1 in focus at 2: what lies
/// at depth 4 is spread by a disc of 8 pixels' radius.
std::string camera(const std::string& options, int samples = 8) {
  return format(
      "Format 64 64 1\nProjection \"perspective\" \"fov\" 90\nClipping 0.1 100\nPixelSamples {0} {0}\n"
      "PixelFilter \"box\" 1 1\nShutter 0 1\n{1}",
      samples, options);
}
const std::string kLens = "DepthOfField 0.5 1 2\n";

std::string world(const std::string& content) {
  return "WorldBegin\nSurface \"constant\"\nTranslate 0 0 4\n" + content + "WorldEnd\n";
}
/// Things at depth 4, in pixels from the centre, y up.
std::string card(double x0, double x1, double y0, double y1) {
  return format("Patch \"bilinear\" \"P\" [{0} {3} 0 {1} {3} 0 {0} {2} 0 {1} {2} 0]\n", x0 / 8, x1 / 8, y0 / 8, y1 / 8);
}
std::string disk(double radius) { return format("ShadingRate 0.25\nDisk 0 {} 360\n", radius / 8); }
std::string slide(double pixels) {
  return format("MotionBegin [0 1]\nTranslate {} 0 0\nTranslate {} 0 0\nMotionEnd\n", -pixels / 16, pixels / 16);
}

/// Mean over a pixel of a function of the place in pixels from the centre, y up.
double overPixel(int x, int y, const std::function<double(double, double)>& f) {
  constexpr int kSide = 8;
  double sum = 0;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) sum += f(x - 32 + (i + 0.5) / kSide, 32 - y - (j + 0.5) / kSide);
  return sum / (kSide * kSide);
}

/// Errors of alpha against a coverage, over a frame.
struct Errors {
  double mean = 0, rms = 0, worst = 0;
};
Errors against(const Picture& p, const std::function<double(double, double)>& coverage) {
  Errors e;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const double d = static_cast<double>(p.at(x, y, "A")) - overPixel(x, y, coverage);
      e.mean += d / 4096, e.rms += d * d / 4096, e.worst = std::max(e.worst, std::fabs(d));
    }
  e.rms = std::sqrt(e.rms);
  return e;
}
void checkCoverage(const Picture& p, const std::function<double(double, double)>& coverage, double rms, double worst) {
  const Errors e = against(p, coverage);
  CHECK(std::fabs(e.mean) < 0.0015);
  CHECK(e.rms < rms);
  CHECK(e.worst < worst);
}

/// Part of a disc of radius 1 left of x.
double discLeftOf(double x) {
  const double d = std::clamp(x, -1.0, 1.0);
  return 0.5 + (d * std::sqrt(1 - d * d) + std::asin(d)) / kPi;
}

/// Area that two discs share whose centres are d apart.
double shared(double d, double a, double b) {
  if (d >= a + b) return 0;
  if (d <= std::fabs(a - b)) return kPi * std::min(a, b) * std::min(a, b);
  const double x = (d * d + a * a - b * b) / (2 * d), y = (d * d + b * b - a * a) / (2 * d);
  return a * a * (std::acos(x / a) - x / a * std::sqrt(1 - x * x / (a * a))) +
         b * b * (std::acos(y / b) - y / b * std::sqrt(1 - y * y / (b * b)));
}

/// How much of 0..1 is within lo..hi.
double within(double lo, double hi) { return std::max(0.0, std::min(hi, 1.0) - std::max(lo, 0.0)); }

}  // namespace

TEST_CASE("a defocused edge is the integral of the lens") {
  const Picture p = picture(camera(kLens) + world(card(-400, 3.3, -400, 400)));
  checkCoverage(
      p, [](double x, double) { return 1 - discLeftOf((x - 3.3) / 8); }, 0.02, 0.12);
}

TEST_CASE("an edge that is slid and out of focus is the integral of both") {
  const Picture p = picture(camera(kLens) + world(slide(10) + card(-400, 0, -400, 400)));
  const auto coverage = [](double x, double) {
    double sum = 0;
    for (int t = 0; t < 40; ++t) sum += 1 - discLeftOf((x - 10 * ((t + 0.5) / 40 - 0.5)) / 8);
    return sum / 40;
  };
  checkCoverage(p, coverage, 0.025, 0.13);
}

TEST_CASE("discs that move, and discs out of focus") {
  const Picture moved = picture(camera("") + world(slide(20) + disk(6)));
  const auto covered = [](double x, double y) {
    const double half = std::sqrt(std::max(0.0, 36 - y * y));
    return half > 0 ? within((x - half + 10) / 20, (x + half + 10) / 20) : 0;
  };
  checkCoverage(moved, covered, 0.02, 0.15);
  const Picture blurred = picture(camera(kLens) + world(disk(6)));
  checkCoverage(
      blurred, [](double x, double y) { return shared(std::hypot(x, y), 6, 8) / (kPi * 64); }, 0.025, 0.15);
}

TEST_CASE("a rotating blade covers each place for as long as it is there") {
  // A sector of 30 degrees turns by 120 in steps of 7.5, which chords follow closely.
  std::string turn = "MotionBegin [";
  for (int k = 0; k <= 16; ++k) turn += format("{} ", k / 16.0);
  turn += "]\n";
  for (int k = 0; k <= 16; ++k) turn += format("Rotate {} 0 0 1\n", k * 7.5);
  turn += "MotionEnd\n";
  const Picture p = picture(camera("") + world(turn + "ShadingRate 0.25\nDisk 0 3 30\n"));
  const auto covered = [](double x, double y) {
    if (std::hypot(x, y) > 24) return 0.0;
    double angle = std::atan2(y, x) * 180 / kPi;
    if (angle < -30) angle += 360;
    return within((angle - 30) / 120, angle / 120);
  };
  checkCoverage(p, covered, 0.03, 0.3);
}

TEST_CASE("a camera that moves is a world that moves the other way") {
  const std::string thing =
      "Rotate 30 1 1 0\nColor 0.5 0.25 1\nSphere 0.8 -0.8 0.8 360\nTranslate 1 0.3 0.5\nOpacity 0.5 0.5 0.5\nDisk 0 1 "
      "360\n";
  for (const std::string& lens : {std::string(), kLens}) {
    const Picture camera1 = picture(
        camera(lens, 4) + "MotionBegin [0 1]\nTranslate 0.3 0 0\nTranslate -0.2 0.4 -0.5\nMotionEnd\n" + world(thing));
    const Picture world1 =
        picture(camera(lens, 4) +
                "WorldBegin\nSurface \"constant\"\nMotionBegin [0 1]\nTranslate 0.3 0 0\nTranslate -0.2 0.4 -0.5\n"
                "MotionEnd\nTranslate 0 0 4\n" +
                thing + "WorldEnd\n");
    double worst = 0;
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        for (const char* c : {"R", "G", "B", "A"})
          worst = std::max(worst, std::fabs(static_cast<double>(camera1.at(x, y, c) - world1.at(x, y, c))));
    CHECK(camera1.mean("A") > 0.05);
    CHECK(worst < 0.07);  // a sample at an edge may fall to the other side by rounding
    CHECK(camera1.mean("R") == doctest::Approx(world1.mean("R")).epsilon(1e-4));
  }
}

TEST_CASE("what moves along with the camera stands still") {
  const std::string thing = "Rotate 30 1 1 0\nColor 0.5 0.25 1\nSphere 0.8 -0.8 0.8 360\n";
  for (const std::string& lens : {std::string(), kLens}) {
    const Picture still = picture(camera(lens, 4) + world(thing));
    const Picture along =
        picture(camera(lens, 4) +
                "MotionBegin [0 1]\nTranslate 0.5 0 0\nTranslate -1.5 0.75 -0.5\nMotionEnd\nWorldBegin\n"
                "Surface \"constant\"\nMotionBegin [0 1]\nTranslate -0.5 0 0\nTranslate 1.5 -0.75 0.5\nMotionEnd\n"
                "Translate 0 0 4\n" +
                thing + "WorldEnd\n");
    double worst = 0;
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x)
        worst = std::max(worst, std::fabs(static_cast<double>(still.at(x, y, "A") - along.at(x, y, "A"))));
    CHECK(still.mean("A") > 0.02);
    CHECK(worst < 0.13);  // two of sixteen samples at an edge, by rounding
    CHECK(along.mean("A") == doctest::Approx(still.mean("A")).epsilon(1e-3));
  }
}

TEST_CASE("n sheets of any opacities multiply, still, moving and out of focus") {
  for (const int n : {1, 3, 64}) {
    std::string sheets;
    double through[3] = {1, 1, 1}, red = 0;
    for (int i = 0; i < n; ++i) {
      const double o[3] = {0.02 + 0.1 * (i % 3), 0.05, 0.01 * (i % 7)};
      sheets += format("Opacity {} {} {}\nColor {} 1 1\nTranslate 0 0 -0.02\n", o[0], o[1], o[2], 1.0 / (n - i)) +
                card(-90, 90, -90, 90);
    }
    // Front to back: the last is nearest.
    for (int i = n - 1; i >= 0; --i) {
      const double o[3] = {0.02 + 0.1 * (i % 3), 0.05, 0.01 * (i % 7)};
      red += through[0] * o[0] / (n - i);
      for (int c = 0; c < 3; ++c) through[c] *= 1 - o[c];
    }
    for (const std::string& head : {camera("", 2), camera(kLens, 2)})
      for (const std::string& move : {std::string(), slide(8)}) {
        const Picture p =
            picture("Option \"limits\" \"color othreshold\" [1 1 1]\n" + head + world(move + sheets), {}, "rgba,Oi");
        CHECK(p.at(32, 32, "R") == doctest::Approx(red).epsilon(1e-4));
        for (int c = 0; c < 3; ++c)
          CHECK(p.at(30, 33, format("Oi.{}", "RGB"[c])) == doctest::Approx(1 - through[c]).epsilon(1e-4));
      }
  }
}

TEST_CASE("depth filters on two planes") {
  // The near plane covers the left half of the pixels in column 32, at depth 4; behind is one at depth 6.
  const std::string planes = card(-400, 0.5, -400, 400) + "Translate 0 0 2\n" + card(-900, 900, -900, 900);
  const auto z = [&](const char* filter) {
    return picture(camera(format("Hider \"hidden\" \"string depthfilter\" [\"{}\"]\n", filter)) + world(planes), {},
                   "z")
        .at(32, 32, "Z");
  };
  CHECK(z("min") == 4);
  CHECK(z("max") == 6);
  CHECK(z("average") == doctest::Approx(5));
  // Midpoint: half way to the second surface where there are two, infinite where there is one; the least of a pixel.
  CHECK(z("midpoint") == doctest::Approx(5));
  // A single plane far from the edge.
  const Picture one =
      picture(camera("Hider \"hidden\" \"string depthfilter\" [\"midpoint\"]\n") + world(planes), {}, "z");
  CHECK(one.at(50, 32, "Z") > 1e20f);
}

TEST_CASE("the energy of a small thing is the same however it is blurred") {
  // Square: what is round has coarser rims where it moves fast.
  const std::string thing = card(-1.5, 1.5, -1.5, 1.5);
  CHECK(picture(camera("") + world(thing)).mean("A") * 4096 == doctest::Approx(9).epsilon(0.002));
  for (const double pixels : {0.0, 1.0, 7.0, 20.0})
    for (const char* focus : {"1e30 1 2", "1 1 2", "0.5 1 2", "0.25 1 3", "0.5 1 5"})
      for (const char* aperture : {"0 0 0 0", "5 20 0 0", "6 0 -0.7 0.5"}) {
        CAPTURE(pixels);
        CAPTURE(focus);
        const std::string head =
            camera(format("DepthOfField {}\nHider \"hidden\" \"float[4] aperture\" [{}]\n", focus, aperture));
        const Picture p = picture(head + world(slide(pixels) + thing));
        CHECK(p.mean("A") * 4096 == doctest::Approx(9).epsilon(0.09));
      }
}

TEST_CASE("a point out of focus has the aperture's shape: upright behind the focus, reversed before it") {
  // A triangle with a corner up. 16 pixels of radius, of the disc around it.
  const std::string shape = "Hider \"hidden\" \"float[4] aperture\" [3 90 0 0]\n";
  const std::string point = "ShadingRate 0.25\nDisk 0 0.2 360\n";
  for (const bool behind : {true, false}) {
    const Picture p = picture(camera(format("DepthOfField 0.25 1 {}\n", behind ? 2 : 1e6) + shape, 16) + world(point));
    double inside = 0, outside = 0;
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) {
        double px = x + 0.5 - 32, py = 32 - y - 0.5;
        if (!behind) px = -px, py = -py;
        // Beyond each of three sides at half the radius.
        double beyond = -1e9;
        for (int k = 0; k < 3; ++k) {
          const double a = (90 + 60 + 120 * k) * kPi / 180;
          beyond = std::max(beyond, px * std::cos(a) + py * std::sin(a) - 8);
        }
        (beyond < 2.5 ? inside : outside) += static_cast<double>(p.at(x, y, "A"));
      }
    CHECK(outside == 0);
    CHECK(inside == doctest::Approx(kPi * 1.6 * 1.6).epsilon(0.03));
  }
  // A lens that is wide: the point is twice as broad as high.
  const Picture wide = picture(camera(kLens + "Hider \"hidden\" \"float dofaspect\" [2]\n") + world(point));
  double xx = 0, yy = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const double a = static_cast<double>(wide.at(x, y, "A"));
      xx += a * (x - 31.5) * (x - 31.5), yy += a * (y - 31.5) * (y - 31.5);
    }
  CHECK(xx / yy == doctest::Approx(4).epsilon(0.05));
}

TEST_CASE("counts of samples: blurred coverage is right at each, the same in odd buckets") {
  const std::string content = world(slide(8) + card(-12, 12, -12, 12));
  double area = 24 * 24;
  for (const auto& [nx, ny, off] :
       {std::tuple{1, 1, 0.05}, {1, 7, 0.02}, {7, 1, 0.02}, {11, 11, 0.004}, {32, 32, 0.001}}) {
    CAPTURE(nx);
    CAPTURE(ny);
    const std::string rib = camera(kLens) + format("PixelSamples {} {}\n", nx, ny) + content;
    const Picture p = picture(rib);
    CHECK(p.mean("A") * 4096 == doctest::Approx(area).epsilon(off));
    for (const auto& [w, h] : {std::pair{1, 3}, {7, 5}, {64, 2}, {1000, 1000}}) {
      if (nx == 32 && w < 7) continue;
      Setup odd;
      odd.bucketWidth = w, odd.bucketHeight = h;
      CHECK(differences(p.image, picture(rib, odd).image) == 0);
    }
  }
}

TEST_CASE("a moving edge under a shutter's curves covers what is under them") {
  // From 24 pixels left of the centre to 24 right: the light until then has the edge left of x.
  constexpr double a = 0.4, b = 0.7;
  const double points[2][4][2] = {{{0, 0}, {0.3, 0}, {0.35, 0.2}, {a, 1}}, {{b, 1}, {0.75, 0.3}, {0.75, 0.1}, {1, 0}}};
  constexpr int kSteps = 4096;
  std::vector<double> light(kSteps + 1, 0.0);
  for (int i = 0; i < kSteps; ++i) {
    // The opening at a time: the curves' parameter by bisection.
    const double time = (i + 0.5) / kSteps;
    double opening = 1;
    if (time < a || time > b) {
      const auto& p = points[time > b];
      const auto at = [&](double t, int c) {
        const double s = 1 - t;
        return s * s * s * p[0][c] + 3 * s * s * t * p[1][c] + 3 * s * t * t * p[2][c] + t * t * t * p[3][c];
      };
      double low = 0, high = 1;
      for (int k = 0; k < 40; ++k) (at((low + high) / 2, 0) < time ? low : high) = (low + high) / 2;
      opening = at(low, 1);
    }
    light[static_cast<size_t>(i) + 1] = light[static_cast<size_t>(i)] + opening;
  }
  const auto coverage = [&](double x, double) {
    const double time = std::clamp((x + 24) / 48, 0.0, 1.0);
    return 1 - light[static_cast<size_t>(time * kSteps)] / light.back();
  };
  const std::string edge = world(slide(48) + card(-90, 0, -90, 90));
  const std::string curves = "[0.4 0.7 0.3 0 0.35 0.2 0.75 0.3 0.75 0.1]";
  for (const char* request : {"Hider \"hidden\"", "Camera \"shot\""}) {
    const Picture p = picture(camera(format("{} \"float[10] shutteropening\" {}\n", request, curves)) + edge);
    CHECK(!p.hasCode("not-built"));
    CHECK(!p.hasCode("rib-bad-argument"));
    checkCoverage(p, coverage, 0.012, 0.06);
  }
  for (const char* wrong : {"[0.4 0.7 0.5 0 0.35 0.2 0.75 0.3 0.75 0.1]", "[0.4 0.7 0.3 0 0.35 1.2 0.75 0.3 0.75 0.1]",
                            "[0.4 0.7 0.3 0 0.35 0.2 0.6 0.3 0.75 0.1]", "[0.4 0.7 0.3 0 0.35 0.2 0.75 0.3]"})
    CHECK(
        picture(camera(format("Hider \"hidden\" \"shutteropening\" {}\n", wrong)) + edge).hasCode("rib-bad-argument"));
}
