// SPDX-License-Identifier: Apache-2.0
// The parser's class, shared by the files that hold its halves: declarations, statements, expressions.
#pragma once

#include <span>
#include <string>

#include "reyes/sl/ast.h"
#include "reyes/sl/token.h"

namespace reyes::sl {

class Parser {
 public:
  Parser(std::span<const Token> tokens, Ast& ast, Diagnostics& diag) : tokens_(tokens), ast_(ast), diag_(diag) {}
  void file();

 private:
  /// Unwinds to the statement or definition that holds the error; never leaves the parser.
  struct SyntaxError {};
  /// Counts nesting for as long as it lives.
  struct Nest {
    Nest(Parser& p, const SourceLoc& loc) : parser(p) {
      if (++p.nesting_ > kMaxNesting) p.fail("sl-too-deep", loc, "nested too deeply");
    }
    ~Nest() { --parser.nesting_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;
    Parser& parser;
  };
  static constexpr int kMaxNesting = 256;
  static constexpr int kMaxTreeDepth = 512;

  // Tokens.
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }
  Token take() { return tokens_[next_ + 1 < tokens_.size() ? next_++ : next_]; }
  bool accept(std::string_view s);
  void expect(std::string_view s, const char* where);
  Token expectName(const char* what);
  [[noreturn]] void fail(const char* code, const SourceLoc& loc, std::string text);
  [[noreturn]] void unexpected(const char* wanted);
  void skipStatement();
  void skipDefinition();
  void skipBraces();

  // Definitions (parse_file.cpp).
  void definition();
  bool shader();
  bool functionStarts() const;
  Function* function();
  bool unsupportedDefinition();
  void parameters(std::vector<VarDecl>& params, bool ofShader);
  bool qualifiers(VarDecl& d);
  bool type(Type& t, bool allowVoid = false);
  static bool isTypeWord(const Token& t);
  static bool isQualifier(const Token& t);
  void declarator(VarDecl& d);

  // Statements (parse_statement.cpp).
  Stmt* statement();
  Stmt* guardedStatement();
  Stmt* block();
  Stmt* declaration();
  bool declarationStarts() const;
  Stmt* forStatement();
  Stmt* loopWithArguments(StmtKind kind);
  Stmt* jump(StmtKind kind);
  Stmt* body(const char* of);

  // Expressions (parse_expression.cpp).
  Expr* expression();
  Expr* assignment();
  Expr* ternary();
  Expr* binary(int least);
  Expr* unary();
  Expr* postfix();
  Expr* primary();
  Expr* parenthesised();
  Expr* castExpression();
  Expr* initialiser();
  void arguments(std::vector<Expr*>& args);
  Expr* finish(Expr* e);

  std::span<const Token> tokens_;
  Ast& ast_;
  Diagnostics& diag_;
  size_t next_ = 0;
  int nesting_ = 0;
};

}  // namespace reyes::sl
