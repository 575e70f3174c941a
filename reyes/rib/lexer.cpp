// SPDX-License-Identifier: Apache-2.0
// The ASCII side of the lexer, but for arrays (lexer_numbers.cpp); lexer_binary.cpp has the binary encoding.
#include "reyes/rib/lexer.h"

#include <algorithm>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/rib/lexer_chars.h"

namespace reyes::rib {
namespace {
constexpr size_t kCapacity = 64 * 1024;
constexpr size_t kMaxComment = 1 << 20;         ///< kept of one comment
constexpr size_t kMaxString = size_t{1} << 28;  ///< a longer string is one that was never closed
constexpr int kMaxBadTokens = 200;              ///< then the bytes are no RIB
}  // namespace

Lexer::Lexer(std::istream& in, Name file, Diagnostics& diag, bool stopAtMarker, Parallel* parallel)
    : file_(file),
      diag_(diag),
      source_(in, file, diag),
      stopAtMarker_(stopAtMarker),
      parallel_(parallel && parallel->threads() > 1 && !stopAtMarker ? parallel : nullptr),
      capacity_(parallel_ ? kBlock : kCapacity),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_ + 1 + kNumberPadding)) {
  p_ = end_ = buffer_.get();
  buffer_[0] = 0;
}

/// True where the last byte at hand may be the one that ends an answer: waiting for more could be for ever.
bool Lexer::mayEnd() const { return stopAtMarker_ && end_ > p_ && static_cast<unsigned char>(end_[-1]) == 0xff; }

/// As ensure(), content with fewer bytes where the last may be the end.
void Lexer::lookAhead() {
  for (size_t n = 0; !atEnd_ && n < kLookAhead && !mayEnd(); n = static_cast<size_t>(end_ - p_))
    ensure(static_cast<size_t>(end_ - p_) + 1);
}

/// Has at least `bytes` (up to the capacity) in the buffer, fewer only at the end of the stream. True where there are.
bool Lexer::ensure(size_t bytes) {
  if (static_cast<size_t>(end_ - p_) >= bytes) return true;
  if (atEnd_) return false;
  const auto rest = static_cast<size_t>(end_ - p_);
  base_ += p_ - buffer_.get();
  std::memmove(buffer_.get(), p_, rest);
  size_t filled = rest;
  while (filled < bytes) {
    const size_t n = source_.read(buffer_.get() + filled, capacity_ - filled);
    if (n == 0) {
      atEnd_ = true;
      break;
    }
    filled += n;
  }
  p_ = buffer_.get();
  end_ = p_ + filled;
  buffer_[filled] = 0;
  return filled >= bytes;
}

/// Counts the line end `c`, which p_ has passed; CR LF is one.
void Lexer::newLine(char c) {
  if (c == '\r') {
    ensure(1);
    if (*p_ == '\n' && p_ < end_) ++p_;
  }
  ++line_;
  lineOffset_ = base_ + (p_ - buffer_.get());
}

/// Passes white space. False at the end of the stream. Afterwards kLookAhead bytes are at hand if the stream has them.
bool Lexer::skipWhite() {
  for (;;) {
    const char c = *p_;
    if (isWhite(c)) {
      ++p_;
    } else if (c == '\n' || c == '\r') {
      ++p_;
      newLine(c);
    } else if (static_cast<size_t>(end_ - p_) < kLookAhead && !atEnd_ && !mayEnd()) {
      lookAhead();
    } else if (c != 0) {
      return true;
    } else if (p_ == end_) {
      return false;
    } else {
      ++p_;  // NUL padding
    }
  }
}

void Lexer::fail(const char* code, const SourceLoc& loc, std::string text) {
  diag_.error(code, loc, std::move(text), Impact::kInput);
  failed_ = true;
}

void Lexer::warnRange(const SourceLoc& loc) {
  diag_.warning("rib-number-range", loc, "a number beyond what a float can hold became the largest float");
}

void Lexer::next(Token& token) {
  do lexOne(token);
  while (token.kind == TokenKind::kNone);
}

void Lexer::lexOne(Token& token) {
  token.text.clear();
  if (inArray_) return nextArrayFloat(token);
  if (badTokens_ >= kMaxBadTokens) {
    if (!atEnd_ || p_ != end_) fail("rib-garbage", here(), "too many bytes that are no RIB: reading stops here");
    atEnd_ = true;
    p_ = end_;
  }
  const bool more = skipWhite();
  token.loc = here();
  token.kind = TokenKind::kEnd;
  if (!more) return;
  const char c = *p_;
  if (startsNumber(c)) return lexNumber(token);
  if (c == '"') return lexString(token);
  if (c == '#') return lexComment(token);
  if (c == '[' || c == ']') {
    ++p_;
    token.kind = c == '[' ? TokenKind::kOpen : TokenKind::kClose;
    return;
  }
  if (static_cast<unsigned char>(c) >= 0x80) return lexBinary(token);
  if (static_cast<unsigned char>(c) == 0x1f && end_ - p_ > 1 && static_cast<unsigned char>(p_[1]) == 0x8b) {
    // A gzip member after plain text.
    const std::string rest(p_, end_);
    if (source_.restartAt(rest)) {
      base_ += end_ - buffer_.get();
      p_ = end_ = buffer_.get();
      buffer_[0] = 0;
      atEnd_ = false;
      token.kind = TokenKind::kNone;
      return;
    }
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return lexBadBytes(token);
  lexWord(token);
}

/// The end of a number that ends at `end`, or null where the byte there cannot follow a number.
const char* Lexer::afterNumber(const char* end) const {
  if (!end || !isDelimiter(*end)) return nullptr;
  // "1.#IND", "1.#QNAN", "1.#INF": how some run-time libraries print what is no number.
  if (*end == '#' && (end[1] == 'I' || end[1] == 'Q' || end[1] == 'S')) return nullptr;
  return end;
}

void Lexer::lexNumber(Token& token) {
  // Have the whole of it in the buffer.
  size_t length = 0;
  for (;;) {
    while (p_ + length < end_ && !isDelimiter(p_[length])) ++length;
    if (p_ + length < end_ || atEnd_ || length >= kCapacity / 2) break;
    if (!ensure(length + kLookAhead) && p_ + length >= end_) break;
  }
  const bool whole = p_ + length < end_ || atEnd_;
  if (const char* end = whole ? afterNumber(parseNumber(p_, token.number)) : nullptr) {
    p_ = end;
    token.kind = TokenKind::kNumber;
    if (token.number.outOfRange) warnRange(token.loc);
    return;
  }
  const char second = p_[1];
  if ((*p_ == '-' || *p_ == '+') && !number_detail::isDigit(second) && second != '.') return lexWord(token);
  lexBadWord(token, "is no number");
}

void Lexer::lexBadWord(Token& token, const char* what) {
  lexWord(token);
  if (*p_ == '#' && (p_[1] == 'I' || p_[1] == 'Q' || p_[1] == 'S')) do
      token.text += *p_++;
    while (!isDelimiter(*p_));
  diag_.error("rib-bad-number", token.loc, format("\"{}\" {}", token.text.substr(0, 80), what));
  token.kind = TokenKind::kBad;
  ++badTokens_;
}

void Lexer::lexWord(Token& token) {
  token.kind = TokenKind::kWord;
  for (;;) {
    const char* start = p_;
    while (!isDelimiter(*p_)) ++p_;
    if (token.text.size() < kCapacity) token.text.append(start, p_);
    if (p_ < end_ || !ensure(1)) return;
  }
}

void Lexer::lexString(Token& token) {
  token.kind = TokenKind::kString;
  ++p_;
  for (;;) {
    const char* start = p_;
    while (*p_ != '"' && *p_ != '\\' && *p_ != '\n' && *p_ != '\r' && *p_ != 0) ++p_;
    token.text.append(start, p_);
    if (p_ == end_ && !ensure(1)) break;
    if (token.text.size() > kMaxString) break;
    const char c = *p_;
    if (c == '"') {
      ++p_;
      return;
    }
    if (c == '\\') {
      lexEscape(token.text);
    } else if (c == '\n' || c == '\r') {
      ++p_;
      newLine(c);
      token.text += '\n';
    } else if (c == 0 && p_ < end_) {
      token.text += *p_++;
    }
  }
  if (!source_.failed()) fail("rib-unterminated-string", token.loc, "the string that begins here has no closing quote");
  token.kind = TokenKind::kBad;
}

/// p_ is at a backslash inside a string.
void Lexer::lexEscape(std::string& text) {
  ensure(4);
  ++p_;
  if (p_ == end_) return;
  const char c = *p_++;
  switch (c) {
    case 'n':
      text += '\n';
      return;
    case 'r':
      text += '\r';
      return;
    case 't':
      text += '\t';
      return;
    case 'b':
      text += '\b';
      return;
    case 'f':
      text += '\f';
      return;
    case '\n':
    case '\r':
      newLine(c);
      return;  // a continued line
    default:
      break;
  }
  if (c < '0' || c > '7') {
    text += c;
    return;
  }
  int code = c - '0';
  for (int i = 0; i < 2 && *p_ >= '0' && *p_ <= '7'; ++i) code = code * 8 + (*p_++ - '0');
  text += static_cast<char>(code);
}

void Lexer::lexComment(Token& token) {
  token.kind = TokenKind::kComment;
  ++p_;
  ensure(1);
  if (*p_ == '#') {
    token.kind = TokenKind::kStructure;
    ++p_;
  }
  for (;;) {
    const char* start = p_;
    while (p_ < end_ && *p_ != '\n' && *p_ != '\r') ++p_;
    if (token.text.size() < kMaxComment) token.text.append(start, p_);
    if (p_ < end_ || !ensure(1)) return;
  }
}

void Lexer::lexBadBytes(Token& token) {
  token.kind = TokenKind::kBad;
  diag_.error("rib-bad-byte", token.loc,
              format("byte 0x{:02x} has no meaning in RIB", static_cast<unsigned char>(*p_)));
  ++badTokens_;
  // Pass the rest of the run, so that it is one fault.
  for (++p_; p_ < end_; ++p_) {
    const auto c = static_cast<unsigned char>(*p_);
    const bool bad = (c < 0x20 && !isDelimiter(*p_)) || c == 0x7f || (c >= 0xa7 && c <= 0xc7) || c >= 0xd1;
    const bool gzip = c == 0x1f && static_cast<unsigned char>(p_[1]) == 0x8b;
    if (!bad || gzip || (c == 0xff && stopAtMarker_)) return;
  }
}

}  // namespace reyes::rib
