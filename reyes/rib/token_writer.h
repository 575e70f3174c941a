// SPDX-License-Identifier: Apache-2.0
// RIB tokens to bytes: ASCII or binary encoding, gzip or not. The writer's lower half.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <unordered_map>

#include "reyes/rib/writer.h"

namespace reyes::rib {

class TokenWriter {
 public:
  TokenWriter(std::ostream& out, const WriterOptions& options);
  /// Writes what is left.
  ~TokenWriter();
  TokenWriter(const TokenWriter&) = delete;
  TokenWriter& operator=(const TokenWriter&) = delete;

  void beginRequest(const std::string& name, int indent);
  void endRequest();
  /// A line beginning with `mark` ("#" or "##"); `text` has no line end.
  void comment(const char* mark, const std::string& text);

  void number(float value);
  void integer(int value);
  void string(const std::string& text);
  void floats(std::span<const float> values);
  /// As floats, but so that a reader that has no type for them does not take them for integers.
  void untypedFloats(std::span<const float> values);
  void integers(std::span<const int> values);
  void strings(std::span<const std::string> values);
  /// ASCII only: the next token goes to a new line.
  void breakLine(int indent);

 private:
  struct Deflater;
  void separate();
  void open();
  void close();
  void flush(bool end);
  void asciiFloat(float value, bool point);
  void asciiString(const std::string& text);
  void binaryString(const std::string& text);
  void bigEndian(uint32_t value, int bytes);
  bool ascii() const { return options_.encoding == Encoding::kAscii; }

  std::ostream& out_;
  WriterOptions options_;
  std::string buffer_;
  size_t lineStart_ = 0;  ///< in buffer_, for breaking long lines
  bool spaced_ = true;    ///< no blank is needed before the next token
  std::unordered_map<std::string, int> requestCodes_, stringCodes_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace reyes::rib
