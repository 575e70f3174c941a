// SPDX-License-Identifier: Apache-2.0
#include "reyes/vm/faults.h"

#include "reyes/base/diag.h"
#include "reyes/base/format.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

FaultText faultText(Op op) {
  if (op == Op::kLoadElement || op == Op::kStoreElement)
    return {"vm-array-index", "an index outside of its array: the nearest element is taken"};
  const OpInfo& info = opInfo(op);
  if (!info.builtin) return {"vm-normalize-zero", "normalize() of the zero vector: the zero vector"};
  switch (info.builtin->id) {
    case Builtin::k_comp:
    case Builtin::k_setcomp:
    case Builtin::k_comp_m:
    case Builtin::k_setcomp_m:
      return {"vm-component-index", "a component beyond the first and the last: the nearest is taken"};
    case Builtin::k_normalize:
      return {"vm-normalize-zero", "normalize() of the zero vector: the zero vector"};
    case Builtin::k_sqrt:
      return {"vm-sqrt-negative", "sqrt() of a number below 0: 0"};
    case Builtin::k_inversesqrt:
      return {"vm-sqrt-negative", "inversesqrt() of a number that is not above 0: 0"};
    case Builtin::k_log:
    case Builtin::k_log_base:
      return {"vm-log-range", "log() of a number that is not above 0: minus infinity"};
    case Builtin::k_pow:
    case Builtin::k_pow_t:
      return {"vm-pow-range", "pow() of a number below 0 with an exponent that is not whole: 0"};
    case Builtin::k_mod:
      return {"vm-mod-zero", "mod() by 0: 0"};
    case Builtin::k_asin:
    case Builtin::k_acos:
      return {"vm-arc-range", "asin() or acos() of a number beyond 1: that of 1"};
    default:
      return {"vm-spline-nan", "spline() of a value that is no number: its first value"};
  }
}

void FaultCounts::add(const char* code, std::string_view text, std::string_view file, int line, int64_t points) {
  std::lock_guard lock(mutex_);
  auto& [words, count] = places_[{std::string(file), line, code}];
  if (words.empty()) words = text;
  count += points;
}

void FaultCounts::report(Diagnostics& diag) {
  std::lock_guard lock(mutex_);
  for (const auto& [place, what] : places_) {
    const auto& [file, line, code] = place;
    diag.warning(code.c_str(), {Name(file), line, 0},
                 format("{} (in {} point{})", what.first, what.second, what.second == 1 ? "" : "s"));
  }
  places_.clear();
}

}  // namespace reyes::vm
