// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/projection.h"

#include <algorithm>
#include <cmath>

namespace reyes::render {
namespace {

/// The twelve edges of a box whose corners count x in bit 0, y in bit 1, z in bit 2.
constexpr int kBoxEdges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                  {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};

/// Part [t0, t1] of the segment from a to b that lies inside lo..hi; false where there is none.
bool clipSpan(float a, float b, float lo, float hi, float& t0, float& t1) {
  const float d = b - a;
  if (d == 0) return a >= lo && a <= hi;
  float s0 = (lo - a) / d, s1 = (hi - a) / d;
  if (s0 > s1) std::swap(s0, s1);
  t0 = std::max(t0, s0), t1 = std::min(t1, s1);
  return t0 < t1;
}

/// A length in pixels; one that is no number counts as nothing.
float capped(float l) { return l < 1e6f ? l : (l >= 1e6f ? 1e6f : 0.0f); }

/// Length of (dx, dy), also where the squares are beyond floats.
float distance(float dx, float dy) {
  const float square = dx * dx + dy * dy;
  return square < 1e38f ? std::sqrt(square) : static_cast<float>(std::hypot(double{dx}, double{dy}));
}

}  // namespace

Projector::Projector(const scene::View& view, int reachX, int reachY) : perspective_(view.perspective()) {
  near_ = perspective_ ? std::max(view.near, 1e-6f) : view.near;
  far_ = view.far > near_ ? view.far : Bound3::kInf;
  eyeDepth_ = near_ * 0.5f;
  const Matrix4 screen = view.screenFromCamera(), raster = view.rasterFromScreen();
  scaleX_ = screen.m[0][0] * raster.m[0][0], scaleY_ = screen.m[1][1] * raster.m[1][1];
  centreX_ = raster.m[3][0], centreY_ = raster.m[3][1];
  if (view.hasLens() && perspective_) {
    // A lens of radius R moves the picture of a point at depth z by R * (1/focalDistance - 1/z) on the plane z = 1.
    const float radius = view.focalLength / (2 * view.fStop);
    lensX_ = std::fabs(scaleX_) * radius * std::max(view.aperture.aspect, 1.0f);
    lensY_ = std::fabs(scaleY_) * radius / std::min(view.aperture.aspect, 1.0f);
    focalDistance_ = view.focalDistance;
  }
  const auto w = static_cast<float>(view.xResolution), h = static_cast<float>(view.yResolution);
  const float mx = w + static_cast<float>(reachX) + 64, my = h + static_cast<float>(reachY) + 64;
  window_.add(-mx, -my, 0);
  window_.add(w + mx, h + my, 0);
}

float Projector::defocus(float z) const {
  if (lensX_ == 0) return 0;
  return std::fabs(1 / std::max(z, eyeDepth_) - 1 / focalDistance_);
}

float Projector::leastLensX(float nearest, float farthest) const {
  if (lensX_ == 0 || (nearest <= focalDistance_ && farthest >= focalDistance_)) return 0;
  return std::fabs(std::min(lensX(nearest), lensX(farthest)));
}

float Projector::rasterLength(Vec3 a, Vec3 b, float* whole) const {
  // 1. The eye plane.
  if (perspective_ && (a.z < eyeDepth_ || b.z < eyeDepth_)) {
    if (a.z < eyeDepth_ && b.z < eyeDepth_) return 0;
    const float t = (eyeDepth_ - a.z) / (b.z - a.z);
    (a.z < eyeDepth_ ? a : b) = lerp(a, b, t);
  }
  // 2. The window.
  const RasterPoint p = toRaster(a), q = toRaster(b);
  const float dx = q.x - p.x, dy = q.y - p.y, all = distance(dx, dy);
  if (!std::isfinite(all)) return 0;
  if (whole) *whole += capped(all);
  float t0 = 0, t1 = 1;
  if (!clipSpan(p.x, q.x, window_.x0, window_.x1, t0, t1) || !clipSpan(p.y, q.y, window_.y0, window_.y1, t0, t1))
    return 0;
  return capped(all * (t1 - t0));
}

bool Projector::mayEnterWindow(std::span<const Vec3> points, size_t count) const {
  ViewBound b;
  for (size_t first = 0; first + count <= points.size(); first += count) {
    Bound3 box;
    for (const Vec3 p : points.subspan(first, count)) box.add(p);
    if (box.empty()) continue;
    const Vec3 size = box.max - box.min;
    const float around = 0.25f * std::max({size.x, size.y, size.z});
    box.min = box.min - Vec3{around, around, around}, box.max = box.max + Vec3{around, around, around};
    Vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = box.corner(i);
    addHull(corners, points.size() > count, b, false);
  }
  const RasterBound &r = b.box, &w = window_;
  return !r.empty() && r.x1 >= w.x0 && r.x0 <= w.x1 && r.y1 >= w.y0 && r.y0 <= w.y1 && r.z1 >= near_ && r.z0 <= far_;
}

void Projector::addSeen(Vec3 p, RasterBound& box) const {
  const RasterPoint r = toRaster(p);
  if (lensX_ == 0) return box.add(r.x, r.y, r.z);
  const float blur = defocus(p.z) * (1 + 4e-6f), x = lensX_ * blur, y = lensY_ * blur;
  box.add(r.x - x, r.y - y, r.z);
  box.add(r.x + x, r.y + y, r.z);
}

void Projector::addHull(const Vec3* corners, bool moving, ViewBound& bound, bool lens) const {
  float zMin = Bound3::kInf, zMax = -Bound3::kInf;
  for (int i = 0; i < 8; ++i) zMin = std::min(zMin, corners[i].z), zMax = std::max(zMax, corners[i].z);
  // Whole corners: those before the eye, or all of them where motion may carry them to the front.
  const auto add = [&](Vec3 p) {
    if (lens) return addSeen(p, bound.box);
    const RasterPoint r = toRaster(p);
    bound.box.add(r.x, r.y, r.z);
  };
  if (!moving && zMax < near_) return;
  // Between half of `near` and `near` everything projects well and nothing is seen: splitting need not be exact.
  const bool crosses = perspective_ && zMin < eyeDepth_ && zMax >= near_;
  for (int i = 0; i < 8; ++i)
    if (moving || !perspective_ || corners[i].z >= eyeDepth_) add(corners[i]);
  if (!crosses) return;
  bound.straddles = true;
  // Where the edges of the box pierce the eye plane.
  for (const auto& e : kBoxEdges) {
    const Vec3 a = corners[e[0]], b = corners[e[1]];
    if ((a.z < eyeDepth_) == (b.z < eyeDepth_)) continue;
    Vec3 p = lerp(a, b, (eyeDepth_ - a.z) / (b.z - a.z));
    p.z = eyeDepth_;
    add(p);
  }
}

void Projector::finish(ViewBound& bound, float margin) const {
  RasterBound& b = bound.box;
  if (b.empty() || b.z1 < near_ || b.z0 > far_) {
    b = RasterBound{};
    return;
  }
  // Each end is rounded by its own size: at the eye plane the other end may be 1e14 pixels away.
  const auto outwards = [&](float end, float centre) { return margin + 2e-6f * (std::fabs(end) + std::fabs(centre)); };
  const auto grow = [&](RasterBound& r) {
    r.x0 -= outwards(r.x0, centreX_), r.x1 += outwards(r.x1, centreX_);
    r.y0 -= outwards(r.y0, centreY_), r.y1 += outwards(r.y1, centreY_);
    const float ez = 2e-6f * std::max(std::fabs(r.z0), std::fabs(r.z1));
    r.z0 -= ez, r.z1 += ez;
  };
  grow(b);
  for (RasterBound& key : bound.path) grow(key);
  // Cut to the window: not so the path, of which each moment lies between its keys as they are.
  b.x0 = std::max(b.x0, window_.x0), b.x1 = std::min(b.x1, window_.x1);
  b.y0 = std::max(b.y0, window_.y0), b.y1 = std::min(b.y1, window_.y1);
  if (!(b.x0 <= b.x1) || !(b.y0 <= b.y1)) b = RasterBound{};
}

}  // namespace reyes::render
