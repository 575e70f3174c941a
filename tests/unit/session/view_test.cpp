// SPDX-License-Identifier: Apache-2.0
// Options to View: format, screen window, crop, camera; displays and overrides.
#include <doctest/doctest.h>

#include "reyes/session/view_builder.h"
#include "tests/unit/session/built_scene.h"

using namespace reyes;
using session::BuiltScene;

namespace {
const std::string kWorld = "WorldBegin Sphere 1 -1 1 360 WorldEnd\n";
std::vector<float> window(const scene::View& v) { return {v.screenWindow, v.screenWindow + 4}; }
}  // namespace

TEST_CASE("defaults of the specification") {
  const BuiltScene s(kWorld);
  const scene::View& v = s.view();
  CHECK(v.xResolution == 640);
  CHECK(v.yResolution == 480);
  CHECK(v.projection == scene::ProjectionType::kOrthographic);
  CHECK(window(v)[1] == doctest::Approx(4.0 / 3));
  CHECK(window(v)[3] == 1);
  CHECK(v.xSamples == 2);
  CHECK(v.filter.name == "gaussian");
  CHECK(v.shutterClose == 0);
  REQUIRE(v.displays.size() == 1);
  CHECK(v.displays[0].name == "test.exr");
  CHECK(v.displays[0].variables.size() == 2);
}

TEST_CASE("screen window from the frame's aspect, pixel aspect, and explicit") {
  CHECK(window(BuiltScene("Format 200 100 1 " + kWorld).view()) == std::vector<float>{-2, 2, -1, 1});
  CHECK(window(BuiltScene("Format 100 200 1 " + kWorld).view()) == std::vector<float>{-1, 1, -2, 2});
  CHECK(window(BuiltScene("Format 100 100 2 " + kWorld).view()) == std::vector<float>{-2, 2, -1, 1});
  CHECK(window(BuiltScene("Format 200 100 1 ScreenWindow -1 1 -1 1 " + kWorld).view()) ==
        std::vector<float>{-1, 1, -1, 1});
}

TEST_CASE("a frame of another shape takes the largest part of the format") {
  const BuiltScene wide("Format 200 200 1 FrameAspectRatio 2 " + kWorld);
  CHECK(wide.view().xResolution == 200);
  CHECK(wide.view().yResolution == 100);
  CHECK(window(wide.view()) == std::vector<float>{-2, 2, -1, 1});
  const BuiltScene tall("Format 200 100 1 FrameAspectRatio 1 " + kWorld);
  CHECK(tall.view().xResolution == 100);
  CHECK(tall.view().yResolution == 100);
}

TEST_CASE("adjacent crops tile exactly") {
  for (const int resolution : {1, 7, 97, 640, 4096})
    for (const int pieces : {1, 2, 3, 7, 64}) {
      int at = 0;
      for (int i = 0; i < pieces; ++i) {
        const auto [first, last] =
            session::cropPixels(float(i) / float(pieces), float(i + 1) / float(pieces), resolution);
        CHECK(first == at);
        at = last;
      }
      CHECK(at == resolution);
    }
  CHECK(session::cropPixels(0.25f, 0.75f, 100) == std::pair<int, int>(25, 75));
}

TEST_CASE("flags act on pictures and never on passes") {
  BuiltScene s;
  s.options.resolution = {320, 240};
  s.options.crop[0] = 0.f, s.options.crop[1] = .5f, s.options.crop[2] = 0.f, s.options.crop[3] = 1.f;
  s.options.output = "out.exr";
  s.build("Format 64 64 1 FrameBegin 1 Display \"l.z\" \"zfile\" \"z\" " + kWorld +
          "FrameEnd FrameBegin 2 "
          "Display \"a.tif\" \"tiff\" \"rgb\" Display \"+a.shd\" \"shadow\" \"z\" " +
          kWorld + "FrameEnd\n");
  REQUIRE(s.views.size() == 3);
  CHECK(s.view(0).isPass);
  CHECK(s.view(0).xResolution == 64);
  CHECK(s.view(0).crop == PixelRect{0, 0, 64, 64});
  CHECK(s.view(1).isPass);
  CHECK(s.view(1).displays[0].name == "a.shd");
  CHECK_FALSE(s.view(2).isPass);
  CHECK(s.view(2).xResolution == 320);
  CHECK(s.view(2).crop == PixelRect{0, 0, 160, 240});
  CHECK(s.view(2).displays[0].name == "out.exr");
  CHECK(s.frames.size() == 3);
}

TEST_CASE("display modes, declarations and channels") {
  const BuiltScene s(
      "DisplayChannel \"varying normal Nn\" Display \"a.exr\" \"openexr\" \"rgbaz\" Display \"+a.exr\" \"openexr\" "
      "\"varying color light_0\" Display \"+a.exr\" \"openexr\" \"Nn,s\" " +
      kWorld);
  CHECK(s.errors() == 0);
  const auto& d = s.view().displays;
  REQUIRE(d.size() == 3);
  REQUIRE(d[0].variables.size() == 3);
  CHECK(d[0].variables[0].name == "Ci");
  CHECK(d[0].variables[1].name == "a");
  CHECK(d[0].variables[2].name == "z");
  CHECK(d[1].variables[0].name == "light_0");
  CHECK(d[1].variables[0].type == Type::kColor);
  CHECK(d[1].variables[0].layer == "light_0");
  REQUIRE(d[2].variables.size() == 2);
  CHECK(d[2].variables[0].type == Type::kNormal);
  CHECK(d[2].variables[1].type == Type::kFloat);
}

TEST_CASE("quantisation by type and by display") {
  const BuiltScene s(
      "Quantize \"rgba\" 1023 0 1023 0 Exposure 2 2.2 Display \"a.tif\" \"tiff\" \"rgba\" Display \"+b.tif\" \"tiff\" "
      "\"rgb\" \"quantize\" [0 65535 0 65535] \"float gain\" 1 Display \"+c.exr\" \"exr\" \"rgb\" " +
      kWorld);
  const auto& d = s.view().displays;
  CHECK(d[0].quantize.one == 1023);
  CHECK(d[0].gamma == 2.2f);
  CHECK(d[1].quantize.one == 65535);
  CHECK(d[1].gain == 1);
  CHECK(d[2].quantize.one == 0);
}

TEST_CASE("two displays into one file stop the frame") {
  const BuiltScene s("FrameBegin 1 Display \"a.tif\" \"tiff\" \"rgb\" " + kWorld +
                     "FrameEnd FrameBegin 2 Display \"a.tif\" \"tiff\" \"rgb\" " + kWorld +
                     "FrameEnd FrameBegin 3 Display \"b###.tif\" \"tiff\" \"rgb\" " + kWorld + "FrameEnd\n");
  CHECK(s.diag.hasCode("display-clash"));
  REQUIRE(s.views.size() == 2);
  CHECK(s.view(1).displays[0].name == "b003.tif");
  CHECK(s.diag.has(Impact::kInput));
}

TEST_CASE("frames can be chosen, and restore their options") {
  BuiltScene s;
  s.options.frames = {2};
  s.build("Format 10 10 1 FrameBegin 1 Format 20 20 1 " + kWorld + "FrameEnd FrameBegin 2 Format 30 30 1 " + kWorld +
          "FrameEnd " + kWorld);
  REQUIRE(s.views.size() == 2);
  CHECK(s.view(0).xResolution == 30);
  CHECK(s.view(0).frame == 2);
  CHECK(s.view(1).xResolution == 10);
}

TEST_CASE("options run before WorldBegin, by --option") {
  BuiltScene s;
  s.options.optionRib = {"PixelSamples 8 4"};
  s.build("PixelSamples 1 1 " + kWorld);
  CHECK(s.view().xSamples == 8);
  CHECK(s.view().ySamples == 4);
}

TEST_CASE("hider, limits and shutter offset") {
  const BuiltScene s(
      "Hider \"hidden\" \"jitter\" 0 \"depthfilter\" \"midpoint\" Option \"limits\" \"bucketsize\" [16 8] \"gridsize\" "
      "64 "
      "Option \"shutter\" \"offset\" [2] Shutter 0 1 Clipping 1 100 DepthOfField 4 2 10 " +
      kWorld);
  CHECK(s.errors() == 0);
  const scene::View& v = s.view();
  CHECK_FALSE(v.jitter);
  CHECK(v.depthFilter == scene::DepthFilter::kMidpoint);
  CHECK(v.bucketWidth == 16);
  CHECK(v.bucketHeight == 8);
  CHECK(v.gridSize == 64);
  CHECK(v.shutterOpen == 2);
  CHECK(v.shutterClose == 3);
  CHECK(v.hasLens());
  CHECK(s.world().options.at("limits:gridsize").floats[0] == 64);
}

TEST_CASE("a photon world is named and not rendered") {
  const BuiltScene s("Hider \"photon\" " + kWorld);
  CHECK(s.views.empty());
  CHECK(s.diag.hasCode("not-built"));
}

TEST_CASE("an imager, and clipping planes in world space") {
  const BuiltScene s("Imager \"background\" \"color\" [1 0 0] ClippingPlane 0 0 5 0 0 1 Translate 0 0 3 " + kWorld);
  CHECK(s.errors() == 0);
  REQUIRE(s.view().imager);
  CHECK(s.view().imager->params.find("color")->floats == std::vector<float>{1, 0, 0});
  REQUIRE(s.view().clippingPlanes.size() == 1);
  CHECK(s.view().clippingPlanes[0].first.z == 2);
  CHECK(s.view().clippingPlanes[0].second.z == 1);
}

TEST_CASE("parameters that Projection and Display do not have are Warnings") {
  const BuiltScene s(
      "Projection \"perspective\" \"fov\" [30] \"float zoom\" [2]\n"
      "Display \"a.exr\" \"openexr\" \"rgb\" \"string exrpixeltype\" [\"float\"] \"float sparkle\" [1]\n" +
      kWorld);
  CHECK(s.diag.hasCode("rib-unknown-parameter"));
  CHECK(s.diag.count(Severity::kWarning) == 2);
  CHECK(s.diag.count(Severity::kError) == 0);
}
