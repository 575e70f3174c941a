// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/expression.h"

#include <cctype>
#include <charconv>

#include "reyes/base/format.h"
#include "reyes/vm/pattern.h"

namespace reyes::session {
namespace {
using Value = ExpressionValue;
constexpr int kMaxDepth = 200;

bool truth(const Value& v) {
  if (const double* d = std::get_if<double>(&v)) return *d != 0;
  const std::string& s = std::get<std::string>(v);
  return !s.empty() && s != "0";
}

double number(const Value& v) {
  if (const double* d = std::get_if<double>(&v)) return *d;
  const std::string& s = std::get<std::string>(v);
  double d = 0;
  std::from_chars(s.data(), s.data() + s.size(), d);
  return d;
}

std::string text(const Value& v) {
  if (const double* d = std::get_if<double>(&v)) return format("{}", *d);
  return std::get<std::string>(v);
}

/// -1, 0, 1: as numbers where either side is one, else as text.
int compare(const Value& a, const Value& b) {
  if (std::holds_alternative<double>(a) || std::holds_alternative<double>(b)) {
    const double x = number(a), y = number(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const int c = std::get<std::string>(a).compare(std::get<std::string>(b));
  return c < 0 ? -1 : c > 0 ? 1 : 0;
}

class Parser {
 public:
  Parser(const std::string& text, const VariableLookup& lookup, char mark) : s_(text), lookup_(lookup), mark_(mark) {}

  ExpressionResult run() {
    const Value v = orOr();
    space();
    if (error_.empty() && i_ < s_.size()) fail(format("unexpected '{}'", s_.substr(i_)));
    return {error_.empty() && truth(v), error_};
  }

 private:
  void space() {
    while (i_ < s_.size() && std::isspace(static_cast<unsigned char>(s_[i_]))) ++i_;
  }
  bool take(const char* token) {
    space();
    const std::string_view t(token);
    if (s_.compare(i_, t.size(), t) != 0) return false;
    i_ += t.size();
    return true;
  }
  Value fail(std::string text) {
    if (error_.empty()) error_ = std::move(text);
    i_ = s_.size();
    return 0.0;
  }

  Value orOr() {
    Value v = andAnd();
    while (take("||")) {
      const bool right = truth(andAnd());
      v = truth(v) || right ? 1.0 : 0.0;
    }
    return v;
  }
  Value andAnd() {
    Value v = comparison();
    while (take("&&")) {
      const bool right = truth(comparison());
      v = truth(v) && right ? 1.0 : 0.0;
    }
    return v;
  }
  Value comparison() {
    Value v = sum();
    for (;;) {
      if (take("=="))
        v = compare(v, sum()) == 0 ? 1.0 : 0.0;
      else if (take("!="))
        v = compare(v, sum()) != 0 ? 1.0 : 0.0;
      else if (take("=~"))
        v = matches(v, sum());
      else if (take("<="))
        v = compare(v, sum()) <= 0 ? 1.0 : 0.0;
      else if (take(">="))
        v = compare(v, sum()) >= 0 ? 1.0 : 0.0;
      else if (take("<"))
        v = compare(v, sum()) < 0 ? 1.0 : 0.0;
      else if (take(">"))
        v = compare(v, sum()) > 0 ? 1.0 : 0.0;
      else
        return v;
    }
  }
  Value matches(const Value& subject, const Value& pattern) {
    const char* fault = nullptr;
    const bool found = vm::matchPattern(text(pattern), text(subject), &fault);
    return fault ? fail(format("the pattern '{}': {}", text(pattern), fault)) : Value(found ? 1.0 : 0.0);
  }
  Value sum() {
    Value v = product();
    for (;;) {
      if (take("+"))
        v = number(v) + number(product());
      else if (take("-"))
        v = number(v) - number(product());
      else
        return v;
    }
  }
  Value product() {
    Value v = unary();
    for (;;) {
      if (take("*"))
        v = number(v) * number(unary());
      else if (take("/"))
        v = number(v) / number(unary());
      else
        return v;
    }
  }
  Value unary() {
    if (++depth_ > kMaxDepth) return fail("nested too deep");
    Value v = 0.0;
    space();
    if (s_.compare(i_, 2, "!=") != 0 && take("!"))
      v = truth(unary()) ? 0.0 : 1.0;
    else if (take("-"))
      v = -number(unary());
    else
      v = primary();
    --depth_;
    return v;
  }
  Value primary() {
    if (take("(")) {
      const Value v = orOr();
      return take(")") ? v : fail("a ')' is missing");
    }
    space();
    if (i_ >= s_.size()) return fail("it ends where a value belongs");
    const char c = s_[i_];
    if (c == '\'' || c == '"') return quoted(c);
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return literal();
    if (c == mark_) return ++i_, variable();
    const std::string word = name();
    if (word == "defined") return definedCall();
    return word.empty() ? fail(format("unexpected '{}'", c)) : Value(word);
  }
  Value quoted(char quote) {
    const size_t end = s_.find(quote, i_ + 1);
    if (end == std::string::npos) return fail("a string is not closed");
    Value v = s_.substr(i_ + 1, end - i_ - 1);
    i_ = end + 1;
    return v;
  }
  Value literal() {
    double d = 0;
    const auto [end, error] = std::from_chars(s_.data() + i_, s_.data() + s_.size(), d);
    if (error != std::errc()) return fail("a number cannot be read");
    i_ = static_cast<size_t>(end - s_.data());
    return d;
  }
  Value variable() {
    const bool braces = i_ < s_.size() && s_[i_] == '{';
    if (braces) ++i_;
    const std::string word = name();
    if (braces && !take("}")) return fail("a '}' is missing");
    if (word.empty()) return fail("a variable has no name");
    return lookup_(word).value_or(Value(std::string()));
  }
  Value definedCall() {
    const bool brackets = take("(");
    space();
    if (i_ < s_.size() && s_[i_] == mark_) ++i_;
    const std::string word = name();
    if (word.empty()) return fail("defined() has no name");
    if (brackets && !take(")")) return fail("a ')' is missing");
    return lookup_(word) ? 1.0 : 0.0;
  }
  std::string name() {
    const size_t start = i_;
    while (i_ < s_.size() &&
           (std::isalnum(static_cast<unsigned char>(s_[i_])) || s_[i_] == '_' || s_[i_] == ':' || s_[i_] == '.'))
      ++i_;
    return s_.substr(start, i_ - start);
  }

  const std::string& s_;
  const VariableLookup& lookup_;
  char mark_;
  size_t i_ = 0;
  int depth_ = 0;
  std::string error_;
};
}  // namespace

ExpressionResult evaluateCondition(const std::string& text, const VariableLookup& lookup, char mark) {
  return Parser(text, lookup, mark).run();
}

}  // namespace reyes::session
