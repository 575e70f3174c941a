// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/primitive_frame.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/curves.h"
#include "reyes/geom/point_shapes.h"

namespace reyes::render {
namespace {

/// Half sizes of the box around a ball of radius r that `m` (affine) transforms.
Vec3 ballExtent(const Matrix4& m, float r) {
  Vec3 e;
  for (int j = 0; j < 3; ++j)
    e[j] = r * std::sqrt(m.m[0][j] * m.m[0][j] + m.m[1][j] * m.m[1][j] + m.m[2][j] * m.m[2][j]);
  return e;
}

/// No direction is stretched by more: exact where all are stretched by `scale`.
float stretchOf(const Matrix4& m, float scale) {
  float squares = 0, skew = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const float d = m.m[i][0] * m.m[j][0] + m.m[i][1] * m.m[j][1] + m.m[i][2] * m.m[j][2];
      if (i == j) squares += d;
      skew = std::max(skew, std::fabs(d - (i == j ? scale * scale : 0.0f)));
    }
  return skew <= 1e-4f * scale * scale ? scale * 1.0001f : std::sqrt(squares);
}

float determinant4(const Matrix4& m) {
  float sum = 0;
  for (int row = 0; row < 4; ++row) {
    Matrix4 minor;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) minor.m[i][j] = m.m[i < row ? i : i + 1][j];
    sum += (row % 2 == 0 ? -1.0f : 1.0f) * m.m[row][3] * determinant3(minor);
  }
  return sum;
}

Bound3 lerpBound(const Bound3& a, const Bound3& b, float f) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return {lerp(a.min, b.min, f), lerp(a.max, b.max, f)};
}

/// Camera from the space in which a displacement bound is measured, at a time; the object's where it is unknown.
Matrix4 cameraFromSpace(const scene::World& world, const scene::View& view, const scene::Primitive& p, Name space,
                        float time) {
  const scene::Attributes& a = *p.attributes;
  const Matrix4 cameraFromWorld = view.cameraFromWorld.at(time);
  if (space == "camera" || space == "current") return {};
  if (space == "world") return cameraFromWorld;
  if (space == "shader" && a.displacement) return a.displacement->worldFromShader.at(time) * cameraFromWorld;
  if (a.scopedSpaces)
    if (const auto it = a.scopedSpaces->find(space.str()); it != a.scopedSpaces->end())
      return it->second.at(time) * cameraFromWorld;
  if (const auto it = world.coordinateSystems.find(space.str()); it != world.coordinateSystems.end())
    return it->second.at(time) * cameraFromWorld;
  return p.worldFromObject.at(time) * cameraFromWorld;
}

}  // namespace

void PrimitiveFrame::prepare(const scene::World& world, const scene::View& view, const Projector& projector,
                             const scene::Primitive& primitive, float rateScale, bool displaces, bool velocity) {
  primitive_ = &primitive;
  geometry_ = primitive.geometry.get();
  projector_ = &projector;
  displaces_ = displaces;
  const scene::Attributes& a = *primitive.attributes;
  const bool inPixels = a.diceBy() <= scene::DiceStrategy::kSphere;
  const float length = a.micropolygonLength;
  const float area = (inPixels && length > 0 ? length * length : a.shadingRate) * rateScale;
  area_ = area > 1e-4f ? area : 1e-4f;
  motionFactor_ = std::max(0.0f, primitive.attributes->motionFactor);
  focusFactor_ = std::max(0.0f, primitive.attributes->focusFactor);
  chooseKeys(view, velocity);
  turnToCamera();
  chooseReach(world, view);
}

/// Points that are patches become surfaces that face this camera at every motion key.
void PrimitiveFrame::turnToCamera() {
  const geom::PointSet* points = geometry().asPoints();
  if (!points || points->shape() != geom::PointShape::kPatch) return;
  std::vector<geom::ShapeKey> shapes;
  for (MotionKey& k : keys_) {
    const float volume = k.projective ? k.volume : std::fabs(determinant3(k.cameraFromObject));
    shapes.push_back(
        {k.from, k.to, k.fraction, k.cameraFromObject, k.objectFromCamera, volume, attributes().reverseOrientation});
    k.from = k.to = static_cast<int>(shapes.size()) - 1, k.fraction = 0;
  }
  facing_ = std::make_shared<geom::PointShapes>(std::shared_ptr<const geom::PointSet>(primitive_->geometry, points),
                                                std::move(shapes));
  geometry_ = facing_.get();
}

/// The shutter's ends and every key between them.
std::vector<float> PrimitiveFrame::keyTimesIn(const scene::View& view, bool velocity) {
  const float open = view.shutterOpen, close = view.shutterClose;
  std::vector<float> times{open};
  const bool moves = geometry().keyCount() > 1 || !primitive_->worldFromObject.still() || !view.cameraFromWorld.still();
  if (!moves || (!(close > open) && !velocity)) return times;
  std::vector<float> all = scene::mergeTimes(primitive_->worldFromObject.times, view.cameraFromWorld.times);
  all = scene::mergeTimes(all, primitive_->keyTimes);
  if (close > open) {
    for (const float t : all)
      if (t > open && t < close) times.push_back(t);
    times.push_back(close);
  } else if (all.size() > 1 && open >= all.front() && open <= all.back()) {
    // A short while later; earlier where there is no later.
    const float step = (all.back() - all.front()) / 64;
    times.push_back(open + step <= all.back() ? open + step : open - step);
    keysForVelocity_ = true;
  }
  return times;
}

void PrimitiveFrame::chooseKeys(const scene::View& view, bool velocity) {
  const float open = view.shutterOpen, close = view.shutterClose;
  const int deformations = geometry().keyCount();
  // 1. Times.
  const std::vector<float> times = keyTimesIn(view, velocity);
  // 2. Where each lies between the deformation keys, and its matrix.
  keys_.clear();
  for (const float t : times) {
    MotionKey k;
    k.time = t;
    const std::vector<float>& kt = primitive_->keyTimes;
    if (deformations > 1 && kt.size() == static_cast<size_t>(deformations)) {
      const auto hi = static_cast<int>(std::upper_bound(kt.begin(), kt.end(), t) - kt.begin());
      k.from = k.to = std::clamp(hi - 1, 0, deformations - 1);
      if (hi > 0 && hi < deformations && t > kt[static_cast<size_t>(hi) - 1]) {
        k.to = hi;
        k.fraction =
            (t - kt[static_cast<size_t>(k.from)]) / (kt[static_cast<size_t>(hi)] - kt[static_cast<size_t>(k.from)]);
      }
    }
    k.cameraFromObject = primitive_->worldFromObject.at(t) * view.cameraFromWorld.at(t);
    k.objectFromCamera = inverse(k.cameraFromObject);
    chooseScale(k);
    keys_.push_back(k);
  }
  // 3. Keys at which nothing has moved are one key.
  const auto same = [&](const MotionKey& k) {
    return k.cameraFromObject == keys_[0].cameraFromObject && k.from == keys_[0].from &&
           k.fraction == keys_[0].fraction;
  };
  if (std::all_of(keys_.begin(), keys_.end(), same)) keys_.resize(1), keysForVelocity_ = false;
  for (const MotionKey& k : keys_) shutterTimes_.push_back(close > open ? (k.time - open) / (close - open) : 0.0f);
}

void PrimitiveFrame::chooseScale(MotionKey& key) {
  const Matrix4& m = key.cameraFromObject;
  key.projective = !isAffine(m);
  if (!key.projective) {
    key.scale = std::cbrt(std::fabs(determinant3(m)));
    key.stretch = stretchOf(m, key.scale);
    return;
  }
  // Places that the transform divides by 0, or on both sides of it, cannot be drawn.
  key.volume = std::fabs(determinant4(m));
  key.scale = 0;
  for (const int d : {key.from, key.to}) {
    const Bound3 box = geometry().bound(0, geometry().faceCount(), d);
    for (int i = 0; i < 8 && !box.empty(); ++i) {
      const Vec3 p = box.corner(i);
      const float w = transformHomogeneous(m, {p.x, p.y, p.z, 1}).w;
      throughInfinity_ = throughInfinity_ || !(w > 1e-6f);
      key.scale = std::max(key.scale, std::cbrt(key.volume / ((w * w) * (w * w))));
    }
  }
  key.stretch = key.scale;
}

void PrimitiveFrame::chooseReach(const scene::World& world, const scene::View& view) {
  if (!displaces_) return;
  const scene::Attributes& a = attributes();
  reachKnown_ = a.displacementBoundDeclared;
  for (const MotionKey& k : keys_) {
    unit_.push_back(ballExtent(cameraFromSpace(world, view, *primitive_, a.displacementBoundSpace, k.time), 1));
    reach_.push_back(reachKnown_ ? unit_.back() * std::max(0.0f, a.displacementBound) : Vec3{});
  }
}

void PrimitiveFrame::setFoundReach(float r) {
  foundReach_ = r;
  reachKnown_ = true;
  for (Vec3& v : reach_) v = {r, r, r};
}

bool PrimitiveFrame::noteDisplacement(Vec3 most, int k) const {
  const Vec3 reach = reach_[static_cast<size_t>(k)], unit = unit_[static_cast<size_t>(k)];
  float needed = 0;
  bool beyond = false;
  for (int i = 0; i < 3; ++i) {
    beyond = beyond || most[i] > reach[i] * 1.0001f;
    if (unit[i] > 0) needed = std::max(needed, most[i] / unit[i]);
  }
  const auto raise = [needed](std::atomic<float>& most_) {
    float worst = most_.load(std::memory_order_relaxed);
    while (needed > worst && !most_.compare_exchange_weak(worst, needed, std::memory_order_relaxed)) {
    }
  };
  raise(observed_);
  if (beyond) raise(needed_);
  return beyond;
}

// Blur hides what lies within it: an area grows with the blur's width in units of 16 pixels, up to five times.
constexpr float kMostBlur = 64, kBlurUnit = 16;

float PrimitiveFrame::edgePixels(float blur, float lens) const {
  return std::sqrt(area_ * (1 + motionFactor_ * std::min(blur, kMostBlur) / kBlurUnit) *
                   (1 + focusFactor_ * std::min(lens, kMostBlur) / kBlurUnit));
}

float PrimitiveFrame::longestEdgePixels() const {
  return edgePixels(moving() ? kMostBlur : 0, projector_->lensPixelsX() != 0 ? kMostBlur : 0);
}

float PrimitiveFrame::diceLength(Vec3 a, Vec3 b, int k, float* whole) const {
  using scene::DiceStrategy;
  float all = 0;
  const float seen = projector_->rasterLength(a, b, &all);
  const DiceStrategy by = attributes().diceBy();
  if (by == DiceStrategy::kRaster) {
    if (whole) *whole += all;
    return seen;
  }
  // 1. As if it faced the camera. Of what is seen end on, the middle says whether it is inside the window.
  const Vec3 middle = (a + b) / 2.0f;
  const float facing = length(b - a) * projector_->pixelsAt(std::max(middle.z, projector_->near())) *
                       std::max(1.0f, projector_->pixelAspect());
  const float share = all > 1e-4f ? seen / all : projector_->inWindow(middle) ? 1.0f : 0.0f;
  // 2. In the units that were asked for. Beyond an eighth of a pixel nobody sees a difference, and no scene is meant.
  constexpr float kFinest = 8;
  const float unit =
      attributes().micropolygonLength > 0 ? attributes().micropolygonLength : std::sqrt(attributes().shadingRate);
  const auto inUnits = [&](const Matrix4& space) {
    const float l = length(transformPoint(space, b) - transformPoint(space, a));
    return std::min(l / unit, kFinest * facing) * edgePixels(0);
  };
  const MotionKey& key = keys_[static_cast<size_t>(k)];
  float l = std::max(facing, all);
  if (by == DiceStrategy::kSphere && projector_->perspective())
    l = std::atan2(length(cross(a, b)), dot(a, b)) * projector_->pixelsAt(1);
  else if (by == DiceStrategy::kWorld)
    l = inUnits(key.objectFromCamera * primitive_->worldFromObject.at(key.time));
  else if (by == DiceStrategy::kObject)
    l = inUnits(key.objectFromCamera);
  else if (by == DiceStrategy::kSphere)
    l = all;
  if (!std::isfinite(l)) return 0;
  if (whole) *whole += l;
  return l * share;
}

void PrimitiveFrame::points(int face, std::span<const Vec2> uv, int k, Vec3* out) const {
  const MotionKey& key = keys_[static_cast<size_t>(k)];
  geometry().pointsAt(face, uv, key.from, out);
  if (key.fraction > 0) {
    std::vector<Vec3> next(uv.size());
    geometry().pointsAt(face, uv, key.to, next.data());
    for (size_t i = 0; i < uv.size(); ++i) out[i] = lerp(out[i], next[i], key.fraction);
  }
  for (size_t i = 0; i < uv.size(); ++i) out[i] = transformPoint(key.cameraFromObject, out[i]);
}

void PrimitiveFrame::edgePoints(int face, geom::Side side, std::span<const float> t, int k, Vec3* out) const {
  const MotionKey& key = keys_[static_cast<size_t>(k)];
  geometry().edgePoints(face, side, t, key.from, out);
  if (key.fraction > 0) {
    std::vector<Vec3> next(t.size());
    geometry().edgePoints(face, side, t, key.to, next.data());
    for (size_t i = 0; i < t.size(); ++i) out[i] = lerp(out[i], next[i], key.fraction);
  }
  for (size_t i = 0; i < t.size(); ++i) out[i] = transformPoint(key.cameraFromObject, out[i]);
}

/// Points that belong to an undisplaced surface.
void PrimitiveFrame::addPoints(std::span<const Vec3> points, ViewBound& bound, bool lens) const {
  for (const Vec3 p : points) {
    if (!moving() && p.z < projector_->eyeDepth() && projector_->perspective()) continue;
    if (lens) {
      projector_->addSeen(p, bound.box);
    } else {
      const RasterPoint r = projector_->toRaster(p);
      bound.box.add(r.x, r.y, r.z);
    }
  }
}

/// What a procedural makes may have keys of its own between these.
bool PrimitiveFrame::hasPath() const {
  return (moving() || projector_->lensPixelsX() > 0) && !keysForVelocity_ && !primitive_->deferred;
}

void PrimitiveFrame::addBox(const Bound3& object, const MotionKey& key, int k, std::span<const Vec3> extra,
                            ViewBound& bound, bool lens) const {
  Vec3 corners[8];
  if (!displaces_) {
    for (int i = 0; i < 8; ++i) corners[i] = transformPoint(key.cameraFromObject, object.corner(i));
    projector_->addHull(corners, moving(), bound, lens);
    addPoints(extra, bound, lens);
    return;
  }
  // Displaced: a box along the camera's axes takes the reach; whether it straddles is asked of the surface as it was,
  // so that splitting ends however large the reach is.
  Bound3 box = transformBound(key.cameraFromObject, object);
  if (box.empty()) return;
  ViewBound plain, grown;
  for (int i = 0; i < 8; ++i) corners[i] = box.corner(i);
  projector_->addHull(corners, moving(), plain, lens);
  for (const Vec3 p : extra) box.add(p);
  const Vec3 r = reach(k);
  box.min = box.min - r, box.max = box.max + r;
  for (int i = 0; i < 8; ++i) corners[i] = box.corner(i);
  projector_->addHull(corners, moving(), grown, lens);
  bound.box.add(grown.box);
  bound.straddles |= plain.straddles;
}

ViewBound PrimitiveFrame::elementBound(int begin, int end, float v0, float v1, float margin) const {
  const geom::PointSet* points = geometry().asPoints();
  const geom::CurveSet* curves = geometry().asCurves();
  const auto at = [&](int key) {
    return points ? points->elementBound(begin, end, key) : curves->elementBound(begin, end, v0, v1, key);
  };
  ViewBound b;
  for (int k = 0; k < keyCount(); ++k) {
    const MotionKey& key = keys_[static_cast<size_t>(k)];
    geom::ElementBound e = at(key.from);
    if (key.fraction > 0) {
      const geom::ElementBound next = at(key.to);
      e = {lerpBound(e.box, next.box, key.fraction), std::max(e.radius, next.radius)};
    }
    Bound3 box = transformBound(key.cameraFromObject, e.box);
    if (box.empty()) continue;
    float scale = points ? key.scale : key.stretch;
    for (int i = 0; i < 8 && key.projective; ++i) scale = std::max(i ? scale : 0, key.scaleAt(box.corner(i)));
    box.grow(e.radius * scale);
    const Vec3 r = reach(k);
    box.min = box.min - r, box.max = box.max + r;
    Vec3 corners[8];
    for (int i = 0; i < 8; ++i) corners[i] = box.corner(i);
    projector_->addHull(corners, moving(), b);
    if (!hasPath()) continue;
    ViewBound plain;
    projector_->addHull(corners, moving(), plain, false);
    b.path.push_back(plain.box);
  }
  projector_->finish(b, margin);
  return b;
}

ViewBound PrimitiveFrame::bound(int begin, int end, float margin) const {
  if (drawsElements()) return elementBound(begin, end, 0, 1, margin);
  ViewBound b;
  for (int k = 0; k < keyCount(); ++k) {
    const MotionKey& key = keys_[static_cast<size_t>(k)];
    Bound3 box = geometry().bound(begin, end, key.from);
    if (key.fraction > 0) box = lerpBound(box, geometry().bound(begin, end, key.to), key.fraction);
    if (box.empty()) continue;
    addBox(box, key, k, {}, b);
    if (!hasPath()) continue;
    ViewBound at;
    addBox(box, key, k, {}, at, false);
    b.path.push_back(at.box);
  }
  projector_->finish(b, margin);
  return b;
}

ViewBound PrimitiveFrame::bound(int face, const geom::UvRect& rect, std::span<const std::vector<Vec3>> extra) const {
  ViewBound own, b;
  for (int k = 0; k < keyCount(); ++k) {
    const MotionKey& key = keys_[static_cast<size_t>(k)];
    Bound3 box = geometry().bound(face, rect, key.from);
    if (key.fraction > 0) box = lerpBound(box, geometry().bound(face, rect, key.to), key.fraction);
    if (box.empty()) continue;
    const std::span<const Vec3> points = extra.empty() ? std::span<const Vec3>() : extra[static_cast<size_t>(k)];
    addBox(box, key, k, {}, own);
    if (displaces_)
      addBox(box, key, k, points, b);
    else
      addPoints(points, b);
    if (!hasPath()) continue;
    ViewBound at;
    addBox(box, key, k, displaces_ ? points : std::span<const Vec3>(), at, false);
    if (!displaces_) addPoints(points, at, false);
    b.path.push_back(at.box);
  }
  b.box.add(own.box);
  b.straddles |= own.straddles;
  // Far outside the frame and behind the eye lines have few points, perhaps none near this piece: they must not bring
  // a piece into view that is out of it, nor keep it at the eye plane for ever.
  projector_->finish(own, 0.01f);
  projector_->finish(b, 0.01f);
  return own.box.empty() ? own : b;
}

}  // namespace reyes::render
