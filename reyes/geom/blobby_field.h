// SPDX-License-Identifier: Apache-2.0
// The field of a Blobby: leaves (constants, ellipsoids, segments, repelling planes) combined by a program; its values,
// gradients, ranges over boxes, and how much each leaf counts at a place. The surface is where the field is kThreshold.
// Doubles throughout. Made by makeBlobby(); a field per motion key.
#pragma once

#include <span>
#include <vector>

#include "reyes/base/bound.h"
#include "reyes/base/matrix.h"
#include "reyes/geom/blobby_repel.h"

namespace reyes::geom {

/// (1 - r^2)^3 at half of a leaf's radius.
constexpr double kBlobbyThreshold = 0.421875;

struct Double3 {
  double x = 0, y = 0, z = 0;
};
inline Double3 operator+(Double3 a, Double3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Double3 operator-(Double3 a, Double3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Double3 operator*(Double3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline double dot(Double3 a, Double3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Double3 toDouble(Vec3 p) { return {p.x, p.y, p.z}; }
inline Vec3 toFloat(Double3 p) {
  return {static_cast<float>(p.x) + 0.0f, static_cast<float>(p.y) + 0.0f, static_cast<float>(p.z) + 0.0f};
}

/// A bump of support radius 1 (over `radius`) around a segment (a point: both ends) in its own space; or a constant.
struct BlobbyLeaf {
  bool constant = true;
  double value = 0;
  const DepthPlane* plane = nullptr;  ///< of a "constant": it repels by its height over this instead
  Repulsion repulsion;
  Double3 row[3];  ///< object space to the leaf's: row k . p + offset[k]
  double offset[3] = {};
  Double3 start, along;  ///< the segment in the leaf's space
  double radius = 1;
  double scale = 1;      ///< 1 over the radius's square
  double length2 = 0;    ///< of the segment in the leaf's space, squared
  double isoRadius = 0;  ///< smallest distance, in object space, from the segment to where it alone has the threshold
  Matrix4 toObject;      ///< leaf's space to object space
  Bound3 support;        ///< box outside of which the leaf is 0
};

enum class BlobbyOp { kLeaf, kAdd, kMultiply, kMaximum, kMinimum, kSubtract, kDivide, kNegate, kIdentity };

/// Results are numbered in order; operands are numbers of earlier ones; the last is the field.
struct BlobbyInstruction {
  BlobbyOp op = BlobbyOp::kLeaf;
  int leaf = 0;
  std::vector<int> operands;
};

struct FieldValue {
  double f = 0;
  Double3 g;
};
struct FieldRange {
  double low = 0, high = 0;
};

class BlobbyField {
 public:
  std::vector<BlobbyLeaf> leaves;
  std::vector<BlobbyInstruction> program;

  FieldValue at(Double3 p) const;
  /// at(p).f, without the gradient.
  double value(Double3 p) const;
  /// Contains every value in the box.
  FieldRange range(const Bound3& box) const;
  /// The same field inside the box, without the leaves that are 0 there: exactly the same values.
  BlobbyField within(const Bound3& box) const;
  /// How much each leaf counts at p (leaves() of them, none below 0, the sum above 0).
  void weights(Double3 p, std::span<double> out) const;
  /// Box of all leaves.
  Bound3 support() const;

  static FieldRange leafRange(const BlobbyLeaf& leaf, const Bound3& box);

 private:
  void evaluate(Double3 p, FieldValue* results) const;
  /// Of a field that within() made: number of each leaf in the whole one; empty: the same.
  std::vector<int> sourceLeaf_;
};

}  // namespace reyes::geom
