// SPDX-License-Identifier: Apache-2.0
// The expression of #if and #elif: C operators over numbers, by precedence climbing with a nesting limit.
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/sl/lexer.h"
#include "reyes/sl/preprocessor.h"

namespace reyes::sl {
namespace {

constexpr int kMaxDepth = 200;

int precedence(std::string_view op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "|") return 3;
  if (op == "^") return 4;
  if (op == "&") return 5;
  if (op == "==" || op == "!=") return 6;
  if (op == "<" || op == ">" || op == "<=" || op == ">=") return 7;
  if (op == "<<" || op == ">>") return 8;
  if (op == "+" || op == "-") return 9;
  if (op == "*" || op == "/" || op == "%") return 10;
  return 0;
}

int64_t whole(double d) { return std::abs(d) < 9e15 ? static_cast<int64_t>(d) : 0; }

class Condition {
 public:
  explicit Condition(const std::vector<Token>& tokens) : tokens_(tokens) {}

  bool run(double& value) {
    value = ternary();
    return ok_ && next_ == tokens_.size();
  }

 private:
  bool accept(std::string_view s) {
    if (next_ >= tokens_.size() || !tokens_[next_].is(s)) return false;
    ++next_;
    return true;
  }

  double ternary() {
    if (++depth_ > kMaxDepth) ok_ = false;
    double v = ok_ ? binary(1) : 0;
    if (ok_ && accept("?")) {
      const double a = ternary();
      if (!accept(":")) ok_ = false;
      const double b = ok_ ? ternary() : 0;
      v = v != 0 ? a : b;
    }
    --depth_;
    return v;
  }

  double binary(int least) {
    double left = unary();
    while (ok_ && next_ < tokens_.size()) {
      const std::string_view op = tokens_[next_].text;
      const int p = tokens_[next_].kind == Tok::kPunct ? precedence(op) : 0;
      if (p < least || p == 0) break;
      ++next_;
      left = apply(op, left, binary(p + 1));
    }
    return left;
  }

  double apply(std::string_view op, double a, double b) {
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return b != 0 ? a / b : 0;
    const int64_t x = whole(a), y = whole(b);
    if (op == "%") return y != 0 ? static_cast<double>(x % y) : 0;
    if (op == "|") return static_cast<double>(x | y);
    if (op == "&") return static_cast<double>(x & y);
    if (op == "^") return static_cast<double>(x ^ y);
    const int shift = y >= 0 && y < 52 ? static_cast<int>(y) : 0;
    return op == "<<" ? std::ldexp(static_cast<double>(x), shift) : static_cast<double>(x >> shift);
  }

  double unary() {
    // Prefix operators are counted, not nested, so that a long run of them costs no stack.
    std::string ops;
    while (next_ < tokens_.size() && tokens_[next_].kind == Tok::kPunct && tokens_[next_].text.size() == 1 &&
           std::string_view("!-+~").find(tokens_[next_].text[0]) != std::string_view::npos)
      ops += tokens_[next_++].text[0];
    double v = primary();
    for (size_t i = ops.size(); i-- > 0;) {
      if (ops[i] == '!') v = v == 0;
      if (ops[i] == '-') v = -v;
      if (ops[i] == '~') v = static_cast<double>(~whole(v));
    }
    return v;
  }

  double primary() {
    if (next_ >= tokens_.size()) {
      ok_ = false;
      return 0;
    }
    if (accept("(")) {
      const double v = ternary();
      if (!accept(")")) ok_ = false;
      return v;
    }
    const Token& t = tokens_[next_++];
    if (t.kind == Tok::kIdent) return 0;
    float f = 0;
    if (t.kind != Tok::kNumber || !(decodeNumber(t.text, f) || t.text.find_first_of("lLuU") != std::string_view::npos))
      ok_ = false;
    return static_cast<double>(f);
  }

  const std::vector<Token>& tokens_;
  size_t next_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace

bool evaluateCondition(const std::vector<Token>& tokens, const SourceLoc& loc, Diagnostics& diag, double& value) {
  value = 0;
  if (Condition(tokens).run(value)) return true;
  diag.error("sl-condition", loc, "this #if expression cannot be read", Impact::kInput);
  return false;
}

}  // namespace reyes::sl
