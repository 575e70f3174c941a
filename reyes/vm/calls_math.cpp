// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: random(), min and max of many, filterstep(), spline(), and matrix functions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/vm/machine_state.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

int pointsOf(const MachineState& s, const DecodedInstruction& d) { return d.uniform ? 1 : s.grid_.points; }

/// A number in 0..1 from the seed of the grid, the point and how many random() this run has met.
void random(MachineState& s, const DecodedInstruction& d) {
  for (int c = 0; c < s.type(d, 0).planes(); ++c) {
    const uint64_t key = hashCombine(s.grid_.seed, s.randomCalls_++);
    float* o = s.outPlane(d);
    for (int i = 0; i < pointsOf(s, d); ++i)
      o[i] = toUnitFloat(mix64(key + static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15ull));
    s.store(d, 0, c, o);
  }
}

void minMax(MachineState& s, const DecodedInstruction& d, bool largest) {
  const int n = s.lanesOf(d);
  const int planes = s.type(d, 0).planes();
  float* o[3];
  for (int c = 0; c < planes; ++c) {
    o[c] = s.outPlane(d);
    std::memcpy(o[c], s.plane(d, 1, c), static_cast<size_t>(n) * sizeof(float));
    for (int k = 2; k < d.nargs; ++k) {
      const float* v = s.plane(d, k, c);
      for (int i = 0; i < n; ++i) o[c][i] = (largest ? v[i] > o[c][i] : v[i] < o[c][i]) ? v[i] : o[c][i];
    }
  }
  for (int c = 0; c < planes; ++c) s.store(d, 0, c, o[c]);
}

// --- filterstep
// -----------------------------------------------------------------------------------------------------------
/// Integral of a filter of unit area and total width w = 2r from -r to x (x in units of the filter's natural width 1).
float boxArea(float x) { return std::clamp(x + 0.5f, 0.0f, 1.0f); }
float triangleArea(float x) {
  const float t = std::clamp(x, -1.0f, 1.0f);
  return t < 0 ? 0.5f * (1 + t) * (1 + t) : 1 - 0.5f * (1 - t) * (1 - t);
}
/// Catmull-Rom kernel integrated in closed form; support -2..2.
float catmullRomArea(float x) {
  const float a = std::min(std::fabs(x), 2.0f);
  const auto inner = [](float t) { return t - (5.0f / 6) * t * t * t + (3.0f / 8) * t * t * t * t; };
  const auto outer = [](float t) { return 2 * t - 2 * t * t + (5.0f / 6) * t * t * t - (1.0f / 8) * t * t * t * t; };
  const float half = a <= 1 ? inner(a) : inner(1) + outer(a) - outer(1);
  return x < 0 ? 0.5f - half : 0.5f + half;
}
/// A bell over -1..1: a polynomial close to the integral of a Gaussian, the same on every machine.
float gaussianArea(float x) {
  const float t = std::clamp(0.5f * (x + 1), 0.0f, 1.0f);
  return t * t * t * (t * (t * 6 - 15) + 10);
}

float filterArea(std::string_view filter, float x) {
  if (filter == "box") return boxArea(x);
  if (filter == "triangle") return triangleArea(x);
  if (filter == "gaussian") return gaussianArea(x);
  return catmullRomArea(x);
}

/// filterstep(edge, s [, s2], "filter" f, "width" w): step at the edge, filtered over the change of s from point to
/// point.
void filterStep(MachineState& s, const DecodedInstruction& d, bool twoEnds) {
  const int n = s.lanesOf(d), first = twoEnds ? 4 : 3;
  const float *edge = s.plane(d, 1), *x = s.plane(d, 2), *x2 = twoEnds ? s.plane(d, 3) : nullptr;
  std::string_view filter = "catmull-rom";
  const float* width = nullptr;
  for (int k = first; k + 1 < d.nargs; k += 2) {
    if (s.text(d, k) == "filter" && s.type(d, k + 1).type == RegType::kString)
      filter = s.text(d, k + 1);
    else if (s.text(d, k) == "width" && s.type(d, k + 1).type == RegType::kFloat)
      width = s.plane(d, k + 1);
    else
      s.warn(d, "vm-unknown-token", format("filterstep does not know \"{}\"", s.text(d, k)));
  }
  float *du = s.outPlane(d), *dv = s.outPlane(d), *o = s.outPlane(d);
  if (!twoEnds && !d.uniform && !s.reg(d, 2).uniform) {
    s.isa()->changeU(du, x, s.numbers_, n);
    s.isa()->changeV(dv, x, s.numbers_, n);
  }
  for (int i = 0; i < n; ++i) {
    const float centre = twoEnds ? 0.5f * (x[i] + x2[i]) : x[i];
    float w = twoEnds ? std::fabs(x2[i] - x[i]) : std::fabs(du[i]) + std::fabs(dv[i]);
    if (width) w *= width[i];
    o[i] = w > 0 ? std::clamp(filterArea(filter, (centre - edge[i]) / w), 0.0f, 1.0f) : centre >= edge[i] ? 1.0f : 0.0f;
  }
  s.store(d, 0, 0, o);
}

// --- spline
// -----------------------------------------------------------------------------------------------------------------
struct SplineBasis {
  const char* name;
  int step;
  float m[4][4];
};
constexpr SplineBasis kBases[] = {
    {"catrom", 1, {{-0.5f, 1.5f, -1.5f, 0.5f}, {1, -2.5f, 2, -0.5f}, {-0.5f, 0, 0.5f, 0}, {0, 1, 0, 0}}},
    {"catmull-rom", 1, {{-0.5f, 1.5f, -1.5f, 0.5f}, {1, -2.5f, 2, -0.5f}, {-0.5f, 0, 0.5f, 0}, {0, 1, 0, 0}}},
    {"bezier", 3, {{-1, 3, -3, 1}, {3, -6, 3, 0}, {-3, 3, 0, 0}, {1, 0, 0, 0}}},
    {"b-spline",
     1,
     {{-1 / 6.0f, 0.5f, -0.5f, 1 / 6.0f}, {0.5f, -1, 0.5f, 0}, {-0.5f, 0, 0.5f, 0}, {1 / 6.0f, 2 / 3.0f, 1 / 6.0f, 0}}},
    {"bspline",
     1,
     {{-1 / 6.0f, 0.5f, -0.5f, 1 / 6.0f}, {0.5f, -1, 0.5f, 0}, {-0.5f, 0, 0.5f, 0}, {1 / 6.0f, 2 / 3.0f, 1 / 6.0f, 0}}},
    {"hermite", 2, {{2, 1, -2, 1}, {-3, -2, 3, -1}, {0, 1, 0, 0}, {1, 0, 0, 0}}},
    {"linear", 1, {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, -1, 1, 0}, {0, 1, 0, 0}}},
};

/// Knots of a spline: operands, or the elements of an array.
struct Knots {
  const MachineState& s;
  const DecodedInstruction& d;
  int first, count;
  bool array;
  bool uniform() const {
    for (int k = 0; k < (array ? 1 : count); ++k)
      if (!s.reg(d, first + k).uniform) return false;
    return true;
  }
  float at(int knot, int component, int width, int lane) const {
    const Reg& r = s.reg(d, array ? first : first + knot);
    const int plane = array ? knot * width + component : component;
    return r.data[static_cast<ptrdiff_t>(plane) * r.stride + (r.uniform ? 0 : lane)];
  }
};

/// The value goes from the first to the last segment as x goes from 0 to 1. With "linear", as with catmull-rom, the
/// first and the last knot lie outside.
void spline(MachineState& s, const DecodedInstruction& d, bool named, bool array) {
  const SplineBasis* basis = &kBases[0];
  if (named) {
    const std::string_view name = s.text(d, 1);
    const SplineBasis* found =
        std::find_if(std::begin(kBases), std::end(kBases), [&](const SplineBasis& b) { return name == b.name; });
    if (found != std::end(kBases))
      basis = found;
    else
      s.warn(d, "vm-unknown-basis", format("unknown spline basis \"{}\"", name));
  }
  const int valueAt = named ? 2 : 1, width = s.type(d, 0).planes();
  const Knots knots{s, d, valueAt + 1, array ? s.type(d, valueAt + 1).arrayLength : d.nargs - valueAt - 1, array};
  const int segments = (knots.count - 4) / basis->step + 1;
  const float* x = s.plane(d, valueAt);
  float* o[3];
  for (int c = 0; c < width; ++c) o[c] = s.outPlane(d);
  if (knots.count < 4) s.warn(d, "vm-spline-knots", "a spline needs four values");

  // Four coefficients a segment and component: once where no knot varies.
  const auto coefficients = [&](float* to, int segment, int c, int lane) {
    float k[4];
    for (int j = 0; j < 4; ++j) k[j] = knots.at(segment * basis->step + j, c, width, lane);
    for (const auto& row : basis->m) *to++ = row[0] * k[0] + row[1] * k[1] + row[2] * k[2] + row[3] * k[3];
  };
  const bool once = knots.count >= 4 && knots.uniform();
  float* table = once ? s.scratch(static_cast<size_t>(segments * width) * 4) : nullptr;
  for (int k = 0; once && k < segments * width; ++k) coefficients(table + 4 * k, k / width, k % width, 0);

  for (int i = 0; i < pointsOf(s, d) && knots.count >= 4; ++i) {
    const float v = !(x[i] > 0) ? 0 : x[i] < 1 ? x[i] : 1;
    if (x[i] != x[i] && (d.uniform || s.now_.lanes[i])) s.fault(d, 1);
    const float place = v * static_cast<float>(segments);
    const int segment = std::min(static_cast<int>(place), segments - 1);
    const float t = place - static_cast<float>(segment);
    for (int c = 0; c < width; ++c) {
      float own[4];
      const float* f = once ? table + 4 * (segment * width + c) : own;
      if (!once) coefficients(own, segment, c, i);
      float r = 0;
      for (int j = 0; j < 4; ++j) r = r * t + f[j];
      o[c][i] = r;
    }
  }
  for (int c = 0; c < width; ++c) s.store(d, 0, c, o[c]);
}

// --- matrices
// ---------------------------------------------------------------------------------------------------------------
Matrix4 matrixOf(const MachineState& s, const DecodedInstruction& d, int k, int lane) {
  const Reg& r = s.reg(d, k);
  Matrix4 m;
  for (int c = 0; c < 16; ++c)
    m.m[c / 4][c % 4] = r.data[static_cast<ptrdiff_t>(c) * r.stride + (r.uniform ? 0 : lane)];
  return m;
}
float at(const MachineState& s, const DecodedInstruction& d, int k, int c, int lane) {
  const Reg& r = s.reg(d, k);
  return r.data[static_cast<ptrdiff_t>(c) * r.stride + (r.uniform ? 0 : lane)];
}
Vec3 vectorOf(const MachineState& s, const DecodedInstruction& d, int k, int lane) {
  return {at(s, d, k, 0, lane), at(s, d, k, 1, lane), at(s, d, k, 2, lane)};
}
/// Row or column of operand k; one outside of the matrix is counted.
int indexOf(MachineState& s, const DecodedInstruction& d, int k, int lane) {
  const float f = at(s, d, k, 0, lane);
  if (!(f >= 0 && f < 4) && (d.uniform || s.now_.lanes[lane])) s.fault(d, 1);
  return f >= 3 ? 3 : f >= 1 ? static_cast<int>(f) : 0;
}

void matrixResult(MachineState& s, const DecodedInstruction& d, Builtin b) {
  float* o[16];
  for (float*& p : o) p = s.outPlane(d);
  for (int i = 0; i < pointsOf(s, d); ++i) {
    Matrix4 m = matrixOf(s, d, b == Builtin::k_setcomp_m ? 0 : 1, i);
    if (b == Builtin::k_setcomp_m)
      m.m[indexOf(s, d, 1, i)][indexOf(s, d, 2, i)] = at(s, d, 3, 0, i);
    else if (b == Builtin::k_translate_m)
      m = Matrix4::translate(vectorOf(s, d, 2, i)) * m;
    else if (b == Builtin::k_scale_m)
      m = Matrix4::scale(vectorOf(s, d, 2, i)) * m;
    else
      m = Matrix4::rotate(at(s, d, 2, 0, i) * 57.29577951f, vectorOf(s, d, 3, i)) * m;
    for (int c = 0; c < 16; ++c) o[c][i] = m.m[c / 4][c % 4];
  }
  for (int c = 0; c < 16; ++c) s.store(d, 0, c, o[c]);
}

float determinant(const Matrix4& a) {
  double m[4][4], det = 1;
  for (int i = 0; i < 16; ++i) m[i / 4][i % 4] = a.m[i / 4][i % 4];
  for (int c = 0; c < 4; ++c) {
    int pivot = c;
    for (int r = c + 1; r < 4; ++r)
      if (std::fabs(m[r][c]) > std::fabs(m[pivot][c])) pivot = r;
    if (m[pivot][c] == 0) return 0;
    if (pivot != c) std::swap(m[pivot], m[c]), det = -det;
    det *= m[c][c];
    for (int r = c + 1; r < 4; ++r)
      for (int k = 3; k >= c; --k) m[r][k] -= m[c][k] * (m[r][c] / m[c][c]);
  }
  return static_cast<float>(det);
}

void matrixNumber(MachineState& s, const DecodedInstruction& d, bool component) {
  float* o = s.outPlane(d);
  for (int i = 0; i < pointsOf(s, d); ++i) {
    const Matrix4 m = matrixOf(s, d, 1, i);
    o[i] = component ? m.m[indexOf(s, d, 2, i)][indexOf(s, d, 3, i)] : determinant(m);
  }
  s.store(d, 0, 0, o);
}

}  // namespace

bool callMath(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  switch (opInfo(d.op).builtin->id) {
    case Builtin::k_random:
    case Builtin::k_random_t:
      return random(s, d), true;
    case Builtin::k_min:
    case Builtin::k_min_t:
      return minMax(s, d, false), true;
    case Builtin::k_max:
    case Builtin::k_max_t:
      return minMax(s, d, true), true;
    case Builtin::k_filterstep:
      return filterStep(s, d, false), true;
    case Builtin::k_filterstep2:
      return filterStep(s, d, true), true;
    case Builtin::k_spline:
    case Builtin::k_spline_t:
      return spline(s, d, false, false), true;
    case Builtin::k_spline_s:
    case Builtin::k_spline_st:
      return spline(s, d, true, false), true;
    case Builtin::k_spline_a:
    case Builtin::k_spline_ta:
      return spline(s, d, false, true), true;
    case Builtin::k_spline_sa:
    case Builtin::k_spline_sta:
      return spline(s, d, true, true), true;
    case Builtin::k_setcomp_m:
    case Builtin::k_translate_m:
    case Builtin::k_rotate_m:
    case Builtin::k_scale_m:
      return matrixResult(s, d, opInfo(d.op).builtin->id), true;
    case Builtin::k_comp_m:
      return matrixNumber(s, d, true), true;
    case Builtin::k_determinant:
      return matrixNumber(s, d, false), true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
