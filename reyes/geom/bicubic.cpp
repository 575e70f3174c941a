// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/bicubic.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/cubic.h"
#include "reyes/geom/hull_bound.h"

namespace reyes::geom {
namespace {

/// Rounding of evaluation and subdivision (hull_bound.h); several times what it can be.
constexpr float kRounding = 6e-6f;

}  // namespace

BicubicGeometry::BicubicGeometry(BicubicData data, const float st[8]) : data_(std::move(data)) {
  setTextureCoordinates(st);
  setPrimvars(std::move(data_.primvars));
  merged_ = mergePoints(data_.positions, data_.width);
  edges_.build(
      faceCount(), static_cast<int>(merged_.size()), [this](int f, Side s) { return sideCurve(f, s); },
      [this](int a, int b) { return comparePoints(data_.positions, data_.width, a, b); });
  ranges_.resize(data_.positions.size());
  for (size_t key = 0; key < ranges_.size(); ++key)
    ranges_[key].build(faceCount(), [&](int f) { return bound(f, UvRect(), static_cast<int>(key)); });
}

void BicubicGeometry::gather(int face, int key, Hull& hull) const {
  const std::array<int, 16>& cv = data_.faces[static_cast<size_t>(face)];
  const std::vector<float>& from = data_.positions[static_cast<size_t>(key)];
  for (int k = 0; k < 16; ++k)
    for (int c = 0; c < data_.width; ++c)
      hull[c][k] = from[static_cast<size_t>(cv[static_cast<size_t>(k)] * data_.width + c)];
}

SideCurve BicubicGeometry::sideCurve(int face, Side side) const {
  static constexpr int kFirst[4] = {0, 3, 12, 0}, kStep[4] = {1, 4, 1, 4};
  const std::array<int, 16>& cv = data_.faces[static_cast<size_t>(face)];
  SideCurve r;
  for (int k = 0; k < 4; ++k)
    r[static_cast<size_t>(k)] = merged_[static_cast<size_t>(
        cv[static_cast<size_t>(kFirst[static_cast<int>(side)] + k * kStep[static_cast<int>(side)])])];
  return r;
}

void BicubicGeometry::surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const {
  const PatchKernels& kernels = patchKernels();
  const FaceInfo& info = data_.infos[static_cast<size_t>(face)];
  const float scaleU = 1 / (info.u1 - info.u0), scaleV = 1 / (info.v1 - info.v0);
  const BernsteinTable u = makeTable(at.u, scaleU, arena), v = makeTable(at.v, scaleV, arena);
  Hull hull;
  gather(face, key, hull);
  const bool derivatives = out.du[0] != nullptr;
  for (size_t c = 0; c < 3; ++c) kernels.bicubic(hull[c], u, v, out.p[c], out.du[c], out.dv[c]);

  // Rational: the weight, then the quotients.
  if (data_.width == 4) {
    const size_t n = static_cast<size_t>(at.points());
    float* p[4] = {out.p[0], out.p[1], out.p[2], arena.make<float>(n).data()};
    float* du[4] = {out.du[0], out.du[1], out.du[2], derivatives ? arena.make<float>(n).data() : nullptr};
    float* dv[4] = {out.dv[0], out.dv[1], out.dv[2], derivatives ? arena.make<float>(n).data() : nullptr};
    kernels.bicubic(hull[3], u, v, p[3], du[3], dv[3]);
    kernels.project(at.points(), p, derivatives ? du : nullptr, derivatives ? dv : nullptr);
  }
  if (!derivatives) return;

  // Normals, with derivatives brought near 1 by the size of the control net in each direction.
  float sizeU = 0, sizeV = 0;
  for (size_t c = 0; c < 3; ++c)
    for (size_t k = 0; k < 16; ++k) {
      if (k % 4 != 3) sizeU = std::max(sizeU, std::abs(hull[c][k + 1] - hull[c][k]));
      if (k < 12) sizeV = std::max(sizeV, std::abs(hull[c][k + 4] - hull[c][k]));
    }
  const float nearU = sizeU > 0 ? 1 / (3 * sizeU * scaleU) : 0.0f, nearV = sizeV > 0 ? 1 / (3 * sizeV * scaleV) : 0.0f;
  if (kernels.normals(at.points(), out.du, out.dv, nearU, nearV, out.ng) > 0) repairNormals(face, at, key, out);
}

void BicubicGeometry::fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  const std::array<int, 16>& cv = data_.faces[static_cast<size_t>(face)];
  if (var.uniform) {
    fillUniform(data, static_cast<size_t>(cv[0]), var);
    return;
  }
  const BernsteinTable u = makeTable(at.u, 1, arena), v = makeTable(at.v, 1, arena);
  const size_t width = static_cast<size_t>(data.spec.width());
  for (size_t c = 0; c < width; ++c) {
    float values[16];
    for (size_t k = 0; k < 16; ++k) values[k] = data.values[static_cast<size_t>(cv[k]) * width + c];
    patchKernels().bicubic(values, u, v, var.data + c * static_cast<size_t>(var.stride), nullptr, nullptr);
  }
}

void BicubicGeometry::derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const {
  float value[3][4];
  const CubicWeights bu(u), bv(v);
  Hull hull;
  gather(face, key, hull);
  for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c)
    patchKernels().bicubic(hull[c], bu.table(), bv.table(), &value[0][c], &value[1][c], &value[2][c]);
  du = {value[1][0], value[1][1], value[1][2]};
  dv = {value[2][0], value[2][1], value[2][2]};
  if (data_.width == 3) return;
  const Vec3 p = Vec3{value[0][0], value[0][1], value[0][2]} / value[0][3];
  du = (du - p * value[1][3]) / value[0][3];
  dv = (dv - p * value[2][3]) / value[0][3];
}

void BicubicGeometry::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  Hull hull;
  gather(face, key, hull);
  for (size_t i = 0; i < uv.size(); ++i) {
    const CubicWeights wu(uv[i].x), wv(uv[i].y);
    float p[4] = {0, 0, 0, 1};
    for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c) {
      const float* cv = hull[c];
      float q[4];
      for (int k = 0; k < 4; ++k) q[k] = cubic(wv.b, cv[k], cv[4 + k], cv[8 + k], cv[12 + k]);
      p[c] = cubic(wu.b, q[0], q[1], q[2], q[3]);
    }
    out[i] = data_.width == 4 ? Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]} : Vec3{p[0], p[1], p[2]};
  }
}

void BicubicGeometry::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  SideCurve curve = sideCurve(face, side);
  if (edges_.reversed(face, side)) std::reverse(curve.begin(), curve.end());
  const float* cv[4];
  for (size_t k = 0; k < 4; ++k)
    cv[k] = &data_.positions[static_cast<size_t>(key)][static_cast<size_t>(curve[k] * data_.width)];
  // Where the edge is a point, weights that add up to almost 1 would scatter it.
  const bool point = edges_.edge(face, side).point;
  for (size_t i = 0; i < t.size(); ++i) {
    const CubicWeights w(point ? 0.0f : t[i]);
    float p[4] = {0, 0, 0, 1};
    for (int c = 0; c < data_.width; ++c) p[c] = cubic(w.b, cv[0][c], cv[1][c], cv[2][c], cv[3][c]);
    out[i] = data_.width == 4 ? Vec3{p[0] / p[3], p[1] / p[3], p[2] / p[3]} : Vec3{p[0], p[1], p[2]};
  }
}

Bound3 BicubicGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(begin, end, [&](int f) { return bound(f, UvRect(), key); });
}

Bound3 BicubicGeometry::bound(int face, const UvRect& rect, int key) const {
  Hull hull;
  gather(face, key, hull);
  return cutHullBound(hull, data_.width, 16, kRounding,
                      [&](float* cv) { cutPatch(rect.u0, rect.u1, rect.v0, rect.v1, cv); });
}

}  // namespace reyes::geom
