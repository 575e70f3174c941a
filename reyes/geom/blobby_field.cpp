// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/blobby_field.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

namespace reyes::geom {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Divisors nearer to zero are moved away from it.
constexpr double kLeastDivisor = 1e-12;

double awayFromZero(double d) { return std::abs(d) >= kLeastDivisor ? d : d < 0 ? -kLeastDivisor : kLeastDivisor; }

Double3 toLeaf(const BlobbyLeaf& leaf, Double3 p) {
  return {dot(leaf.row[0], p) + leaf.offset[0], dot(leaf.row[1], p) + leaf.offset[1],
          dot(leaf.row[2], p) + leaf.offset[2]};
}

/// From the nearest point of the leaf's segment to q.
Double3 fromSegment(const BlobbyLeaf& leaf, Double3 q) {
  if (!(leaf.length2 > 0)) return q - leaf.start;
  const double t = std::clamp(dot(q - leaf.start, leaf.along) / leaf.length2, 0.0, 1.0);
  return q - leaf.start - leaf.along * t;
}

FieldValue constantAt(const BlobbyLeaf& leaf, Double3 p) {
  if (!leaf.plane) return {leaf.value, {}};
  double z;
  Double3 g;
  if (!leaf.plane->height(p, z, &g)) return {};
  return {leaf.repulsion.value(z), g * leaf.repulsion.slope(z)};
}
FieldValue leafAt(const BlobbyLeaf& leaf, Double3 p) {
  if (leaf.constant) return constantAt(leaf, p);
  const Double3 d = fromSegment(leaf, toLeaf(leaf, p));
  const double s = 1 - dot(d, d) * leaf.scale;
  if (s <= 0) return {};
  const Double3 g = leaf.row[0] * d.x + leaf.row[1] * d.y + leaf.row[2] * d.z;
  return {s * s * s, g * (-6 * s * s * leaf.scale)};
}
double leafValue(const BlobbyLeaf& leaf, Double3 p) {
  if (leaf.constant) return leaf.plane ? constantAt(leaf, p).f : leaf.value;
  const Double3 d = fromSegment(leaf, toLeaf(leaf, p));
  const double s = 1 - dot(d, d) * leaf.scale;
  return s <= 0 ? 0.0 : s * s * s;
}

/// Room for the results of a program, not filled: on the stack where there are few.
template <typename T>
class Room {
 public:
  explicit Room(size_t count) {
    if (count > kFew) many_ = std::make_unique_for_overwrite<std::byte[]>(count * sizeof(T));
    results_ = reinterpret_cast<T*>(many_ ? many_.get() : few_);
  }
  T* results() { return results_; }

 private:
  static constexpr size_t kFew = 256;
  alignas(T) std::byte few_[kFew * sizeof(T)];
  std::unique_ptr<std::byte[]> many_;
  T* results_;
};

FieldRange product(FieldRange a, FieldRange b) {
  const double p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  FieldRange r{kInfinity, -kInfinity};
  for (const double x : p) {
    const double y = std::isnan(x) ? 0 : x;  // 0 times infinity
    r.low = std::min(r.low, y), r.high = std::max(r.high, y);
  }
  return r;
}

FieldValue combine(const BlobbyInstruction& i, const FieldValue* results) {
  const auto operand = [&](size_t k) -> const FieldValue& { return results[static_cast<size_t>(i.operands[k])]; };
  FieldValue v;
  switch (i.op) {
    case BlobbyOp::kAdd:
      for (size_t k = 0; k < i.operands.size(); ++k) v.f += operand(k).f, v.g = v.g + operand(k).g;
      return v;
    case BlobbyOp::kMultiply:
      v.f = 1;
      for (size_t k = 0; k < i.operands.size(); ++k) {
        v.g = v.g * operand(k).f + operand(k).g * v.f;
        v.f *= operand(k).f;
      }
      return v;
    case BlobbyOp::kMaximum:
    case BlobbyOp::kMinimum:
      v = operand(0);
      for (size_t k = 1; k < i.operands.size(); ++k)
        if (i.op == BlobbyOp::kMaximum ? operand(k).f > v.f : operand(k).f < v.f) v = operand(k);
      return v;
    case BlobbyOp::kSubtract:
      return {operand(0).f - operand(1).f, operand(0).g - operand(1).g};
    case BlobbyOp::kDivide: {
      const double d = awayFromZero(operand(1).f);
      return {operand(0).f / d, (operand(0).g - operand(1).g * (operand(0).f / d)) * (1 / d)};
    }
    case BlobbyOp::kNegate:
      return {-operand(0).f, operand(0).g * -1};
    default:
      return operand(0);
  }
}

/// combine() of values alone.
double combineValue(const BlobbyInstruction& i, const double* results) {
  const auto operand = [&](size_t k) { return results[i.operands[k]]; };
  double f = operand(0);
  switch (i.op) {
    case BlobbyOp::kAdd:
      f = 0;
      for (size_t k = 0; k < i.operands.size(); ++k) f += operand(k);
      return f;
    case BlobbyOp::kMultiply:
      f = 1;
      for (size_t k = 0; k < i.operands.size(); ++k) f *= operand(k);
      return f;
    case BlobbyOp::kMaximum:
      for (size_t k = 1; k < i.operands.size(); ++k)
        if (operand(k) > f) f = operand(k);
      return f;
    case BlobbyOp::kMinimum:
      for (size_t k = 1; k < i.operands.size(); ++k)
        if (operand(k) < f) f = operand(k);
      return f;
    case BlobbyOp::kSubtract:
      return f - operand(1);
    case BlobbyOp::kDivide:
      return f / awayFromZero(operand(1));
    case BlobbyOp::kNegate:
      return -f;
    default:
      return f;
  }
}

FieldRange combineRange(const BlobbyInstruction& i, std::span<const FieldRange> results) {
  const auto operand = [&](size_t k) -> const FieldRange& { return results[static_cast<size_t>(i.operands[k])]; };
  FieldRange v;
  switch (i.op) {
    case BlobbyOp::kAdd:
      for (size_t k = 0; k < i.operands.size(); ++k) v.low += operand(k).low, v.high += operand(k).high;
      return v;
    case BlobbyOp::kMultiply:
      v = {1, 1};
      for (size_t k = 0; k < i.operands.size(); ++k) v = product(v, operand(k));
      return v;
    case BlobbyOp::kMaximum:
    case BlobbyOp::kMinimum:
      v = operand(0);
      for (size_t k = 1; k < i.operands.size(); ++k)
        if (i.op == BlobbyOp::kMaximum)
          v = {std::max(v.low, operand(k).low), std::max(v.high, operand(k).high)};
        else
          v = {std::min(v.low, operand(k).low), std::min(v.high, operand(k).high)};
      return v;
    case BlobbyOp::kSubtract:
      return {operand(0).low - operand(1).high, operand(0).high - operand(1).low};
    case BlobbyOp::kDivide:
      if (operand(1).low <= kLeastDivisor && operand(1).high >= -kLeastDivisor) return {-kInfinity, kInfinity};
      return product(operand(0), {1 / operand(1).high, 1 / operand(1).low});
    case BlobbyOp::kNegate:
      return {-operand(0).high, -operand(0).low};
    default:
      return operand(0);
  }
}

}  // namespace

FieldRange BlobbyField::leafRange(const BlobbyLeaf& leaf, const Bound3& box) {
  if (leaf.plane) {
    double least, greatest;
    FieldRange r;
    leaf.plane->heights(box, least, greatest);
    leaf.repulsion.range(least, greatest, r.low, r.high);
    // Where the picture ends there is nothing.
    if (greatest == kInfinity) r.low = std::min(r.low, 0.0), r.high = std::max(r.high, 0.0);
    return r;
  }
  if (leaf.constant) return {leaf.value, leaf.value};
  // The distance to the segment changes by no more than the way.
  const Double3 centre = (toDouble(box.min) + toDouble(box.max)) * 0.5, half = toDouble(box.max) - centre;
  double way = 0;
  for (const Double3& r : leaf.row) {
    const double w = std::abs(r.x) * half.x + std::abs(r.y) * half.y + std::abs(r.z) * half.z;
    way += w * w;
  }
  way = std::sqrt(way);
  const Double3 d = fromSegment(leaf, toLeaf(leaf, centre));
  const double distance = std::sqrt(dot(d, d));
  const auto bump = [&](double r) {
    const double s = 1 - r * r / (leaf.radius * leaf.radius);
    return s > 0 ? s * s * s : 0.0;
  };
  return {bump(distance + way), bump(std::max(0.0, distance - way))};
}

void BlobbyField::evaluate(Double3 p, FieldValue* results) const {
  for (size_t i = 0; i < program.size(); ++i)
    results[i] = program[i].op == BlobbyOp::kLeaf ? leafAt(leaves[static_cast<size_t>(program[i].leaf)], p)
                                                  : combine(program[i], results);
}

/// True for leaves that are added up, each once and in order: nearly every Blobby.
bool BlobbyField::isSum() const {
  const BlobbyInstruction& last = program.back();
  if (last.op != BlobbyOp::kAdd || last.operands.size() + 1 != program.size() || leaves.size() + 1 != program.size())
    return false;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (program[i].op != BlobbyOp::kLeaf || program[i].leaf != static_cast<int>(i) ||
        last.operands[i] != static_cast<int>(i))
      return false;
  return true;
}

FieldValue BlobbyField::at(Double3 p) const {
  if (sum_) {
    FieldValue v;
    for (const BlobbyLeaf& leaf : leaves) {
      const FieldValue l = leafAt(leaf, p);
      v.f += l.f, v.g = v.g + l.g;
    }
    return v;
  }
  Room<FieldValue> room(program.size());
  evaluate(p, room.results());
  return room.results()[program.size() - 1];
}

void BlobbyField::weightsOfSum(Double3 p, std::vector<LeafWeight>& out) const {
  for (size_t k = 0; k < leaves.size(); ++k)
    if (const double f = leafValue(leaves[k], p); f > 0 && sourceOf(k) >= 0) out.push_back({sourceOf(k), f});
}

double BlobbyField::value(Double3 p) const {
  if (sum_) {
    double f = 0;
    for (const BlobbyLeaf& leaf : leaves) f += leafValue(leaf, p);
    return f;
  }
  Room<double> room(program.size());
  double* results = room.results();
  for (size_t i = 0; i < program.size(); ++i)
    results[i] = program[i].op == BlobbyOp::kLeaf ? leafValue(leaves[static_cast<size_t>(program[i].leaf)], p)
                                                  : combineValue(program[i], results);
  return results[program.size() - 1];
}

FieldRange BlobbyField::range(const Bound3& box) const {
  if (sum_) {
    FieldRange all;
    for (const BlobbyLeaf& leaf : leaves) {
      const FieldRange r = leafRange(leaf, box);
      all.low += r.low, all.high += r.high;
    }
    return all;
  }
  std::vector<FieldRange> results(program.size());
  for (size_t i = 0; i < program.size(); ++i)
    results[i] = program[i].op == BlobbyOp::kLeaf ? leafRange(leaves[static_cast<size_t>(program[i].leaf)], box)
                                                  : combineRange(program[i], results);
  return results.back();
}

}  // namespace reyes::geom
