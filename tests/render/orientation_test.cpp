// SPDX-License-Identifier: Apache-2.0
// Which way normals look, of every primitive with a surface: ReverseOrientation and Orientation turn them, mirroring
// transforms do not; and one-sided surfaces show the side that they say.
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/base/format.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

/// Both sides of each are seen, or it is open.
constexpr const char* kPrimitives[] = {
    "Sphere 0.8 -0.4 0.8 250\n",
    "Cone 1 0.8 270\n",
    "Cylinder 0.7 -0.6 0.6 200\n",
    "Hyperboloid [0.7 0 -0.7] [0.2 0.5 0.7] 300\n",
    "Paraboloid 0.7 0 0.9 360\n",
    "Disk 0.1 0.8 300\n",
    "Torus 0.6 0.2 0 360 300\n",
    "Patch \"bilinear\" \"P\" [-.6 -.5 .4  .7 -.5 0  -.6 .6 0  .6 .6 -.4]\n",
    "Patch \"bicubic\" \"P\" [-.6 -.6 0 -.2 -.6 .9 .2 -.6 .9 .6 -.6 0 -.6 -.2 0 -.2 -.2 .9 .2 -.2 .9 .6 -.2 0 "
    "-.6 .2 0 -.2 .2 .9 .2 .2 .9 .6 .2 0 -.6 .6 0 -.2 .6 .9 .2 .6 .9 .6 .6 0]\n",
    "PatchMesh \"bilinear\" 3 \"nonperiodic\" 2 \"nonperiodic\" \"P\" [-.7 -.5 0 0 -.5 .4 .7 -.5 0 -.7 .5 0 0 .5 .4 .7 "
    ".5 "
    "0]\n",
    "NuPatch 3 3 [0 0 0 1 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [-.7 -.5 0 0 -.5 .9 .7 -.5 0 -.7 .5 0 0 .5 .9 .7 .5 0]\n",
    "Polygon \"P\" [-.6 -.5 0 .6 -.5 .3 .6 .5 .3 -.6 .5 0]\n",
    "GeneralPolygon [4 3] \"P\" [-.6 -.5 0 .6 -.5 0 .6 .5 0 -.6 .5 0 -.3 -.2 0 0 .3 0 .3 -.2 0]\n",
    "PointsPolygons [4 3] [0 1 2 3 1 4 2] \"P\" [-.6 -.5 0 .2 -.5 0 .2 .5 0 -.6 .5 0 .8 0 .3]\n",
    "PointsGeneralPolygons [2 1] [4 3 3] [0 1 2 3 4 5 6 1 7 2] \"P\" [-.6 -.5 0 .2 -.5 0 .2 .5 0 -.6 .5 0 -.4 -.2 0 "
    "-.2 .3 0 0 "
    "-.2 0 .8 0 .3]\n",
    "SubdivisionMesh \"catmull-clark\" [4 4] [0 1 4 3 1 2 5 4] [\"interpolateboundary\"] [0 0] [] [] \"P\" [-.8 -.5 0 "
    "0 -.5 .5 "
    ".8 -.5 0 -.8 .5 0 0 .5 .5 .8 .5 0]\n",
    "SubdivisionMesh \"loop\" [3 3] [0 1 2 1 3 2] [\"interpolateboundary\"] [0 0] [] [] \"P\" [-.8 -.5 0 .6 -.5 .2 -.6 "
    ".6 0 .7 "
    ".7 .3]\n",
    "Scale .3 .3 .3\nGeometry \"teapot\"\n",
    "Blobby 2 [1001 0 1001 16 0 2 0 1] [1 0 0 0 0 1 0 0 0 0 1 0 -.3 0 0 1 1 0 0 0 0 1 0 0 0 0 1 0 .3 0 0 1] [\"\"]\n",
    "Points \"P\" [-.4 0 0 .4 0 .2] \"constantwidth\" [.7] \"uniform string type\" \"sphere\"\n",
    "Points \"P\" [-.4 0 0 .4 0 .2] \"constantwidth\" [.7] \"uniform string type\" \"disk\" \"varying normal N\" [.5 0 "
    "1 .2 .3 "
    "-1]\n"};

Picture look(const std::string& before, const char* primitive) {
  return picture(
      "Format 48 48 1\nProjection \"orthographic\"\nScreenWindow -1 1 -1 1\nTranslate 0 0 5\nPixelSamples 4 4\n"
      "PixelFilter \"box\" 1 1\nExposure 1 1\nWorldBegin\nSurface \"facing\"\n" +
      before + "Rotate 20 1 1 0\n" + primitive + "WorldEnd\n");
}

}  // namespace

TEST_CASE("orientation: what turns normals, and what does not") {
  for (const char* primitive : kPrimitives) {
    CAPTURE(primitive);
    const Picture plain = look("", primitive);
    for (const Diagnostic& d : plain.messages) FAIL_CHECK(Diagnostics::format(d));
    const double covered = plain.mean("A"), towards = plain.mean("R");
    CHECK(covered > 0.05);
    // 1. Turned: what looked to the eye looks away.
    for (const char* how : {"ReverseOrientation\n", "Orientation \"inside\"\n", "Orientation \"rh\"\n",
                            "Orientation \"inside\"\nReverseOrientation\nReverseOrientation\n"}) {
      CAPTURE(how);
      const Picture turned = look(how, primitive);
      CHECK(turned.mean("A") == covered);
      CHECK(std::fabs(turned.mean("R") - (covered - towards)) < 0.003);
    }
    // 2. Not turned.
    for (const char* how :
         {"Orientation \"outside\"\n", "Orientation \"lh\"\n", "ReverseOrientation\nReverseOrientation\n"}) {
      CAPTURE(how);
      CHECK(differences(look(how, primitive).image, plain.image) == 0);
    }
    // 3. Mirrored: the same, but for where the samples lie.
    for (const char* how : {"Scale -1 1 1\n", "Scale 1 -1 1\n"}) {
      CAPTURE(how);
      const Picture mirrored = look(how, primitive);
      CHECK(mirrored.mean("A") == doctest::Approx(covered).epsilon(0.02));
      CHECK(std::fabs(mirrored.mean("R") - towards) < 0.005);
      const Picture turned = look(std::string(how) + "ReverseOrientation\n", primitive);
      CHECK(std::fabs(turned.mean("R") - (covered - towards)) < 0.005);
    }
  }
}

TEST_CASE("one-sided: only what looks to the eye is there") {
  for (const char* primitive : kPrimitives)
    for (const char* how : {"", "ReverseOrientation\n", "Scale -1 1 1\n", "Scale -1 1 1\nReverseOrientation\n"}) {
      CAPTURE(primitive);
      CAPTURE(how);
      const Picture one = look(std::string(how) + "Sides 1\n", primitive);
      // Where it is diced coarsely a normal may look the other way than the micropolygon beside a silhouette.
      CHECK(one.mean("A") - one.mean("R") < 0.01);
    }
}
