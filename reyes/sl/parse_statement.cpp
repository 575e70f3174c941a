// SPDX-License-Identifier: Apache-2.0
// The parser's statements.
#include <algorithm>
#include <charconv>

#include "reyes/base/format.h"
#include "reyes/sl/parser_impl.h"

namespace reyes::sl {

Stmt* Parser::block() {
  Stmt* s = ast_.stmt(StmtKind::kBlock, peek().loc);
  const Nest nest(*this, peek().loc);
  const SourceLoc open = peek().loc;
  expect("{", "at the start of a block");
  while (!accept("}")) {
    if (peek().kind == Tok::kEnd) fail("sl-open-block", open, "this block is never closed");
    s->children.push_back(guardedStatement());
  }
  return s;
}

/// A statement; after a syntax error in it, an empty one.
Stmt* Parser::guardedStatement() {
  const size_t before = next_;
  const int nesting = nesting_;
  try {
    return statement();
  } catch (const SyntaxError&) {
    nesting_ = nesting;
    skipStatement();
    if (next_ == before) take();
    return ast_.stmt(StmtKind::kEmpty, peek().loc);
  }
}

bool Parser::declarationStarts() const {
  size_t i = 0;
  while (isQualifier(peek(i))) ++i;
  // `float noise(P) ...` as a statement of its own has no effect, so a type word always declares.
  return i > 0 || (isTypeWord(peek()) && peek(1).kind != Tok::kString && !peek(1).is("("));
}

Stmt* Parser::statement() {
  const Token& t = peek();
  const Nest nest(*this, t.loc);
  if (t.is("{")) return block();
  if (accept(";")) return ast_.stmt(StmtKind::kEmpty, t.loc);
  const bool call = peek(1).is("(");
  if (t.is("if") && call) {
    Stmt* s = ast_.stmt(StmtKind::kIf, take().loc);
    expect("(", "after if");
    s->exprs.push_back(expression());
    expect(")", "after the condition");
    s->body = body("if");
    if (accept("else")) s->otherwise = body("else");
    return s;
  }
  if (t.is("while") && call) {
    Stmt* s = ast_.stmt(StmtKind::kWhile, take().loc);
    expect("(", "after while");
    s->exprs.push_back(expression());
    expect(")", "after the condition");
    s->body = body("while");
    return s;
  }
  if (t.is("for") && call) return forStatement();
  if (t.is("illuminance") && call) return loopWithArguments(StmtKind::kIlluminance);
  if (t.is("illuminate") && call) return loopWithArguments(StmtKind::kIlluminate);
  if (t.is("solar") && call) return loopWithArguments(StmtKind::kSolar);
  if (t.is("gather") && call) return loopWithArguments(StmtKind::kGather);
  if (t.is("return") || t.is("break") || t.is("continue"))
    return jump(t.is("return") ? StmtKind::kReturn : t.is("break") ? StmtKind::kBreak : StmtKind::kContinue);
  if (declarationStarts()) return declaration();
  if (t.is("struct") || ((t.is("public") || t.is("private")) && peek(1).kind == Tok::kIdent))
    fail("sl-not-implemented", t.loc, format("'{}' is not implemented", t.text));
  if (t.is("shader") && peek(1).kind == Tok::kIdent)
    fail("sl-not-implemented", t.loc, "variables of type shader are not implemented");
  Stmt* s = ast_.stmt(StmtKind::kExpression, t.loc);
  s->exprs.push_back(expression());
  expect(";", "after an expression");
  return s;
}

Stmt* Parser::body(const char* of) {
  if (peek().is("}") || peek().kind == Tok::kEnd)
    fail("sl-syntax", peek().loc, format("a statement is needed after {}", of));
  return guardedStatement();
}

Stmt* Parser::declaration() {
  if (functionStarts()) {
    Stmt* s = ast_.stmt(StmtKind::kFunction, peek().loc);
    s->function = function();
    return s;
  }
  Stmt* s = ast_.stmt(StmtKind::kDeclare, peek().loc);
  VarDecl d;
  qualifiers(d);
  // `varying color x`, and `color varying x` too; `extern P` without a type takes that of the outer variable.
  const bool typed = type(d.type);
  qualifiers(d);
  if (!typed && !d.isExtern) unexpected("a type");
  do {
    VarDecl one = d;
    declarator(one);
    s->decls.push_back(one);
  } while (accept(","));
  expect(";", "after a declaration");
  return s;
}

Stmt* Parser::forStatement() {
  Stmt* s = ast_.stmt(StmtKind::kFor, take().loc);
  expect("(", "after for");
  if (declarationStarts()) {
    s->children.push_back(declaration());
  } else {
    while (!peek().is(";")) {
      Stmt* e = ast_.stmt(StmtKind::kExpression, peek().loc);
      e->exprs.push_back(expression());
      s->children.push_back(e);
      if (!accept(",")) break;
    }
    expect(";", "after the start of a for");
  }
  s->exprs.push_back(peek().is(";") ? nullptr : expression());
  expect(";", "after the condition of a for");
  while (!peek().is(")")) {
    s->exprs.push_back(expression());
    if (!accept(",")) break;
  }
  expect(")", "after for");
  s->body = body("for");
  return s;
}

Stmt* Parser::loopWithArguments(StmtKind kind) {
  Stmt* s = ast_.stmt(kind, peek().loc);
  const Token word = take();
  take();  // the '(' that the caller saw
  arguments(s->exprs);
  s->body = body(std::string(word.text).c_str());
  if (kind == StmtKind::kGather && accept("else")) s->otherwise = body("else");
  return s;
}

Stmt* Parser::jump(StmtKind kind) {
  Stmt* s = ast_.stmt(kind, peek().loc);
  take();
  if (kind == StmtKind::kReturn) {
    if (!peek().is(";")) s->exprs.push_back(expression());
  } else if (peek().kind == Tok::kNumber) {
    const Token n = take();
    std::from_chars(n.text.data(), n.text.data() + n.text.size(), s->levels);
    s->levels = std::clamp(s->levels, 1, 1000);
  }
  expect(";", kind == StmtKind::kReturn ? "after return" : kind == StmtKind::kBreak ? "after break" : "after continue");
  return s;
}

}  // namespace reyes::sl
