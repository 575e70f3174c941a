// SPDX-License-Identifier: Apache-2.0
// Parts of a Blobby's field: what of it is there in a box, whose leaves make it at a place. Used while the surface is
// made and diced.
#include <algorithm>

#include "reyes/geom/blobby_field.h"

namespace reyes::geom {

Bound3 BlobbyField::support() const {
  Bound3 all;
  for (const BlobbyLeaf& leaf : leaves)
    if (!leaf.constant) all.add(leaf.support);
  return all;
}

bool BlobbyField::isZero(const BlobbyLeaf& leaf, const Bound3& box) const {
  if (leaf.plane) {
    const FieldRange r = leafRange(leaf, box);
    return r.low == 0 && r.high == 0;
  }
  if (leaf.constant) return leaf.value == 0;
  const Bound3& b = leaf.support;
  const bool overlap = b.min.x <= box.max.x && b.max.x >= box.min.x && b.min.y <= box.max.y && b.max.y >= box.min.y &&
                       b.min.z <= box.max.z && b.max.z >= box.min.z;
  return !overlap || leafRange(leaf, box).high <= 0;
}

BlobbyField BlobbyField::sumWithin(const Bound3& box) const {
  BlobbyField part;
  part.sum_ = true;
  for (size_t k = 0; k < leaves.size(); ++k) {
    if (isZero(leaves[k], box)) continue;
    part.leaves.push_back(leaves[k]);
    part.sourceLeaf_.push_back(sourceOf(k));
  }
  if (part.leaves.empty()) part.leaves.emplace_back(), part.sourceLeaf_.push_back(-1);
  return part;
}

BlobbyField BlobbyField::within(const Bound3& box) const {
  if (sum_) return sumWithin(box);
  BlobbyField part;
  // What is 0 all over the box: leaves out of reach, and what comes of them. Sums leave such operands out.
  std::vector<bool> zero(program.size());
  std::vector<int> place(program.size(), -1);
  for (size_t i = 0; i < program.size(); ++i) {
    const BlobbyInstruction& from = program[i];
    const auto nothing = [&](int k) { return zero[static_cast<size_t>(k)]; };
    if (from.op == BlobbyOp::kLeaf) {
      zero[i] = isZero(leaves[static_cast<size_t>(from.leaf)], box);
    } else if (from.op == BlobbyOp::kMultiply) {
      zero[i] = std::any_of(from.operands.begin(), from.operands.end(), nothing);
    } else if (from.op == BlobbyOp::kDivide) {
      zero[i] = nothing(from.operands[0]);
    } else {
      zero[i] = std::all_of(from.operands.begin(), from.operands.end(), nothing);
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
      part.sourceLeaf_.push_back(source < 0 ? source : sourceOf(static_cast<size_t>(source)));
    } else {
      to.op = program[i].op;
      for (const int o : program[i].operands)
        if (place[static_cast<size_t>(o)] >= 0) to.operands.push_back(place[static_cast<size_t>(o)]);
    }
    place[i] = static_cast<int>(part.program.size());
    part.program.push_back(std::move(to));
  }
  part.prepare();
  return part;
}

void BlobbyField::weights(Double3 p, std::vector<LeafWeight>& out) const {
  out.clear();
  if (sum_)
    weightsOfSum(p, out);
  else
    weightsOfProgram(p, out);
  // Where none counts, all that are near count the same.
  for (size_t k = 0; out.empty() && k < leaves.size(); ++k)
    if (sourceOf(k) >= 0) out.push_back({sourceOf(k), 1.0});
  if (out.empty()) out.push_back({0, 1.0});
}

void BlobbyField::weightsOfProgram(Double3 p, std::vector<LeafWeight>& out) const {
  std::vector<FieldValue> results(program.size());
  evaluate(p, results.data());
  // Down from the field to the leaves that make it: the greatest of a maximum, all of a sum.
  std::vector<bool> counts(program.size());
  counts.back() = true;
  for (size_t i = program.size(); i-- > 0;) {
    if (!counts[i]) continue;
    const BlobbyInstruction& in = program[i];
    const auto f = [&](int o) { return results[static_cast<size_t>(o)].f; };
    if (in.op == BlobbyOp::kLeaf) {
      const int source = sourceOf(static_cast<size_t>(in.leaf));
      if (source >= 0 && results[i].f > 0) out.push_back({source, results[i].f});
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
}

void BlobbyField::overRuns(std::span<const Bound3> boxes, double around,
                           const std::function<void(const BlobbyField&, size_t, size_t)>& use) const {
  if (!boxes.empty()) overRun(boxes, around, 0, boxes.size(), use);
}

void BlobbyField::overRun(std::span<const Bound3> boxes, double around, size_t first, size_t last,
                          const std::function<void(const BlobbyField&, size_t, size_t)>& use) const {
  constexpr size_t kRun = 16;
  Bound3 box;
  for (size_t i = first; i < last; ++i) box.add(boxes[i]);
  box.grow(static_cast<float>(around));
  const BlobbyField part = within(box);
  if (last - first <= kRun) return use(part, first, last);
  const size_t middle = first + (last - first) / 2;
  part.overRun(boxes, around, first, middle, use);
  part.overRun(boxes, around, middle, last, use);
}

}  // namespace reyes::geom
