// SPDX-License-Identifier: Apache-2.0
// Every function of the language against formulas in double, point by point: each signature with its operands uniform
// and varying, over 4, 64 and 256 points. Functions that ask the grid or the renderer have tests of their own, which
// the last test looks for, so that no signature is without one.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>

#include "reyes/base/hash.h"
#include "reyes/base/isa.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/tables.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

/// One value: a float is one number, a triple three, a matrix 16.
using V = std::vector<double>;
using Args = std::vector<V>;
using Reference = std::function<V(const Args&)>;

constexpr double kPi = 3.14159265358979323846;

V each(const V& a, const std::function<double(double)>& f) {
  V r;
  for (const double x : a) r.push_back(f(x));
  return r;
}
V zip(const V& a, const V& b, const std::function<double(double, double)>& f) {
  V r;
  for (size_t i = 0; i < a.size(); ++i) r.push_back(f(a[i], b.size() > i ? b[i] : b[0]));
  return r;
}
double dot(const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
V plus(const V& a, const V& b) {
  return zip(a, b, [](double x, double y) { return x + y; });
}
V minus(const V& a, const V& b) {
  return zip(a, b, [](double x, double y) { return x - y; });
}
V times(const V& a, double s) {
  return each(a, [s](double x) { return x * s; });
}
V cross(const V& a, const V& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
V unit(const V& a) { return dot(a, a) > 0 ? times(a, 1 / std::sqrt(dot(a, a))) : a; }
double clampTo(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; }
double smooth(double lo, double hi, double x) {
  const double t = (x - lo) / (hi - lo);
  return x < lo ? 0 : x >= hi ? 1 : t * t * (3 - 2 * t);
}
V mixed(const V& a, const V& b, const V& x) {
  V r;
  for (size_t i = 0; i < a.size(); ++i) {
    const double t = x.size() > i ? x[i] : x[0];
    r.push_back((1 - t) * a[i] + t * b[i]);
  }
  return r;
}
V turned(const V& q, double angle, const V& p0, const V& p1) {
  const V k = unit(minus(p1, p0)), e = minus(q, p0);
  return plus(p0, plus(plus(times(e, std::cos(angle)), times(cross(k, e), std::sin(angle))),
                       times(k, dot(k, e) * (1 - std::cos(angle)))));
}
V reflected(const V& I, const V& N) { return minus(I, times(N, 2 * dot(I, N))); }
V refracted(const V& I, const V& N, double eta) {
  const double c = dot(I, N), k = 1 - eta * eta * (1 - c * c);
  return k < 0 ? V{0, 0, 0} : minus(times(I, eta), times(N, eta * c + std::sqrt(k)));
}
double segment(const V& p0, const V& p1, const V& q) {
  const V d = minus(p1, p0), e = minus(q, p0);
  const V r = minus(e, times(d, clampTo(dot(e, d) / dot(d, d), 0, 1)));
  return std::sqrt(dot(r, r));
}
/// Kr of the dielectric formulas, by the two amplitudes.
double reflectance(const V& I, const V& N, double eta) {
  const double c = std::fabs(dot(I, N)), n = 1 / eta, g2 = n * n - 1 + c * c;
  if (g2 <= 0) return 1;
  const double g = std::sqrt(g2), perpendicular = (c - g) / (c + g), parallel = (n * n * c - g) / (n * n * c + g);
  return std::min(1.0, 0.5 * (perpendicular * perpendicular + parallel * parallel));
}
/// A spline through (or near) `knots`, each with as many numbers as the result.
V spline(const std::string& basis, double x, const std::vector<V>& knots) {
  static const std::map<std::string, std::pair<int, std::array<double, 16>>> bases = {
      {"catmull-rom", {1, {-.5, 1.5, -1.5, .5, 1, -2.5, 2, -.5, -.5, 0, .5, 0, 0, 1, 0, 0}}},
      {"bezier", {3, {-1, 3, -3, 1, 3, -6, 3, 0, -3, 3, 0, 0, 1, 0, 0, 0}}}};
  const auto& [step, m] = bases.at(basis);
  const size_t segments = (knots.size() - 4) / static_cast<size_t>(step) + 1;
  const double place = clampTo(x, 0, 1) * static_cast<double>(segments);
  const size_t s = std::min(static_cast<size_t>(place), segments - 1);
  const double t = place - static_cast<double>(s);
  V r;
  for (size_t c = 0; c < knots[0].size(); ++c) {
    double sum = 0;
    for (size_t row = 0; row < 4; ++row) {
      double k = 0;
      for (size_t j = 0; j < 4; ++j) k += m[row * 4 + j] * knots[s * static_cast<size_t>(step) + j][c];
      sum = sum * t + k;
    }
    r.push_back(sum);
  }
  return r;
}
std::vector<V> pieces(const V& array, size_t width) {
  std::vector<V> r;
  for (size_t i = 0; i < array.size(); i += width)
    r.push_back(
        V(array.begin() + static_cast<std::ptrdiff_t>(i), array.begin() + static_cast<std::ptrdiff_t>(i + width)));
  return r;
}
V through(const V& p, const V& m, double w, bool divide) {
  V r(4, 0);
  for (size_t j = 0; j < 4; ++j) r[j] = p[0] * m[j] + p[1] * m[4 + j] + p[2] * m[8 + j] + w * m[12 + j];
  return divide ? V{r[0] / r[3], r[1] / r[3], r[2] / r[3]} : V{r[0], r[1], r[2]};
}
V product(const V& a, const V& b) {
  V r(16, 0);
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 4; ++j)
      for (size_t k = 0; k < 4; ++k) r[i * 4 + j] += a[i * 4 + k] * b[k * 4 + j];
  return r;
}
double determinant(const V& m) {
  if (m.size() == 1) return m[0];
  const size_t n = m.size() == 4 ? 2 : m.size() == 9 ? 3 : 4;
  double sum = 0;
  for (size_t c = 0; c < n; ++c) {
    V minor;
    for (size_t i = 1; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (j != c) minor.push_back(m[i * n + j]);
    sum += (c % 2 ? -1 : 1) * m[c] * determinant(minor);
  }
  return sum;
}
V inverseTransposed3(const V& m) {
  const V a{m[0], m[1], m[2]}, b{m[4], m[5], m[6]}, c{m[8], m[9], m[10]};
  const V x = cross(b, c), y = cross(c, a), z = cross(a, b);
  const double d = dot(a, x);
  return {x[0] / d, x[1] / d, x[2] / d, 0, y[0] / d, y[1] / d, y[2] / d, 0,
          z[0] / d, z[1] / d, z[2] / d, 0, 0,        0,        0,        1};
}

/// What each function is. Written operands come first in the result, in the order of the call.
const std::map<Builtin, Reference>& references() {
  using B = Builtin;
  const auto one = [](double (*f)(double)) -> Reference { return [f](const Args& a) { return each(a[0], f); }; };
  const auto least = [](double x, double y) { return std::min(x, y); };
  const auto most = [](double x, double y) { return std::max(x, y); };
  static const std::map<Builtin, Reference> all = {
      {B::k_radians, [](const Args& a) { return times(a[0], kPi / 180); }},
      {B::k_degrees, [](const Args& a) { return times(a[0], 180 / kPi); }},
      {B::k_sin, one(std::sin)},
      {B::k_cos, one(std::cos)},
      {B::k_tan, one(std::tan)},
      {B::k_asin, [](const Args& a) { return V{std::asin(clampTo(a[0][0], -1, 1))}; }},
      {B::k_acos, [](const Args& a) { return V{std::acos(clampTo(a[0][0], -1, 1))}; }},
      {B::k_atan, one(std::atan)},
      {B::k_atan2, [](const Args& a) { return V{std::atan2(a[0][0], a[1][0])}; }},
      {B::k_pow, [](const Args& a) { return V{a[0][0] < 0 ? 0 : std::pow(a[0][0], a[1][0])}; }},
      {B::k_pow_t,
       [](const Args& a) { return zip(a[0], a[1], [](double x, double y) { return x < 0 ? 0 : std::pow(x, y); }); }},
      {B::k_exp, one(std::exp)},
      {B::k_sqrt, [](const Args& a) { return V{std::sqrt(std::max(a[0][0], 0.0))}; }},
      {B::k_inversesqrt, [](const Args& a) { return V{a[0][0] > 0 ? 1 / std::sqrt(a[0][0]) : 0}; }},
      {B::k_log, [](const Args& a) { return V{a[0][0] > 0 ? std::log(a[0][0]) : -INFINITY}; }},
      {B::k_log_base, [](const Args& a) { return V{std::log(std::fabs(a[0][0])) / std::log(std::fabs(a[1][0]))}; }},
      {B::k_mod, [](const Args& a) { return V{a[0][0] - a[1][0] * std::floor(a[0][0] / a[1][0])}; }},
      {B::k_abs, one(std::fabs)},
      {B::k_sign, one([](double x) { return x > 0   ? 1.0
                                            : x < 0 ? -1.0
                                                    : 0.0; })},
      {B::k_min, [=](const Args& a) { return zip(zip(a[0], a[1], least), a[2], least); }},
      {B::k_max, [=](const Args& a) { return zip(zip(a[0], a[1], most), a[2], most); }},
      {B::k_min_t, [=](const Args& a) { return zip(zip(a[0], a[1], least), a[2], least); }},
      {B::k_max_t, [=](const Args& a) { return zip(zip(a[0], a[1], most), a[2], most); }},
      {B::k_clamp, [](const Args& a) { return V{clampTo(a[0][0], a[1][0], a[2][0])}; }},
      {B::k_clamp_t,
       [](const Args& a) {
         V r;
         for (size_t i = 0; i < 3; ++i) r.push_back(clampTo(a[0][i], a[1][i], a[2][i]));
         return r;
       }},
      {B::k_mix, [](const Args& a) { return mixed(a[0], a[1], a[2]); }},
      {B::k_mix_t, [](const Args& a) { return mixed(a[0], a[1], a[2]); }},
      {B::k_mix_ttt, [](const Args& a) { return mixed(a[0], a[1], a[2]); }},
      {B::k_floor, one(std::floor)},
      {B::k_ceil, one(std::ceil)},
      {B::k_round, one([](double x) { return std::floor(x + 0.5); })},
      {B::k_step, [](const Args& a) { return V{a[1][0] < a[0][0] ? 0.0 : 1.0}; }},
      {B::k_smoothstep, [](const Args& a) { return V{smooth(a[0][0], a[1][0], a[2][0])}; }},
      {B::k_spline, [](const Args& a) { return spline("catmull-rom", a[0][0], Args(a.begin() + 1, a.end())); }},
      {B::k_spline_t, [](const Args& a) { return spline("catmull-rom", a[0][0], Args(a.begin() + 1, a.end())); }},
      {B::k_spline_s, [](const Args& a) { return spline("bezier", a[0][0], Args(a.begin() + 1, a.end())); }},
      {B::k_spline_st, [](const Args& a) { return spline("bezier", a[0][0], Args(a.begin() + 1, a.end())); }},
      {B::k_spline_a, [](const Args& a) { return spline("catmull-rom", a[0][0], pieces(a[1], 1)); }},
      {B::k_spline_ta, [](const Args& a) { return spline("catmull-rom", a[0][0], pieces(a[1], 3)); }},
      {B::k_spline_sa, [](const Args& a) { return spline("bezier", a[0][0], pieces(a[1], 1)); }},
      {B::k_spline_sta, [](const Args& a) { return spline("bezier", a[0][0], pieces(a[1], 3)); }},
      {B::k_xcomp, [](const Args& a) { return V{a[0][0]}; }},
      {B::k_ycomp, [](const Args& a) { return V{a[0][1]}; }},
      {B::k_zcomp, [](const Args& a) { return V{a[0][2]}; }},
      {B::k_setxcomp,
       [](const Args& a) {
         return V{a[1][0], a[0][1], a[0][2]};
       }},
      {B::k_setycomp,
       [](const Args& a) {
         return V{a[0][0], a[1][0], a[0][2]};
       }},
      {B::k_setzcomp,
       [](const Args& a) {
         return V{a[0][0], a[0][1], a[1][0]};
       }},
      {B::k_length, [](const Args& a) { return V{std::sqrt(dot(a[0], a[0]))}; }},
      {B::k_normalize, [](const Args& a) { return unit(a[0]); }},
      {B::k_distance,
       [](const Args& a) {
         const V d = minus(a[0], a[1]);
         return V{std::sqrt(dot(d, d))};
       }},
      {B::k_ptlined, [](const Args& a) { return V{segment(a[0], a[1], a[2])}; }},
      {B::k_rotate, [](const Args& a) { return turned(a[0], a[1][0], a[2], a[3]); }},
      {B::k_faceforward, [](const Args& a) { return dot(a[1], a[2]) > 0 ? times(a[0], -1) : a[0]; }},
      {B::k_faceforward3, [](const Args& a) { return dot(a[1], a[2]) > 0 ? times(a[0], -1) : a[0]; }},
      {B::k_reflect, [](const Args& a) { return reflected(a[0], a[1]); }},
      {B::k_refract, [](const Args& a) { return refracted(a[0], a[1], a[2][0]); }},
      {B::k_fresnel,
       [](const Args& a) {
         const double kr = reflectance(a[0], a[1], a[2][0]);
         return V{kr, 1 - kr};
       }},
      {B::k_fresnel_rt,
       [](const Args& a) {
         const double kr = reflectance(a[0], a[1], a[2][0]);
         V r{kr, 1 - kr};
         for (const V& v : {reflected(a[0], a[1]), refracted(a[0], a[1], a[2][0])})
           r.insert(r.end(), v.begin(), v.end());
         return r;
       }},
      {B::k_transform_m, [](const Args& a) { return through(a[1], a[0], 1, true); }},
      {B::k_vtransform_m, [](const Args& a) { return through(a[1], a[0], 0, false); }},
      {B::k_ntransform_m, [](const Args& a) { return through(a[1], inverseTransposed3(a[0]), 0, false); }},
      {B::k_comp, [](const Args& a) { return V{a[0][static_cast<size_t>(clampTo(a[1][0], 0, 2))]}; }},
      {B::k_setcomp,
       [](const Args& a) {
         V r = a[0];
         r[static_cast<size_t>(clampTo(a[1][0], 0, 2))] = a[2][0];
         return r;
       }},
      {B::k_luminance,
       [](const Args& a) {
         return V{dot(a[0], {0.2125, 0.7154, 0.0721})};
       }},
      {B::k_comp_m,
       [](const Args& a) {
         return V{a[0][static_cast<size_t>(clampTo(a[1][0], 0, 3)) * 4 + static_cast<size_t>(clampTo(a[2][0], 0, 3))]};
       }},
      {B::k_setcomp_m,
       [](const Args& a) {
         V r = a[0];
         r[static_cast<size_t>(clampTo(a[1][0], 0, 3)) * 4 + static_cast<size_t>(clampTo(a[2][0], 0, 3))] = a[3][0];
         return r;
       }},
      {B::k_determinant, [](const Args& a) { return V{determinant(a[0])}; }},
      {B::k_translate_m,
       [](const Args& a) {
         return product({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, a[1][0], a[1][1], a[1][2], 1}, a[0]);
       }},
      {B::k_scale_m,
       [](const Args& a) {
         return product({a[1][0], 0, 0, 0, 0, a[1][1], 0, 0, 0, 0, a[1][2], 0, 0, 0, 0, 1}, a[0]);
       }},
      {B::k_rotate_m,
       [](const Args& a) {
         V m(16, 0);
         m[15] = 1;
         for (size_t i = 0; i < 3; ++i) {
           V axis(3, 0);
           axis[i] = 1;
           const V row = turned(axis, a[1][0], {0, 0, 0}, a[2]);
           std::copy(row.begin(), row.end(), m.begin() + static_cast<std::ptrdiff_t>(i * 4));
         }
         return product(m, a[0]);
       }},
      {B::k_specularbrdf,
       [](const Args& a) {
         const double d = std::max(0.0, dot(a[1], unit(plus(a[0], a[2]))));
         return V(3, std::pow(d, 8 / std::max(a[3][0], 1e-4)));
       }},
      {B::k_arraylength, [](const Args& a) { return V{static_cast<double>(a[0].size())}; }},
  };
  return all;
}

/// Signatures that depend on the grid, on noise tables, on text or on the renderer, and the file that tests them.
const std::map<std::string, const char*>& elsewhere() {
  static const std::map<std::string, const char*> files = {
      {"bump", "tests/unit/vm/bump_test.cpp"},
      {"filterstep", "tests/lang/builtins/derivatives.sl"},
      {"Du", "tests/lang/builtins/derivatives.sl"},
      {"Dv", "tests/lang/builtins/derivatives.sl"},
      {"Deriv", "tests/lang/builtins/derivatives.sl"},
      {"area", "tests/lang/builtins/derivatives.sl"},
      {"calculatenormal", "tests/lang/builtins/derivatives.sl"},
      {"random", "tests/lang/builtins/random.sl"},
      {"noise", "tests/unit/vm/noise_test.cpp"},
      {"pnoise", "tests/unit/vm/noise_test.cpp"},
      {"cellnoise", "tests/unit/vm/noise_test.cpp"},
      {"transform", "tests/unit/vm/builtins_test.cpp"},
      {"vtransform", "tests/unit/vm/builtins_test.cpp"},
      {"ntransform", "tests/lang/builtins/matrices.sl"},
      {"mtransform", "tests/lang/builtins/matrices.sl"},
      {"depth", "tests/lang/builtins/depth.sl"},
      {"ctransform", "tests/lang/builtins/colours.sl"},
      {"printf", "tests/unit/vm/machine_test.cpp"},
      {"format", "tests/lang/builtins/strings.sl"},
      {"concat", "tests/lang/builtins/strings.sl"},
      {"match", "tests/lang/builtins/strings.sl"},
      {"ambient", "tests/lang/builtins/lighting_without_lights.sl"},
      {"diffuse", "tests/lang/builtins/lighting_without_lights.sl"},
      {"specular", "tests/lang/builtins/lighting_without_lights.sl"},
      {"phong", "tests/lang/builtins/lighting_without_lights.sl"},
      {"trace", "tests/lang/builtins/lighting_without_lights.sl"},
      {"texture", "tests/unit/vm/builtins_test.cpp"},
      {"environment", "tests/lang/builtins/without_renderer.sl"},
      {"shadow", "tests/lang/builtins/without_renderer.sl"},
      {"textureinfo", "tests/lang/builtins/without_renderer.sl"},
      {"send:light", "tests/lang/flow/illuminance_messages.sl"},
  };
  return files;
}

const char* fileFor(const BuiltinInfo& b) {
  if (const auto it = elsewhere().find(b.name); it != elsewhere().end()) return it->second;
  if (b.flags & BuiltinInfo::Planned) return nullptr;
  return b.flags & BuiltinInfo::Services ? "tests/lang/builtins/messages.sl" : "";
}

/// Numbers in the range where the function is smooth enough to be compared, by operand.
double input(Builtin b, size_t operand, OperandKind kind, uint64_t key) {
  const double unitValue = toUnitFloat(mix64(key));
  switch (b) {
    case Builtin::k_exp:
    case Builtin::k_tan:
      return unitValue * 2.6 - 1.3;
    case Builtin::k_pow:
    case Builtin::k_pow_t:
      return operand == 1 ? unitValue * 3 : unitValue * 5 - 2.3;
    case Builtin::k_log:
    case Builtin::k_log_base:
      return unitValue * 3 + 2;
    case Builtin::k_mod:
      return operand == 2 ? unitValue + 0.5 : unitValue * 20 - 10;
    case Builtin::k_clamp:
    case Builtin::k_clamp_t:
    case Builtin::k_smoothstep:
      return operand == (b == Builtin::k_smoothstep ? 1u : 2u)   ? unitValue
             : operand == (b == Builtin::k_smoothstep ? 2u : 3u) ? unitValue + 1.5
                                                                 : unitValue * 4 - 1;
    case Builtin::k_spline:
    case Builtin::k_spline_t:
    case Builtin::k_spline_a:
    case Builtin::k_spline_ta:
      return operand == 1 ? unitValue * 1.2 - 0.1 : unitValue * 4 - 2;
    case Builtin::k_refract:
    case Builtin::k_fresnel:
    case Builtin::k_fresnel_rt:
      return kind == OperandKind::kFloat ? 0.6 + unitValue * 0.3 : unitValue * 0.5 + 0.2;
    case Builtin::k_specularbrdf:
      return kind == OperandKind::kFloat ? 0.1 + unitValue : unitValue * 0.5 + 0.2;
    case Builtin::k_comp:
    case Builtin::k_setcomp:
    case Builtin::k_comp_m:
    case Builtin::k_setcomp_m:
      return kind == OperandKind::kFloat ? std::floor(unitValue * 4) + 0.25 : unitValue * 4 - 2;
    default:
      break;
  }
  return kind == OperandKind::kMatrix ? unitValue - 0.5 : unitValue * 6 - 3;
}

/// Runs one signature over a grid and compares each point. Bit k of `varying`: source k varies.
void compare(const BuiltinInfo& info, unsigned varying, int side) {
  const Builtin b = info.id;
  const OpInfo& op = opInfo(builtinOp(b));
  const int points = side * side, stride = padLanes(points);
  ProgramBuilder builder(ShaderType::kSurface, "t");
  std::vector<OperandInfo> operands(op.operands.begin(), op.operands.end());
  if (op.tail == Tail::kRepeat)
    for (int extra = b == Builtin::k_spline_s || b == Builtin::k_spline_st ? 3 : 1; extra > 0; --extra)
      operands.push_back(operands.back());
  std::vector<uint16_t> regs;
  std::vector<std::vector<float>> planes(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    const OperandInfo& o = operands[k];
    const RegType type = o.kind == OperandKind::kTriple   ? RegType::kTriple
                         : o.kind == OperandKind::kMatrix ? RegType::kMatrix
                         : o.kind == OperandKind::kString ? RegType::kString
                                                          : RegType::kFloat;
    const int length = o.arrayOf || o.kind == OperandKind::kFree ? 7 : 0;
    const bool varies = type != RegType::kString && (o.access != Access::kRead || (varying >> k & 1));
    const uint16_t r = builder.addRegister(type, varies, length);
    regs.push_back(r);
    const int width = builder.reg(r).planes();
    if (type == RegType::kString) {
      builder.setInitialString(r, 0, "bezier");
      continue;
    }
    std::vector<float>& v = planes[k];
    v.resize(static_cast<size_t>(width * stride));
    for (int c = 0; c < width; ++c)
      for (int i = 0; i < stride; ++i) {
        double x =
            input(b, k, o.kind, static_cast<uint64_t>((varies ? i * 64 : 0) + c * 7 + static_cast<int>(k) * 1009));
        if (o.kind == OperandKind::kMatrix && c % 5 == 0) x += 3;
        // Normals are known under transformations that keep parallels.
        if (b == Builtin::k_ntransform_m && o.kind == OperandKind::kMatrix && c % 4 == 3) x = c == 15 ? 1 : 0;
        v[static_cast<size_t>(c * stride + i)] = static_cast<float>(x);
      }
    if (!varies) {
      std::vector<float> values;
      for (int c = 0; c < width; ++c) values.push_back(v[static_cast<size_t>(c * stride)]);
      builder.setInitial(r, values);
      continue;
    }
    Symbol s;
    s.name = Name("v" + std::to_string(k));
    s.type = type == RegType::kFloat ? Type::kFloat : type == RegType::kTriple ? Type::kPoint : Type::kMatrix;
    s.reg = r, s.kind = SymbolKind::kGlobal, s.varying = true, s.arrayLength = length;
    builder.addSymbol(s);
  }
  builder.emit(builtinOp(b), regs);
  std::string error;
  const auto program = builder.finish(error);
  REQUIRE_MESSAGE(program, info.mnemonic, " ", error);

  const std::vector<std::vector<float>> inputs = planes;
  Services services;
  Instance instance(program);
  instance.initialise(services, bestIsa());
  Machine machine(bestIsa());
  machine.begin(instance, {points, side, side, 1, 1, 0, false, 1000});
  for (size_t k = 0; k < planes.size(); ++k)
    if (program->find(Name("v" + std::to_string(k))))
      machine.bindPlanes(Name("v" + std::to_string(k)), planes[k].data(), stride);
  machine.run(services);

  int wrong = 0;
  for (int i = 0; i < points; ++i) {
    Args args;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].access == Access::kWrite || inputs[k].empty()) continue;
      V& v = args.emplace_back();
      for (size_t c = 0; c < inputs[k].size() / static_cast<size_t>(stride); ++c)
        v.push_back(static_cast<double>(inputs[k][c * static_cast<size_t>(stride) + static_cast<size_t>(i)]));
    }
    const V want = references().at(b)(args);
    size_t at = 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].access == Access::kRead) continue;
      for (size_t c = 0; c < planes[k].size() / static_cast<size_t>(stride); ++c, ++at) {
        const double got = static_cast<double>(planes[k][c * static_cast<size_t>(stride) + static_cast<size_t>(i)]);
        wrong += !(got == want[at] || std::fabs(got - want[at]) <= 2e-5 * std::max(1.0, std::fabs(want[at])));
      }
    }
  }
  CHECK_MESSAGE(wrong == 0, std::string(info.mnemonic), " varying ", varying, " points ", points);
}

}  // namespace

TEST_CASE("every function against its formula, in every signature") {
  for (const auto& [b, reference] : references()) {
    const BuiltinInfo& info = builtinInfo(b);
    for (const unsigned varying : {0xffffu, 0u, 2u, 4u, 6u, 8u, 10u, 0xfff4u})
      for (const int side : {2, 8, 16}) compare(info, varying, side);
  }
}

TEST_CASE("every signature of the language has a test") {
  for (const BuiltinInfo& b : builtins()) {
    CAPTURE(b.mnemonic);
    if (references().count(b.id)) continue;
    const char* file = fileFor(b);
    if (!file) continue;  // not built: tests/lang/without_rays and what a frame says of it
    std::ifstream in(std::string(REYES_SOURCE_DIR "/") + file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    CHECK_MESSAGE(text.find(b.name) != std::string::npos, std::string(file), " does not call ", std::string(b.name));
  }
}
