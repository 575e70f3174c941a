// SPDX-License-Identifier: Apache-2.0
// Numbers that have no result: what the machine says of them, and the count of a frame. Operations with a bad() in
// their kernel (lanes.h) and calls that use MachineState::fault() report here; shade/ adds up, render/ prints at the
// end.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "reyes/vm/program.h"

namespace reyes {
class Diagnostics;
}

namespace reyes::vm {

/// Stable code, and what the operation gives instead.
struct FaultText {
  const char* code;
  const char* text;
};
FaultText faultText(Op op);

/// Points that met such numbers, by place in the source. Thread-safe.
class FaultCounts {
 public:
  void add(const char* code, std::string_view text, std::string_view file, int line, int64_t points);
  /// A warning a place, and forgets them.
  void report(Diagnostics& diag);

 private:
  std::mutex mutex_;
  std::map<std::tuple<std::string, int, std::string>, std::pair<std::string, int64_t>> places_;
};

}  // namespace reyes::vm
