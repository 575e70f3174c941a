// SPDX-License-Identifier: Apache-2.0
// A line owns micropolygon points: the side of a face (along its topological edge) or the cut that a split made. Its
// points T are a pure function of the line's curve, the view and the primitive's rate, so whoever meets at the line
// uses the same points, bit for bit (docs/decisions/0002). Made when a face or a piece is opened, shared by the pieces
// along it, immutable except for displaced points, which are made leaf by leaf by whoever needs them first.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "reyes/render/primitive_frame.h"

namespace reyes::render {

class Line;
using LinePtr = std::shared_ptr<const Line>;

/// A point of T on an older line, at which a younger line ends. A null line: none.
struct Anchor {
  LinePtr line;
  int index = 0;
};

/// A dyadic part of a line, evenly diced: points first .. first + count of T.
struct LineLeaf {
  float t0, t1;
  int first, count;
};

enum class Axis { kU, kV };

class Line {
 public:
  /// Where the line runs: along an edge, or at constant u (axis kU) or v of a face, from lo to hi of the other.
  struct Course {
    int face = 0;
    bool isEdge = false;
    geom::Side side = geom::Side::kV0;
    Axis axis = Axis::kU;
    float at = 0, lo = 0, hi = 1;
  };

  /// The edge along a side of a face; anchors replace the points at edge parameters 0 and 1 where they name a line.
  static LinePtr makeEdge(const PrimitiveFrame& prim, int face, geom::Side side, Anchor atStart, Anchor atEnd);
  /// The cut of a face at axis = `at`, from lo to hi; it starts and ends on older lines.
  static LinePtr makeCut(const PrimitiveFrame& prim, int face, Axis axis, float at, float lo, float hi, Anchor atStart,
                         Anchor atEnd);

  int count() const { return static_cast<int>(t_.size()); }
  float t(int i) const { return t_[static_cast<size_t>(i)]; }
  /// The point of T next to parameter t; the lower of two that are as near.
  int nearest(float t) const;
  /// Camera-space position of point i at motion key k, before displacement.
  Vec3 point(int i, int k) const { return points_[static_cast<size_t>(k) * t_.size() + static_cast<size_t>(i)]; }

  const PrimitiveFrame& primitive() const { return *prim_; }
  const Course& course() const { return course_; }
  const std::vector<LineLeaf>& leaves() const { return leaves_; }
  const Anchor& anchor(int end) const { return anchors_[end]; }

  /// Displaced points, written under `mutex` (strip.h).
  struct Moved {
    std::mutex mutex;
    std::vector<uint8_t> leafDone;
    std::vector<Vec3> points;  ///< as point()
  };
  Moved& moved() const { return moved_; }

 private:
  struct Key {};

 public:
  /// By makeEdge() and makeCut() alone.
  Line(Key, const PrimitiveFrame& prim, const Course& course, Anchor atStart, Anchor atEnd);

 private:
  void evaluate(std::span<const float> t, int k, Vec3* out) const;
  void growLeaves(float t0, float t1, std::span<const Vec3> samples);

  const PrimitiveFrame* prim_;
  Course course_;
  Anchor anchors_[2];
  std::vector<LineLeaf> leaves_;
  std::vector<float> t_;
  std::vector<Vec3> points_;
  mutable Moved moved_;
};

/// What a piece knows of one of its sides: the stretch of a line along it, from the side's start to its end.
struct SideRef {
  LinePtr line;
  float a = 0, b = 1;  ///< line parameters at the side's start and end
  int ia = 0, ib = 0;  ///< points of T that the side's corners snap to
  int segments() const { return ia < ib ? ib - ia : ia - ib; }
};

/// Snaps n + 1 evenly spaced vertices of a side to the points of T along it, n >= segments(): each vertex to the
/// nearest point, moved as little as it takes to hit every point in order. `index` gets n + 1 numbers of points.
void snapSide(const SideRef& side, int n, int* index);

}  // namespace reyes::render
