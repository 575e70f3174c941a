// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/nurbs.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/cubic.h"
#include "reyes/geom/hull_bound.h"
#include "reyes/geom/knots.h"

namespace reyes::geom {
namespace {

constexpr size_t kMostPoints = static_cast<size_t>(kMostOrder) * kMostOrder;
/// Rounding of evaluation and subdivision (hull_bound.h), for one degree.
constexpr float kRounding = 2e-6f;

/// Weights of a grid's columns and rows; one of the two kinds.
class GridWeights {
 public:
  GridWeights(const NurbsData& data, const GridParams& at, float scaleU, float scaleV, Arena& arena)
      : cubic_(data.degreeU == 3 && data.degreeV == 3) {
    if (cubic_) {
      cubicU_ = makeTable(at.u, scaleU, arena), cubicV_ = makeTable(at.v, scaleV, arena);
      return;
    }
    u_ = table(at.u, data.degreeU, scaleU, arena), v_ = table(at.v, data.degreeV, scaleV, arena);
  }
  /// One component; du and dv may be null.
  void evaluate(const float* cv, float* p, float* du, float* dv) const {
    if (cubic_)
      patchKernels().bicubic(cv, cubicU_, cubicV_, p, du, dv);
    else
      patchKernels().bezier(cv, u_, v_, p, du, dv);
  }

 private:
  static BezierTable table(std::span<const float> t, int degree, float scale, Arena& arena) {
    float* b = arena.make<float>(t.size() * static_cast<size_t>(degree + 1)).data();
    float* d = arena.make<float>(t.size() * static_cast<size_t>(degree)).data();
    patchKernels().bernsteinAny(t.data(), static_cast<int>(t.size()), degree, scale, b, d);
    return {degree, static_cast<int>(t.size()), b, d};
  }
  bool cubic_;
  BernsteinTable cubicU_, cubicV_;
  BezierTable u_, v_;
};

/// The same at one place, without an arena.
class PlaceWeights {
 public:
  PlaceWeights(const NurbsData& data, Vec2 uv, float scaleU, float scaleV)
      : cubic_(data.degreeU == 3 && data.degreeV == 3), cubicU_(uv.x, scaleU), cubicV_(uv.y, scaleV) {
    if (cubic_) return;
    patchKernels().bernsteinAny(&uv.x, 1, data.degreeU, scaleU, b_[0], d_[0]);
    patchKernels().bernsteinAny(&uv.y, 1, data.degreeV, scaleV, b_[1], d_[1]);
    u_ = {data.degreeU, 1, b_[0], d_[0]}, v_ = {data.degreeV, 1, b_[1], d_[1]};
  }
  PlaceWeights(const PlaceWeights&) = delete;
  void evaluate(const float* cv, float* p, float* du, float* dv) const {
    if (cubic_)
      patchKernels().bicubic(cv, cubicU_.table(), cubicV_.table(), p, du, dv);
    else
      patchKernels().bezier(cv, u_, v_, p, du, dv);
  }

 private:
  bool cubic_;
  CubicWeights cubicU_, cubicV_;
  float b_[2][kMostOrder], d_[2][kMostOrder];
  BezierTable u_, v_;
};

/// Control values of the part [a, b] of a Bezier curve at cv[k * stride], by de Casteljau.
void cutCurve(float a, float b, int degree, int stride, float* cv) {
  float v[kMostOrder];
  for (int k = 0; k <= degree; ++k) v[k] = cv[k * stride];
  if (b != 1)
    for (int step = 1; step <= degree; ++step)
      for (int k = degree; k >= step; --k) v[k] = v[k - 1] * (1 - b) + v[k] * b;
  // Both weights by a division, so that each is good to its last digits.
  const float start = b > 0 ? a / b : 0.0f, rest = b > 0 ? (b - a) / b : 1.0f;
  if (start != 0)
    for (int step = 1; step <= degree; ++step)
      for (int k = 0; k <= degree - step; ++k) v[k] = v[k] * rest + v[k + 1] * start;
  for (int k = 0; k <= degree; ++k) cv[k * stride] = v[k];
}

}  // namespace

NurbsGeometry::NurbsGeometry(NurbsData data, const float st[8]) : data_(std::move(data)) {
  setTextureCoordinates(st);
  setParameterRange(data_.range);
  setPrimvars(std::move(data_.primvars));
  buildEdges();
  ranges_.resize(data_.positions.size());
  for (size_t key = 0; key < ranges_.size(); ++key)
    ranges_[key].build(faceCount(), [&](int f) { return bound(f, UvRect(), static_cast<int>(key)); });
}

void NurbsGeometry::gather(int face, const std::vector<float>& values, int width, size_t component, float* cv) const {
  const int first = data_.first[static_cast<size_t>(face)];
  for (int l = 0; l <= data_.degreeV; ++l)
    for (int k = 0; k <= data_.degreeU; ++k)
      *cv++ = values[static_cast<size_t>((first + l * data_.columns + k) * width) + component];
}

void NurbsGeometry::surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const {
  const FaceInfo& info = data_.infos[static_cast<size_t>(face)];
  const float scaleU = 1 / (info.u1 - info.u0), scaleV = 1 / (info.v1 - info.v0);
  const GridWeights weights(data_, at, scaleU, scaleV, arena);
  const std::vector<float>& positions = data_.positions[static_cast<size_t>(key)];
  const bool derivatives = out.du[0] != nullptr;
  float cv[kMostPoints];
  for (size_t c = 0; c < 3; ++c) {
    gather(face, positions, data_.width, c, cv);
    weights.evaluate(cv, out.p[c], out.du[c], out.dv[c]);
  }
  // Rational: the weight, then the quotients.
  if (data_.width == 4) {
    const size_t n = static_cast<size_t>(at.points());
    float* p[4] = {out.p[0], out.p[1], out.p[2], arena.make<float>(n).data()};
    float* du[4] = {out.du[0], out.du[1], out.du[2], derivatives ? arena.make<float>(n).data() : nullptr};
    float* dv[4] = {out.dv[0], out.dv[1], out.dv[2], derivatives ? arena.make<float>(n).data() : nullptr};
    gather(face, positions, 4, 3, cv);
    weights.evaluate(cv, p[3], du[3], dv[3]);
    patchKernels().project(at.points(), p, derivatives ? du : nullptr, derivatives ? dv : nullptr);
  }
  if (!derivatives) return;
  // Normals, with derivatives brought near 1 by the steps of the control net in each direction.
  float u = 0, v = 0;
  steps(face, key, u, v);
  u *= scaleU * static_cast<float>(data_.degreeU), v *= scaleV * static_cast<float>(data_.degreeV);
  if (patchKernels().normals(at.points(), out.du, out.dv, u > 0 ? 1 / u : 0.0f, v > 0 ? 1 / v : 0.0f, out.ng) > 0)
    repairNormals(face, at, key, out);
}

void NurbsGeometry::steps(int face, int key, float& alongU, float& alongV) const {
  const int first = data_.first[static_cast<size_t>(face)];
  const auto largest = [](Vec3 d) { return std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}); };
  for (int l = 0; l <= data_.degreeV; ++l)
    for (int k = 0; k <= data_.degreeU; ++k) {
      const int at = first + l * data_.columns + k;
      const Vec3 p = projected(at, key);
      if (k < data_.degreeU) alongU = std::max(alongU, largest(projected(at + 1, key) - p));
      if (l < data_.degreeV) alongV = std::max(alongV, largest(projected(at + data_.columns, key) - p));
    }
}

void NurbsGeometry::fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  if (var.uniform) return fillUniform(data, static_cast<size_t>(data_.first[static_cast<size_t>(face)]), var);
  const GridWeights weights(data_, at, 1, 1, arena);
  float cv[kMostPoints];
  for (size_t c = 0; c < static_cast<size_t>(data.spec.width()); ++c) {
    gather(face, data.values, data.spec.width(), c, cv);
    weights.evaluate(cv, var.data + c * static_cast<size_t>(var.stride), nullptr, nullptr);
  }
}

void NurbsGeometry::derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const {
  const PlaceWeights weights(data_, {u, v}, 1, 1);
  float value[3][4] = {};
  float cv[kMostPoints];
  for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c) {
    gather(face, data_.positions[static_cast<size_t>(key)], data_.width, c, cv);
    weights.evaluate(cv, &value[0][c], &value[1][c], &value[2][c]);
  }
  du = {value[1][0], value[1][1], value[1][2]};
  dv = {value[2][0], value[2][1], value[2][2]};
  if (data_.width == 3) return;
  const Vec3 p = Vec3{value[0][0], value[0][1], value[0][2]} / value[0][3];
  du = (du - p * value[1][3]) / value[0][3];
  dv = (dv - p * value[2][3]) / value[0][3];
}

void NurbsGeometry::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  float cv[4][kMostPoints];
  const size_t width = static_cast<size_t>(data_.width);
  for (size_t c = 0; c < width; ++c) gather(face, data_.positions[static_cast<size_t>(key)], data_.width, c, cv[c]);
  for (size_t i = 0; i < uv.size(); ++i) {
    const PlaceWeights weights(data_, uv[i], 1, 1);
    float p[4] = {0, 0, 0, 1};
    for (size_t c = 0; c < width; ++c) weights.evaluate(cv[c], &p[c], nullptr, nullptr);
    out[i] = width == 4 ? Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]} : Vec3{p[0], p[1], p[2]};
  }
}

Bound3 NurbsGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(begin, end, [&](int f) { return bound(f, UvRect(), key); });
}

Bound3 NurbsGeometry::bound(int face, const UvRect& rect, int key) const {
  const int nu = data_.degreeU + 1, nv = data_.degreeV + 1, points = nu * nv;
  float cv[4][kMostPoints];
  for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c)
    gather(face, data_.positions[static_cast<size_t>(key)], data_.width, c, cv[c]);
  const auto cut = [&](float* values) {
    for (int l = 0; (rect.u0 != 0 || rect.u1 != 1) && l < nv; ++l)
      cutCurve(rect.u0, rect.u1, data_.degreeU, 1, values + l * nu);
    for (int k = 0; (rect.v0 != 0 || rect.v1 != 1) && k < nu; ++k)
      cutCurve(rect.v0, rect.v1, data_.degreeV, nu, values + k);
  };
  return cutHullBound(cv, data_.width, points, kRounding * static_cast<float>(std::max(data_.degreeU, data_.degreeV)),
                      cut);
}

}  // namespace reyes::geom
