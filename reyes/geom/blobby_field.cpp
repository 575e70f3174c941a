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

FieldValue BlobbyField::at(Double3 p) const {
  Room<FieldValue> room(program.size());
  evaluate(p, room.results());
  return room.results()[program.size() - 1];
}

double BlobbyField::value(Double3 p) const {
  Room<double> room(program.size());
  double* results = room.results();
  for (size_t i = 0; i < program.size(); ++i)
    results[i] = program[i].op == BlobbyOp::kLeaf ? leafValue(leaves[static_cast<size_t>(program[i].leaf)], p)
                                                  : combineValue(program[i], results);
  return results[program.size() - 1];
}

FieldRange BlobbyField::range(const Bound3& box) const {
  std::vector<FieldRange> results(program.size());
  for (size_t i = 0; i < program.size(); ++i)
    results[i] = program[i].op == BlobbyOp::kLeaf ? leafRange(leaves[static_cast<size_t>(program[i].leaf)], box)
                                                  : combineRange(program[i], results);
  return results.back();
}

Bound3 BlobbyField::support() const {
  Bound3 all;
  for (const BlobbyLeaf& leaf : leaves)
    if (!leaf.constant) all.add(leaf.support);
  return all;
}

BlobbyField BlobbyField::within(const Bound3& box) const {
  BlobbyField part;
  // What is 0 all over the box: leaves out of reach, and what comes of them. Sums leave such operands out.
  std::vector<bool> zero(program.size());
  std::vector<int> place(program.size(), -1);
  const auto overlap = [&](const Bound3& b) {
    return b.min.x <= box.max.x && b.max.x >= box.min.x && b.min.y <= box.max.y && b.max.y >= box.min.y &&
           b.min.z <= box.max.z && b.max.z >= box.min.z;
  };
  for (size_t i = 0; i < program.size(); ++i) {
    const BlobbyInstruction& from = program[i];
    const auto isZero = [&](int k) { return zero[static_cast<size_t>(k)]; };
    if (from.op == BlobbyOp::kLeaf) {
      const BlobbyLeaf& leaf = leaves[static_cast<size_t>(from.leaf)];
      const auto repelsNothing = [&] {
        const FieldRange r = leafRange(leaf, box);
        return r.low == 0 && r.high == 0;
      };
      zero[i] = leaf.plane      ? repelsNothing()
                : leaf.constant ? leaf.value == 0
                                : !overlap(leaf.support) || leafRange(leaf, box).high <= 0;
    } else if (from.op == BlobbyOp::kMultiply) {
      zero[i] = std::any_of(from.operands.begin(), from.operands.end(), isZero);
    } else if (from.op == BlobbyOp::kDivide) {
      zero[i] = isZero(from.operands[0]);
    } else {
      zero[i] = std::all_of(from.operands.begin(), from.operands.end(), isZero);
    }
  }
  // The instructions that the last one needs: no zeros of a sum, one of those among which the greatest is sought.
  std::vector<bool> used(program.size());
  used.back() = true;
  for (size_t i = program.size(); i-- > 0;) {
    if (!used[i] || zero[i]) continue;
    const BlobbyOp op = program[i].op;
    bool needsZero = op != BlobbyOp::kAdd;
    for (const int k : program[i].operands) {
      const size_t o = static_cast<size_t>(k);
      if (zero[o] && !needsZero) continue;
      used[o] = true;
      if (zero[o] && (op == BlobbyOp::kMaximum || op == BlobbyOp::kMinimum)) needsZero = false;
    }
  }
  for (size_t i = 0; i < program.size(); ++i) {
    if (!used[i]) continue;
    BlobbyInstruction to;
    if (zero[i] || program[i].op == BlobbyOp::kLeaf) {
      to.leaf = static_cast<int>(part.leaves.size());
      part.leaves.push_back(zero[i] ? BlobbyLeaf() : leaves[static_cast<size_t>(program[i].leaf)]);
      const int source = program[i].op == BlobbyOp::kLeaf ? program[i].leaf : -1;
      part.sourceLeaf_.push_back(source < 0 || sourceLeaf_.empty() ? source : sourceLeaf_[static_cast<size_t>(source)]);
    } else {
      to.op = program[i].op;
      for (const int o : program[i].operands)
        if (place[static_cast<size_t>(o)] >= 0) to.operands.push_back(place[static_cast<size_t>(o)]);
    }
    place[i] = static_cast<int>(part.program.size());
    part.program.push_back(std::move(to));
  }
  return part;
}

void BlobbyField::weights(Double3 p, std::span<double> out) const {
  std::vector<FieldValue> results(program.size());
  evaluate(p, results.data());
  std::fill(out.begin(), out.end(), 0.0);
  // Down from the field to the leaves that make it: the greatest of a maximum, all of a sum.
  std::vector<bool> counts(program.size());
  counts.back() = true;
  for (size_t i = program.size(); i-- > 0;) {
    if (!counts[i]) continue;
    const BlobbyInstruction& in = program[i];
    const auto f = [&](int o) { return results[static_cast<size_t>(o)].f; };
    if (in.op == BlobbyOp::kLeaf) {
      const int source = sourceLeaf_.empty() ? in.leaf : sourceLeaf_[static_cast<size_t>(in.leaf)];
      if (source >= 0) out[static_cast<size_t>(source)] = std::max(0.0, results[i].f);
    } else if (in.op == BlobbyOp::kAdd || in.op == BlobbyOp::kMultiply) {
      for (const int o : in.operands) counts[static_cast<size_t>(o)] = true;
    } else {
      int best = in.operands[0];
      for (const int o : in.operands)
        if ((in.op == BlobbyOp::kMaximum && f(o) > f(best)) || (in.op == BlobbyOp::kMinimum && f(o) < f(best)))
          best = o;
      counts[static_cast<size_t>(best)] = true;
    }
  }
  double sum = 0;
  for (const double w : out) sum += w;
  if (!(sum > 0)) std::fill(out.begin(), out.end(), 1.0);
}

}  // namespace reyes::geom
