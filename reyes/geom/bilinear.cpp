// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/bilinear.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/hull_bound.h"
#include "reyes/geom/patch_kernels.h"

namespace reyes::geom {
namespace {

/// Rounding of evaluation (hull_bound.h); several times what it can be.
constexpr float kRounding = 2e-6f;

float across(float a, float b, float t) { return a * (1 - t) + b * t; }

/// One component at (u, v), by the operations of the kernel.
float bilinear(const std::array<float, 4>& c, float u, float v) {
  return across(across(c[0], c[2], v), across(c[1], c[3], v), u);
}

}  // namespace

BilinearGeometry::BilinearGeometry(BilinearData data, const float st[8])
    : data_(std::move(data)), faces_(data_.faces), varying_(data_.varying), faceVarying_(data_.faceVarying) {
  data_.faces = {}, data_.varying = {}, data_.faceVarying = {};
  setTextureCoordinates(st);
  setPrimvars(std::move(data_.primvars));
  ranges_.resize(data_.positions.size());
  for (size_t key = 0; key < ranges_.size(); ++key)
    ranges_[key].build(
        faceCount(), [&](int f) { return bound(f, UvRect(), static_cast<int>(key)); }, kCellBlock);
}

const BilinearGeometry::Edges& BilinearGeometry::edges() const {
  if (edgesKnown_.load(std::memory_order_acquire)) return edges_;
  std::call_once(edgesAsked_, [this] {
    Edges& e = edges_;
    e.merged = mergePoints(data_.positions, data_.width);
    e.table.build(
        faceCount(), static_cast<int>(e.merged.size()), [&](int f, Side s) { return sideCurve(e.merged, f, s); },
        [this](int a, int b) { return comparePoints(data_.positions, data_.width, a, b); });
    edgesKnown_.store(true, std::memory_order_release);
  });
  return edges_;
}

bool BilinearGeometry::isTriangle(int face) const {
  const std::array<int, 4> f = faces_[face];
  return f[2] == f[3];
}

FaceInfo BilinearGeometry::faceInfo(int face) const {
  FaceInfo info;
  info.uniform = data_.uniform.empty() ? face : data_.uniform[static_cast<size_t>(face)];
  const std::array<int, 4> varying = varying_.empty() ? faces_[face] : varying_[face];
  const std::array<int, 4> faceVarying = faceVarying_.empty() ? varying : faceVarying_[face];
  std::copy_n(varying.begin(), 4, info.varying);
  std::copy_n(faceVarying.begin(), 4, info.faceVarying);
  if (data_.polygons) return info;
  const int nu = data_.patchesU, nv = data_.patchesV;
  const int i = info.uniform % nu, j = info.uniform / nu;
  info.u0 = static_cast<float>(i) / static_cast<float>(nu),
  info.u1 = static_cast<float>(i + 1) / static_cast<float>(nu);
  info.v0 = static_cast<float>(j) / static_cast<float>(nv),
  info.v1 = static_cast<float>(j + 1) / static_cast<float>(nv);
  return info;
}

void BilinearGeometry::gather(int face, int key, Corners& corners) const {
  const std::array<int, 4> f = faces_[face];
  const std::vector<float>& from = data_.positions[static_cast<size_t>(key)];
  for (size_t k = 0; k < 4; ++k)
    for (int c = 0; c < data_.width; ++c)
      corners[static_cast<size_t>(c)][k] = from[static_cast<size_t>(f[k] * data_.width + c)];
}

SideCurve BilinearGeometry::sideCurve(const std::vector<int>& merged, int face, Side side) const {
  static constexpr size_t kFrom[4] = {0, 1, 2, 0}, kTo[4] = {1, 3, 3, 2};
  const std::array<int, 4> f = faces_[face];
  const int a = merged[static_cast<size_t>(f[kFrom[static_cast<int>(side)]])];
  const int b = merged[static_cast<size_t>(f[kTo[static_cast<int>(side)]])];
  return {a, a, b, b};
}

void BilinearGeometry::surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const {
  const PatchKernels& kernels = patchKernels();
  const float scaleU = static_cast<float>(data_.patchesU), scaleV = static_cast<float>(data_.patchesV);
  const int columns = static_cast<int>(at.u.size()), rows = static_cast<int>(at.v.size());
  const size_t n = static_cast<size_t>(at.points());
  const bool derivatives = out.du[0] != nullptr;
  Corners corners;
  gather(face, key, corners);
  float* p[4] = {out.p[0], out.p[1], out.p[2], nullptr};
  float* du[4] = {out.du[0], out.du[1], out.du[2], nullptr};
  float* dv[4] = {out.dv[0], out.dv[1], out.dv[2], nullptr};
  if (data_.width == 4) {
    p[3] = arena.make<float>(n).data();
    if (derivatives) du[3] = arena.make<float>(n).data(), dv[3] = arena.make<float>(n).data();
  }
  const bool triangle = isTriangle(face);
  float sizeU = 0, sizeV = 0;
  for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c) {
    std::array<float, 4> corner = corners[c];
    kernels.bilinear(corner.data(), at.u.data(), columns, at.v.data(), rows, p[c]);
    if (!derivatives) continue;
    // A triangle's tangents are those of its plane, the same everywhere.
    if (triangle) corner[3] = corner[1] + (corner[2] - corner[0]);
    kernels.bilinearDerivatives(corner.data(), at.u.data(), columns, at.v.data(), rows, scaleU, scaleV, du[c], dv[c]);
    if (c == 3) continue;
    sizeU = std::max({sizeU, std::abs(corner[1] - corner[0]), std::abs(corner[3] - corner[2])});
    sizeV = std::max({sizeV, std::abs(corner[2] - corner[0]), std::abs(corner[3] - corner[1])});
  }
  if (data_.width == 4) kernels.project(at.points(), p, derivatives ? du : nullptr, derivatives ? dv : nullptr);
  if (!derivatives) return;
  const float nearU = sizeU > 0 ? 1 / (sizeU * scaleU) : 0.0f, nearV = sizeV > 0 ? 1 / (sizeV * scaleV) : 0.0f;
  if (kernels.normals(at.points(), out.du, out.dv, nearU, nearV, out.ng) > 0) repairNormals(face, at, key, out);
}

void BilinearGeometry::derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const {
  Corners corners;
  gather(face, key, corners);
  float p[4] = {0, 0, 0, 1}, a[4] = {}, b[4] = {};
  for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c) {
    const std::array<float, 4>& k = corners[c];
    p[c] = bilinear(k, u, v);
    a[c] = across(k[1] - k[0], k[3] - k[2], v);
    b[c] = across(k[2] - k[0], k[3] - k[1], u);
  }
  const Vec3 q = Vec3{p[0], p[1], p[2]} / p[3];
  du = (Vec3{a[0], a[1], a[2]} - q * a[3]) / p[3];
  dv = (Vec3{b[0], b[1], b[2]} - q * b[3]) / p[3];
}

void BilinearGeometry::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  Corners c;
  gather(face, key, c);
  for (size_t i = 0; i < uv.size(); ++i) {
    const float u = uv[i].x, v = uv[i].y;
    Vec3 p{bilinear(c[0], u, v), bilinear(c[1], u, v), bilinear(c[2], u, v)};
    if (data_.width == 4) p = p / bilinear(c[3], u, v);
    out[i] = p;
  }
}

void BilinearGeometry::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  const SideCurve curve = sideCurve(edges().merged, face, side);
  const bool back = edges().table.reversed(face, side);
  const std::vector<float>& from = data_.positions[static_cast<size_t>(key)];
  const float* a = &from[static_cast<size_t>(curve[back ? 3 : 0] * data_.width)];
  const float* b = &from[static_cast<size_t>(curve[back ? 0 : 3] * data_.width)];
  // Where the edge is a point, weights that add up to almost 1 would scatter it.
  const bool point = a == b;
  for (size_t i = 0; i < t.size(); ++i) {
    const float x = point ? 0.0f : t[i];
    Vec3 p{across(a[0], b[0], x), across(a[1], b[1], x), across(a[2], b[2], x)};
    if (data_.width == 4) p = p / across(a[3], b[3], x);
    out[i] = p;
  }
}

Bound3 BilinearGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(begin, end, [&](int f) { return bound(f, UvRect(), key); });
}

Bound3 BilinearGeometry::bound(int face, const UvRect& rect, int key) const {
  Corners corners;
  gather(face, key, corners);
  if (data_.width == 3 && rect.u0 == 0 && rect.u1 == 1 && rect.v0 == 0 && rect.v1 == 1) {
    // The whole face: what cutHullBound() gives, without cutting.
    Bound3 b;
    for (int c = 0; c < 3; ++c) {
      const auto& k = corners[static_cast<size_t>(c)];
      b.min[c] = std::min({k[0], k[1], k[2], k[3]}), b.max[c] = std::max({k[0], k[1], k[2], k[3]});
      const float off = std::max(std::fabs(b.min[c]), std::fabs(b.max[c])) * kRounding;
      b.min[c] -= off, b.max[c] += off;
    }
    return b;
  }
  float cv[4][4];
  for (size_t c = 0; c < static_cast<size_t>(data_.width); ++c) std::copy_n(&corners[c][0], 4, cv[c]);
  const float us[2] = {rect.u0, rect.u1}, vs[2] = {rect.v0, rect.v1};
  return cutHullBound(cv, data_.width, 4, kRounding, [&](float* v) {
    float out[4];
    patchKernels().bilinear(v, us, 2, vs, 2, out);
    std::copy_n(out, 4, v);
  });
}

void BilinearGeometry::cellCorners(int begin, int end, int key, float* const p[3]) const {
  const float* from = data_.positions[static_cast<size_t>(key)].data();
  const auto n = static_cast<size_t>(end - begin);
  for (size_t i = 0; i < n; ++i) {
    const std::array<int, 4> f = faces_[begin + static_cast<int>(i)];
    for (size_t k = 0; k < 4; ++k) {
      const float* v = from + static_cast<size_t>(f[k]) * 3;
      for (size_t c = 0; c < 3; ++c) p[c][k * n + i] = v[c];
    }
  }
}

/// As surface() of one micropolygon a face, by the operations of the kernels at u, v = 0 and 1.
void BilinearGeometry::cellSurface(std::span<const uint32_t> faces, int key, const SurfacePlanes& out) const {
  const float scaleU = static_cast<float>(data_.patchesU), scaleV = static_cast<float>(data_.patchesV);
  const size_t n = faces.size();
  for (size_t i = 0; i < n; ++i) {
    const int face = static_cast<int>(faces[i]);
    Corners corners;
    gather(face, key, corners);
    for (size_t c = 0; c < 3; ++c)
      for (size_t k = 0; k < 4; ++k) out.p[c][k * n + i] = corners[c][k];
    if (!out.du[0]) continue;
    const bool triangle = isTriangle(face);
    float sizeU = 0, sizeV = 0, du[3][4], dv[3][4], ng[3][4];
    for (size_t c = 0; c < 3; ++c) {
      std::array<float, 4> corner = corners[c];
      if (triangle) corner[3] = corner[1] + (corner[2] - corner[0]);
      const float bottom = corner[1] - corner[0], top = corner[3] - corner[2];
      const float left = corner[2] - corner[0], right = corner[3] - corner[1];
      du[c][0] = du[c][1] = bottom * scaleU, du[c][2] = du[c][3] = top * scaleU;
      dv[c][0] = dv[c][2] = left * scaleV, dv[c][1] = dv[c][3] = right * scaleV;
      sizeU = std::max({sizeU, std::abs(bottom), std::abs(top)});
      sizeV = std::max({sizeV, std::abs(left), std::abs(right)});
    }
    const float nearU = sizeU > 0 ? 1 / (sizeU * scaleU) : 0.0f, nearV = sizeV > 0 ? 1 / (sizeV * scaleV) : 0.0f;
    const SurfacePlanes own{{}, {du[0], du[1], du[2]}, {dv[0], dv[1], dv[2]}, {ng[0], ng[1], ng[2]}};
    if (patchKernels().normals(4, own.du, own.dv, nearU, nearV, own.ng) > 0) {
      static constexpr float kEnds[2] = {0, 1};
      repairNormals(face, {kEnds, kEnds}, key, own);
    }
    for (size_t c = 0; c < 3; ++c)
      for (size_t k = 0; k < 4; ++k) {
        const size_t at = k * n + i;
        out.du[c][at] = du[c][k], out.dv[c][at] = dv[c][k], out.ng[c][at] = ng[c][k];
      }
  }
}

}  // namespace reyes::geom
