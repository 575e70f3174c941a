// SPDX-License-Identifier: Apache-2.0
// RIB bytes to tokens, ASCII and binary encoding alike, with their places. Keeps one bounded buffer; faults of the
// bytes themselves are reported here. The parser calls it; arrays of numbers are read in bulk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/parallel.h"
#include "reyes/rib/byte_source.h"
#include "reyes/rib/number.h"

namespace reyes::rib {

/// kBad: a fault that is already reported. kNone: no token (a definition), never leaves the lexer.
enum class TokenKind { kEnd, kNumber, kString, kOpen, kClose, kWord, kComment, kStructure, kBad, kNone };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Number number;
  std::string text;  ///< of strings, words (request names) and comments
  SourceLoc loc;
};

class Lexer {
 public:
  /// With `parallel`, long arrays are read by its threads; `in` must not keep anybody waiting then.
  Lexer(std::istream& in, Name file, Diagnostics& diag, bool stopAtMarker, Parallel* parallel = nullptr);

  /// The next token; kEnd for ever at the end.
  void next(Token& token);
  /// The number that follows, without a token; false, and nothing read, where what follows is no number, or an unusual
  /// one.
  bool readFloat(float& out);
  /// Appends the numbers that follow, up to whatever is no number. For the inside of arrays.
  void readFloats(std::vector<float>& out);
  /// As readFloats for whole numbers below 2^31; stops in front of a number with a point, too.
  void readInts(std::vector<int32_t>& out);

  /// The bytes could not be understood (truncated gzip, open string, garbage).
  bool failed() const { return failed_ || source_.failed(); }
  int line() const { return line_; }
  SourceLoc here() const { return {file_, line_, static_cast<int>(base_ + (p_ - buffer_.get()) - lineOffset_) + 1}; }

 private:
  void lexOne(Token& token);
  bool ensure(size_t bytes);
  bool mayEnd() const;
  void lookAhead();
  void newLine(char c);
  bool skipWhite();
  void lexNumber(Token& token);
  void lexWord(Token& token);
  void lexBadWord(Token& token, const char* what);
  void lexString(Token& token);
  void lexEscape(std::string& text);
  void lexComment(Token& token);
  void lexBinary(Token& token);
  void lexFixedPoint(Token& token, int code);
  void lexReal(Token& token, int bytes);
  void lexBadBytes(Token& token);
  bool readBytes(size_t count, std::string* out);
  bool readUnsigned(size_t bytes, uint64_t& out);
  bool encodedString(std::string& out);
  bool defineRequest();
  bool defineString(size_t bytes);
  void nextArrayFloat(Token& token);
  void bulkArrayFloats(std::vector<float>& out);
  const char* afterNumber(const char* end) const;
  const char* parseFloat(const char* p, float& out) const;
  const char* parseLongFloat(const char* p, float& out) const;
  /// Numbers of a piece of the text at hand.
  struct NumberRun {
    std::vector<float> values;
    const char* stopped = nullptr;  ///< the first byte that is not read
    int lines = 0;                  ///< ended in it
    const char* line = nullptr;     ///< the last one's end
  };
  /// Those from `from` on that begin before `to`, or up to what is no number, or an unusual one.
  void readRun(const char* from, const char* to, NumberRun& run) const;
  bool readRuns(std::vector<float>& out);
  void fail(const char* code, const SourceLoc& loc, std::string text);
  void truncated();
  void warnRange(const SourceLoc& loc);

  Name file_;
  Diagnostics& diag_;
  ByteSource source_;
  bool stopAtMarker_;
  static constexpr size_t kBlock = size_t{512} * 1024;
  Parallel* parallel_;  ///< null: everything is read here
  size_t capacity_;
  std::unique_ptr<char[]> buffer_;  ///< longer than its contents: a zero ends them
  std::vector<NumberRun> runs_;
  const char* p_ = nullptr;    ///< next byte
  const char* end_ = nullptr;  ///< past the last byte; *end_ is 0
  int64_t base_ = 0;           ///< stream offset of buffer_[0]
  int64_t lineOffset_ = 0;     ///< stream offset of the first byte of the line
  int line_ = 1;
  bool atEnd_ = false, failed_ = false;
  uint64_t arrayFloats_ = 0;  ///< still to come of a binary float array
  bool inArray_ = false;      ///< its closing bracket is still to come
  int badTokens_ = 0;
  std::unordered_map<int, std::string> requests_, strings_;
};

}  // namespace reyes::rib
