// SPDX-License-Identifier: Apache-2.0
// Diagnostics: every message a user sees has a severity, a source location and a stable code.
// The sink prints a message once and counts repeats; its counts decide the exit status (tools/ only).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "reyes/base/name.h"

namespace reyes {

/// Place in a user's file. line and column count from 1; 0 means unknown.
struct SourceLoc {
  Name file;
  int line = 0;
  int column = 0;
};

enum class Severity { kDebug, kInfo, kWarning, kError };

/// What an Error means for the exit status of a run (COMMAND_LINE: 2, 3, 10, 33, 70).
enum class Impact {
  kNone,         ///< nothing about the picture changes
  kPicture,      ///< rendered, but something picture-changing is missing or wrong: exit 2
  kInput,        ///< input could not be read or understood: exit 3
  kEnvironment,  ///< transient, e.g. disk full: exit 10
  kMemory,       ///< over the memory limit: exit 33
  kInternal,     ///< our own fault: exit 70
};

struct Diagnostic {
  Severity severity = Severity::kError;
  Impact impact = Impact::kNone;
  std::string code;  ///< stable, e.g. "rib-bad-nesting"
  std::string text;
  SourceLoc loc;
};

/// Collects and prints diagnostics. Thread-safe.
class Diagnostics {
 public:
  using Printer = std::function<void(const Diagnostic&, const std::string& line)>;

  Diagnostics();
  /// Where formatted lines go; the default is stderr. An empty function makes it silent.
  void setPrinter(Printer printer);
  /// Lowest severity printed; lower ones are still recorded.
  void setVerbosity(Severity least);

  void report(Diagnostic d);
  void error(const char* code, const SourceLoc& loc, std::string text, Impact impact = Impact::kPicture);
  void warning(const char* code, const SourceLoc& loc, std::string text);
  void info(const char* code, const SourceLoc& loc, std::string text);

  /// Prints "... repeated N times" for messages seen more than once. Call once at the end.
  void printRepeats();

  int count(Severity s) const;
  bool has(Impact i) const;
  bool hasCode(const std::string& code) const;
  /// Distinct diagnostics in the order first seen.
  std::vector<Diagnostic> all() const;

  /// `file:line:column: Error: text [code]`.
  static std::string format(const Diagnostic& d);

 private:
  struct Entry {
    Diagnostic d;
    int64_t count = 0;
    bool printed = false;
  };
  mutable std::mutex mutex_;
  Printer printer_;
  Severity least_ = Severity::kInfo;
  std::vector<Entry> entries_;
  std::map<std::string, size_t> index_;
};

}  // namespace reyes
