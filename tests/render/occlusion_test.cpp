// SPDX-License-Identifier: Apache-2.0
// What is hidden is not shaded, in whatever order it is submitted; and the memory of what is seen.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

constexpr int kLayers = 50;
const std::string kHead =
    "Format 128 96 1\nProjection \"perspective\" \"fov\" 60\nClipping 0.1 100\nPixelSamples 3 3\nShutter 0 1\n";

/// Points shaded for layers in an order: layer i lies at depth 2 + i / 5.
double shaded(const std::vector<int>& order, const std::string& before, const std::string& shape,
              const std::string& options = {}) {
  std::string world = "WorldBegin\nSurface \"matte\"\n" + before;
  for (const int layer : order)
    world += format("AttributeBegin\nTranslate 0 0 {}\n{}AttributeEnd\n", 2 + layer / 5.0, shape);
  const Picture p = picture(kHead + options + world + "WorldEnd\n");
  CHECK(p.mean("A") > 0.05);
  return static_cast<double>(p.result.stats.get(Counter::kPointsShaded));
}

}  // namespace

TEST_CASE("of fifty layers hardly more than the first is shaded, in any order of submission") {
  std::vector<int> front(kLayers), back(kLayers), mixed(kLayers);
  std::iota(front.begin(), front.end(), 0);
  std::copy(front.rbegin(), front.rend(), back.begin());
  mixed = front;
  for (uint64_t i = kLayers; i > 1; --i) std::swap(mixed[i - 1], mixed[mix64(i) % i]);
  const std::string sheet = "Patch \"bilinear\" \"P\" [-30 20 0 30 20 0 -30 -20 0 30 -20 0]\n";
  const std::string slide = "MotionBegin [0 1]\nTranslate 0 0 0\nTranslate 0.1 0.05 0\nMotionEnd\n";
  for (const std::string& motion : {std::string(), slide}) {
    const double one = shaded({0}, motion, sheet);
    for (const auto& order : {front, back, mixed}) CHECK(shaded(order, motion, sheet) <= 1.3 * one);
  }
}

TEST_CASE("what moves along behind something, or is as far out of focus, is not shaded") {
  // Cards of a quarter of the frame, each a little smaller in the raster than the one before it.
  const std::string card = "Patch \"bilinear\" \"P\" [-0.7 0.5 0 0.7 0.5 0 -0.7 -0.5 0 0.7 -0.5 0]\n";
  std::vector<int> order(kLayers);
  std::iota(order.begin(), order.end(), 0);
  const std::string lens = "DepthOfField 2.8 0.1 4\n";
  for (const double way : {0.0, 0.1, 0.5})
    for (const std::string& options : {std::string(), lens}) {
      CAPTURE(way);
      CAPTURE(options);
      const std::string slide = format(
          "MotionBegin [0 0.4 1]\nTranslate {0} 0 0\nTranslate 0 {0} 0\nTranslate {1} 0 0\n"
          "MotionEnd\n",
          -way, way);
      const std::string before = way > 0 ? slide : std::string();
      const double one = shaded({0}, before, card, options);
      for (int twice = 0; twice < 2; ++twice) {
        CHECK(shaded(order, before, card, options) <= 1.3 * one);
        std::reverse(order.begin(), order.end());
      }
    }
}

TEST_CASE("of fifty shells, closer than their grids are deep, hardly more than the first is shaded") {
  std::vector<int> order(kLayers);
  std::iota(order.begin(), order.end(), 0);
  const std::string shell = "Translate 0 0 1 Sphere 0.6 -0.6 0.6 360\n";
  // Layer i lies at i / 25: a third of what a grid on a flank spans in depth.
  const std::string closer = "Scale 1 1 0.2\n";
  const std::string slide = "MotionBegin [0 1]\nTranslate -0.3 0 0\nTranslate 0.3 0.15 0\nMotionEnd\n";
  for (const std::string& before : {closer, closer + slide})
    for (const char* lens : {"", "DepthOfField 2.8 0.1 2\n"}) {
      CAPTURE(before);
      CAPTURE(lens);
      const double one = shaded({0}, before, shell, lens);
      for (int twice = 0; twice < 2; ++twice) {
        CHECK(shaded(order, before, shell, lens) <= 1.1 * one);
        std::reverse(order.begin(), order.end());
      }
    }
}

TEST_CASE("what only seems opaque is seen through, whatever takes it away") {
  // A white card before a red one; each half of the frame's worth of light would be lost.
  const auto red = [](const std::string& attributes, const std::string& variables) {
    const Picture p =
        picture(kHead + "WorldBegin\nSurface \"constant\"\nColor 1 0 0\n" +
                "Patch \"bilinear\" \"P\" [-30 20 3 30 20 3 -30 -20 3 30 -20 3]\nColor 0 1 0\n" + attributes +
                "Patch \"bilinear\" \"P\" [-30 20 2 30 20 2 -30 -20 2 30 -20 2] " + variables + "\nWorldEnd\n");
    return p.at(64, 48, "R");
  };
  CHECK(red("", "") == 0);
  CHECK(red("Opacity 0.5 0.5 0.5\n", "") == doctest::Approx(0.5));
  CHECK(red("", "\"Os\" [0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5]") == doctest::Approx(0.5));
  CHECK(red("", "\"constant color Os\" [0.25 0.25 0.25]") == doctest::Approx(0.75));
}

TEST_CASE("lists of half opaque layers are cut where nothing more is seen") {
  // Of 0.5 each eight reach the threshold of 0.996.
  std::string world = "WorldBegin\nSurface \"constant\"\nOpacity 0.5 0.5 0.5\n";
  for (int i = 0; i < 64; ++i)
    world += format("Color {0} 1 1\nPatch \"bilinear\" \"P\" [-30 20 {1} 30 20 {1} -30 -20 {1} 30 -20 {1}]\n",
                    i < 8 ? 1 : 0.5, 2 + i * 0.1);
  const Picture p = picture(kHead + "Format 32 24 1\nPixelSamples 8 8\n" + world + "WorldEnd\n");
  CHECK(p.at(16, 12, "A") >= 0.996f);
  CHECK(p.at(16, 12, "A") < 0.9985f);
  CHECK(p.at(16, 12, "R") == p.at(16, 12, "G"));  // the ninth, whose red is half, is behind the cut
}
