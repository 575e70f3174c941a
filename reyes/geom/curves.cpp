// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/curves.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/hull_bound.h"

namespace reyes::geom {
namespace {

constexpr float kRounding = 4e-6f;  ///< of evaluation (hull_bound.h)

/// Bezier values of the part [t0, t1]: blossoms, r of the arguments t1, the others t0.
template <typename T, class Mix>
void cutBezier(T* p, float t0, float t1, const Mix& mixed) {
  if (t0 == 0 && t1 == 1) return;
  const T from[4] = {p[0], p[1], p[2], p[3]};
  for (int r = 0; r < 4; ++r) {
    T q[4] = {from[0], from[1], from[2], from[3]};
    for (int step = 0; step < 3; ++step) {
      const float t = step < 3 - r ? t0 : t1;
      for (int i = 0; i < 3 - step; ++i) q[i] = mixed(q[i], q[i + 1], t);
    }
    p[r] = q[0];
  }
}
void cutCubic(float* v, float t0, float t1) {
  cutBezier(v, t0, t1, [](float a, float b, float t) { return a * (1 - t) + b * t; });
}

Vec4 mix(const Vec4& a, const Vec4& b, float t) {
  const float s = 1 - t;
  return {a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t, a.w * s + b.w * t};
}

}  // namespace

CurvePlace curvePlace(int element, int segments, float v, bool end) {
  float x = v * static_cast<float>(segments);
  const float near = std::nearbyint(x);
  if (std::fabs(x - near) <= 1e-6f * static_cast<float>(segments)) x = near;
  CurvePlace p{element, static_cast<int>(x), 0};
  p.segment = std::clamp(p.segment, 0, segments - 1);
  p.t = std::clamp(x - static_cast<float>(p.segment), 0.0f, 1.0f);
  if (end && p.t == 0 && p.segment > 0) --p.segment, p.t = 1;
  return p;
}

void cutSegment(CurveSegment& s, float t0, float t1) { cutBezier(s.p, t0, t1, mix); }

Vec3 curvePoint(const CurveSegment& s, float t, Vec3* derivative) {
  const float u = 1 - t;
  const float b0 = u * u * u, b1 = 3 * u * u * t, b2 = 3 * u * t * t, b3 = t * t * t;
  const auto sum = [&](float Vec4::*c) { return s.p[0].*c * b0 + s.p[1].*c * b1 + s.p[2].*c * b2 + s.p[3].*c * b3; };
  const Vec3 p{sum(&Vec4::x), sum(&Vec4::y), sum(&Vec4::z)};
  const bool rational = s.p[0].w != 1 || s.p[1].w != 1 || s.p[2].w != 1 || s.p[3].w != 1;
  const float w = rational ? sum(&Vec4::w) : 1.0f;
  if (derivative) {
    const float d0 = 3 * u * u, d1 = 6 * u * t, d2 = 3 * t * t;
    const auto change = [&](float Vec4::*c) {
      return (s.p[1].*c - s.p[0].*c) * d0 + (s.p[2].*c - s.p[1].*c) * d1 + (s.p[3].*c - s.p[2].*c) * d2;
    };
    *derivative = {change(&Vec4::x), change(&Vec4::y), change(&Vec4::z)};
    if (rational) *derivative = (*derivative - p * (change(&Vec4::w) / w)) / w;
  }
  return rational ? p / w : p;
}

CurveSet::CurveSet(CurveData data) : data_(std::move(data)) {
  data_.bezier = !data_.linear;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 4; ++i) data_.bezier = data_.bezier && data_.weights[k][i] == (i == k ? 1 : 0);
  for (const PrimvarData& d : data_.primvars) specs_.push_back(d.spec);
  trees_.resize(data_.positions.size());
  for (int k = 0; k < keyCount(); ++k)
    trees_[static_cast<size_t>(k)].build(faceCount(), [&](int e) { return partBound(e, 0, 1, k); });
}

bool isRibbonNormal(const PrimvarData& p) {
  const VarSpec& s = p.spec;
  return s.name == "N" && isTriple(s.type) && s.storage != Storage::kConstant && s.arraySize == 0;
}

bool CurveSet::hasNormals() const { return std::any_of(data_.primvars.begin(), data_.primvars.end(), isRibbonNormal); }

size_t CurveSet::vertexItem(size_t curve, int segment, int k) const {
  const int first = data_.firstVertex[curve], n = data_.firstVertex[curve + 1] - first;
  return static_cast<size_t>(first + (segment * data_.step + k) % n);
}

size_t CurveSet::varyingItem(size_t curve, int segment, bool end) const {
  const int first = data_.firstSegment[curve] + (data_.periodic ? 0 : static_cast<int>(curve));
  const int n = data_.firstSegment[curve + 1] - data_.firstSegment[curve] + (data_.periodic ? 0 : 1);
  return static_cast<size_t>(first + (segment + (end ? 1 : 0)) % n);
}

CurveSegment CurveSet::segment(int element, int segment, int key) const {
  const size_t curve = original(element), width = static_cast<size_t>(data_.width);
  const std::vector<float>& from = data_.positions[static_cast<size_t>(key)];
  CurveSegment s;
  if (data_.bezier) {
    for (int k = 0; k < 4; ++k) {
      const float* v = &from[vertexItem(curve, segment, k) * width];
      s.p[k] = {v[0], v[1], v[2], width == 4 ? v[3] : 1.0f};
    }
    return s;
  }
  double in[4][4];
  const int controls = data_.linear ? 2 : 4;
  for (int k = 0; k < controls; ++k) {
    const float* v = &from[vertexItem(curve, segment, k) * width];
    for (size_t c = 0; c < 4; ++c) in[k][c] = c < width ? v[c] : 1.0;
  }
  for (int k = 0; k < 4; ++k) {
    double out[4] = {0, 0, 0, 0};
    for (int i = 0; i < controls; ++i)
      for (size_t c = 0; c < width && data_.weights[k][i] != 0; ++c) out[c] += data_.weights[k][i] * in[i][c];
    s.p[k] = {static_cast<float>(out[0]), static_cast<float>(out[1]), static_cast<float>(out[2]),
              width == 4 ? static_cast<float>(out[3]) : 1.0f};
  }
  return s;
}

float CurveSet::width(const CurvePlace& at, int key) const {
  const Widths& w = data_.widths[static_cast<size_t>(key)];
  const size_t curve = original(at.element);
  switch (w.storage) {
    case Storage::kConstant:
      return w.values[0];
    case Storage::kUniform:
      return w.values[curve];
    case Storage::kVertex: {
      double sum = 0;
      const float t = at.t, u = 1 - t, b[4] = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
      for (int i = 0; i < (data_.linear ? 2 : 4); ++i) {
        double weight = 0;
        for (int k = 0; k < 4; ++k) weight += b[k] * data_.weights[k][i];
        sum += weight * w.values[vertexItem(curve, at.segment, i)];
      }
      return std::max(0.0f, static_cast<float>(sum));
    }
    default: {
      const float a = w.values[varyingItem(curve, at.segment, false)];
      const float b = w.values[varyingItem(curve, at.segment, true)];
      return a * (1 - at.t) + b * at.t;
    }
  }
}

float CurveSet::widest(int element, int segment, int key) const {
  const Widths& w = data_.widths[static_cast<size_t>(key)];
  if (w.storage != Storage::kVertex)
    return std::max(width({element, segment, 0}, key), width({element, segment, 1}, key));
  // The Bezier values bound the width between.
  float most = 0;
  for (int k = 0; k < 4; ++k) {
    double sum = 0;
    for (int i = 0; i < (data_.linear ? 2 : 4); ++i)
      sum += data_.weights[k][i] * w.values[vertexItem(original(element), segment, i)];
    most = std::max(most, static_cast<float>(sum));
  }
  return most;
}

ElementBound CurveSet::partBound(int element, float v0, float v1, int key) const {
  const int count = segments(element);
  const CurvePlace first = curvePlace(element, count, v0, false), last = curvePlace(element, count, v1, true);
  ElementBound b;
  for (int s = first.segment; s <= last.segment; ++s) {
    const CurveSegment whole = segment(element, s, key);
    const float t0 = s == first.segment ? first.t : 0.0f, t1 = s == last.segment ? last.t : 1.0f;
    float cv[4][4];
    for (int k = 0; k < 4; ++k)
      cv[0][k] = whole.p[k].x, cv[1][k] = whole.p[k].y, cv[2][k] = whole.p[k].z, cv[3][k] = whole.p[k].w;
    b.box.add(cutHullBound(cv, data_.width, 4, kRounding, [&](float* v) { cutCubic(v, t0, t1); }));
    b.radius = std::max(b.radius, widest(element, s, key) / 2 * (count > 1 ? kMitre : 1));
  }
  return b;
}

ElementBound CurveSet::elementBound(int begin, int end, float v0, float v1, int key) const {
  if (v0 == 0 && v1 == 1 && (end - begin >= ElementTree::kBlock || (end - begin == faceCount())))
    return trees_[static_cast<size_t>(key)].query(begin, end);
  ElementBound b;
  for (int e = begin; e < end; ++e) b.add(partBound(e, v0, v1, key));
  return b;
}

float CurveSet::valueAt(const PrimvarData& data, size_t width, size_t component, const CurvePlace& at) const {
  const size_t curve = original(at.element);
  const auto item = [&](size_t i) { return data.values[i * width + component]; };
  switch (data.spec.storage) {
    case Storage::kConstant:
      return item(0);
    case Storage::kUniform:
      return item(curve);
    case Storage::kVertex: {
      const float t = at.t, u = 1 - t, b[4] = {u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t};
      double sum = 0;
      for (int i = 0; i < (data_.linear ? 2 : 4); ++i) {
        double weight = 0;
        for (int k = 0; k < 4; ++k) weight += b[k] * data_.weights[k][i];
        sum += weight * item(vertexItem(curve, at.segment, i));
      }
      return static_cast<float>(sum);
    }
    default: {
      const float a = item(varyingItem(curve, at.segment, false)), b = item(varyingItem(curve, at.segment, true));
      return a * (1 - at.t) + b * at.t;
    }
  }
}

void CurveSet::addData(const PrimvarData& data, std::span<const CurvePlace> places, VarBlock& grid,
                       Arena& arena) const {
  VarSpec spec = data.spec;
  // A batch holds many curves, unless they have strings of their own (or a shader takes their values as uniform).
  const bool alone = !places.empty() && places.front().element == places.back().element;
  if (spec.storage == Storage::kUniform && !alone && spec.type != Type::kString) spec.storage = Storage::kVarying;
  Var& var = grid.add(spec, arena);
  if (var.uniform)
    return fillUniform(data, spec.storage == Storage::kUniform ? original(places.front().element) : 0, var);
  const size_t width = static_cast<size_t>(spec.width()), stride = static_cast<size_t>(var.stride);
  for (size_t c = 0; c < width; ++c)
    for (size_t i = 0; i < places.size(); ++i) var.data[c * stride + i] = valueAt(data, width, c, places[i]);
}

void CurveSet::addPrimvar(Name name, std::span<const CurvePlace> places, VarBlock& grid, Arena& arena) const {
  for (const PrimvarData& data : data_.primvars)
    if (data.spec.name == name) return addData(data, places, grid, arena);
}

void CurveSet::addNormals(int key, std::span<const CurvePlace> places, VarBlock& grid, Arena& arena) const {
  const std::vector<PrimvarData>& later = data_.laterNormals;
  if (key > 0 && !later.empty())
    return addData(later[std::min(static_cast<size_t>(key), later.size()) - 1], places, grid, arena);
  const auto first = std::find_if(data_.primvars.begin(), data_.primvars.end(), isRibbonNormal);
  if (first != data_.primvars.end()) addData(*first, places, grid, arena);
}

float CurveSet::texture(int component, float u, float v) const {
  const float* st = data_.st + component;
  const float a = st[0] * (1 - u) + st[2] * u, b = st[4] * (1 - u) + st[6] * u;
  return a * (1 - v) + b * v;
}

// --- The face interface: a curve as a face without breadth, for those who ask no better.

Bound3 CurveSet::bound(int begin, int end, int key) const {
  ElementBound b = elementBound(begin, end, 0, 1, key);
  b.box.grow(b.radius);
  return b.box;
}
Bound3 CurveSet::bound(int face, const UvRect& rect, int key) const {
  ElementBound b = partBound(face, rect.v0, rect.v1, key);
  b.box.grow(b.radius);
  return b.box;
}
void CurveSet::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  for (size_t i = 0; i < uv.size(); ++i) {
    const CurvePlace at = curvePlace(face, segments(face), uv[i].y, false);
    out[i] = curvePoint(segment(face, at.segment, key), at.t);
  }
}
void CurveSet::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  for (size_t i = 0; i < t.size(); ++i) {
    const Vec2 at{0.5f, side == Side::kV0 ? 0.0f : side == Side::kV1 ? 1.0f : t[i]};
    pointsAt(face, {&at, 1}, key, out + i);
  }
}
FaceEdge CurveSet::edge(int face, Side side) const {
  FaceEdge e;
  e.id = static_cast<uint64_t>(face) * 4 + static_cast<uint64_t>(side);
  e.ownerFace = face, e.ownerSide = side, e.point = side == Side::kV0 || side == Side::kV1;
  return e;
}
FaceVertex CurveSet::vertex(int face, int corner) const {
  return {static_cast<uint64_t>(face) * 4 + static_cast<uint64_t>(corner), face, corner};
}

void CurveSet::dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const {
  const int row = request.nu + 1;
  std::vector<CurvePlace> places(static_cast<size_t>(grid.points()));
  std::vector<float> us(places.size()), vs(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    const int column = static_cast<int>(i) % row, line = static_cast<int>(i) / row;
    us[i] = gridParam(request.rect.u0, request.rect.u1, column, request.nu);
    vs[i] = gridParam(request.rect.v0, request.rect.v1, line, request.nv);
    places[i] = curvePlace(request.face, segments(request.face), vs[i], false);
  }
  const auto add = [&](const char* name, Type type) { return grid.add({name, type, Storage::kVarying, 0}, arena); };
  const Var p = add("P", Type::kPoint);
  Var du, dv, ng;
  if (!request.positionsOnly)
    du = add("dPdu", Type::kVector), dv = add("dPdv", Type::kVector), ng = add("Ng", Type::kNormal);
  for (size_t i = 0; i < places.size(); ++i) {
    Vec3 d;
    const Vec3 q = curvePoint(segment(request.face, places[i].segment, request.key), places[i].t, &d);
    for (int c = 0; c < 3; ++c) p.plane(c)[i] = q[c];
    if (request.positionsOnly) continue;
    const Vec3 side = std::fabs(d.x) < std::fabs(d.y) ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 across = cross(d, side), normal = cross(across, d);
    for (int c = 0; c < 3; ++c) {
      du.plane(c)[i] = across[c], dv.plane(c)[i] = d[c] * static_cast<float>(segments(request.face));
      ng.plane(c)[i] = length(normal) > 0 ? normal[c] : (c == 2 ? 1.0f : 0.0f);
    }
  }
  if (request.positionsOnly) return;
  const Var u = add("u", Type::kFloat), v = add("v", Type::kFloat), s = add("s", Type::kFloat),
            t = add("t", Type::kFloat);
  for (size_t i = 0; i < places.size(); ++i) {
    u.data[i] = us[i], v.data[i] = vs[i];
    s.data[i] = texture(0, us[i], vs[i]), t.data[i] = texture(1, us[i], vs[i]);
  }
  for (const Name name : request.primvars)
    if (!grid.find(name)) addPrimvar(name, places, grid, arena);
}

}  // namespace reyes::geom
