// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: ctransform() between the colour spaces of the specification: rgb hsv hsl xyz xyY YIQ.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

// rgb with the primaries of Rec. 709 and white D65; YIQ of NTSC. Rows.
constexpr float kXyzFromRgb[3][3] = {
    {0.412453f, 0.357580f, 0.180423f}, {0.212671f, 0.715160f, 0.072169f}, {0.019334f, 0.119193f, 0.950227f}};
constexpr float kRgbFromXyz[3][3] = {
    {3.240479f, -1.537150f, -0.498535f}, {-0.969256f, 1.875991f, 0.041556f}, {0.055648f, -0.204043f, 1.057311f}};
constexpr float kYiqFromRgb[3][3] = {
    {0.299f, 0.587f, 0.114f}, {0.595716f, -0.274453f, -0.321263f}, {0.211456f, -0.522591f, 0.311135f}};
constexpr float kRgbFromYiq[3][3] = {
    {1, 0.9562957f, 0.6210244f}, {1, -0.2721221f, -0.6473806f}, {1, -1.1069890f, 1.7046150f}};

Vec3 times(const float (&m)[3][3], Vec3 c) {
  const auto row = [&](int i) { return m[i][0] * c.x + m[i][1] * c.y + m[i][2] * c.z; };
  return {row(0), row(1), row(2)};
}

/// Hue in 0..1 of the colour whose largest component is hi and whose range is d.
float hueOf(Vec3 c, float hi, float d) {
  if (d <= 0) return 0;
  float h = hi == c.x ? (c.y - c.z) / d : hi == c.y ? 2 + (c.z - c.x) / d : 4 + (c.x - c.y) / d;
  h /= 6;
  return h < 0 ? h + 1 : h;
}
/// Fully saturated colour of a hue.
Vec3 pureHue(float h) {
  h = (h - std::floor(h)) * 6;
  const auto ramp = [](float x) { return std::clamp(x, 0.0f, 1.0f); };
  return {ramp(std::fabs(h - 3) - 1), ramp(2 - std::fabs(h - 2)), ramp(2 - std::fabs(h - 4))};
}

Vec3 hsvFromRgb(Vec3 c) {
  const float hi = std::max({c.x, c.y, c.z}), d = hi - std::min({c.x, c.y, c.z});
  return {hueOf(c, hi, d), hi > 0 ? d / hi : 0, hi};
}
Vec3 rgbFromHsv(Vec3 c) {
  const Vec3 p = pureHue(c.x);
  return Vec3{1 + (p.x - 1) * c.y, 1 + (p.y - 1) * c.y, 1 + (p.z - 1) * c.y} * c.z;
}
Vec3 hslFromRgb(Vec3 c) {
  const float hi = std::max({c.x, c.y, c.z}), lo = std::min({c.x, c.y, c.z}), d = hi - lo, l = 0.5f * (hi + lo);
  const float room = 1 - std::fabs(2 * l - 1);
  return {hueOf(c, hi, d), room > 0 ? d / room : 0, l};
}
Vec3 rgbFromHsl(Vec3 c) {
  const Vec3 p = pureHue(c.x);
  const float chroma = (1 - std::fabs(2 * c.z - 1)) * c.y;
  return {(p.x - 0.5f) * chroma + c.z, (p.y - 0.5f) * chroma + c.z, (p.z - 0.5f) * chroma + c.z};
}
Vec3 xyyFromXyz(Vec3 c) {
  const float sum = c.x + c.y + c.z;
  return sum != 0 ? Vec3{c.x / sum, c.y / sum, c.y} : Vec3{0, 0, c.y};
}
Vec3 xyzFromXyy(Vec3 c) { return c.y != 0 ? Vec3{c.x * c.z / c.y, c.z, (1 - c.x - c.y) * c.z / c.y} : Vec3{0, 0, 0}; }

enum class Space { kRgb, kHsv, kHsl, kXyz, kXyy, kYiq, kUnknown };
Space parseSpace(std::string_view s) {
  if (s == "rgb" || s == "RGB") return Space::kRgb;
  if (s == "hsv" || s == "HSV") return Space::kHsv;
  if (s == "hsl" || s == "HSL") return Space::kHsl;
  if (s == "xyz" || s == "XYZ" || s == "CIE") return Space::kXyz;
  if (s == "xyY") return Space::kXyy;
  if (s == "YIQ" || s == "yiq") return Space::kYiq;
  return Space::kUnknown;
}
Vec3 toRgb(Space from, Vec3 c) {
  switch (from) {
    case Space::kHsv:
      return rgbFromHsv(c);
    case Space::kHsl:
      return rgbFromHsl(c);
    case Space::kXyz:
      return times(kRgbFromXyz, c);
    case Space::kXyy:
      return times(kRgbFromXyz, xyzFromXyy(c));
    case Space::kYiq:
      return times(kRgbFromYiq, c);
    default:
      return c;
  }
}
Vec3 fromRgb(Space to, Vec3 c) {
  switch (to) {
    case Space::kHsv:
      return hsvFromRgb(c);
    case Space::kHsl:
      return hslFromRgb(c);
    case Space::kXyz:
      return times(kXyzFromRgb, c);
    case Space::kXyy:
      return xyyFromXyz(times(kXyzFromRgb, c));
    case Space::kYiq:
      return times(kYiqFromRgb, c);
    default:
      return c;
  }
}

void convert(MachineState& s, const DecodedInstruction& d, int k, std::string_view fromName, std::string_view toName) {
  const Space from = parseSpace(fromName), to = parseSpace(toName);
  if (from == Space::kUnknown || to == Space::kUnknown)
    s.warn(d, "vm-unknown-color-space", format("unknown colour space: \"{}\" to \"{}\"", fromName, toName));
  const float* c[3];
  s.triple(d, k, c);
  float* o[3] = {s.outPlane(d), s.outPlane(d), s.outPlane(d)};
  for (int i = 0; i < (d.uniform ? 1 : s.grid_.points); ++i) {
    const Vec3 v{c[0][i], c[1][i], c[2][i]};
    const Vec3 r = from == to ? v : fromRgb(to, toRgb(from, v));
    o[0][i] = r.x, o[1][i] = r.y, o[2][i] = r.z;
  }
  for (int j = 0; j < 3; ++j) s.store(d, 0, j, o[j]);
}

}  // namespace

bool callColor(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  switch (opInfo(d.op).builtin->id) {
    case Builtin::k_ctransform:
      return convert(s, d, 2, "rgb", s.text(d, 1)), true;
    case Builtin::k_ctransform_ss:
      return convert(s, d, 3, s.text(d, 1), s.text(d, 2)), true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
