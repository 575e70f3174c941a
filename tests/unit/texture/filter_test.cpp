// SPDX-License-Identifier: Apache-2.0
// Filtered look-ups against what they should give: constants, grey horizons, zone plates, seams of levels, periods,
// cube faces and poles; the same bits whatever the batch and the instruction set; OpenImageIO's own filter.
#include <OpenImageIO/imageio.h>
#include <OpenImageIO/texture.h>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>

#include "maps.h"
#include "reyes/base/hash.h"
#include "reyes/base/isa.h"

// OpenImageIO frees its TextureSystem through a base class of another size, which AddressSanitizer takes for a fault.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REYES_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define REYES_ADDRESS_SANITIZER 1
#endif
#ifdef REYES_ADDRESS_SANITIZER
extern "C" const char* __asan_default_options() { return "new_delete_type_mismatch=0"; }
#endif

using namespace reyes;
using namespace reyes::texture;

namespace {

constexpr float kPi = 3.14159265f;

/// Look-ups of one channel, a lane at a time.
struct Looker {
  explicit Looker(const Maps& maps) : tmp(maps) {}
  float at(float s, float t, float ds, float dt) {
    const float zero = 0;
    float r = -1;
    float* const out[1] = {&r};
    system.texture(file, {1, nullptr, &s, &t, &ds, &zero, &zero, &dt}, options, 1, out, {});
    return r;
  }
  const Maps& tmp;
  Diagnostics diag;
  TextureSystem system{diag, 0};
  LookupOptions options;
  std::string file;
};

const char* const kFilters[] = {"",         "box",        "trilinear", "bilinear",       "point",
                                "triangle", "disk",       "bspline",   "catmull-rom",    "mitchell",
                                "sinc",     "lagrangian", "bessel",    "blackman-harris"};

}  // namespace

TEST_CASE("a constant stays constant with any filter, blur and place") {
  const Maps tmp;
  for (const auto type :
       {image::PixelType::kUint8, image::PixelType::kUint16, image::PixelType::kHalf, image::PixelType::kFloat}) {
    Looker look(tmp);
    look.file = tmp.map(
        "c", 65, 33, type, [](float, float, int) { return 0.25f; }, "periodic", 3);
    const float value = look.at(0.5f, 0.5f, 0, 0);
    CHECK(value == doctest::Approx(0.25f).epsilon(0.01));
    uint64_t k = 0;
    const auto next = [&] { return toUnitFloat(mix64(++k)); };
    for (const char* filter : kFilters) {
      look.options.filter = filter;
      for (int i = 0; i < 300; ++i) {
        look.options.sBlur = i % 3 == 0 ? next() * 0.2f : 0;
        look.options.tBlur = i % 3 == 1 ? next() * 0.9f : 0;
        const float v = look.at(next() * 4 - 2, next() * 4 - 2, std::pow(next(), 6.0f), std::pow(next(), 6.0f));
        CHECK(std::fabs(v - value) < 2e-6f);
      }
    }
    CHECK(look.diag.count(Severity::kError) == 0);
  }
}

TEST_CASE("a checker is grey where it is small, and sharp where it is large") {
  const Maps tmp;
  Looker look(tmp);
  look.file = tmp.map(
      "checker", 512, 512, image::PixelType::kUint8,
      [](float s, float t, int) {
        return static_cast<float>((static_cast<int>(s * 64) + static_cast<int>(t * 64)) & 1);
      },
      "periodic");
  uint64_t k = 0;
  for (int i = 0; i < 200; ++i) {
    const float s = toUnitFloat(mix64(++k)), t = toUnitFloat(mix64(++k));
    // Towards the horizon: long one way, then both.
    CHECK(look.at(s, t, 0.004f, 0.3f) == doctest::Approx(0.5f).epsilon(0.03));
    CHECK(look.at(s, t, 0.3f, 0.3f) == doctest::Approx(0.5f).epsilon(0.01));
  }
  for (int x = 0; x < 64; ++x) CHECK(look.at((static_cast<float>(x) + 0.5f) / 64, 0.5f / 64, 0, 0) == (x & 1));
}

TEST_CASE("a zone plate shows no rings but its own") {
  const Maps tmp;
  constexpr int kSize = 512;
  // Its waves are a texel long at the right border.
  const auto plate = [](float s, float t, int) {
    const float r2 = s * s + t * t;
    return 0.5f + 0.5f * std::cos(kPi * 0.5f * kSize * r2);
  };
  Looker look(tmp);
  look.file = tmp.map("zone", kSize, kSize, image::PixelType::kFloat, plate, "clamp", 1, "lanczos3");
  // A picture of 64 pixels: from the 9th column on the waves are shorter than two pixels.
  constexpr int kPixels = 64;
  for (const char* filter : {"", "box", "trilinear", "triangle", "bspline", "catmull-rom", "mitchell", "sinc"}) {
    CAPTURE(std::string(filter));
    look.options.filter = filter;
    double low = 0, high = 0;
    int lowCount = 0, highCount = 0;
    for (int y = 0; y < kPixels; ++y)
      for (int x = 0; x < kPixels; ++x) {
        const float s = (static_cast<float>(x) + 0.5f) / kPixels, t = (static_cast<float>(y) + 0.5f) / kPixels;
        const double v = look.at(s, t, 1.0f / kPixels, 1.0f / kPixels) - 0.5;
        const float cycles = 0.5f * kSize * std::hypot(s, t) / kPixels;  // of a wave a pixel
        if (cycles < 0.25f) low += v * v, ++lowCount;
        if (cycles > 0.8f && s < 0.9f && t < 0.9f) high += v * v, ++highCount;
      }
    CHECK(std::sqrt(low / lowCount) > 0.2);
    CHECK(std::sqrt(high / highCount) < 0.012);
  }
}

TEST_CASE("nothing jumps where the level or the number of probes changes") {
  const Maps tmp;
  Looker look(tmp);
  look.file = tmp.map(
      "noise", 256, 256, image::PixelType::kFloat,
      [](float s, float t, int) {
        return toUnitFloat(hashCombine(static_cast<uint64_t>(s * 256), static_cast<uint64_t>(t * 256)));
      },
      "periodic");
  for (const float aspect : {1.0f, 3.0f, 12.0f})
    for (const float blur : {0.0f, 0.02f}) {
      look.options.sBlur = look.options.tBlur = blur;
      float before = look.at(0.3f, 0.7f, 1e-4f, 1e-4f * aspect), worst = 0;
      for (float size = 1e-4f; size < 0.3f; size *= 1.005f) {
        const float now = look.at(0.3f, 0.7f, size, size * aspect);
        worst = std::max(worst, std::fabs(now - before));
        before = now;
      }
      CAPTURE(aspect);
      CAPTURE(blur);
      CHECK(worst < 0.02f);
    }
  // Between neighbours in space, too: at the borders of texels, tiles and the picture.
  look.options.sBlur = look.options.tBlur = 0;
  for (const float size : {0.0f, 0.5f / 256, 1.7f / 256, 9.0f / 256}) {
    float before = look.at(-0.1f, 0.4f, size, size), worst = 0;
    for (float s = -0.1f; s < 1.1f; s += 1 / 4096.0f) {
      const float now = look.at(s, 0.4f, size, size);
      worst = std::max(worst, std::fabs(now - before));
      before = now;
    }
    CHECK(worst < 0.07f);
  }
}

TEST_CASE("a period later is the same; a mirror's border is smooth; clamped goes on") {
  const Maps tmp;
  const auto wave = [](float s, float t, int) { return 0.5f + 0.3f * std::sin(2 * kPi * s) * std::cos(2 * kPi * t); };
  Looker look(tmp);
  look.file = tmp.map("wave", 128, 128, image::PixelType::kFloat, wave, "periodic");
  for (const float size : {0.0f, 0.01f, 0.05f})
    for (float s = 0.0f; s < 1; s += 0.0625f / 2)
      for (const float t : {0.0f, 0.25f, 0.998f}) {
        CHECK(look.at(s, t, size, size) == doctest::Approx(look.at(s + 3, t - 2, size, size)).epsilon(1e-5));
        if (size < 0.02f) CHECK(look.at(s, t, size, size) == doctest::Approx(wave(s, t, 0)).epsilon(0.01));
      }
  look.file = tmp.map(
      "mirror", 64, 64, image::PixelType::kFloat, [](float s, float, int) { return s; }, "mirror");
  CHECK(look.at(1.2f, 0.5f, 0, 0) == doctest::Approx(0.8f).epsilon(0.01));
  CHECK(look.at(-0.3f, 0.5f, 0, 0) == doctest::Approx(0.3f).epsilon(0.01));
  look.file = tmp.map(
      "clamp", 64, 64, image::PixelType::kFloat, [](float s, float, int) { return s; }, "clamp");
  CHECK(look.at(7.0f, 0.5f, 0, 0) == doctest::Approx(1.0f).epsilon(0.01));
  look.file = tmp.map(
      "black", 64, 64, image::PixelType::kFloat, [](float, float, int) { return 1.0f; }, "black");
  CHECK(look.at(1.1f, 0.5f, 0, 0) == 0);
  CHECK(look.at(1.0f, 0.5f, 0.02f, 0.02f) == doctest::Approx(0.5f).epsilon(0.05));
}

TEST_CASE("width, blur and lerp") {
  const Maps tmp;
  Looker look(tmp);
  look.file = tmp.map(
      "step", 256, 256, image::PixelType::kFloat, [](float s, float, int) { return s < 0.5f ? 0.0f : 1.0f; }, "clamp");
  // The edge is as wide as the filter says; a width of 0 is no filter at all.
  const auto width = [&](float ds) {
    float sum = 0;
    for (float s = 0.25f; s < 0.75f; s += 1 / 512.0f) {
      const float v = look.at(s, 0.5f, ds, 0.001f);
      sum += v * (1 - v) / 512;
    }
    return 6 * sum;  // of a straight ramp: its length
  };
  const float narrow = width(0.05f);
  CHECK(narrow == doctest::Approx(0.05f).epsilon(0.35));
  look.options.sWidth = 3;
  CHECK(width(0.05f) == doctest::Approx(3 * narrow).epsilon(0.25));
  look.options.sWidth = 0;
  CHECK(width(0.05f) < 0.02f);
  look.options.sWidth = 1;
  look.options.sBlur = 0.15f;
  CHECK(width(0.0f) == doctest::Approx(3 * narrow).epsilon(0.25));
  look.options.sBlur = 0;
  // Without lerp a value is one level's own.
  look.options.filter = "trilinear";
  const float fine = look.at(0.502f, 0.5f, 2.0f / 256, 2.0f / 256),
              coarse = look.at(0.502f, 0.5f, 4.0f / 256, 4.0f / 256);
  look.options.lerp = false;
  CHECK(look.at(0.502f, 0.5f, 2.4f / 256, 2.4f / 256) == fine);
  CHECK(look.at(0.502f, 0.5f, 3.4f / 256, 3.4f / 256) == coarse);
}

TEST_CASE("filters have the shapes of their names, on points larger than texels") {
  const Maps tmp;
  Looker look(tmp);
  // One bright line; a point is 32 texels wide.
  constexpr int kSize = 1024, kWide = 32;
  look.file = tmp.map(
      "line", kSize, 8, image::PixelType::kFloat,
      [](float s, float, int) { return static_cast<int>(s * kSize) == kSize / 2 ? 1.0f : 0.0f; }, "clamp");
  constexpr float kDisc = 0.5641896f;
  const auto sinc = [](float x) { return x != 0 ? std::sin(kPi * x) / (kPi * x) : 1.0f; };
  const auto cubic = [](float x, float b, float c) {
    x = std::fabs(x);
    if (x >= 2) return 0.0f;
    if (x >= 1)
      return ((-b - 6 * c) * x * x * x + (6 * b + 30 * c) * x * x - (12 * b + 48 * c) * x + 8 * b + 24 * c) / 6;
    return ((12 - 9 * b - 6 * c) * x * x * x + (-18 + 12 * b + 6 * c) * x * x + 6 - 2 * b) / 6;
  };
  const std::pair<const char*, std::function<float(float)>> shapes[] = {
      {"triangle", [](float x) { return std::max(0.0f, 1 - std::fabs(x)); }},
      {"disk", [&](float x) { return 2 * std::sqrt(std::max(0.0f, kDisc * kDisc - x * x)); }},
      {"catmull-rom", [&](float x) { return cubic(x, 0, 0.5f); }},
      {"mitchell", [&](float x) { return cubic(x, 1.0f / 3, 1.0f / 3); }},
      {"sinc", [&](float x) { return std::fabs(x) < 3 ? sinc(x) * sinc(x / 3) : 0.0f; }},
      {"blackman-harris", [](float x) {
         const float a = kPi * (x / 1.5f + 1);
         const float w = 0.35875f - 0.48829f * std::cos(a) + 0.14128f * std::cos(2 * a) - 0.01168f * std::cos(3 * a);
         return std::fabs(x) < 1.5f ? w / (3 * 0.35875f) : 0.0f;
       }}};
  for (const auto& named : shapes) {
    const char* const name = named.first;
    const std::function<float(float)>& shape = named.second;
    CAPTURE(std::string(name));
    look.options.filter = name;
    float sum = 0;
    for (int k = -112; k <= 112; ++k) {
      const float x = static_cast<float>(k) / kWide;
      const float v = look.at(0.5f + (static_cast<float>(k) + 0.5f) / kSize, 0.5f, 1.0f * kWide / kSize, 0.5f) * kWide;
      sum += v / kWide;
      // Its taps and their levels round its corners; a disc ends steeply.
      CHECK(std::fabs(v - shape(x)) < (std::strcmp(name, "disk") == 0 ? 0.22f : 0.1f));
    }
    CHECK(sum == doctest::Approx(1).epsilon(0.01));
  }
  look.options.filter = "none of these";
  const float other = look.at(0.5f, 0.5f, 0.03f, 0.03f);
  look.at(0.4f, 0.5f, 0.03f, 0.03f);
  CHECK(look.diag.count(Severity::kWarning) == 1);
  look.options.filter = "gaussian";
  CHECK(look.at(0.5f, 0.5f, 0.03f, 0.03f) == other);
}

TEST_CASE("filters where texels are larger than points: through the texels, or smooth, and straight where they are") {
  const Maps tmp;
  Looker look(tmp);
  const auto noise = [](float s, float t, int) {
    return toUnitFloat(hashCombine(static_cast<uint64_t>(s * 32), static_cast<uint64_t>(t * 32)));
  };
  const std::string rough = tmp.map("rough", 32, 32, image::PixelType::kFloat, noise, "periodic");
  const std::string ramp = tmp.map(
      "ramp", 32, 32, image::PixelType::kFloat, [](float s, float t, int) { return 0.5f * s + 0.25f * t; }, "clamp");
  for (const char* filter : {"catmull-rom", "sinc", "bessel", "lagrangian", "triangle", "mitchell", "bspline"}) {
    CAPTURE(std::string(filter));
    look.options.filter = filter;
    const bool through = std::strcmp(filter, "mitchell") != 0 && std::strcmp(filter, "bspline") != 0;
    look.file = rough;
    float worst = 0;
    for (int y = 0; y < 32; ++y)
      for (int x = 0; x < 32; ++x) {
        const float s = (static_cast<float>(x) + 0.5f) / 32, t = (static_cast<float>(y) + 0.5f) / 32;
        worst = std::max(worst, std::fabs(look.at(s, t, 1e-3f, 1e-3f) - noise(s, t, 0)));
      }
    CHECK((worst < 1e-5f) == through);
    look.file = ramp;
    for (float s = 0.1f; s < 0.9f; s += 0.007f)
      CHECK(look.at(s, 1 - s, 1e-3f, 1e-3f) == doctest::Approx(0.5f * s + 0.25f * (1 - s)).epsilon(1e-4));
  }
  // Between texels 5 and 6 of a step Catmull-Rom's cubic overshoots, a triangle is straight.
  look.file = tmp.map(
      "step", 16, 16, image::PixelType::kFloat, [](float s, float, int) { return s < 0.375f ? 0.0f : 1.0f; }, "clamp");
  const auto between = [&](const char* filter, float x) {
    look.options.filter = filter;
    return look.at((5.5f + x) / 16, 0.5f, 0, 0);
  };
  CHECK(between("triangle", 0.25f) == doctest::Approx(0.25f));
  CHECK(between("catmull-rom", 0.25f) == doctest::Approx(0.203125f));
  CHECK(between("catmull-rom", 1.5f) == doctest::Approx(1.0625f));
  CHECK(between("lagrangian", 0.25f) == doctest::Approx(0.234375f));
}

TEST_CASE("widths and blurs of each lane, and ways to go on that a look-up asks for") {
  const Maps tmp;
  Diagnostics diag;
  TextureSystem system(diag, 0);
  const std::string file = tmp.map(
      "noise", 128, 64, image::PixelType::kUint8,
      [](float s, float t, int) {
        return toUnitFloat(hashCombine(static_cast<uint64_t>(s * 128), static_cast<uint64_t>(t * 64)));
      },
      "black");
  constexpr int kLanes = 40;
  float s[kLanes], t[kLanes], d[kLanes], width[kLanes], blur[kLanes], zero[kLanes] = {}, all[kLanes], one;
  for (int i = 0; i < kLanes; ++i) {
    const float x = static_cast<float>(i);
    s[i] = 0.3f + 0.01f * x, t[i] = 0.6f - 0.005f * x, d[i] = 0.004f, width[i] = 0.2f * x, blur[i] = 0.003f * x;
  }
  float* const outAll[1] = {all};
  float* const outOne[1] = {&one};
  for (const char* filter : {"", "trilinear", "mitchell"})
    for (int which = 0; which < 4; ++which) {
      LookupOptions o;
      o.filter = filter;
      const float** const planes[4] = {&o.sWidths, &o.tWidths, &o.sBlurs, &o.tBlurs};
      float* const numbers[4] = {&o.sWidth, &o.tWidth, &o.sBlur, &o.tBlur};
      const float* values = which < 2 ? width : blur;
      *planes[which] = values;
      system.texture(file, {kLanes, nullptr, s, t, d, zero, zero, d}, o, 1, outAll, {});
      *planes[which] = nullptr;
      for (int i = 0; i < kLanes; ++i) {
        *numbers[which] = values[i];
        system.texture(file, {1, nullptr, s + i, t + i, d + i, zero, zero, d + i}, o, 1, outOne, {});
        CHECK(one == doctest::Approx(all[i]).epsilon(1e-5));
      }
    }
  LookupOptions o;
  const auto at = [&](float x) {
    system.texture(file, {1, nullptr, &x, t, d, zero, zero, d}, o, 1, outOne, {});
    return one;
  };
  CHECK(at(1.3f) == 0);
  o.sWrap = "periodic";
  CHECK(at(1.3f) == doctest::Approx(at(0.3f)).epsilon(1e-5));
  o.sWrap = "mirror";
  CHECK(at(1.3f) == doctest::Approx(at(0.7f)).epsilon(1e-4));
  o.sWrap = "clamp";
  CHECK(at(1.3f) == doctest::Approx(at(9.0f)));
  CHECK(at(1.3f) != 0);
  o.sWrap = "default";
  CHECK(at(1.3f) == 0);
  CHECK(diag.count(Severity::kWarning) == 0);
  o.sWrap = "around";
  CHECK(at(1.3f) == 0);
  CHECK(at(1.4f) == 0);
  CHECK(diag.count(Severity::kWarning) == 1);
}

TEST_CASE("the same bits for any batch and instruction set") {
  const Maps tmp;
  for (const auto type :
       {image::PixelType::kUint8, image::PixelType::kUint16, image::PixelType::kHalf, image::PixelType::kFloat}) {
    const std::string file = tmp.map(
        "n", 200, 77, type,
        [](float s, float t, int c) {
          const uint64_t h =
              hashCombine(static_cast<uint64_t>(s * 200), static_cast<uint64_t>(t * 77), static_cast<uint64_t>(c));
          // Halves below the smallest normal one, too.
          return h % 16 == 0 ? 3e-7f : toUnitFloat(h);
        },
        "periodic", 5);
    constexpr int kLanes = 203;
    std::array<std::array<float, kLanes>, 6> in;
    uint64_t k = 0;
    for (int p = 0; p < 6; ++p)
      for (float& v : in[static_cast<size_t>(p)]) {
        v = toUnitFloat(mix64(++k)) * 3 - 1;
        if (p > 1) v = v * v * v * 0.05f;
      }
    in[0][7] = std::nanf(""), in[3][9] = INFINITY;
    std::array<uint8_t, kLanes> active;
    for (uint8_t& a : active) a = mix64(++k) % 4 != 0;
    for (const char* filter : kFilters) {
      LookupOptions o;
      o.filter = filter;
      o.tBlur = 0.01f;
      std::vector<std::array<std::array<float, kLanes>, 5>> results;
      for (const Isa isa : supportedIsas())
        for (const bool whole : {true, false}) {
          Diagnostics diag;
          TextureSystem system(diag, 0);
          TextureOptions options;
          options.isa = isa;
          system.configure(options);
          auto& r = results.emplace_back();
          for (auto& plane : r) plane.fill(-1);
          // All at once, or in pieces.
          for (int first = 0; first < kLanes; first += whole ? kLanes : 13) {
            const int n = std::min(whole ? kLanes : 13, kLanes - first);
            float* out[5];
            for (size_t c = 0; c < 5; ++c) out[c] = r[c].data() + first;
            system.texture(file,
                           {n, active.data() + first, in[0].data() + first, in[1].data() + first, in[2].data() + first,
                            in[3].data() + first, in[4].data() + first, in[5].data() + first},
                           o, 5, out, {});
          }
        }
      for (const auto& r : results) CHECK(std::memcmp(&r, &results[0], sizeof r) == 0);
      for (size_t i = 0; i < kLanes; ++i) CHECK((active[i] ? results[0][4][i] >= 0 : results[0][4][i] == -1));
    }
  }
}

TEST_CASE("environments: no seam between cube faces, none behind, one value at each pole") {
  const Maps tmp;
  // A smooth function of the direction, as cube faces.
  const auto value = [](Vec3 d) { return 0.5f + 0.25f * d.x * d.y + 0.2f * d.z + 0.1f * d.y; };
  const std::array<std::string, 6> names = tmp.cube(64, value);
  REQUIRE(makeCubeFace(names, tmp.file("cube.env"), 90, {}) == "");
  Diagnostics diag;
  TextureSystem system(diag, 0);
  const auto look = [&](Vec3 d, float size, float blur) {
    const float len = length(d);
    d = d * (1 / len);
    const Vec3 side = normalize(std::fabs(d.z) < 0.9f ? cross(d, Vec3{0, 0, 1}) : cross(d, Vec3{1, 0, 0}));
    const Vec3 up = cross(side, d), a = side * size, b = up * size;
    const float *r[3] = {&d.x, &d.y, &d.z}, *du[3] = {&a.x, &a.y, &a.z}, *dv[3] = {&b.x, &b.y, &b.z};
    float v = -1;
    float* const out[1] = {&v};
    LookupOptions o;
    o.sBlur = o.tBlur = blur;
    system.environment(tmp.file("cube.env"), 1, nullptr, r, du, dv, o, 1, out, {});
    return v;
  };
  // Around circles through all faces, and around the poles.
  for (const float size : {0.001f, 0.05f})
    for (int ring = 0; ring < 3; ++ring)
      for (int k = 0; k < 400; ++k) {
        const float a = 2 * kPi * static_cast<float>(k) / 400, c = std::cos(a), s = std::sin(a);
        const Vec3 d = ring == 0 ? Vec3{c, s, 0.1f} : ring == 1 ? Vec3{c, 0.01f, s} : Vec3{0.02f, c, s};
        CHECK(look(d, size, 0) == doctest::Approx(value(normalize(d))).epsilon(0.02));
      }
  for (const float z : {1.0f, -1.0f})
    for (const float blur : {0.0f, 0.03f}) {
      const float pole = look({0, 0, z}, 0.01f, blur);
      CHECK(pole == doctest::Approx(value({0, 0, z})).epsilon(0.02));
      for (int k = 0; k < 32; ++k) {
        const float a = 2 * kPi * static_cast<float>(k) / 32;
        CHECK(look({1e-4f * std::cos(a), 1e-4f * std::sin(a), z}, 0.01f, blur) == doctest::Approx(pole).epsilon(0.01));
      }
    }
  CHECK(diag.count(Severity::kError) == 0);
}

TEST_CASE("a latitude-longitude picture of anything: one value at each pole, nothing jumps there or at its back") {
  const Maps tmp;
  const auto noise = [](float s, float t, int) {
    return toUnitFloat(hashCombine(static_cast<uint64_t>(s * 64), static_cast<uint64_t>(t * 32)));
  };
  REQUIRE(image::writeImage(tmp.file("sky.exr"), "exr", tmp.picture(64, 32, image::PixelType::kFloat, noise, 1), 1) ==
          "");
  REQUIRE(makeLatLong(tmp.file("sky.exr"), tmp.file("sky.env"), {}) == "");
  Diagnostics diag;
  TextureSystem system(diag, 0);
  const auto look = [&](Vec3 d, float size, const char* filter) {
    d = normalize(d);
    const Vec3 side = normalize(std::fabs(d.z) < 0.9f ? cross(d, Vec3{0, 0, 1}) : cross(d, Vec3{1, 0, 0}));
    const Vec3 a = side * size, b = cross(side, d) * size;
    const float *r[3] = {&d.x, &d.y, &d.z}, *du[3] = {&a.x, &a.y, &a.z}, *dv[3] = {&b.x, &b.y, &b.z};
    float v = -1;
    float* const out[1] = {&v};
    LookupOptions o;
    o.filter = filter;
    system.environment(tmp.file("sky.env"), 1, nullptr, r, du, dv, o, 1, out, {});
    return v;
  };
  for (const char* filter : {"", "trilinear", "mitchell"})
    for (const float size : {0.002f, 0.1f}) {
      CAPTURE(std::string(filter));
      CAPTURE(size);
      for (const float z : {1.0f, -1.0f}) {
        double row = 0;
        for (int x = 0; x < 64; ++x) row += noise((static_cast<float>(x) + 0.5f) / 64, z > 0 ? 0.01f : 0.99f, 0) / 64;
        // Around the pole, and over it.
        const float pole = look({0, 0, z}, size, filter);
        CHECK(std::fabs(pole - row) < (size < 0.01f ? 0.03f : 0.15f));
        for (int k = 0; k < 48; ++k) {
          const float a = 2 * kPi * static_cast<float>(k) / 48;
          CHECK(std::fabs(look({1e-3f * std::cos(a), 1e-3f * std::sin(a), z}, size, filter) - pole) < 0.03f);
        }
        float before = look({-0.2f, 0.013f, z}, size, filter), worst = 0;
        for (float x = -0.2f; x < 0.2f; x += 0.001f) {
          const float now = look({x, 0.013f, z}, size, filter);
          worst = std::max(worst, std::fabs(now - before));
          before = now;
        }
        CHECK(worst < 0.2f);
      }
      // Behind, where the left border meets the right one.
      for (float z = -0.6f; z < 0.6f; z += 0.05f)
        CHECK(std::fabs(look({-1, 1e-4f, z}, size, filter) - look({-1, -1e-4f, z}, size, filter)) < 0.02f);
    }
  CHECK(diag.count(Severity::kError) == 0);
}

TEST_CASE("trilinear looks as OpenImageIO's does") {
  const Maps tmp;
  const std::string file = tmp.map(
      "picture", 256, 256, image::PixelType::kUint8,
      [](float s, float t, int) { return 0.5f + 0.25f * std::sin(40 * s * s) + 0.25f * std::cos(60 * t * s); },
      "periodic", 3);
  OIIO::TextureSystem* oiio = OIIO::TextureSystem::create(false);
  OIIO::TextureOpt o;
  o.mipmode = OIIO::TextureOpt::MipModeTrilinear;
  o.interpmode = OIIO::TextureOpt::InterpBilinear;
  Looker look(tmp);
  look.file = file;
  uint64_t k = 0;
  const auto next = [&] { return toUnitFloat(mix64(++k)); };
  for (const char* filter : {"trilinear", ""}) {
    look.options.filter = filter;
    if (!*filter) o = OIIO::TextureOpt();
    double square = 0, worst = 0;
    constexpr int kCount = 4000;
    for (int i = 0; i < kCount; ++i) {
      const float s = next(), t = next(), ds = std::exp2(-next() * 7), dt = *filter ? ds : ds * std::exp2(-3 * next());
      float theirs = 0;
      oiio->texture(OIIO::ustring(file), o, s, t, ds, 0, 0, dt, 1, &theirs);
      const double d = std::fabs(look.at(s, t, ds, dt) - theirs);
      square += d * d, worst = std::max(worst, d);
    }
    MESSAGE(std::string(filter), ": RMS ", std::sqrt(square / kCount), ", worst ", worst);
    CHECK(std::sqrt(square / kCount) < (*filter ? 0.005 : 0.03));
  }
  OIIO::TextureSystem::destroy(oiio, true);
}
