// SPDX-License-Identifier: Apache-2.0
// The field of a Blobby: leaves (constants, ellipsoids, segments, repelling planes) combined by a program; its values,
// gradients, ranges over boxes, and how much each leaf counts at a place. The surface is where the field is kThreshold.
// Doubles throughout. Made by makeBlobby(); a field per motion key.
#pragma once

#include <functional>
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
/// How much a leaf counts at a place; leaves that count nothing are left out.
struct LeafWeight {
  int leaf = 0;
  double weight = 0;
};
struct FieldRange {
  double low = 0, high = 0;
};

class BlobbyField {
 public:
  std::vector<BlobbyLeaf> leaves;
  std::vector<BlobbyInstruction> program;

  /// To be called when leaves and program are there.
  void prepare() { sum_ = isSum(); }
  /// Instructions of one evaluation.
  size_t cost() const { return leaves.size() + (sum_ ? 1 : program.size() - leaves.size()); }
  FieldValue at(Double3 p) const;
  /// at(p).f, without the gradient.
  double value(Double3 p) const;
  /// Contains every value in the box.
  FieldRange range(const Bound3& box) const;
  /// The same field inside the box, without the leaves that are 0 there: exactly the same values.
  BlobbyField within(const Bound3& box) const;
  /// How much each leaf counts at p, numbered as in the whole field: one at least, all above 0.
  void weights(Double3 p, std::vector<LeafWeight>& out) const;
  /// Calls `use(part, first, last)` for runs of `boxes`, in order, with a field that is this one all over the boxes of
  /// the run: parts are taken from parts, so that what is far away costs nothing.
  void overRuns(std::span<const Bound3> boxes, double around,
                const std::function<void(const BlobbyField& part, size_t first, size_t last)>& use) const;
  /// Box of all leaves.
  Bound3 support() const;

  static FieldRange leafRange(const BlobbyLeaf& leaf, const Bound3& box);

 private:
  void evaluate(Double3 p, FieldValue* results) const;
  bool isSum() const;
  bool isZero(const BlobbyLeaf& leaf, const Bound3& box) const;
  int sourceOf(size_t leaf) const { return sourceLeaf_.empty() ? static_cast<int>(leaf) : sourceLeaf_[leaf]; }
  BlobbyField sumWithin(const Bound3& box) const;
  void weightsOfSum(Double3 p, std::vector<LeafWeight>& out) const;
  void weightsOfProgram(Double3 p, std::vector<LeafWeight>& out) const;
  void overRun(std::span<const Bound3> boxes, double around, size_t first, size_t last,
               const std::function<void(const BlobbyField& part, size_t first, size_t last)>& use) const;
  /// Of a field that within() made: number of each leaf in the whole one; empty: the same.
  std::vector<int> sourceLeaf_;
  bool sum_ = false;  ///< isSum(): parts of such a field have no program
};

}  // namespace reyes::geom
