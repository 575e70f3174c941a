// SPDX-License-Identifier: Apache-2.0
// Lights whose effect is known: areas against the integral over their surface, linking, groups that add up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

/// A matte wall at z = 10, x and y from -2 to 2, seen straight on by an orthographic camera.
std::string wall(const std::string& lights, const std::string& before = "") {
  return "Format 32 32 1 Projection \"orthographic\" ScreenWindow -2 2 -2 2 PixelFilter \"box\" 1 1 " + before +
         "WorldBegin\n" + lights +
         "\nSurface \"matte\" \"Ka\" 1 \"Kd\" 1 Polygon \"P\" [-2 -2 10 2 -2 10 2 2 10 -2 2 10] WorldEnd\n";
}

/// The mean over a square of side 2 at (0, 0, 8) that faces the wall, of cosine / distance squared.
double squareAt(double x, double y) {
  constexpr int n = 200;
  double sum = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double dx = -1 + (i + 0.5) * 2 / n - x, dy = -1 + (j + 0.5) * 2 / n - y, d2 = dx * dx + dy * dy + 4;
      sum += 2 / std::sqrt(d2) / d2;
    }
  return sum / n / n;
}

const std::string kSquare =
    "AttributeBegin Attribute \"visibility\" \"integer camera\" 0 Attribute \"light\" \"nsamples\" 64 "
    "AreaLightSource \"arealight\" 7 \"intensity\" 1 "
    "Patch \"bilinear\" \"P\" [-1 -1 8 1 -1 8 -1 1 8 1 1 8] AttributeEnd Illuminate 7 1\n";

}  // namespace

TEST_CASE("a square light lights a wall as its integral says") {
  const Picture p = picture(wall(kSquare));
  CHECK(p.messages.empty());
  for (const int x : {4, 10, 16, 28})
    for (const int y : {3, 16, 20}) {
      CAPTURE(x);
      CAPTURE(y);
      const double want = squareAt((x + 0.5) / 8 - 2, 2 - (y + 0.5) / 8);
      CHECK(p.at(x, y, "R") == doctest::Approx(want).epsilon(0.04));
    }
}

TEST_CASE("area lights of every kind of primitive; without an area: one place, and a Warning") {
  for (const std::string& shape :
       {std::string("Sphere .5 -.5 .5 360"), std::string("Disk 0 1 360"), std::string("Torus 1 .2 0 360 360"),
        std::string("Points \"P\" [0 0 0 .5 0 0] \"constantwidth\" .2"),
        std::string("Curves \"linear\" [3] \"nonperiodic\" \"P\" [-1 0 0 0 0 0 1 0 0] \"constantwidth\" .1"),
        std::string("SubdivisionMesh \"catmull-clark\" [4] [0 1 3 2] [\"interpolateboundary\"] [0 0] [] [] "
                    "\"P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]"),
        std::string("Polygon \"P\" [-1 -1 0 1 -1 0 1 1 0 -1 1 0]"),
        std::string("GeneralPolygon [4 3] \"P\" [-1 -1 0 1 -1 0 1 1 0 -1 1 0 -.2 -.2 0 .2 -.2 0 0 .2 0]"),
        std::string("PointsPolygons [4 4] [0 1 4 3 1 2 5 4] \"P\" [-1 -1 0 0 -1 0 1 -1 0 -1 1 0 0 1 0 1 1 0]"),
        std::string("PointsGeneralPolygons [1] [4] [0 1 2 3] \"P\" [-1 -1 0 1 -1 0 1 1 0 -1 1 0]"),
        std::string("Cone 1 .5 360"), std::string("Cylinder .5 -.5 .5 360"), std::string("Paraboloid .5 0 .5 360"),
        std::string("Hyperboloid .5 0 -.5 .5 0 .5 360"),
        std::string("Patch \"bicubic\" \"P\" [-1 -1 0 -.3 -1 0 .3 -1 0 1 -1 0 -1 -.3 0 -.3 -.3 0 .3 -.3 0 1 -.3 0 "
                    "-1 .3 0 -.3 .3 0 .3 .3 0 1 .3 0 -1 1 0 -.3 1 0 .3 1 0 1 1 0]"),
        std::string("PatchMesh \"bilinear\" 3 \"nonperiodic\" 2 \"nonperiodic\" \"P\" [-1 -1 0 0 -1 0 1 -1 0 -1 1 0 0 "
                    "1 0 1 1 0]"),
        std::string("NuPatch 2 2 [0 0 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [-1 -1 0 1 -1 0 -1 1 0 1 1 0]"),
        std::string("Blobby 1 [1001 0] [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] [\"\"]"),
        std::string("ObjectInstance \"sheet\"")}) {
    CAPTURE(shape);
    const std::string object = "ObjectBegin \"sheet\" Polygon \"P\" [-1 -1 0 1 -1 0 1 1 0 -1 1 0] ObjectEnd ";
    const std::string light =
        object +
        "AttributeBegin Attribute \"visibility\" \"integer camera\" 0 Translate 0 0 4 AreaLightSource \"pointlight\" 1 "
        "\"intensity\" 36 " +
        shape + " AttributeEnd Illuminate 1 1";
    // The light's shader shines from the origin of its space, not from its area: what the two give is the same.
    const Picture p = picture(wall(light));
    CHECK(p.messages.empty());
    CHECK(p.at(16, 16, "R") == doctest::Approx(1).epsilon(0.02));
    const std::string omni =
        object +
        "AttributeBegin Attribute \"visibility\" \"integer camera\" 0 Translate 0 0 4 AreaLightSource \"uberlight\" 1 "
        "\"lighttype\" \"omni\" " +
        shape + " AttributeEnd Illuminate 1 1";
    const Picture q = picture(wall(omni));
    CHECK(q.messages.empty());
    CHECK(q.at(16, 16, "R") > 0.9f);
    CHECK(q.at(16, 16, "R") < 1.01f);
  }
  const Picture none =
      picture(wall("AttributeBegin Translate 0 0 4 AreaLightSource \"uberlight\" 1 \"lighttype\" \"omni\" AttributeEnd "
                   "Illuminate 1 1"));
  CHECK(none.hasCode("light-without-area"));
  CHECK(none.at(16, 16, "R") == doctest::Approx(1).epsilon(0.02));
}

namespace {

/// The square of kSquare made of something else, at the same place.
std::string squareOf(const std::string& surface) {
  return "AttributeBegin Attribute \"visibility\" \"integer camera\" 0 Attribute \"light\" \"nsamples\" 64 "
         "AreaLightSource \"arealight\" 7 \"intensity\" 1 \"lambert\" 1 " +
         surface + " AttributeEnd Illuminate 7 1\n";
}
std::string sheet(float z, float left = 0, float right = 0) {
  return format("Patch \"bilinear\" \"P\" [-1 -1 {0} 1 -1 {1} -1 1 {0} 1 1 {1}]", z + left, z + right);
}
/// The largest difference of two pictures.
float apart(const Picture& a, const Picture& b) {
  CHECK(a.messages.empty());
  CHECK(b.messages.empty());
  float most = 0;
  for (size_t i = 0; i < a.image.pixels.size(); ++i)
    most = std::max(most, std::fabs(a.image.pixels[i] - b.image.pixels[i]));
  return most;
}

}  // namespace

TEST_CASE("an area light shines from its displaced surface") {
  const auto lit = [](const std::string& surface, const std::string& before = "") {
    return picture(wall(squareOf(surface), before));
  };
  const Picture square = lit(sheet(8));
  // Towards the wall, from behind; the camera elsewhere; in an archive read when it is needed.
  const std::string raised = "Attribute \"displacementbound\" \"sphere\" 1.5 Displacement \"raised\" \"by\" 1 ";
  CHECK(apart(lit(raised + sheet(7)), square) < .01f * square.at(16, 16, "R"));
  CHECK(apart(lit(raised + sheet(7), "Translate 0 0 3 "), lit(sheet(8), "Translate 0 0 3 ")) < .01f);
  // Its normal turns, too: a sheared sheet is a slanted one.
  const Picture slanted = lit(sheet(8, -.5f, .5f));
  CHECK(apart(slanted, square) > .05f * square.at(16, 16, "R"));
  CHECK(apart(lit("Displacement \"raised\" \"shear\" .5 " + sheet(8)), slanted) < .02f * square.at(16, 16, "R"));
  // A ball grows.
  CHECK(apart(lit("Translate 0 0 7 Displacement \"raised\" \"by\" .5 Sphere .5 -.5 .5 360"),
              lit("Translate 0 0 7 Sphere 1 -1 1 360")) < .01f);
  // Every patch of a mesh, and what turns its inside out.
  CHECK(apart(lit("ReverseOrientation " + raised + sheet(9)), lit("ReverseOrientation " + sheet(8))) < .01f);
  const Picture points = lit("Displacement \"raised\" \"by\" 1 Points \"P\" [0 0 8] \"constantwidth\" .2");
  CHECK(points.hasCode("not-built"));
}

TEST_CASE("an area light that moves shines from where it is when the shutter opens, as all is shaded then") {
  const auto at = [](const std::string& shutter, const std::string& surface) {
    return picture(wall(squareOf(surface), shutter));
  };
  const Picture square = picture(wall(squareOf(sheet(8))));
  const std::string moves = "MotionBegin [0 1] Translate 0 0 0 Translate 0 0 -4 MotionEnd ";
  const std::string bends = "MotionBegin [0 1] " + sheet(8) + sheet(4) + " MotionEnd ";
  CHECK(apart(at("Shutter 0 1 ", moves + sheet(8)), square) < 1e-5f);
  CHECK(apart(at("Shutter 0 1 ", bends), square) < 1e-5f);
  const Picture farther = picture(wall(squareOf(sheet(6))));
  CHECK(apart(at("Shutter .5 1 ", moves + sheet(8)), farther) < 1e-5f);
  CHECK(apart(at("Shutter .5 1 ", bends), farther) < 1e-5f);
  CHECK(apart(at("Shutter .5 .5 ", bends), farther) < 1e-5f);
  const std::string raised = "Attribute \"displacementbound\" \"sphere\" 1.5 Displacement \"raised\" \"by\" -2 ";
  CHECK(apart(at("Shutter .5 1 ", raised + "MotionBegin [0 1] " + sheet(10) + sheet(6) + " MotionEnd "), farther) <
        .01f);
  // A lamp without a surface, too.
  const auto lamp = [](const std::string& shutter, const std::string& place) {
    return picture(
        wall("TransformBegin " + place + " LightSource \"pointlight\" 1 \"intensity\" 9 TransformEnd", shutter));
  };
  CHECK(apart(lamp("Shutter .5 1 ", "MotionBegin [0 1] Translate 0 0 8 Translate 0 0 4 MotionEnd"),
              lamp("", "Translate 0 0 6")) < 1e-5f);
}

TEST_CASE("the light of groups adds up to the picture; fog and emission are in the default group") {
  const std::string lights =
      kSquare +
      "LightSource \"pointlight\" 1 \"from\" [-3 1 6] \"intensity\" 9 \"string lightgroup\" \"rim\"\n"
      "Attribute \"light\" \"string group\" \"fill\" LightSource \"distantlight\" 2 \"intensity\" .3 \"lightcolor\" "
      "[.2 .5 1]\n"
      "Attribute \"light\" \"string group\" \"\" LightSource \"ambientlight\" 3 \"intensity\" .1\n"
      "Atmosphere \"fog\" \"distance\" 20 \"background\" [.2 .3 .4]";
  const Picture p = picture(wall(lights), {}, "rgba,lightgroup:rim,lightgroup:fill,lightgroup:default,light:7");
  CHECK(p.messages.empty());
  for (const char* c : {"R", "G", "B"})
    for (const int x : {3, 15, 30}) {
      CAPTURE(x);
      const auto of = [&](const char* layer) { return p.at(x, 12, std::string(layer) + "." + c); };
      CHECK(of("rim") > 0);
      CHECK(of("fill") > 0);
      CHECK(of("7") > 0);
      CHECK(of("default") > of("7"));
      CHECK(of("rim") + of("fill") + of("default") == doctest::Approx(p.at(x, 12, c)).epsilon(1e-5));
    }
  // Asking for groups changes nothing else.
  CHECK(p.mean("G") == picture(wall(lights)).mean("G"));
  const Picture unknown = picture(wall(lights), {}, "rgba,lightgroup:nosuch");
  CHECK(unknown.hasCode("display-variable-unwritten"));
  CHECK(unknown.mean("nosuch.R") == 0);
}

TEST_CASE("objects choose lights by handle, group, membership and name") {
  const std::string lights =
      "LightSource \"ambientlight\" 1 \"intensity\" .1 LightSource \"ambientlight\" \"two\" \"intensity\" .2 "
      "\"string __group\" \"g\"\nAttributeBegin Attribute \"grouping\" \"string membership\" \"+a,b\" "
      "LightSource \"ambientlight\" 3 \"intensity\" .4 AttributeEnd Illuminate 3 1\n";
  const auto of = [&](const std::string& choice) { return picture(wall(lights + choice)).at(16, 16, "R"); };
  CHECK(of("") == doctest::Approx(.7));
  CHECK(of("Illuminate \"two\" 0") == doctest::Approx(.5));
  CHECK(of("Illuminate \"g\" 0") == doctest::Approx(.5));
  CHECK(of("Illuminate \"b\" 0 Illuminate 1 0") == doctest::Approx(.2));
  CHECK(of("Attribute \"lighting\" \"string subset\" \"a,1\"") == doctest::Approx(.5));
  CHECK(of("Attribute \"lighting\" \"string excludesubset\" \"g\"") == doctest::Approx(.5));
  CHECK(of("Attribute \"lighting\" \"string subset\" \"none\"") == 0);
}

TEST_CASE("an area light gives the same bits for any threads, buckets and instruction set") {
  Setup setup;
  setup.threads = 1;
  const Picture one = picture(wall(kSquare), setup);
  setup.threads = 2, setup.bucketWidth = 7, setup.bucketHeight = 5;
  CHECK(differences(one.image, picture(wall(kSquare), setup).image) == 0);
  setup.threads = 4, setup.bucketWidth = 12, setup.bucketHeight = 32;
  CHECK(differences(one.image, picture(wall(kSquare), setup).image) == 0);
  setup.isa = Isa::kSse4;
  CHECK(differences(one.image, picture(wall(kSquare), setup).image) == 0);
}

TEST_CASE("uberlight: rectangle, barn door, range, falloff") {
  const auto at = [&](const std::string& parameters, double x, double y) {
    const Picture p = picture(wall("LightSource \"uberlight\" 1 \"wedge\" 0 \"hedge\" 0 " + parameters));
    return p.at(static_cast<int>((x + 2) * 8), static_cast<int>((2 - y) * 8), "R");
  };
  // At 10 from the lamp a half width of 0.1 is 1 on the wall.
  const std::string box = "\"width\" .1 \"height\" .1 \"roundness\" 0 ";
  CHECK(at(box, .8, .8) > .9f);
  CHECK(at(box, 1.2, 0) == 0);
  CHECK(at(box + "\"roundness\" 1", .8, .8) == 0);
  CHECK(at(box + "\"roundness\" 1", .8, .1) > .9f);
  CHECK(at(box + "\"barnright\" .05 \"barnedge\" 0.001", .7, 0) == 0);
  CHECK(at(box + "\"barnright\" .05 \"barnedge\" 0.001", -.7, 0) > .9f);
  CHECK(at(box + "\"cutoff\" 9", 0, 0) == 0);
  CHECK(at(box + "\"falloff\" 2 \"falloffdist\" 5", 0.1, 0.1) == doctest::Approx(.25).epsilon(0.01));
}

TEST_CASE("categories, what lamps say, __nondiffuse, and the group that a shader gives itself") {
  const std::string folder =
      std::string("Option \"searchpath\" \"string shader\" \"") + REYES_SOURCE_DIR + "/tests/render/shaders:@\" ";
  const std::string lamps =
      "LightSource \"lampkinds\" 1 \"intensity\" .25 \"__category\" \"rim,key\" LightSource \"lampkinds\" 2 "
      "\"intensity\" .5 "
      "LightSource \"lampkinds\" 3 \"intensity\" 1 \"__category\" \"fill\" \"__nondiffuse\" 1 \"said\" 2\n";
  const std::string ask = folder + wall(lamps);
  std::string asked = ask;
  asked.replace(asked.find("\"matte\" \"Ka\" 1 \"Kd\" 1"), 22, "\"asklamps\"");
  const Picture p = picture(asked);
  for (const Diagnostic& d : p.messages) MESSAGE(Diagnostics::format(d));
  CHECK(p.at(16, 16, "R") == doctest::Approx(.25));
  CHECK(p.at(16, 16, "G") == doctest::Approx(1.5));
  CHECK(p.at(16, 16, "B") == doctest::Approx(16));
  const Picture lit = picture(ask, {}, "rgba,lightgroup:byshader");
  CHECK(lit.at(16, 16, "R") == doctest::Approx(.75));
  CHECK(lit.at(16, 16, "byshader.R") == doctest::Approx(.75));
}
