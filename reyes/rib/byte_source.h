// SPDX-License-Identifier: Apache-2.0
// The bytes of a RIB stream with gzip members undone as they come, in any number and between plain text. Bounded:
// one input buffer, never the file. The lexer is the only caller.
#pragma once

#include <istream>
#include <memory>
#include <span>
#include <vector>

#include "reyes/base/diag.h"

namespace reyes::rib {

class ByteSource {
 public:
  ByteSource(std::istream& in, Name file, Diagnostics& diag);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `size` bytes; 0 at the end (or where failed()). Returns what there is rather than waiting for more.
  size_t read(char* to, size_t size);
  /// Takes back plain bytes that were read and looks for a gzip header in front of them. False inside a gzip member.
  bool restartAt(std::span<const char> bytes);
  /// A truncated or corrupt gzip member was met and reported.
  bool failed() const { return failed_; }

 private:
  enum class Mode { kDetect, kPlain, kGzip, kEnd };
  struct Inflater;

  bool fill();
  size_t readRaw(char* to, size_t size);
  void detect();
  size_t inflateSome(char* to, size_t size);
  void fail(const char* code, const char* text, Impact impact = Impact::kInput);

  std::istream& in_;
  Name file_;
  Diagnostics& diag_;
  Mode mode_ = Mode::kDetect;
  bool failed_ = false, ended_ = false;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  ///< unread bytes of buffer_
  std::unique_ptr<Inflater> inflater_;
};

}  // namespace reyes::rib
