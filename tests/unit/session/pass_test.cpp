// SPDX-License-Identifier: Apache-2.0
// Whole runs: a shadow pass and a picture in one stream, and what is reported of them.
#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>

#include "reyes/image/image.h"
#include "tests/unit/session/built_scene.h"

using namespace reyes;
using session::BuiltScene;

TEST_CASE("a depth pass, MakeShadow and a picture run in order") {
  const auto folder = std::filesystem::temp_directory_path() / ("reyes_pass_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string f = folder.string() + "/";
  // A square floats above the floor; both cameras look straight down, the light's from above the left.
  const std::string things =
      "WorldBegin LightSource \"shadowspot\" 1 \"from\" [-4 0 -8] \"to\" [0 0 0] \"coneangle\" .8 \"intensity\" 60 "
      "\"shadowname\" \"" +
      f +
      "l.shd\" Surface \"matte\"\n"
      "Polygon \"P\" [-4 -4 0 4 -4 0 4 4 0 -4 4 0] Polygon \"P\" [-.5 -.5 -3 .5 -.5 -3 .5 .5 -3 -.5 .5 -3] WorldEnd\n";
  BuiltScene s;
  s.options.planOnly = false;
  Parallel parallel(1);
  s.options.parallel = &parallel;
  s.build(
      "FrameBegin 1 Format 128 128 1 Hider \"hidden\" \"jitter\" 0 Projection \"perspective\" \"fov\" 60 Display \"" +
      f + "l.z\" \"zfile\" \"z\" Rotate -26.565 0 1 0 Translate 4 0 8 " + things + "FrameEnd MakeShadow \"" + f +
      "l.z\" \"" + f + "l.shd\" FrameBegin 2 Format 64 64 1 Projection \"perspective\" \"fov\" 45 Display \"" + f +
      "p.exr\" \"openexr\" \"rgba\" Translate 0 0 8 " + things + "FrameEnd\n");
  for (const Diagnostic& d : s.diag.all()) MESSAGE(Diagnostics::format(d));
  CHECK(s.errors() == 0);
  REQUIRE(s.frames.size() == 2);
  CHECK(s.frames[0].isPass);
  REQUIRE(s.frames[1].result.files.size() == 1);
  image::Image picture;
  REQUIRE(image::readImage(f + "p.exr", picture) == "");
  size_t channel = 0;
  for (size_t i = 0; i < picture.channels.size(); ++i)
    if (picture.channels[i].name == "R") channel = i;
  const auto red = [&](int x, int y) { return picture.pixel(x, y)[channel]; };
  // By similar triangles the shadow lies at x = -4 + 4 * 8 / 5 = 2.4 on the floor: 23 pixels right of the middle.
  CHECK(red(55, 32) < 0.02f);
  CHECK(red(32, 8) > 0.1f);
  CHECK(red(45, 50) > 0.1f);
  std::filesystem::remove_all(folder);
}

TEST_CASE("passes in files of their own: depths, a deep map, and the picture that looks both up") {
  const auto folder = std::filesystem::temp_directory_path() / ("reyes_passes_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string f = folder.string() + "/";
  const auto run = [&](const std::string& rib) {
    BuiltScene s;
    s.options.planOnly = false;
    Parallel parallel(1);
    s.options.parallel = &parallel;
    s.build(rib);
    for (const Diagnostic& d : s.diag.all()) MESSAGE(Diagnostics::format(d));
    CHECK(s.errors() == 0);
  };
  // Two lamps straight above a floor, to the left and to the right; a card of half opacity under each.
  const std::string cards =
      "Surface \"constant\" Opacity [.5 .5 .5] Polygon \"P\" [-3 2 -1 -1 2 -1 -1 2 1 -3 2 1]\n"
      "Polygon \"P\" [1 2 -1 3 2 -1 3 2 1 1 2 1]\n";
  const auto lamp = [](float x, const std::string& map) {
    return "LightSource \"shadowdistant\" \"" + map + "\" \"from\" [" + std::to_string(x) + " 1 0] \"to\" [" +
           std::to_string(x) + " 0 0] \"intensity\" .5 \"shadowname\" \"" + map + "\"\n";
  };
  const std::string above = "Projection \"orthographic\" ScreenWindow -4 4 -4 4 Rotate -90 1 0 0 Translate 0 -5 0 ";
  run("Format 128 128 1 Option \"limits\" \"color zthreshold\" [.4 .4 .4] Hider \"hidden\" \"jitter\" 0 PixelSamples 1 "
      "1 "
      "PixelFilter \"box\" 1 1 Display \"" +
      f + "l.z\" \"zfile\" \"z\" " + above + "WorldBegin " + cards + "WorldEnd\nMakeShadow \"" + f + "l.z\" \"" + f +
      "l.shd\"\n");
  run("Format 128 128 1 PixelSamples 4 4 PixelFilter \"box\" 1 1 Display \"" + f + "r.dsm\" \"deepshad\" \"rgbaz\" " +
      above + "WorldBegin " + cards + "WorldEnd\n");
  run("Format 32 32 1 PixelFilter \"box\" 1 1 Display \"" + f +
      "p.exr\" \"openexr\" \"rgba\" Projection \"orthographic\" "
      "ScreenWindow -4 4 -4 4 Rotate -90 1 0 0 Translate 0 -1 0 WorldBegin " +
      lamp(0, f + "l.shd") + lamp(0, f + "r.dsm") +
      "Surface \"matte\" \"Kd\" 1 Polygon \"P\" [-4 0 -4 4 0 -4 4 0 4 -4 0 4] WorldEnd\n");
  image::Image picture;
  REQUIRE(image::readImage(f + "p.exr", picture) == "");
  size_t channel = 0;
  for (size_t i = 0; i < picture.channels.size(); ++i)
    if (picture.channels[i].name == "R") channel = i;
  // The lamp of depths is gone under a card, half of the other's light is.
  CHECK(picture.pixel(8, 16)[channel] == doctest::Approx(.25).epsilon(.01));
  CHECK(picture.pixel(24, 16)[channel] == doctest::Approx(.25).epsilon(.01));
  CHECK(picture.pixel(16, 16)[channel] == doctest::Approx(1).epsilon(.01));
  CHECK(picture.pixel(8, 4)[channel] == doctest::Approx(1).epsilon(.01));
  std::filesystem::remove_all(folder);
}
