// SPDX-License-Identifier: Apache-2.0
// The parser's expressions. Precedence, low to high, as the grammar of RI 3.2 has it:
//   = += -= *= /=   ?:   ||   &&   == !=   < <= > >=   + -   ^   / *   .   unary and casts
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/lexer.h"
#include "reyes/sl/parser_impl.h"

namespace reyes::sl {
namespace {

int precedence(const Token& t) {
  if (t.kind != Tok::kPunct) return 0;
  const std::string_view s = t.text;
  if (s == "||") return 1;
  if (s == "&&") return 2;
  if (s == "==" || s == "!=") return 3;
  if (s == "<" || s == "<=" || s == ">" || s == ">=") return 4;
  if (s == "+" || s == "-") return 5;
  if (s == "^") return 6;
  if (s == "*" || s == "/") return 7;
  if (s == ".") return 8;
  return 0;
}

bool isAssignment(const Token& t) {
  return t.kind == Tok::kPunct &&
         (t.text == "=" || t.text == "+=" || t.text == "-=" || t.text == "*=" || t.text == "/=" || t.text == "^=");
}

}  // namespace

Expr* Parser::finish(Expr* e) {
  for (const Expr* a : e->args) e->depth = std::max(e->depth, a->depth + 1);
  if (e->depth > kMaxTreeDepth) fail("sl-too-deep", e->loc, "this expression is too long: split it");
  return e;
}

Expr* Parser::expression() {
  const Nest nest(*this, peek().loc);
  return assignment();
}

Expr* Parser::assignment() {
  Expr* left = ternary();
  if (!isAssignment(peek())) return left;
  if (left->kind != ExprKind::kName && left->kind != ExprKind::kIndex)
    fail("sl-not-assignable", left->loc, "only a variable or an array element can be assigned to");
  const Token op = take();
  Expr* e = ast_.expr(ExprKind::kAssign, op.loc);
  e->name = op.text;
  const Nest nest(*this, op.loc);
  e->args = {left, assignment()};
  return finish(e);
}

Expr* Parser::ternary() {
  Expr* condition = binary(1);
  if (!peek().is("?")) return condition;
  const Nest nest(*this, peek().loc);
  Expr* e = ast_.expr(ExprKind::kTernary, take().loc);
  Expr* yes = assignment();
  expect(":", "in a ?: expression");
  e->args = {condition, yes, assignment()};
  return finish(e);
}

Expr* Parser::binary(int least) {
  Expr* left = unary();
  for (;;) {
    const int p = precedence(peek());
    if (p < least || p == 0) return left;
    const Token op = take();
    Expr* e = ast_.expr(ExprKind::kBinary, op.loc);
    e->name = op.text;
    e->args = {left, binary(p + 1)};
    left = finish(e);
  }
}

Expr* Parser::unary() {
  const Token& t = peek();
  if (t.is("-") || t.is("!") || t.is("+")) {
    const Nest nest(*this, t.loc);
    Expr* e = ast_.expr(ExprKind::kUnary, t.loc);
    e->name = take().text;
    e->args = {unary()};
    return finish(e);
  }
  // `color` where no operand of a cast can follow is a variable of that name (some imagers have such a parameter).
  static constexpr std::string_view kAfterName[] = {";", ")",  ",",  "*", "/",  "]",  "}", "==", "!=", "<",
                                                    ">", "<=", ">=", "=", "&&", "||", "?", ":",  "["};
  if (isTypeWord(t) && peek(1).kind == Tok::kPunct &&
      std::find(std::begin(kAfterName), std::end(kAfterName), peek(1).text) != std::end(kAfterName))
    return postfix();
  if (isTypeWord(t) || ((t.is("uniform") || t.is("varying")) && isTypeWord(peek(1)))) return castExpression();
  return postfix();
}

Expr* Parser::castExpression() {
  const Nest nest(*this, peek().loc);
  Expr* e = ast_.expr(ExprKind::kCast, peek().loc);
  VarDecl ignored;
  qualifiers(ignored);
  type(e->type);
  // A string after the type is the name of a space, unless a string is what is cast.
  if (peek().kind == Tok::kString && e->type != Type::kString) e->text = decodeString(take().text);
  e->args = {unary()};
  return finish(e);
}

Expr* Parser::postfix() {
  Expr* e = primary();
  for (;;) {
    if (peek().is("[")) {
      Expr* index = ast_.expr(ExprKind::kIndex, take().loc);
      Expr* at = expression();
      expect("]", "after an index");
      index->args = {e, at};
      e = finish(index);
    } else if (peek().is("->")) {
      fail("sl-not-implemented", peek().loc, "calls of methods (->) are not implemented");
    } else if (peek().is("++") || peek().is("--")) {
      fail("sl-syntax", peek().loc, format("the shading language has no '{}': write += 1 or -= 1", peek().text));
    } else {
      return e;
    }
  }
}

Expr* Parser::primary() {
  const Token& t = peek();
  if (t.kind == Tok::kNumber) {
    Expr* e = ast_.expr(ExprKind::kNumber, t.loc);
    if (!decodeNumber(take().text, e->number))
      fail("sl-bad-number", t.loc, format("'{}' is not a number", t.text.substr(0, 40)));
    return e;
  }
  if (t.kind == Tok::kString) {
    Expr* e = ast_.expr(ExprKind::kString, t.loc);
    while (peek().kind == Tok::kString) e->text += decodeString(take().text);
    return e;
  }
  if (t.is("(")) return parenthesised();
  if (t.is("{")) return initialiser();
  if (t.kind != Tok::kIdent) unexpected("an expression");
  take();
  if (!accept("(")) {
    Expr* e = ast_.expr(ExprKind::kName, t.loc);
    e->name = t.text;
    return e;
  }
  Expr* e = ast_.expr(ExprKind::kCall, t.loc);
  e->name = t.text;
  arguments(e->args);
  return finish(e);
}

/// After '(' up to and with ')'.
void Parser::arguments(std::vector<Expr*>& args) {
  if (accept(")")) return;
  do args.push_back(expression());
  while (accept(","));
  expect(")", "after arguments");
}

/// (x), (x, y, z) or sixteen of them.
Expr* Parser::parenthesised() {
  const SourceLoc loc = take().loc;
  std::vector<Expr*> items;
  do items.push_back(expression());
  while (accept(","));
  expect(")", "to close '('");
  if (items.size() == 1) return items[0];
  if (items.size() != 3 && items.size() != 16)
    fail("sl-tuple", loc, format("a tuple has 3 values (color, point, ...) or 16 (matrix), not {}", items.size()));
  Expr* e = ast_.expr(ExprKind::kTuple, loc);
  e->args = std::move(items);
  return finish(e);
}

/// An expression or {a, b, ...}.
Expr* Parser::initialiser() {
  if (!peek().is("{")) return expression();
  const Nest nest(*this, peek().loc);
  Expr* e = ast_.expr(ExprKind::kList, take().loc);
  while (!accept("}")) {
    e->args.push_back(initialiser());
    if (!accept(",") && !peek().is("}")) unexpected("',' or '}'");
  }
  return finish(e);
}

}  // namespace reyes::sl
