// SPDX-License-Identifier: Apache-2.0
// Output variables: motion vectors, what is added up through transparent surfaces and what is not, channels with
// filters and exposures of their own.
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

// One unit is 32 pixels, y up.
const std::string kCamera =
    "Format 64 64 1\nProjection \"orthographic\"\nScreenWindow -1 1 -1 1\nClipping 0.1 100\nTranslate 0 0 5\n"
    "PixelSamples 3 3\nPixelFilter \"box\" 1 1\n";
const std::string kSheet = "Patch \"bilinear\" \"P\" [-9 9 0 9 9 0 -9 -9 0 9 -9 0]\n";

std::string moves(double t0, double t1, const std::string& a, const std::string& b) {
  return format("MotionBegin [{} {}]\n{}\n{}\nMotionEnd\n", t0, t1, a, b);
}

void checkVelocity(const Picture& p, double x, double y, double z) {
  CHECK(p.messages.empty());
  for (const int at : {20, 32, 45}) {
    CHECK(p.at(at, 32, "dPdtime.x") == doctest::Approx(x).epsilon(0.004));
    CHECK(p.at(32, at, "dPdtime.y") == doctest::Approx(y).epsilon(0.004));
    CHECK(p.at(at, at, "dPdtime.z") == doctest::Approx(z).epsilon(0.004));
  }
}

}  // namespace

TEST_CASE("dPdtime is the motion over the raster a unit of time, whatever the shutter") {
  // 0.25 units to the right, 0.5 up and 1 away in 2 units of time.
  const std::string move = moves(0, 2, "Translate 0 0 0", "Translate 0.25 0.5 1");
  const std::string world = "WorldBegin\nSurface \"constant\"\n" + move + kSheet + "WorldEnd\n";
  for (const char* shutter : {"0 2", "0 0.1", "0.5 1", "0 0", "2 2", "1.99 1.99"})
    checkVelocity(picture(kCamera + format("Shutter {}\n", shutter) + world, {}, "rgba,dPdtime"), 4, -8, 0.5);
  // A shutter beyond the keys: nothing moves.
  checkVelocity(picture(kCamera + "Shutter 3 3\n" + world, {}, "rgba,dPdtime"), 0, 0, 0);
  checkVelocity(picture(kCamera + "Shutter 0 1\nWorldBegin\n" + kSheet + "WorldEnd\n", {}, "rgba,dPdtime"), 0, 0, 0);
}

TEST_CASE("dPdtime of points that move, of a moving camera, of points and curves") {
  const std::string points =
      "WorldBegin\nSurface \"constant\"\nMotionBegin [0 1]\n"
      "Patch \"bilinear\" \"P\" [-9 9 0 9 9 0 -9 -9 0 9 -9 0]\nPatch \"bilinear\" \"P\" [-8 9 0 10 9 0 -8 -9 0 10 -9 "
      "0]\n"
      "MotionEnd\nWorldEnd\n";
  for (const char* shutter : {"0 1", "0 0"})
    checkVelocity(picture(kCamera + format("Shutter {}\n", shutter) + points, {}, "rgba,dPdtime"), 32, 0, 0);
  const std::string camera = kCamera + "Shutter 0 0\n" + moves(0, 1, "Translate 0 0 0", "Translate 0 0.125 0");
  checkVelocity(picture(camera + "WorldBegin\nSurface \"constant\"\n" + kSheet + "WorldEnd\n", {}, "rgba,dPdtime"), 0,
                -4, 0);
  const std::string wide = "Points \"P\" [0 0 0] \"constantwidth\" [6]\n";
  const std::string curve = "Curves \"linear\" [2] \"nonperiodic\" \"P\" [-3 0 0 3 0 0] \"constantwidth\" [1.9]\n";
  for (const std::string& shape : {wide, curve})
    for (const char* shutter : {"0 1", "0.5 0.5"})
      checkVelocity(picture(kCamera + format("Shutter {}\n", shutter) + "WorldBegin\nSurface \"constant\"\n" +
                                moves(0, 1, "Translate 0 0 0", "Translate 0.0625 0 0") + shape + "WorldEnd\n",
                            {}, "rgba,dPdtime"),
                    2, 0, 0);
}

TEST_CASE("asking for velocities changes no picture: a closed shutter blurs nothing") {
  const std::string world = kCamera + "Shutter 0.5 0.5\nWorldBegin\nSurface \"constant\"\n" +
                            moves(0, 1, "Translate 0 0 0", "Translate 0.5 0 0") + "Sphere 0.5 -0.5 0.5 360\nWorldEnd\n";
  const Picture with = picture(world, {}, "rgba,dPdtime"), without = picture(world);
  double worst = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      worst = std::max(worst, std::fabs(static_cast<double>(with.at(x, y, "A") - without.at(x, y, "A"))));
  CHECK(worst < 0.12);  // a grid may be diced one step finer: no sample far from the rim differs
  CHECK(with.mean("A") == doctest::Approx(without.mean("A")).epsilon(0.002));
}

TEST_CASE("colours of shaders are added up as Ci, what describes a surface is not") {
  // Sheets of opacity 1/2: red light 0.5 in front of 0.25.
  const auto sheet = [](double z, const char* value) {
    return format(
        "Surface \"aov_values\" \"value\" [{0}]\nPatch \"bilinear\" \"P\" [-9 9 {1} 9 9 {1} -9 -9 {1} 9 -9 {1}]\n",
        value, z);
  };
  const std::string world =
      "WorldBegin\nOpacity 0.5 0.5 0.5\n" + sheet(0, "0.5 0.25 1") + sheet(1, "0.25 0.5 0") + "WorldEnd\n";
  const std::string head =
      kCamera +
      "DisplayChannel \"varying color aov_value\"\n"
      "DisplayChannel \"varying color front\" \"string source\" [\"aov_value\"] \"string opacity\" [\"none\"]\n"
      "DisplayChannel \"varying float height\" \"string source\" [\"aov_height\"] \"string opacity\" [\"Oi\"]\n"
      "DisplayChannel \"varying float aov_height\"\n";
  const Picture p = picture(head + world, {}, "rgba,aov_value,front,height,aov_height");
  CHECK(p.messages.empty());
  CHECK(p.at(30, 30, "aov_value.R") == 0.5f + 0.5f * 0.25f);
  CHECK(p.at(30, 30, "aov_value.G") == 0.25f + 0.5f * 0.5f);
  CHECK(p.at(30, 30, "front.R") == 0.5f);
  CHECK(p.at(30, 30, "front.B") == 1.0f);
  CHECK(p.at(30, 30, "aov_height") == 5.0f);
  CHECK(p.at(30, 30, "height") == 5.0f + 0.5f * 6.0f);
}

TEST_CASE("a channel has a filter and an exposure of its own") {
  const std::string world =
      kCamera +
      "DisplayChannel \"color wide\" \"string source\" [\"Ci\"] \"string filter\" [\"box\"] "
      "\"float[2] filterwidth\" [5 5] \"float gain\" [2] \"string statistics\" [\"\"]\n"
      "DisplayChannel \"color odd\" \"string source\" [\"Ci\"] \"matte\" [1] \"string bogus\" [\"x\"] "
      "\"float[3] remap\" [1 2 0]\n"
      "WorldBegin\nSurface \"constant\"\n"
      "Patch \"bilinear\" \"P\" [0 9 0 9 9 0 0 -9 0 9 -9 0]\nWorldEnd\n";
  const Picture p = picture(world, {}, "rgba,wide");
  CHECK(p.at(31, 30, "R") == 0);
  CHECK(p.at(32, 30, "R") == 1);
  CHECK(p.at(31, 30, "wide.R") == doctest::Approx(2 * 2.0 / 5));
  CHECK(p.at(40, 30, "wide.R") == 2);
  CHECK(p.hasCode("rib-unknown-parameter"));
  CHECK(!p.hasCode("not-built"));
  const Picture odd = picture(world, {}, "rgba,odd");
  CHECK(odd.hasCode("not-built"));
}

TEST_CASE("statistics of a channel: halves, variance and square error of the mean, by the filter's weights") {
  // A sheet from x = 0 on: of the pixel that its border halves, half of the samples are 1.
  const std::string edge =
      "DisplayChannel \"color mse\" \"string source\" [\"Ci\"] \"string statistics\" [\"mse\"] \"float gain\" [2]\n"
      "DisplayChannel \"color variance\" \"string source\" [\"color Ci\"] \"string statistics\" [\"variance\"]\n"
      "DisplayChannel \"color even\" \"string source\" [\"Ci\"] \"string statistics\" [\"even\"]\n"
      "DisplayChannel \"color other\" \"string source\" [\"Ci\"] \"string statistics\" [\"odd\"]\n"
      "DisplayChannel \"float a_var\" \"string source\" [\"a\"] \"string statistics\" [\"variance\"]\n"
      "DisplayChannel \"float z_var\" \"string source\" [\"z\"] \"string statistics\" [\"variance\"]\n"
      "DisplayChannel \"color wrong\" \"string source\" [\"Ci\"] \"string statistics\" [\"median\"]\n"
      "WorldBegin\nSurface \"constant\"\nPatch \"bilinear\" \"P\" [0.015625 9 0 9 9 2 0.015625 -9 0 9 -9 "
      "2]\nWorldEnd\n";
  const std::string mode = "rgba,mse,variance,even,other,a_var,z_var";
  const Picture p = picture(kCamera + "PixelSamples 4 4\n" + edge, {}, mode);
  CHECK(p.messages.empty());
  CHECK(p.at(32, 30, "A") == doctest::Approx(0.5));
  for (const char* name : {"variance.G", "a_var"})
    CHECK(p.at(32, 30, name) == doctest::Approx(0.25 * 16 / 15).epsilon(1e-5));
  CHECK(p.at(32, 30, "mse.R") == doctest::Approx(4 * 0.25 / 15).epsilon(1e-5));  // twice as bright
  for (const char* name : {"mse.R", "variance.R", "a_var"}) CHECK(p.at(40, 30, name) == 0);
  CHECK((p.at(32, 30, "even.R") + p.at(32, 30, "other.R")) / 2 == doctest::Approx(0.5));
  CHECK(p.at(32, 30, "even.R") == doctest::Approx(0.5));
  // Depths rise by 2 / 9 a unit, evenly over a pixel of 1 / 32: their variance is that of an even spread.
  const double slope = 2 / (9 - 1.0 / 64) / 32;
  CHECK(p.at(40, 30, "z_var") == doctest::Approx(slope * slope / 12).epsilon(0.15));
  CHECK(p.at(10, 30, "z_var") == 0);
  // Of one sample nothing can be told of how it would vary; wide filters see their neighbours' halves.
  const Picture one = picture(kCamera + "PixelSamples 1 1\nPixelFilter \"gaussian\" 2 2\n" + edge, {}, mode);
  CHECK(one.at(40, 30, "mse.R") == 0);
  CHECK(one.at(40, 30, "even.R") == 1);
  CHECK(one.at(40, 31, "other.R") == 1);
  const Picture none = picture(kCamera + edge, {}, "rgba,wrong");
  CHECK(none.hasCode("display-statistics"));
  CHECK(none.at(40, 30, "wrong.R") == 1);
}

TEST_CASE("the square error that is told is that of random samples, and halves differ by it") {
  // Noise of a moving edge: the halves' difference, squared, is four times the error of the mean, on the mean;
  // stratified samples do better than that.
  const std::string world =
      "DisplayChannel \"color mse\" \"string source\" [\"Ci\"] \"string statistics\" [\"mse\"]\n"
      "DisplayChannel \"color even\" \"string source\" [\"Ci\"] \"string statistics\" [\"even\"]\n"
      "DisplayChannel \"color other\" \"string source\" [\"Ci\"] \"string statistics\" [\"odd\"]\n"
      "Shutter 0 1\nWorldBegin\nSurface \"constant\"\nMotionBegin [0 1]\nTranslate -1 0 0\nTranslate 1 0 0\nMotionEnd\n"
      "Patch \"bilinear\" \"P\" [0 9 0 9 9 0 0 -9 0 9 -9 0]\nWorldEnd\n";
  const Picture p = picture(kCamera + "PixelSamples 4 4\n" + world, {}, "rgba,mse,even,other");
  double told = 0, seen = 0, mean = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) {
      const double d = static_cast<double>(p.at(x, y, "even.R") - p.at(x, y, "other.R"));
      told += static_cast<double>(p.at(x, y, "mse.R")), seen += d * d / 4;
      mean += std::fabs(static_cast<double>(p.at(x, y, "even.R") + p.at(x, y, "other.R") - 2 * p.at(x, y, "R")));
    }
  CHECK(told / 4096 == doctest::Approx(1.0 / 6 / 15).epsilon(0.02));  // the mean of p (1 - p) over 15
  CHECK(seen < told);
  CHECK(seen > 0.01 * told);
  CHECK(mean / 4096 < 1e-3);
}

TEST_CASE("a channel with matte 0 holds matte objects as if they were not") {
  const std::string world =
      "DisplayChannel \"color all\" \"string source\" [\"Ci\"] \"int matte\" [0]\n"
      "DisplayChannel \"float alpha_all\" \"string source\" [\"a\"] \"int matte\" [0]\n"
      "DisplayChannel \"color aov_value\"\n"
      "DisplayChannel \"color value_all\" \"string source\" [\"aov_value\"] \"int matte\" [0]\n"
      "DisplayChannel \"varying float height_all\" \"string source\" [\"aov_height\"] \"int matte\" [0]\n"
      "DisplayChannel \"color spread_all\" \"string source\" [\"Ci\"] \"int matte\" [0] \"string statistics\" "
      "[\"mse\"]\n"
      "WorldBegin\nAttributeBegin\nMatte 1\nOpacity 0.5 0.5 0.5\nSurface \"aov_values\" \"value\" [0.5 0.25 1]\n"
      "Patch \"bilinear\" \"P\" [-9 9 0 9 9 0 -9 -9 0 9 -9 0]\nAttributeEnd\n"
      "Surface \"aov_values\" \"value\" [0.25 0.5 0]\nColor 1 0.5 0\n"
      "Patch \"bilinear\" \"P\" [-9 9 1 0.75 9 1 -9 -9 1 0.75 -9 1]\nWorldEnd\n";
  const std::string mode = "rgba,all,alpha_all,aov_value,value_all,height_all,spread_all";
  const Picture p = picture(kCamera + world, {}, mode);
  CHECK(p.messages.empty());
  // Behind the matte sheet of one half: the picture has half of the other sheet, the channel all of both.
  CHECK(p.at(20, 30, "A") == 0.5f);
  CHECK(p.at(20, 30, "alpha_all.A") == 1.0f);
  CHECK(p.at(20, 30, "aov_value.R") == 0.125f);
  CHECK(p.at(20, 30, "value_all.R") == 0.5f + 0.5f * 0.25f);
  CHECK(p.at(20, 30, "all.R") - p.at(20, 30, "R") == p.at(60, 62, "all.R"));
  CHECK(p.at(20, 30, "spread_all.R") == 0);
  CHECK(p.at(60, 62, "A") == 0.0f);
  CHECK(p.at(60, 62, "alpha_all.A") == 0.5f);
  CHECK(p.at(60, 62, "value_all.G") == 0.25f);
  CHECK(p.at(60, 62, "height_all") == 5.0f);
  // By themselves: the picture's own channels.
  const Picture own = picture(kCamera +
                                  "DisplayChannel \"color Ci\" \"int matte\" [0]\nDisplayChannel \"float a\" \"int "
                                  "matte\" [0]\nWorldBegin\nMatte 1\n" +
                                  kSheet + "WorldEnd\n",
                              {}, "Ci,a");
  CHECK(own.at(30, 30, "R") > 0);
  CHECK(own.at(30, 30, "A") == 1);
}

TEST_CASE("parameters of Display: what it gives the header, what it cannot") {
  const auto with = [](const std::string& parameters) {
    Setup setup;
    setup.options = "Display \"+other\" \"null\" \"rgba\" " + parameters + "\n";
    return picture(kCamera + "WorldBegin\n" + kSheet + "WorldEnd\n", setup);
  };
  CHECK(with("\"float tolerance\" [0.1] \"depthtolerance\" [0.1] \"string comment\" [\"x\"] \"int exrheader_take\" [7]")
            .messages.empty());
  CHECK(!with("\"string storage\" [\"tiled\"] \"string subset\" [\"\"]").hasCode("not-built"));
  CHECK(with("\"string subset\" [\"heroes\"]").hasCode("not-built"));
  CHECK(with("\"int associatealpha\" [0]").hasCode("not-built"));
}
