// SPDX-License-Identifier: Apache-2.0
// A token-value list as requests carry it: typed values by name. Plain data, made by the RIB reader, read by all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/vars/types.h"

namespace reyes {

/// One token and its values. Numbers are in `floats` (for Type::kInteger also exact in `ints`), strings in `strings`.
/// With Type::kUnknown (neither declared nor inline) whichever the file held is filled; the receiver gives the type.
struct Param {
  VarSpec spec;
  std::vector<float> floats;
  std::vector<int32_t> ints;
  std::vector<std::string> strings;
  SourceLoc loc;

  size_t count() const { return strings.empty() ? floats.size() : strings.size(); }
  /// Whole items: count() / spec.width().
  size_t items() const { return spec.width() > 0 ? count() / static_cast<size_t>(spec.width()) : 0; }
};

class ParamList {
 public:
  std::vector<Param>& all() { return params_; }
  const std::vector<Param>& all() const { return params_; }
  bool empty() const { return params_.empty(); }
  /// The last parameter of that name (later ones win), or null.
  const Param* find(Name name) const {
    for (size_t i = params_.size(); i-- > 0;)
      if (params_[i].spec.name == name) return &params_[i];
    return nullptr;
  }
  float floatOr(Name name, float fallback) const {
    const Param* p = find(name);
    return p && !p->floats.empty() ? p->floats[0] : fallback;
  }
  std::string stringOr(Name name, const std::string& fallback) const {
    const Param* p = find(name);
    return p && !p->strings.empty() ? p->strings[0] : fallback;
  }
  void add(Param p) { params_.push_back(std::move(p)); }

 private:
  std::vector<Param> params_;
};

}  // namespace reyes
