// SPDX-License-Identifier: Apache-2.0
// Where the time of shaders goes: per instruction, added up over all machines of a run. Filled by Machine::run() where
// Services::profile() gives one; printed by `reyes shade --profile` as an annotated listing of the source.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "reyes/vm/program.h"

namespace reyes::vm {

class Profile {
 public:
  struct Row {
    int64_t nanoseconds = 0, runs = 0;
  };
  struct Entry {
    std::shared_ptr<const Program> program;
    int64_t runs = 0, points = 0;
    std::vector<Row> rows;  ///< one an instruction
  };

  /// Adds one run of a program over `points`. Thread-safe.
  void add(const std::shared_ptr<const Program>& program, int64_t points, std::span<const Row> rows);
  /// Programs in the order of their time, longest first.
  std::vector<Entry> entries() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

/// Text for people: a table of operations, then every source line that took time with its share, ns a point and text.
/// Source files that cannot be read show line numbers alone.
std::string profileText(const Profile& profile);

}  // namespace reyes::vm
