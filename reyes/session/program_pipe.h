// SPDX-License-Identifier: Apache-2.0
// The program of a RunProgram procedural: started once, asked through its standard input, a line a request, and read
// through its standard output up to the byte 0xff. Called by deferred.cpp.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace reyes::session {

/// When a program is given up.
struct ProgramLimits {
  double seconds = 300;             ///< of silence; a whole answer may take ten times as long
  double megabytes = 1024;          ///< of an answer
  int errors = 100;                 ///< in what it sends: it is no RIB
  std::function<bool()> stop;       ///< the user wants to end; may be empty
  std::function<int()> errorCount;  ///< errors reported so far
};

class ProgramPipe {
 public:
  /// `command`: a program and its arguments, split at blanks; `program` is the file that its first word means.
  ProgramPipe(const std::string& command, const std::string& program);
  /// Closes its input, waits for it a moment, then ends it.
  ~ProgramPipe();
  ProgramPipe(const ProgramPipe&) = delete;
  ProgramPipe& operator=(const ProgramPipe&) = delete;

  /// Sends one line and lets `read` take the answer. Error text or "": the program could not be started, went beyond a
  /// limit, or ended before the answer did. After an error every further request fails at once.
  std::string request(const std::string& line, const ProgramLimits& limits,
                      const std::function<void(std::istream&)>& read);

 private:
  class Buffer;
  std::string start();
  /// How it ended, in words; waits a moment for it.
  std::string ending();

  std::vector<std::string> words_;
  std::string program_, failed_;
  int pid_ = -1, toProgram_ = -1, fromProgram_ = -1;
};

}  // namespace reyes::session
