// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/point_shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "reyes/geom/trig.h"

namespace reyes::geom {
namespace {

/// Of the places of a frame, beside the sizes of centre and axes.
constexpr float kRounding = 1e-6f;

std::shared_ptr<const Quadric> unitShape(PointShape shape) {
  if (shape == PointShape::kPatch) return nullptr;
  QuadricKey key;
  const bool sphere = shape == PointShape::kSphere;
  if (sphere)
    key.dims = {1, -1, 1};
  else
    key.dims = {0, 1};
  static constexpr float kUnitSquare[8] = {0, 0, 1, 0, 0, 1, 1, 1};
  return std::make_shared<Quadric>(sphere ? QuadricKind::kSphere : QuadricKind::kDisk, std::vector{key},
                                   std::vector<PrimvarData>(), kUnitSquare);
}

/// Two directions of unit length across n, the first as level as can be.
void axesAcross(Vec3 n, Vec3& x, Vec3& y) {
  const Vec3 up = std::fabs(n.y) < 0.9f ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
  x = normalize(cross(up, n));
  y = cross(n, x);
}

float largest(Vec3 v) { return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}); }

}  // namespace

PointShapes::PointShapes(std::shared_ptr<const PointSet> points, std::shared_ptr<FaceVariables> variables)
    : points_(std::move(points)), unit_(unitShape(points_->shape())) {
  shareVariables(std::move(variables));
  for (int k = 0; k < points_->keyCount(); ++k) {
    ShapeKey& key = keys_.emplace_back();
    key.from = key.to = k;
  }
}

PointShapes::PointShapes(std::shared_ptr<const PointSet> points, std::vector<ShapeKey> keys)
    : points_(std::move(points)), unit_(unitShape(points_->shape())), keys_(std::move(keys)) {
  shareVariables(points_->variables());
  ranges_.resize(keys_.size());
  for (int k = 0; k < keyCount(); ++k)
    ranges_[static_cast<size_t>(k)].build(faceCount(), [&](int face) { return bound(face, UvRect(), k); });
}

FaceInfo PointShapes::faceInfo(int face) const {
  FaceInfo info;
  const int point = static_cast<int>(points_->original(face));
  std::fill_n(info.varying, 4, point);
  std::fill_n(info.faceVarying, 4, point);
  return info;
}

/// A patch: to the right and down in the picture, then turned; as wide as the point, by its aspect as high.
void PointShapes::facingFrame(int face, const ShapeKey& key, float width, Frame& f) const {
  // 1. How places of the object change along the axes of the picture, there.
  const Vec3 camera = transformPoint(key.cameraFromObject, f.centre);
  const Matrix4& m = key.objectFromCamera;
  const float w = transformHomogeneous(m, {camera.x, camera.y, camera.z, 1}).w;
  const auto along = [&](int k) { return (Vec3{m.m[k][0], m.m[k][1], m.m[k][2]} - f.centre * m.m[k][3]) * (1 / w); };
  const Vec3 right = along(0), up = along(1);
  // 2. Half sizes in camera space.
  const float scale = std::cbrt(key.volume * (w * w) * (w * w));
  const float half = width * scale / 2, high = half / points_->aspect(face);
  const SinCos turn = sinCosDegrees(points_->angle(face));
  const float sn = static_cast<float>(turn.sin), cs = static_cast<float>(turn.cos);
  f.axis[0] = (right * cs + up * sn) * half;
  f.axis[1] = (right * sn - up * cs) * high;
  // 3. The normal that becomes the one towards the eye.
  const Matrix4& c = key.cameraFromObject;
  const Vec3 n{-c.m[0][2], -c.m[1][2], -c.m[2][2]};
  f.normal = normalize(n) * (key.reverse ? -1.0f : 1.0f);
}

PointShapes::Frame PointShapes::frame(int face, int key) const {
  const ShapeKey& k = keys_[static_cast<size_t>(key)];
  const size_t i = static_cast<size_t>(face);
  Frame f;
  f.centre = points_->positions(k.from)[i];
  float width = points_->width(face, k.from);
  if (k.fraction > 0) {
    f.centre = lerp(f.centre, points_->positions(k.to)[i], k.fraction);
    width = lerp(width, points_->width(face, k.to), k.fraction);
  }
  const float r = width / 2;
  switch (points_->shape()) {
    case PointShape::kPatch:
      facingFrame(face, k, width, f);
      break;
    case PointShape::kNormalDisk:
      f.normal = points_->normal(face, k.from);
      axesAcross(f.normal, f.axis[0], f.axis[1]);
      f.axis[0] = f.axis[0] * r, f.axis[1] = f.axis[1] * r, f.axis[2] = f.normal * r;
      break;
    default:
      f.axis[0] = {r, 0, 0}, f.axis[1] = {0, r, 0}, f.axis[2] = {0, 0, r};
      break;
  }
  return f;
}

void PointShapes::surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const {
  // 1. The unit shape.
  const size_t n = static_cast<size_t>(at.points()), columns = at.u.size();
  const bool derivatives = out.du[0] != nullptr;
  if (unit_) {
    unit_->surface(0, at, 0, arena, out);
  } else {
    for (size_t i = 0; i < n; ++i) {
      out.p[0][i] = at.u[i % columns] * 2 - 1, out.p[1][i] = at.v[i / columns] * 2 - 1, out.p[2][i] = 0;
      if (!derivatives) continue;
      out.du[0][i] = 2, out.du[1][i] = out.du[2][i] = 0;
      out.dv[1][i] = 2, out.dv[0][i] = out.dv[2][i] = 0;
    }
  }
  // 2. Where it stands.
  const Frame f = frame(face, key);
  for (size_t i = 0; i < n; ++i) {
    const Vec3 p = f.place({out.p[0][i], out.p[1][i], out.p[2][i]});
    for (int c = 0; c < 3; ++c) out.p[c][i] = p[c];
    if (!derivatives) continue;
    const Vec3 du = f.turned({out.du[0][i], out.du[1][i], out.du[2][i]});
    const Vec3 dv = f.turned({out.dv[0][i], out.dv[1][i], out.dv[2][i]});
    for (int c = 0; c < 3; ++c) out.du[c][i] = du[c], out.dv[c][i] = dv[c];
    for (int c = 0; c < 3 && flat(); ++c) out.ng[c][i] = f.normal[c];
  }
}

void PointShapes::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  const Frame f = frame(face, key);
  if (unit_)
    unit_->pointsAt(0, uv, 0, out);
  else
    for (size_t i = 0; i < uv.size(); ++i) out[i] = {uv[i].x * 2 - 1, uv[i].y * 2 - 1, 0};
  for (size_t i = 0; i < uv.size(); ++i) out[i] = f.place(out[i]);
}

void PointShapes::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  const Frame f = frame(face, key);
  if (unit_) {
    unit_->edgePoints(0, side, t, 0, out);
  } else {
    const bool alongU = side == Side::kV0 || side == Side::kV1;
    const float fixed = side == Side::kV1 || side == Side::kU1 ? 1.0f : -1.0f;
    for (size_t i = 0; i < t.size(); ++i) out[i] = alongU ? Vec3{t[i] * 2 - 1, fixed, 0} : Vec3{fixed, t[i] * 2 - 1, 0};
  }
  for (size_t i = 0; i < t.size(); ++i) out[i] = f.place(out[i]);
}

FaceEdge PointShapes::edge(int face, Side side) const {
  FaceEdge e;
  e.ownerSide = side;
  if (unit_) e = unit_->edge(0, side);
  e.id = static_cast<uint64_t>(face) * 4 + static_cast<uint64_t>(e.ownerSide);
  e.ownerFace = face;
  return e;
}

FaceVertex PointShapes::vertex(int face, int corner) const {
  const int owner = unit_ ? unit_->vertex(0, corner).ownerCorner : corner;
  return {static_cast<uint64_t>(face) * 4 + static_cast<uint64_t>(owner), face, owner};
}

Bound3 PointShapes::bound(int face, const UvRect& rect, int key) const {
  const Frame f = frame(face, key);
  Bound3 unit;
  if (unit_)
    unit = unit_->bound(0, rect, 0);
  else
    unit.add(Vec3{rect.u0 * 2 - 1, rect.v0 * 2 - 1, 0}), unit.add(Vec3{rect.u1 * 2 - 1, rect.v1 * 2 - 1, 0});
  Bound3 b;
  for (int i = 0; i < 8; ++i) b.add(f.place(unit.corner(i)));
  b.grow(kRounding * (largest(f.centre) + largest(f.axis[0]) + largest(f.axis[1]) + largest(f.axis[2])));
  return b;
}

Bound3 PointShapes::bound(int begin, int end, int key) const {
  if (begin >= end) return {};
  const ShapeKey& k = keys_[static_cast<size_t>(key)];
  if (!ranges_.empty())
    return ranges_[static_cast<size_t>(key)].query(begin, end, [&](int f) { return bound(f, UvRect(), key); });
  const ElementBound e = points_->elementBound(begin, end, k.from);
  Bound3 b = e.box;
  b.grow(e.radius + kRounding * (std::max(largest(b.min), largest(b.max)) + e.radius));
  return b;
}

}  // namespace reyes::geom
