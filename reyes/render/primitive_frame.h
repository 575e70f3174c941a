// SPDX-License-Identifier: Apache-2.0
// What one frame knows of one primitive: its motion keys inside the shutter, its way to camera space at each of them,
// its dice rate and its displacement bound. Made once a frame before the buckets start, read by all of render/.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/render/projection.h"
#include "reyes/scene/view.h"
#include "reyes/scene/world.h"

namespace reyes::render {

/// One motion key: where between two deformation keys it lies, and the transform at its time.
struct MotionKey {
  float time = 0;        ///< in the scene's time
  int from = 0, to = 0;  ///< deformation keys
  float fraction = 0;    ///< 0: `from` alone
  Matrix4 cameraFromObject, objectFromCamera;
  float scale = 1;          ///< of lengths, over all directions: the cube root of the change of volumes
  float stretch = 1;        ///< of lengths, in no direction more
  bool projective = false;  ///< the transform divides: `scale` and `stretch` are those of scaleAt() at most
  float volume = 1;         ///< of a projective transform: the change of volumes where it divides by 1

  /// The change of lengths, over all directions, at a place in camera space.
  float scaleAt(Vec3 camera) const {
    if (!projective) return scale;
    const float w = transformHomogeneous(objectFromCamera, {camera.x, camera.y, camera.z, 1}).w;
    return std::cbrt(volume * (w * w) * (w * w));
  }
};

class PrimitiveFrame {
 public:
  PrimitiveFrame() = default;
  PrimitiveFrame(const PrimitiveFrame&) = delete;
  PrimitiveFrame& operator=(const PrimitiveFrame&) = delete;

  /// Keys, matrices and rates. `rateScale` multiplies ShadingRate. With `velocity` what moves has two keys at least,
  /// even where the shutter has no time.
  void prepare(const scene::World& world, const scene::View& view, const Projector& projector,
               const scene::Primitive& primitive, float rateScale, bool displaces, bool velocity);

  bool prepared() const { return primitive_ != nullptr; }
  const scene::Primitive& source() const { return *primitive_; }
  /// The primitive's, or what stands for it in front of this camera (patches that face it).
  const geom::Geometry& geometry() const { return *geometry_; }
  const scene::Attributes& attributes() const { return *primitive_->attributes; }
  const Projector& projector() const { return *projector_; }
  std::span<const MotionKey> keys() const { return keys_; }
  int keyCount() const { return static_cast<int>(keys_.size()); }
  /// Times of the keys in units of the shutter, 0 open, 1 close.
  std::span<const float> shutterTimes() const { return shutterTimes_; }
  bool moving() const { return keys_.size() > 1; }
  /// Keys beyond the first are there for velocities alone: the shutter has no time.
  bool keysForVelocity() const { return keysForVelocity_; }
  bool displaces() const { return displaces_; }
  /// Points and curves: nodes are ranges of elements, drawn in batches.
  bool drawsElements() const { return geometry().asPoints() || geometry().asCurves(); }

  /// Edge of a micropolygon in pixels for something that moves `blur` pixels while the shutter is open, and that the
  /// lens spreads over a radius of `lens` pixels.
  float edgePixels(float blur, float lens = 0) const;
  /// The longest that it is for any blur.
  float longestEdgePixels() const;
  /// Length of a chord in camera space at motion key k by which it is diced, in the pixels of edgePixels(), counting
  /// only what is before the eye and inside the enlarged window; `whole` grows by what is outside, too. See
  /// scene::DiceStrategy.
  float diceLength(Vec3 a, Vec3 b, int k, float* whole = nullptr) const;
  /// Whether that is Projector::rasterLength().
  bool dicedByRaster() const { return attributes().diceBy() == scene::DiceStrategy::kRaster; }

  /// Camera-space points of a face at motion key k.
  void points(int face, std::span<const Vec2> uv, int k, Vec3* out) const;
  /// Camera-space points of an edge, at parameters of the edge.
  void edgePoints(int face, geom::Side side, std::span<const float> t, int k, Vec3* out) const;

  /// Bounds in the raster of faces [begin, end), or of one face's rectangle; `extra` are camera-space points of motion
  /// key k (one array a key, may be empty) that belong to it.
  ViewBound bound(int begin, int end, float margin) const;
  ViewBound bound(int face, const geom::UvRect& rect, std::span<const std::vector<Vec3>> extra) const;

  /// Points and curves: bounds of elements [begin, end) between v0 and v1, as broad as they are.
  ViewBound elementBound(int begin, int end, float v0, float v1, float margin) const;

  /// How far displacement may move a point in camera space, by axis.
  Vec3 reach(int k) const { return displaces_ ? reach_[static_cast<size_t>(k)] : Vec3{}; }
  /// Where no bound was declared: sets one found by trial, the same in all directions.
  void setFoundReach(float cameraRadius);
  bool reachKnown() const { return !displaces_ || reachKnown_; }
  /// Remembers how far points moved (largest, by camera axis) at motion key k; true where that is beyond the reach.
  bool noteDisplacement(Vec3 most, int k) const;
  /// The bound that would have held every point, in units of the bound's space; 0 where nothing went beyond.
  float neededBound() const { return needed_.load(std::memory_order_relaxed); }
  float foundReach() const { return foundReach_; }
  /// The bound that what was displaced so far needed, in the same units.
  float observedBound() const { return observed_.load(std::memory_order_relaxed); }

  std::vector<Name> primvars;        ///< to dice besides the standard variables
  uint32_t tag = 0;                  ///< MicroGrid::tag
  std::optional<uint32_t> objectId;  ///< of the output variable id
  bool shadedLate = false;  ///< known to be opaque: its grids are sampled first, and shaded where they are seen
  bool cells = false;       ///< small faces may be drawn many in a grid (cells.h)
  bool apart = false;       ///< curves: each in grids of its own, since shaders take uniform values of each
  /// True where a projective transform takes a part of it through infinity: it cannot be drawn.
  bool throughInfinity() const { return throughInfinity_; }
  /// True where reportPrimitives() has something to say.
  bool troubled() const {
    return eyeLost || notFinite || repaired > 0 || throughInfinity_ || neededBound() > 0 || displaces_;
  }
  /// Things to say once at the end: parts lost at the eye plane, points that are not numbers.
  mutable std::atomic<bool> eyeLost{false}, notFinite{false};
  mutable std::atomic<int64_t> repaired{0};  ///< values of its shaders that were not numbers

 private:
  void chooseKeys(const scene::View& view, bool velocity);
  std::vector<float> keyTimesIn(const scene::View& view, bool velocity);
  void chooseScale(MotionKey& key);
  void turnToCamera();
  void chooseReach(const scene::World& world, const scene::View& view);
  void addPoints(std::span<const Vec3> points, ViewBound& bound, bool lens = true) const;
  void addBox(const Bound3& object, const MotionKey& key, int k, std::span<const Vec3> extra, ViewBound& bound,
              bool lens = true) const;
  /// Whether bounds have a path: those of what the hider itself moves, and knows at no other keys.
  bool hasPath() const;

  const scene::Primitive* primitive_ = nullptr;
  const geom::Geometry* geometry_ = nullptr;
  std::shared_ptr<const geom::Geometry> facing_;
  const Projector* projector_ = nullptr;
  std::vector<MotionKey> keys_;
  std::vector<float> shutterTimes_;
  std::vector<Vec3> unit_, reach_;  ///< of a ball of radius 1 in the bound's space, and of the bound
  float area_ = 1, motionFactor_ = 0, focusFactor_ = 0, foundReach_ = 0;
  bool displaces_ = false, reachKnown_ = false, keysForVelocity_ = false, throughInfinity_ = false;
  mutable std::atomic<float> needed_{0}, observed_{0};
};

}  // namespace reyes::render
