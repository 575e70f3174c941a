// SPDX-License-Identifier: Apache-2.0
// Id mattes: coverages add up to alpha, each object's matte is the alpha of that object among Matte ones, and the bits
// depend on nothing but the scene. tests/cli/cryptomatte_test.py reads the files as a compositor does.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <map>

#include "reyes/base/format.h"
#include "reyes/render/cryptomatte.h"
#include "tests/render/harness.h"

using namespace reyes;
using namespace reyes::test;

namespace {

const std::string kCamera =
    "Format 48 36 1\nProjection \"perspective\" \"fov\" 40\nPixelSamples 4 4\nPixelFilter \"gaussian\" 2 2\n"
    "Translate 0 0 5\n";

/// A thing of the world: what is said of it, and its shape. Those not `shown` are mattes.
struct Thing {
  std::string name, attributes, shape;
};

std::string world(const std::string& head, const std::vector<Thing>& things, const std::string& shown = "") {
  std::string rib = kCamera + head + "WorldBegin\nSurface \"constant\"\n";
  for (const Thing& t : things) {
    const bool matte = !shown.empty() && shown != t.name;
    rib += format("AttributeBegin\nAttribute \"identifier\" \"string name\" [\"{}\"]\n{}Matte {}\n{}AttributeEnd\n",
                  t.name, t.attributes, matte ? 1 : 0, t.shape);
  }
  return rib + "WorldEnd\n";
}

/// Coverage by id of a pixel, as any decoder reads it.
std::map<uint32_t, float> matteAt(const Picture& p, const std::string& layer, int x, int y, int levels = 6) {
  static const char* const kParts[] = {"red", "green", "blue", "alpha"};
  std::map<uint32_t, float> out;
  for (int r = 0; r < levels; ++r) {
    const auto channel = [&](int c) { return format("{}{:02}.{}", layer, c / 4, kParts[c % 4]); };
    const float coverage = p.at(x, y, channel(2 * r + 1));
    if (coverage != 0) out[std::bit_cast<uint32_t>(p.at(x, y, channel(2 * r)))] += coverage;
  }
  return out;
}

const std::vector<Thing> kThings = {
    {"back", "", "Translate 0 0 2\nPatch \"bilinear\" \"P\" [-2 1 0 2 1 0 -2 -1 0 2 -1 0]\n"},
    {"ball", "Opacity 0.6 0.6 0.6\n", "Translate 0.4 0.1 0\nSphere 0.8 -0.8 0.8 360\n"},
    {"ring", "", "Rotate 50 1 0.3 0\nTorus 1.1 0.2 0 360 360\n"},
    {"veil", "Opacity 0.2 0.4 0.6\n", "Translate -0.5 0 -1\nRotate 20 0 1 0\nDisk 0 0.7 360\n"},
    {"hair", "",
     "Basis \"b-spline\" 1 \"b-spline\" 1\nCurves \"cubic\" [4 4] \"nonperiodic\" \"P\" [-1 -2 -1 0 0 -1 1 1 -1 "
     "2 3 -1  -2 2 0 -1 1 0 0 -1 0 1 -4 0] \"constantwidth\" [0.05]\n"}};

void checkAgainstRenders(const std::string& head) {
  const std::string mode = "rgba,cryptomatte:object";
  const Picture all = picture(world(head, kThings), {}, mode);
  std::vector<Picture> each;
  for (const Thing& t : kThings) each.push_back(picture(world(head, kThings, t.name)));
  double worst = 0, worstSum = 0;
  size_t mixed = 0;
  for (int y = 0; y < 36; ++y)
    for (int x = 0; x < 48; ++x) {
      const auto matte = matteAt(all, "CryptoObject", x, y);
      float sum = 0;
      for (const auto& [id, coverage] : matte) sum += coverage;
      worstSum = std::max(worstSum, std::fabs(static_cast<double>(sum - all.at(x, y, "A"))));
      mixed += matte.size() > 2;
      for (size_t t = 0; t < kThings.size(); ++t) {
        const auto it = matte.find(render::matteId(kThings[t].name));
        const float coverage = it == matte.end() ? 0 : it->second;
        worst = std::max(worst, std::fabs(static_cast<double>(coverage - each[t].at(x, y, "A"))));
      }
    }
  CHECK(worstSum < 2e-6);
  CHECK(worst < 2e-6);
  CHECK(mixed > 30);
}

}  // namespace

TEST_CASE("ids are those of the public hash") {
  CHECK(render::matteId("hello") == 0x248bfa47u);
  CHECK(render::matteId("") == 0x00800000u);
  for (int i = 0; i < 5000; ++i) {
    const uint32_t exponent = render::matteId(format("name{}", i)) >> 23 & 255;
    REQUIRE(exponent != 0);
    REQUIRE(exponent != 255);
  }
  CHECK(render::utf8Of("Geb\xc3\xa4ude") == "Geb\xc3\xa4ude");
  CHECK(render::utf8Of("Geb\xe4ude") == "Geb\xc3\xa4ude");
  CHECK(render::utf8Of("\xed\xa0\x80") == "\xc3\xad\xc2\xa0\xc2\x80");
}

TEST_CASE("each matte is the alpha of its object among matte ones: still, moving, defocused, other filters") {
  checkAgainstRenders("");
  checkAgainstRenders("PixelFilter \"box\" 1 1\n");
  checkAgainstRenders("PixelFilter \"box\" 0.001 0.001\n");
  checkAgainstRenders("PixelFilter \"disk\" 3 3\nHider \"hidden\" \"depthfilter\" \"midpoint\"\n");
  checkAgainstRenders("Shutter 0 1\nDepthOfField 2 0.6 4\n");
  checkAgainstRenders("Shutter 0 1\nMotionBegin [0 1]\nTranslate 0 0 0\nTranslate 0.2 0.1 0.3\nMotionEnd\n");
}

TEST_CASE("two layers of one object count together; names of kinds") {
  const std::string rib =
      kCamera +
      "WorldBegin\nSurface \"constant\"\nOpacity 0.5 0.5 0.5\n"
      "AttributeBegin\nAttribute \"identifier\" \"string name\" [\"car\"]\n"
      "AttributeBegin\nAttribute \"identifier\" \"string name\" [\"wheel\"] \"string material\" [\"rubber\"]\n"
      "Patch \"bilinear\" \"P\" [-3 3 0 3 3 0 -3 -3 0 3 -3 0]\nAttributeEnd\n"
      "AttributeBegin\nAttribute \"identifier\" \"string name\" [\"wheel\"]\n"
      "Patch \"bilinear\" \"P\" [-3 3 1 3 3 1 -3 -3 1 3 -3 1]\nAttributeEnd\nAttributeEnd\n"
      "Attribute \"identifier\" \"string asset\" [\"set\"]\n"
      "Patch \"bilinear\" \"P\" [-4 4 2 4 4 2 -4 -4 2 4 -4 2]\nWorldEnd\n";
  const Picture p = picture(rib, {}, "rgba,cryptomatte:object,cryptomatte:material|asset");
  CHECK(p.messages.empty());
  const auto at = [&](const char* layer, const char* name) {
    const auto m = matteAt(p, layer, 20, 20);
    const auto it = m.find(render::matteId(name));
    return it == m.end() ? 0.0f : it->second;
  };
  CHECK(at("CryptoObject", "wheel") == 0.75f);
  CHECK(at("CryptoObject", "default") == 0.125f);
  CHECK(at("CryptoMaterial", "rubber") == 0.5f);
  CHECK(at("CryptoMaterial", "constant") == 0.375f);
  CHECK(at("CryptoAsset", "car") == 0.75f);
  CHECK(at("CryptoAsset", "set") == 0.125f);
}

TEST_CASE("mattes are the same bits for any threads, buckets, crops and instruction set") {
  const std::string mode = "rgba,cryptomatte:object,cryptomatte:asset";
  const std::string head = "Shutter 0 1\nDepthOfField 2 0.6 4\n";
  const std::string rib = world(head, kThings);
  Setup one;
  one.threads = 1;
  const Picture whole = picture(rib, one, mode);
  for (const auto& [w, h] : {std::pair{1, 1}, {7, 5}, {16, 16}, {100, 100}}) {
    Setup s;
    s.bucketWidth = w, s.bucketHeight = h;
    CHECK(differences(whole.image, picture(rib, s, mode).image) == 0);
  }
  Setup crop;
  crop.options = "CropWindow 0.3 0.8 0.2 0.7\n";
  CHECK(differencesWhereBoth(whole.image, picture(rib, crop, mode).image) == 0);
  Setup sse;
  sse.isa = Isa::kSse4;
  CHECK(differences(whole.image, picture(rib, sse, mode).image) == 0);
}

TEST_CASE("what Cryptomatte cannot be is said") {
  const std::string rib = world("", kThings);
  CHECK(picture(rib, {}, "rgba,cryptomatte:thing").hasCode("display-cryptomatte"));
  const Picture few = picture(kCamera + "WorldBegin\nWorldEnd\n", {}, "rgba,cryptomatte:object");
  CHECK(few.channel("CryptoObject02.alpha") > 0);
  CHECK(few.mean("CryptoObject00.green") == 0);
}
