// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/lexer.h"

#include <charconv>
#include <limits>

namespace reyes::sl {
namespace {

bool isIdentStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(const SourceText& source, Diagnostics& diag) : source_(source), text_(source.text), diag_(diag) {}

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 4 + 16);
    while (pos_ < text_.size()) step();
    emit(Tok::kEnd, pos_);
    return std::move(tokens_);
  }

 private:
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  SourceLoc locOf(size_t offset) {
    while (line_ + 1 < source_.lineStarts.size() && source_.lineStarts[line_ + 1] <= offset) ++line_;
    return {source_.file, static_cast<int>(line_) + 1, static_cast<int>(offset - source_.lineStarts[line_]) + 1};
  }

  void emit(Tok kind, size_t begin) {
    Token t;
    t.kind = kind;
    t.spaceBefore = space_;
    t.lineStart = lineStart_;
    t.text = std::string_view(text_).substr(begin, pos_ - begin);
    t.loc = locOf(begin);
    tokens_.push_back(t);
    space_ = false;
    lineStart_ = kind == Tok::kNewline;
  }

  void step() {
    const size_t begin = pos_;
    const char c = text_[pos_];
    if (c == '\n') {
      ++pos_;
      emit(Tok::kNewline, begin);
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
      ++pos_;
      space_ = true;
    } else if (c == '/' && at(pos_ + 1) == '/') {
      while (text_[pos_] != '\n') ++pos_;
      space_ = true;
    } else if (c == '/' && at(pos_ + 1) == '*') {
      blockComment();
    } else if (isIdentStart(c)) {
      while (isIdentStart(at(pos_)) || isDigit(at(pos_))) ++pos_;
      emit(Tok::kIdent, begin);
    } else if (isDigit(c) || (c == '.' && isDigit(at(pos_ + 1)))) {
      number();
    } else if (c == '"') {
      string();
    } else {
      punctuation();
    }
  }

  void blockComment() {
    const size_t begin = pos_;
    const size_t end = text_.find("*/", pos_ + 2);
    space_ = true;
    if (end == std::string::npos) {
      diag_.error("sl-open-comment", locOf(begin), "this comment is never closed", Impact::kInput);
      pos_ = text_.size();
      tokens_.push_back({Tok::kNewline, false, false, false, "\n", locOf(begin)});
    } else {
      pos_ = end + 2;
    }
  }

  void number() {
    const size_t begin = pos_;
    while (isDigit(at(pos_))) ++pos_;
    if (at(pos_) == '.') {
      ++pos_;
      while (isDigit(at(pos_))) ++pos_;
    }
    const char e = at(pos_);
    if (e == 'e' || e == 'E') {
      const size_t digits = pos_ + (at(pos_ + 1) == '+' || at(pos_ + 1) == '-' ? 2 : 1);
      if (isDigit(at(digits))) {
        pos_ = digits;
        while (isDigit(at(pos_))) ++pos_;
      }
    }
    // A letter that follows at once belongs to the number (a macro paste, or a C suffix): decodeNumber judges it.
    while (isIdentStart(at(pos_)) || isDigit(at(pos_))) ++pos_;
    emit(Tok::kNumber, begin);
  }

  void string() {
    const size_t begin = pos_++;
    while (at(pos_) != '"' && at(pos_) != '\n' && pos_ < text_.size())
      pos_ += at(pos_) == '\\' && at(pos_ + 1) != '\n' ? 2 : 1;
    if (pos_ > text_.size()) pos_ = text_.size();
    const bool closed = at(pos_) == '"';
    if (closed) ++pos_;
    emit(closed ? Tok::kString : Tok::kBad, begin);
  }

  void punctuation() {
    static constexpr std::string_view kTwo[] = {
        "+=", "-=", "*=", "/=", "^=", "==", "!=", "<=", ">=", "&&", "||", "##", "->", "::", "++", "--", "<<", ">>"};
    static constexpr std::string_view kOne = "+-*/^=!<>&|#.,;:?()[]{}%~\\";
    const size_t begin = pos_;
    for (const auto two : kTwo)
      if (std::string_view(text_).substr(pos_, 2) == two) {
        pos_ += 2;
        emit(Tok::kPunct, begin);
        return;
      }
    if (kOne.find(text_[pos_]) != std::string_view::npos) {
      ++pos_;
      emit(Tok::kPunct, begin);
      return;
    }
    // A run of characters outside the language is one token, so that it is one message.
    const auto odd = [&](char c) {
      return c != '\n' && c != ' ' && c != '\t' && c != '"' && !isIdentStart(c) && !isDigit(c) &&
             kOne.find(c) == std::string_view::npos;
    };
    while (pos_ < text_.size() && odd(text_[pos_])) ++pos_;
    emit(Tok::kBad, begin);
  }

  const SourceText& source_;
  const std::string& text_;
  Diagnostics& diag_;
  std::vector<Token> tokens_;
  size_t pos_ = 0, line_ = 0;
  bool space_ = false, lineStart_ = true;
};

}  // namespace

std::vector<Token> lexSource(const SourceText& source, Diagnostics& diag) { return Lexer(source, diag).run(); }

std::string decodeString(std::string_view quoted) {
  std::string out;
  if (quoted.size() < 2) return out;
  quoted = quoted.substr(1, quoted.size() - 2);
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\' || i + 1 >= quoted.size()) {
      out.push_back(quoted[i]);
      continue;
    }
    const char c = quoted[++i];
    if (c >= '0' && c <= '7') {
      int code = 0;
      for (int n = 0; n < 3 && i < quoted.size() && quoted[i] >= '0' && quoted[i] <= '7'; ++n)
        code = code * 8 + quoted[i++] - '0';
      --i;
      if ((code & 0xff) != 0) out.push_back(static_cast<char>(code & 0xff));
      continue;
    }
    switch (c) {
      case 'n':
        out.push_back('\n');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case '"':
        out.push_back('"');
        break;
      case '\\':
        out.push_back('\\');
        break;
      default:
        out.push_back('\\'), out.push_back(c);
        break;
    }
  }
  return out;
}

bool decodeNumber(std::string_view text, float& value) {
  value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  if (r.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value alone: a negative exponent means too small, anything else too large.
    const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
    value = tiny ? 0.0f : std::numeric_limits<float>::infinity();
  }
  const std::string_view rest(r.ptr, static_cast<size_t>(text.data() + text.size() - r.ptr));
  return rest.empty() || rest == "f" || rest == "F";
}

}  // namespace reyes::sl
