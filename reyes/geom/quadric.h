// SPDX-License-Identifier: Apache-2.0
// The seven quadrics as one face: a profile in the half plane of v, turned about z by the angle of u. Normals in closed
// form, poles included. Angles are exact at multiples of 90 degrees, so closed sweeps and poles meet bit for bit.
#pragma once

#include <array>
#include <vector>

#include "reyes/geom/face_geometry.h"

namespace reyes::geom {

enum class QuadricKind { kSphere, kCone, kCylinder, kHyperboloid, kParaboloid, kDisk, kTorus };

/// The request's numbers in order, one array a key; the sweep in degrees apart.
struct QuadricKey {
  std::array<float, 6> dims{};
  float sweep = 360;
};

class Quadric final : public FaceGeometry {
 public:
  Quadric(QuadricKind kind, std::vector<QuadricKey> keys, std::vector<PrimvarData> primvars, const float st[8]);

  int faceCount() const override { return 1; }
  int keyCount() const override { return 1 + static_cast<int>(later_.size()); }
  Bound3 bound(int begin, int end, int key) const override;
  Bound3 bound(int face, const UvRect& rect, int key) const override;
  void pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const override;
  FaceEdge edge(int face, Side side) const override;
  FaceVertex vertex(int face, int corner) const override;
  void edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const override;

  /// True where no key has any area.
  bool empty() const;
  void surface(int face, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const override;

 protected:
  FaceInfo faceInfo(int) const override { return {}; }

 private:
  /// The profile at one v: point, derivative by v, and unit normal of a positive sweep, all at angle 0.
  struct Profile {
    double p[3], d[3], n[3];
  };
  struct Angles {
    double a0 = 0, span = 0;  ///< sphere and torus: the profile's angle at v = 0 and its change
    double at(float v) const { return a0 + span * v; }
  };
  Profile profile(float v, int key) const;
  /// The point of profile() alone.
  void profilePoint(float v, int key, double p[3]) const;
  void roundProfile(const float* dims, double degrees, int key, Profile& out) const;
  bool wholeTurns(int key) const;
  bool poleAt(float v) const;
  float canonicalV(float v) const { return closedV_ && v == 1 ? 0.0f : v; }

  struct Key {
    QuadricKey given;
    Angles angles;
  };
  const QuadricKey& given(int key) const { return keyAt(key).given; }
  const Angles& angles(int key) const { return keyAt(key).angles; }
  const Key& keyAt(int key) const { return key == 0 ? first_ : later_[static_cast<size_t>(key) - 1]; }

  QuadricKind kind_;
  Key first_;                              ///< most stand still, and there may be millions of them
  std::vector<Key> later_;                 ///< further motion keys
  bool closedU_ = true, closedV_ = false;  ///< in every key
  bool pole_[2] = {};                      ///< v = 0, v = 1 is one point, in every key
};

}  // namespace reyes::geom
