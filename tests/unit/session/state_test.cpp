// SPDX-License-Identifier: Apache-2.0
// The graphics state: nesting, transforms, motion, coordinate systems, attributes, instances, level of detail.
#include <doctest/doctest.h>

#include "reyes/base/format.h"
#include "reyes/base/outline.h"
#include "tests/unit/session/built_scene.h"

using namespace reyes;
using session::BuiltScene;

namespace {
const char* kSphere = "Sphere 1 -1 1 360\n";
std::string inWorld(const std::string& body) { return "WorldBegin\n" + body + "\nWorldEnd\n"; }
Vec3 origin(const scene::AnimatedTransform& t, float time = 0) { return transformPoint(t.at(time), {0, 0, 0}); }
}  // namespace

TEST_CASE("a sphere becomes a primitive with the default surface") {
  const BuiltScene s(inWorld(kSphere));
  CHECK(s.errors() == 0);
  REQUIRE(s.worlds.size() == 1);
  REQUIRE(s.world().primitives.size() == 1);
  REQUIRE(s.primitive(0).attributes->surface);
  CHECK(s.primitive(0).attributes->surface->program);
  CHECK(s.primitive(0).geometry->keyCount() == 1);
}

TEST_CASE("blocks save and restore") {
  const BuiltScene s(
      inWorld("Color 1 0 0 AttributeBegin Color 0 1 0 Translate 1 0 0 Sphere 1 -1 1 360 AttributeEnd\n"
              "Sphere 1 -1 1 360 TransformBegin Translate 5 0 0 Color 0 0 1 TransformEnd Sphere 1 -1 1 360"));
  CHECK(s.errors() == 0);
  REQUIRE(s.world().primitives.size() == 3);
  CHECK(s.primitive(0).attributes->color == Color{0, 1, 0});
  CHECK(origin(s.primitive(0).worldFromObject).x == 1);
  CHECK(s.primitive(1).attributes->color == Color{1, 0, 0});
  CHECK(origin(s.primitive(1).worldFromObject).x == 0);
  CHECK(s.primitive(2).attributes->color == Color{0, 0, 1});  // TransformEnd keeps attributes
  CHECK(origin(s.primitive(2).worldFromObject).x == 0);
}

TEST_CASE("bad nesting is an error with its place, and the rest goes on") {
  const BuiltScene s(
      "WorldBegin\nTransformEnd\nAttributeBegin\nTransformBegin\nTranslate 1 0 0\nAttributeEnd\n"
      "Sphere 1 -1 1 360\nWorldEnd\nAttributeEnd\nWorldEnd\n");
  CHECK(s.lines("rib-bad-nesting") == std::vector<int>{2, 4, 9, 10});
  REQUIRE(s.world().primitives.size() == 1);
  CHECK(origin(s.primitive(0).worldFromObject).x == 0);
}

TEST_CASE("a left-over TransformEnd does not leave an attribute block") {
  const BuiltScene s(
      inWorld("TransformBegin Translate 1 0 0 AttributeBegin TransformEnd Sphere 1 -1 1 360 AttributeEnd "
              "TransformEnd"));
  CHECK(s.lines("rib-bad-nesting").size() == 1);
  CHECK(origin(s.primitive(0).worldFromObject).x == 1);
}

TEST_CASE("an open world at the end still gives its picture") {
  const BuiltScene s("FrameBegin 3\nWorldBegin\nAttributeBegin\nSphere 1 -1 1 360\n");
  CHECK(s.lines("rib-unclosed-block") == std::vector<int>{1, 2, 3});
  REQUIRE(s.worlds.size() == 1);
  CHECK(s.view().frame == 3);
}

TEST_CASE("transforms apply to the object first") {
  const BuiltScene s(inWorld("Translate 0 0 5 Rotate 90 0 0 1 Scale 2 1 1 Sphere 1 -1 1 360"));
  const Vec3 p = transformPoint(s.primitive(0).worldFromObject.at(0), {1, 0, 0});
  CHECK(p.x == doctest::Approx(0).epsilon(1e-6));
  CHECK(p.y == doctest::Approx(2));
  CHECK(p.z == doctest::Approx(5));
}

TEST_CASE("motion of transforms keeps all keys, nested ones merge") {
  const BuiltScene s(
      inWorld("MotionBegin [0 0.5 1] Translate 0 0 0 Translate 1 0 0 Translate 4 0 0 MotionEnd\n"
              "MotionBegin [0 1] Translate 0 0 0 Translate 0 2 0 MotionEnd Sphere 1 -1 1 360"));
  CHECK(s.errors() == 0);
  const auto& t = s.primitive(0).worldFromObject;
  CHECK(t.times == std::vector<float>{0, 0.5f, 1});
  CHECK(origin(t, 0.5f) == Vec3{1, 1, 0});
  CHECK(origin(t, 1) == Vec3{4, 2, 0});
  CHECK(origin(t, 0.75f).x == doctest::Approx(2.5));
}

TEST_CASE("motion of primitives") {
  const BuiltScene s(
      inWorld("MotionBegin [0 .3 1] Sphere 1 -1 1 360 Sphere 2 -2 2 360 Sphere 4 -4 4 360 MotionEnd\n"
              "MotionBegin [0 1] Polygon \"P\" [0 0 0 1 0 0 1 1 0] Polygon \"P\" [0 0 1 1 0 1 1 1 1] MotionEnd"));
  CHECK(s.errors() == 0);
  REQUIRE(s.world().primitives.size() == 2);
  CHECK(s.primitive(0).geometry->keyCount() == 3);
  CHECK(s.primitive(0).keyTimes == std::vector<float>{0, .3f, 1});
  CHECK(s.primitive(0).geometry->bound(0, s.primitive(0).geometry->faceCount(), 2).max.x >= 4);
  CHECK(s.primitive(1).geometry->keyCount() == 2);
}

TEST_CASE("motion keys with other topology: an Error that names the line, and the shape stays still") {
  const BuiltScene s(
      inWorld("MotionBegin [0 1]\nPointsPolygons [3] [0 1 2] \"P\" [0 0 0 1 0 0 1 1 0 0 1 0]\n"
              "PointsPolygons [3] [0 1 3] \"P\" [0 0 1 1 0 1 1 1 1 0 1 1]\nMotionEnd\n"
              "MotionBegin [0 1]\nNuPatch 2 2 [0 0 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [0 0 0 1 0 0 0 1 0 1 1 0]\n"
              "NuPatch 2 2 [0 0 2 2] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [0 0 0 1 0 0 0 1 0 1 1 0]\nMotionEnd\n"));
  CHECK(s.errors() == 2);
  CHECK(s.diag.hasCode("rib-bad-motion"));
  REQUIRE(s.world().primitives.size() == 2);
  CHECK(s.primitive(0).geometry->keyCount() == 1);
  CHECK(s.primitive(1).geometry->keyCount() == 1);
}

TEST_CASE("NURBS with trim curves, blobbies that move, subdivision tags with words") {
  const BuiltScene s(inWorld(
      "AttributeBegin\nTrimCurve [1] [2] [0 0 1 2 3 3] [0] [3] [4] [.2 .8 .5 .2] [.2 .2 .8 .2] [1 1 1 1]\n"
      "Attribute \"trimcurve\" \"string sense\" [\"outside\"]\n"
      "NuPatch 2 2 [0 0 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [0 0 0 1 0 0 0 1 0 1 1 0]\nAttributeEnd\n"
      "NuPatch 2 2 [0 0 1 1] 0 1 2 2 [0 0 1 1] 0 1 \"P\" [0 0 0 1 0 0 0 1 0 1 1 0]\n"
      "MotionBegin [0 1]\nBlobby 1 [1001 0] [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] []\n"
      "Blobby 1 [1001 0] [1 0 0 0 0 1 0 0 0 0 1 0 0 2 0 1] []\nMotionEnd\n"
      "HierarchicalSubdivisionMesh \"catmull-clark\" [4 4 4 4 4 4] [0 2 3 1 4 5 7 6 0 1 5 4 2 6 7 3 0 4 6 2 1 3 7 5] "
      "[\"creasemethod\" \"vertexedit\" \"hole\"] [0 0 1 1 3 2 1 0 0] [0 2] [1 2 3] [\"chaikin\" \"P\" \"add\"] "
      "\"P\" [-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1]\n"));
  CHECK(s.lines("not-built").size() == 1);
  CHECK(s.errors() == 1);
  REQUIRE(s.world().primitives.size() == 4);
  const Outline* cut = s.primitive(0).geometry->outline();
  REQUIRE(cut);
  CHECK(cut->inside(0.1f, 0.1f));
  CHECK_FALSE(cut->inside(0.5f, 0.4f));
  CHECK(s.primitive(1).geometry->outline() == nullptr);
  const geom::Geometry& blob = *s.primitive(2).geometry;
  REQUIRE(blob.keyCount() == 2);
  CHECK(blob.bound(0, blob.faceCount(), 1).min.y > 1.4f);
  CHECK(s.primitive(3).geometry->faceCount() == 5);
}

TEST_CASE("faulty motion blocks") {
  const BuiltScene s(
      "WorldBegin\nMotionBegin [0 1]\nTranslate 1 0 0\nMotionEnd\nSphere 1 -1 1 360\n"
      "MotionBegin [0 1]\nTranslate 1 0 0\nRotate 1 0 0 1\nMotionEnd\nMotionBegin [0 0]\nMotionEnd\nWorldEnd\n");
  CHECK(s.diag.hasCode("rib-bad-motion"));
  CHECK(s.world().primitives.size() == 1);
  const BuiltScene m(
      inWorld("MotionBegin [0 1] Transform [1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] "
              "Transform [-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] MotionEnd Sphere 1 -1 1 360"));
  CHECK(m.diag.hasCode("rib-motion-mirrors"));
  CHECK(m.errors() == 0);
}

TEST_CASE("camera is the transform before WorldBegin; named spaces outlive the blocks") {
  const BuiltScene s("Projection \"perspective\" \"fov\" [40]\nTranslate 0 0 10\nCoordinateSystem \"eye\"\n" +
                     inWorld("AttributeBegin Translate 3 0 0 CoordinateSystem \"there\" AttributeEnd\n"
                             "TransformBegin CoordSysTransform \"there\" Sphere 1 -1 1 360 TransformEnd\n"
                             "TransformBegin CoordSysTransform \"camera\" Sphere 1 -1 1 360 TransformEnd\n"
                             "CoordSysTransform \"nowhere\""));
  CHECK(origin(s.view().cameraFromWorld).z == 10);
  CHECK(origin(s.world().coordinateSystems.at("there")).x == 3);
  CHECK(origin(s.world().coordinateSystems.at("eye")).z == 0);  // the space before the camera moved is the world's
  CHECK(origin(s.primitive(0).worldFromObject).x == 3);
  CHECK(origin(s.primitive(1).worldFromObject).z == -10);
  CHECK(s.diag.hasCode("rib-unknown-space"));
}

TEST_CASE("raster and NDC spaces") {
  const BuiltScene s("Format 200 100 1 Clipping 1 100 Projection \"perspective\" \"fov\" [90] Translate 0 0 5\n" +
                     inWorld("CoordSysTransform \"raster\" Sphere 1 -1 1 360"));
  const Matrix4 worldFromRaster = s.primitive(0).worldFromObject.at(0);
  const Vec3 world = transformPoint(worldFromRaster, {100, 50, 1});  // depth 1: the far plane
  CHECK(world.x == doctest::Approx(0).epsilon(1e-3));
  CHECK(world.y == doctest::Approx(0).epsilon(1e-3));
  CHECK(world.z == doctest::Approx(95).epsilon(1e-3));
}

TEST_CASE("an animated camera keeps its keys") {
  const BuiltScene s("MotionBegin [0 1] Translate 0 0 5 Translate 1 0 5 MotionEnd Shutter 0 1\n" + inWorld(kSphere));
  CHECK(s.view().cameraFromWorld.times.size() == 2);
  CHECK(origin(s.view().cameraFromWorld, 1).x == 1);
  CHECK(s.view().shutterClose == 1);
}

TEST_CASE("orientation follows the handedness of the space") {
  const BuiltScene s(
      inWorld("Sphere 1 -1 1 360 Orientation \"rh\" Sphere 1 -1 1 360 ReverseOrientation Sphere 1 -1 1 360\n"
              "Orientation \"inside\" Sphere 1 -1 1 360 Scale -1 1 1 Orientation \"rh\" Sphere 1 -1 1 360\n"
              "Orientation \"lh\" Sphere 1 -1 1 360"));
  std::vector<bool> reversed;
  for (const auto& p : s.world().primitives) reversed.push_back(p.attributes->reverseOrientation);
  CHECK(reversed == std::vector<bool>{false, true, false, true, false, true});
}

TEST_CASE("attributes of all kinds arrive") {
  const BuiltScene s(inWorld(
      "Opacity .5 .25 1 ShadingRate 4 ShadingInterpolation \"constant\" Matte 1 Sides 1\n"
      "GeometricApproximation \"motionfactor\" 2 Attribute \"displacementbound\" \"sphere\" [0.2]\n"
      "Attribute \"displacementbound\" \"coordinatesystem\" [\"shader\"] Attribute \"cull\" \"hidden\" 0\n"
      "Attribute \"dice\" \"binary\" 1 \"rasterorient\" 0 Attribute \"identifier\" \"name\" [\"Gebäude [1] #2\"]\n"
      "Attribute \"user\" \"uniform float[2] pair\" [1 2] Attribute \"visibility\" \"camera\" 0 Sphere 1 -1 1 360"));
  CHECK(s.errors() == 0);
  const scene::Attributes& a = *s.primitive(0).attributes;
  CHECK(a.opacity == Color{.5f, .25f, 1});
  CHECK(a.shadingRate == 4);
  CHECK_FALSE(a.smoothShading);
  CHECK(a.matte);
  CHECK(a.sides == 1);
  CHECK(a.motionFactor == 2);
  CHECK(a.displacementBound == 0.2f);
  CHECK(a.displacementBoundDeclared);
  CHECK(a.displacementBoundSpace == "shader");
  CHECK_FALSE(a.cullHidden);
  CHECK(a.binaryDice);
  CHECK_FALSE(a.visibleToCamera);
  CHECK(a.identifierName == "Gebäude [1] #2");
  CHECK(a.named.at("user:pair").floats == std::vector<float>{1, 2});
}

TEST_CASE("a displacement bound without a space is measured where it is given") {
  const BuiltScene s(
      inWorld("Scale 2 2 2 Attribute \"displacementbound\" \"sphere\" [0.2] Scale 3 3 3 Sphere 1 -1 1 360"));
  const scene::Attributes& a = *s.primitive(0).attributes;
  CHECK(a.displacementBoundSpace == "null");
  REQUIRE(a.scopedSpaces);
  CHECK(a.scopedSpaces->at("null").at(0).m[0][0] == 2);
}

TEST_CASE("three tiers") {
  const BuiltScene s(inWorld(
      "Attribute \"shade\" \"relativeshadingrate\" [2] Attribute \"shade\" \"relativeshadingrate\" [1]\n"
      "Attribute \"trace\" \"bias\" [0.1] Attribute \"nosuch\" \"thing\" [1] Attribute \"nosuch\" \"thing\" [2]"));
  CHECK(s.lines("not-built").size() == 1);
  CHECK(s.lines("rib-unknown-attribute").size() == 1);
  CHECK(s.diag.has(Impact::kPicture));
  const BuiltScene off(inWorld("Attribute \"shade\" \"relativeshadingrate\" [1] Attribute \"trace\" \"bias\" [0.1]"));
  CHECK(off.errors() == 0);
}

TEST_CASE("ColorSamples") {
  const BuiltScene s("ColorSamples [.5 .5 .5] [1 1 1]\n" +
                     inWorld("Color [1] Sphere 1 -1 1 360 Color [.5 .5 .5] Sphere 1 -1 1 360"));
  CHECK(s.primitive(0).attributes->color == Color{.5f, .5f, .5f});
  CHECK(s.diag.hasCode("rib-bad-argument"));
}

TEST_CASE("instances share geometry and take the attributes of their place") {
  const BuiltScene s(
      inWorld("ObjectBegin 1 Sphere 1 -1 1 360 TransformBegin Translate 0 1 0 Disk 0 1 360 TransformEnd ObjectEnd\n"
              "Color 1 0 0 ObjectInstance 1 AttributeBegin Color 0 1 0 Translate 9 0 0 ObjectInstance 1 AttributeEnd\n"
              "ObjectInstance 2"));
  REQUIRE(s.world().primitives.size() == 4);
  CHECK(s.primitive(0).geometry == s.primitive(2).geometry);
  CHECK(s.primitive(1).geometry == s.primitive(3).geometry);
  CHECK(s.primitive(0).attributes->color == Color{1, 0, 0});
  CHECK(s.primitive(2).attributes->color == Color{0, 1, 0});
  CHECK(origin(s.primitive(3).worldFromObject) == Vec3{9, 1, 0});
  CHECK(s.diag.hasCode("rib-unknown-handle"));
  CHECK(s.primitive(3).path == 3);
}

TEST_CASE("an object does not contain itself") {
  const BuiltScene s(
      inWorld("ObjectBegin \"a\" Sphere 1 -1 1 360 ObjectInstance \"a\" ObjectEnd ObjectInstance \"a\""));
  CHECK(s.world().primitives.size() == 1);
  CHECK(s.diag.hasCode("rib-bad-nesting"));
}

TEST_CASE("level of detail by size on the screen") {
  // A box of 2 x 2 in a window of 2 x 2 units and 100 x 100 pixels: 10,000 pixels.
  const std::string head = "Format 100 100 1 ScreenWindow -1 1 -1 1\n";
  const std::string body =
      "AttributeBegin Detail [-1 1 -1 1 -1 1] DetailRange [0 0 5000 5000] Sphere 1 -1 1 360 AttributeEnd\n"
      "AttributeBegin Detail [-1 1 -1 1 -1 1] DetailRange [5000 5000 1e38 1e38] Disk 0 1 360 AttributeEnd\n";
  const BuiltScene near(head + inWorld("Translate 0 0 5 " + body));
  REQUIRE(near.world().primitives.size() == 1);
  CHECK(near.primitive(0).loc.line == 4);
  const BuiltScene small(head + inWorld("Translate 0 0 5 Scale .1 .1 .1 " + body));
  REQUIRE(small.world().primitives.size() == 1);
  CHECK(small.primitive(0).loc.line == 3);
}

TEST_CASE("levels of detail change over into each other: together they have all samples") {
  const std::string text =
      "Format 100 100 1 ScreenWindow -1 1 -1 1\n" +
      inWorld(
          "Translate 0 0 5\n"
          "AttributeBegin Detail [-1 1 -1 1 -1 1] DetailRange [0 0 8000 16000] Sphere 1 -1 1 360 AttributeEnd\n"
          "AttributeBegin Detail [-1 1 -1 1 -1 1] DetailRange [8000 16000 1e38 1e38] Disk 0 1 360 AttributeEnd\n");
  const BuiltScene s(text);
  REQUIRE(s.world().primitives.size() == 2);
  CHECK(s.primitive(0).shareFrom == doctest::Approx(0.25));
  CHECK(s.primitive(0).shareTo == 1);
  CHECK(s.primitive(1).shareFrom == 0);
  CHECK(s.primitive(1).shareTo == s.primitive(0).shareFrom);
}

TEST_CASE("representations for previews are drawn whole, and a Warning each says so once") {
  const BuiltScene s(inWorld(
      "GeometricRepresentation \"lines\" Sphere 1 -1 1 360 GeometricRepresentation \"points\" Sphere 1 -1 1 360 "
      "GeometricRepresentation \"lines\" Sphere 1 -1 1 360 GeometricRepresentation \"primitive\" Sphere 1 -1 1 360"));
  CHECK(s.lines("geometric-representation").size() == 2);
  CHECK(s.errors() == 0);
  CHECK(s.world().primitives.size() == 4);
}

TEST_CASE("what geometry cannot be built is named once, and the rest renders") {
  const BuiltScene s(
      inWorld("Geometry \"cube\" Geometry \"cube\" Volume \"box\" [-1 1 -1 1 -1 1] [0 0 0] Sphere 1 -1 1 360"));
  CHECK(s.lines("not-built").size() == 2);
  CHECK(s.world().primitives.size() == 1);
}

TEST_CASE("points and curves are primitives, with motion keys") {
  const BuiltScene s(
      inWorld("Points \"P\" [0 0 0 1 1 1] \"constantwidth\" [0.5]\n"
              "Curves \"linear\" [2 3] \"nonperiodic\" \"P\" [0 0 0 1 1 1 0 0 0 1 0 0 1 1 0]\n"
              "MotionBegin [0 1] Points \"P\" [0 0 0] Points \"P\" [1 0 0] MotionEnd"));
  REQUIRE(s.world().primitives.size() == 3);
  CHECK(s.primitive(0).geometry->faceCount() == 2);
  CHECK(s.primitive(1).geometry->faceCount() == 2);
  CHECK(s.primitive(2).geometry->keyCount() == 2);
}

TEST_CASE("shapes that other threads make: same primitives, paths and messages as with one") {
  std::string mesh =
      "SubdivisionMesh \"catmull-clark\" [4 4] [0 1 2 3 1 4 5 2] [\"interpolateboundary\"] [0 0] [] [] \"P\" "
      "[0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0]\n";
  const std::string bad =
      "SubdivisionMesh \"catmull-clark\" [4] [0 1 2 9] [] [] [] [] \"P\" [0 0 0 1 0 0 1 1 0 0 1 0]\n";
  std::string rib = "WorldBegin\n";
  for (int i = 0; i < 40; ++i) rib += (i % 7 == 3 ? bad : mesh) + "Sphere 1 -1 1 360\n";
  rib += "MotionBegin [0 1]\n" + mesh + mesh + "MotionEnd\nWorldEnd\n";
  const auto describe = [&](int threads) {
    Parallel parallel(threads);
    BuiltScene s;
    s.options.parallel = &parallel;
    s.build(rib);
    std::string text;
    for (const scene::Primitive& p : s.worlds.at(0).primitives)
      text += reyes::format("{} {} {} {} {}\n", p.path, p.loc.line, p.geometry->faceCount(), p.geometry->keyCount(),
                            p.keyTimes.size());
    for (const Diagnostic& d : s.diag.all()) text += Diagnostics::format(d) + "\n";
    return text;
  };
  const std::string one = describe(1);
  CHECK(one.find("Error") != std::string::npos);
  for (int run = 0; run < 5; ++run) CHECK(describe(4) == one);
}

TEST_CASE("a primitive outside a world, options inside one") {
  const BuiltScene s("Sphere 1 -1 1 360\n" + inWorld("Display \"a.exr\" \"exr\" \"rgba\" Format 10 10 1"));
  CHECK(s.lines("rib-bad-nesting") == std::vector<int>{1});
  CHECK(s.lines("rib-option-in-world").size() == 2);
  CHECK(s.view().xResolution == 640);
}

TEST_CASE("an imager inside a world is taken, with a warning") {
  const BuiltScene s(inWorld("Imager \"background\" \"color\" [1 1 1] Sphere 1 -1 1 360"));
  CHECK(s.lines("rib-option-in-world").size() == 1);
  REQUIRE(s.view().imager);
  CHECK(s.view().imager->name == "background");
}

TEST_CASE("resources save and restore attributes") {
  const BuiltScene s(
      inWorld("Color 1 0 0 Translate 2 0 0 Resource \"r\" \"attributes\" \"string operation\" \"save\"\n"
              "Color 0 0 1 Resource \"r\" \"attributes\" \"string operation\" \"restore\" Sphere 1 -1 1 360"));
  CHECK(s.primitive(0).attributes->color == Color{1, 0, 0});
}
