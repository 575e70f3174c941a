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

class ProgramPipe {
 public:
  /// `command`: a program and its arguments, split at blanks; `program` is the file that its first word means.
  ProgramPipe(const std::string& command, const std::string& program);
  /// Closes its input, waits for it a moment, then ends it.
  ~ProgramPipe();
  ProgramPipe(const ProgramPipe&) = delete;
  ProgramPipe& operator=(const ProgramPipe&) = delete;

  /// Sends one line and lets `read` take the answer. Error text or "": the program could not be started, fell silent
  /// for `seconds`, or ended before the answer did. After an error every further request fails at once.
  std::string request(const std::string& line, double seconds, const std::function<bool()>& stop,
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
