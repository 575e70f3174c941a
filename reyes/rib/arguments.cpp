// SPDX-License-Identifier: Apache-2.0
// Scalars and arrays of a request; arguments_params.cpp reads parameter lists.
#include "reyes/rib/arguments.h"

#include <cmath>

#include "reyes/base/format.h"
#include "reyes/rib/request_table.h"

namespace reyes::rib {
namespace {
/// A whole number that fits an int, from a number token.
bool wholeNumber(const Number& number, int& out) {
  if (number.isInteger) {
    out = number.integer;
    return true;
  }
  if (number.value != std::floor(number.value) || std::abs(number.value) >= 2147483648.0f) return false;
  out = static_cast<int>(number.value);
  return true;
}
}  // namespace

const Token& Arguments::peek() {
  if (peeked_) return token_;
  for (;;) {
    lexer_.next(token_);
    if (token_.kind != TokenKind::kComment && token_.kind != TokenKind::kStructure) break;
    comments_.push_back({token_.kind == TokenKind::kStructure, std::move(token_.text), token_.loc});
  }
  peeked_ = true;
  return token_;
}

Token Arguments::take() {
  peek();
  peeked_ = false;
  lastLine_ = token_.loc.line;
  return std::move(token_);
}

void Arguments::begin(const char* request, const SourceLoc& loc) {
  request_ = request;
  loc_ = loc;
  lastLine_ = loc.line;
  bracket_ = false;
}

bool Arguments::fail(const char* code, std::string text) {
  diag_.error(code, loc_, std::move(text));
  return false;
}

/// The next token is not what the request needs.
bool Arguments::missing(const char* what) {
  const Token& t = peek();
  if (t.kind == TokenKind::kBad || (t.kind == TokenKind::kEnd && lexer_.failed())) return false;  // already reported
  const bool word = t.kind == TokenKind::kWord && !findRequest(t.text);
  if (word && t.loc.line == lastLine_) {
    diag_.error("rib-bad-argument", t.loc,
                format("{}: the word {} where {} belongs", request_, t.text.substr(0, 80), what));
    drop();
    return false;
  }
  if (t.kind == TokenKind::kWord || t.kind == TokenKind::kEnd)
    return fail("rib-missing-argument", format("{} needs {} more", request_, what));
  const char* found = t.kind == TokenKind::kNumber   ? "a number"
                      : t.kind == TokenKind::kString ? "a string"
                      : t.kind == TokenKind::kOpen   ? "["
                                                     : "]";
  diag_.error("rib-bad-argument", t.loc, format("{}: {} where {} belongs", request_, found, what));
  return false;
}

/// The next token for a scalar; a bracket round scalars is passed.
const Token& Arguments::scalar() {
  if (!bracket_ && nextIs(TokenKind::kOpen)) {
    drop();
    bracket_ = true;
  }
  return peek();
}

void Arguments::closeScalar() {
  lastLine_ = token_.loc.line;
  drop();
  if (bracket_ && nextIs(TokenKind::kClose)) {
    drop();
    bracket_ = false;
  }
}

bool Arguments::read(float& out) {
  if (!peeked_ && !bracket_ && lexer_.readFloat(out)) {
    lastLine_ = lexer_.line();
    return true;
  }
  const Token& t = scalar();
  if (t.kind != TokenKind::kNumber) return missing("a number");
  out = t.number.value;
  closeScalar();
  return true;
}

bool Arguments::read(int& out) {
  const Token& t = scalar();
  if (t.kind != TokenKind::kNumber) return missing("a whole number");
  if (!wholeNumber(t.number, out)) {
    diag_.error("rib-bad-argument", t.loc, format("{}: {} is no whole number", request_, t.number.value));
    return false;
  }
  closeScalar();
  return true;
}

bool Arguments::read(bool& out) {
  int number = 0;
  if (!read(number)) return false;
  out = number != 0;
  return true;
}

bool Arguments::read(std::string& out) {
  if (scalar().kind != TokenKind::kString) return missing("a string");
  out = std::move(token_.text);
  closeScalar();
  return true;
}

bool Arguments::read(Handle& out) {
  if (scalar().kind == TokenKind::kString) {
    std::string text;
    if (!read(text)) return false;
    out = std::move(text);
    return true;
  }
  int number = 0;
  if (token_.kind != TokenKind::kNumber) return missing("a handle (a number or a string)");
  if (!read(number)) return false;
  out = number;
  return true;
}

bool Arguments::read(Matrix4& out) {
  for (auto& row : out.m)
    for (float& value : row)
      if (!read(value)) return false;
  return true;
}

bool Arguments::read(BasisArg& out) {
  if (scalar().kind == TokenKind::kString) return read(out.name);
  return read(out.matrix);
}

/// The inside of an array, its '[' taken, up to and with its ']'. Whole numbers go to `ints` as well while all are
/// whole; where one is not, `ints` is emptied. Null `strings`: none allowed.
bool Arguments::readArrayBody(std::vector<float>& floats, std::vector<int>* ints, std::vector<std::string>* strings) {
  bool whole = ints != nullptr;
  for (;;) {
    if (whole) {
      const size_t before = ints->size();
      lexer_.readInts(*ints);
      floats.insert(floats.end(), ints->begin() + static_cast<std::ptrdiff_t>(before), ints->end());
    } else if (!strings || strings->empty()) {
      lexer_.readFloats(floats);
    }
    const Token& t = peek();
    if (t.kind == TokenKind::kClose) break;
    if (t.kind == TokenKind::kNumber && (!strings || strings->empty())) {
      floats.push_back(t.number.value);
      if (whole && t.number.isInteger) ints->push_back(t.number.integer);
      if (!t.number.isInteger) whole = false;
    } else if (t.kind == TokenKind::kString && strings && floats.empty()) {
      strings->push_back(std::move(token_.text));
    } else if (t.kind == TokenKind::kWord && findRequest(t.text)) {
      return fail("rib-bad-array", format("{}: an array is not closed", request_));
    } else {
      return missing(strings ? "a number, a string or ]" : "a number or ]");
    }
    lastLine_ = token_.loc.line;
    drop();
  }
  if (ints && !whole) ints->clear();
  lastLine_ = token_.loc.line;
  drop();
  return true;
}

bool Arguments::read(std::vector<float>& out) {
  if (nextIs(TokenKind::kOpen)) {
    drop();
    return readArrayBody(out, nullptr, nullptr);
  }
  if (!nextIs(TokenKind::kNumber)) return missing("an array of numbers");
  while (nextIs(TokenKind::kNumber)) {
    out.push_back(token_.number.value);
    drop();
  }
  return true;
}

bool Arguments::toInts(const std::vector<float>& floats, std::vector<int>& out) {
  for (const float value : floats) {
    int whole = 0;
    if (!wholeNumber({value, 0, false, false}, whole))
      return fail("rib-bad-argument", format("{}: {} in an array of whole numbers", request_, value));
    out.push_back(whole);
  }
  return true;
}

bool Arguments::read(std::vector<int>& out) {
  const bool bracketed = nextIs(TokenKind::kOpen);
  if (!bracketed && !nextIs(TokenKind::kNumber)) return missing("an array of whole numbers");
  if (bracketed) drop();
  for (;;) {
    if (bracketed && !peeked_) lexer_.readInts(out);
    const Token& t = peek();
    if (bracketed && t.kind == TokenKind::kClose) break;
    int whole = 0;
    if (t.kind != TokenKind::kNumber) {
      if (!bracketed) return true;
      if (t.kind == TokenKind::kWord && findRequest(t.text))
        return fail("rib-bad-array", format("{}: an array is not closed", request_));
      return missing("a whole number or ]");
    }
    if (!wholeNumber(t.number, whole)) {
      diag_.error("rib-bad-argument", t.loc, format("{}: {} in an array of whole numbers", request_, t.number.value));
      return false;
    }
    out.push_back(whole);
    drop();
  }
  drop();
  return true;
}

bool Arguments::read(std::vector<std::string>& out) {
  if (nextIs(TokenKind::kString)) {
    out.push_back(std::move(token_.text));
    drop();
    return true;
  }
  if (!nextIs(TokenKind::kOpen)) return missing("an array of strings");
  drop();
  std::vector<float> numbers;
  if (!readArrayBody(numbers, nullptr, &out)) return false;
  if (!numbers.empty()) return fail("rib-bad-argument", format("{}: numbers in an array of strings", request_));
  return true;
}

bool Arguments::finish() {
  const Token& t = peek();
  if (t.kind == TokenKind::kEnd && lexer_.failed()) return false;
  if (t.kind == TokenKind::kBad) return false;
  if (bracket_ && (t.kind == TokenKind::kEnd || t.kind == TokenKind::kWord))
    return fail("rib-bad-array", format("{}: an array is not closed", request_));
  if (t.kind == TokenKind::kEnd || t.kind == TokenKind::kWord) return true;
  diag_.warning("rib-extra-arguments", t.loc, format("{}: more arguments than it takes; they are ignored", request_));
  skipToRequest();
  return true;
}

void Arguments::skipToRequest() {
  int depth = 0;
  for (;;) {
    const Token& t = peek();
    if (t.kind == TokenKind::kEnd) return;
    if (t.kind == TokenKind::kOpen) ++depth;
    if (t.kind == TokenKind::kClose) --depth;
    if (t.kind == TokenKind::kWord) {
      // A word that is no request belongs to what is skipped, unless it begins a line outside brackets.
      const bool fresh = t.loc.line != lastLine_ && depth <= 0;
      if (fresh || findRequest(t.text)) return;
    }
    lastLine_ = t.loc.line;
    drop();
  }
}

}  // namespace reyes::rib
