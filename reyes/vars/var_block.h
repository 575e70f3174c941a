// SPDX-License-Identifier: Apache-2.0
// Variables of one grid as structure of arrays: a plane of `stride` floats a component, 64-byte aligned and padded
// to whole vectors, so that kernels may run over the padding. Uniform variables keep one value a component.
#pragma once

#include <span>
#include <vector>

#include "reyes/base/arena.h"
#include "reyes/vars/types.h"

namespace reyes {

/// Lanes every plane is padded to: one AVX-512 register of floats.
constexpr int kLanePad = 16;
constexpr int padLanes(int n) { return (n + kLanePad - 1) / kLanePad * kLanePad; }

/// One variable: planes of component c of element e at data + (e * components + c) * stride (stride 1 if uniform).
struct Var {
  VarSpec spec;
  bool uniform = true;
  int stride = 1;
  float* data = nullptr;
  std::span<Name> strings;  ///< Type::kString only, always uniform: one a element

  float* plane(int component, int element = 0) const {
    return data + static_cast<size_t>(element * componentCount(spec.type) + component) * stride;
  }
};

/// Owns nothing: planes live in the arena given to add().
class VarBlock {
 public:
  VarBlock() = default;
  explicit VarBlock(int points) : points_(points), stride_(padLanes(points)) {}

  int points() const { return points_; }
  /// Floats from one varying plane to the next.
  int stride() const { return stride_; }

  /// Adds a zeroed variable (Constant and Uniform storage are uniform, all others varying). Pointers and references to
  /// variables of this block die; their planes stay.
  Var& add(const VarSpec& spec, Arena& arena) {
    const bool uniform =
        spec.storage == Storage::kConstant || spec.storage == Storage::kUniform || spec.type == Type::kString;
    Var v{spec, uniform, uniform ? 1 : stride_, nullptr, {}};
    if (spec.type == Type::kString)
      v.strings = arena.make<Name>(static_cast<size_t>(spec.elements()));
    else
      v.data = arena.make<float>(static_cast<size_t>(spec.width()) * v.stride).data();
    vars_.push_back(v);
    return vars_.back();
  }
  const Var* find(Name name) const {
    for (const Var& v : vars_)
      if (v.spec.name == name) return &v;
    return nullptr;
  }
  std::span<const Var> all() const { return vars_; }
  std::span<Var> all() { return vars_; }

 private:
  int points_ = 0, stride_ = 0;
  std::vector<Var> vars_;
};

}  // namespace reyes
