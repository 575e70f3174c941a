// SPDX-License-Identifier: Apache-2.0
// Where messages go: stderr and a log file, in our form or as prman prints them. One a process, owned by the
// subcommand; it outlives the Diagnostics that print through it.
#pragma once

#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "reyes/base/diag.h"

namespace reyes::tools {

class Log {
 public:
  ~Log();
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// Opens the file (to append). Returns what is wrong, or nothing.
  std::string open(const std::string& file);
  /// Makes `diag` print here. `verbosity` as -v has it.
  void attach(Diagnostics& diag, int verbosity, bool prmanFormat);
  void line(const std::string& text);
  /// Lines that explain message `d`: printed if it is the one that was printed last.
  void explain(const Diagnostic& d, const std::vector<std::string>& lines);

 private:
  void print(const std::string& text);
  std::mutex mutex_;
  std::string last_;
  std::FILE* file_ = nullptr;
};

/// `R12001 {ERROR} text` for a message of ours.
std::string prmanLine(const Diagnostic& d);

/// "Error: text" on stderr; returns `status`.
int failWith(int status, const std::string& text);

}  // namespace reyes::tools
