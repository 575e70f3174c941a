// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a shader file, as plain data: expressions, statements, functions, shaders. Nodes live in the Ast
// that made them. Built by the parser, read by the lowering and by --dump=ast.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/vars/types.h"
#include "reyes/vm/program.h"

namespace reyes::sl {

enum class ExprKind : uint8_t {
  kNumber,
  kString,
  kName,
  kUnary,    ///< op args[0]: - ! +
  kBinary,   ///< args[0] op args[1]
  kTernary,  ///< args[0] ? args[1] : args[2]
  kAssign,   ///< args[0] op args[1]: = += -= *= /= ^=
  kCast,     ///< type ["space"] args[0]
  kTuple,    ///< (a, b, c) or 16 of them
  kList,     ///< {a, b, ...}: value of an array
  kCall,     ///< name(args...)
  kIndex,    ///< args[0] [ args[1] ]
  kBad,      ///< a syntax error stood here
};

struct Expr {
  ExprKind kind = ExprKind::kBad;
  Type type = Type::kUnknown;  ///< kCast
  float number = 0;            ///< kNumber
  SourceLoc loc;
  std::string_view name;  ///< kName, kCall: the name; kUnary, kBinary, kAssign: the operator
  std::string text;       ///< kString: the value; kCast: the space, "" for none
  std::vector<Expr*> args;
  int depth = 1;  ///< of the tree below: bounded, so that walks may recurse
};

enum class Detail : uint8_t { kDefault, kUniform, kVarying };

/// A variable or parameter.
struct VarDecl {
  SourceLoc loc;
  std::string_view name;
  Type type = Type::kUnknown;
  Detail detail = Detail::kDefault;
  bool output = false, isExtern = false, constant = false;
  bool isArray = false;
  Expr* arraySize = nullptr;  ///< null with isArray: as long as its initialiser or argument
  Expr* init = nullptr;
};

struct Function;

enum class StmtKind : uint8_t {
  kEmpty,
  kBlock,
  kDeclare,
  kExpression,
  kIf,           ///< exprs[0]; body, otherwise
  kWhile,        ///< exprs[0]; body
  kFor,          ///< before; exprs[0] test (may be null), after = the other exprs; body
  kIlluminance,  ///< exprs = the arguments; body
  kIlluminate,
  kSolar,
  kGather,
  kReturn,  ///< exprs[0] or none
  kBreak,   ///< levels
  kContinue,
  kFunction,  ///< a function defined inside a body
};

struct Stmt {
  StmtKind kind = StmtKind::kEmpty;
  SourceLoc loc;
  std::vector<Expr*> exprs;
  std::vector<Stmt*> children;  ///< kBlock; kFor: what runs before
  Stmt* body = nullptr;
  Stmt* otherwise = nullptr;
  std::vector<VarDecl> decls;  ///< kDeclare
  int levels = 1;
  Function* function = nullptr;
};

struct Function {
  SourceLoc loc;
  std::string_view name;
  Type type = Type::kUnknown;  ///< of the result; kUnknown: void
  bool typed = false;          ///< a result type or void was written
  std::vector<VarDecl> params;
  Stmt* body = nullptr;  ///< null: a prototype
};

struct Shader {
  SourceLoc loc;
  std::string_view name;
  vm::ShaderType type = vm::ShaderType::kSurface;
  std::vector<VarDecl> params;
  Stmt* body = nullptr;
};

struct Ast {
  std::vector<Function*> functions;
  std::vector<Shader> shaders;

  Expr* expr(ExprKind kind, const SourceLoc& loc) {
    Expr& e = exprs_.emplace_back();
    e.kind = kind;
    e.loc = loc;
    return &e;
  }
  Stmt* stmt(StmtKind kind, const SourceLoc& loc) {
    Stmt& s = stmts_.emplace_back();
    s.kind = kind;
    s.loc = loc;
    return &s;
  }
  Function* function() { return &functions_.emplace_back(); }

 private:
  std::deque<Expr> exprs_;
  std::deque<Stmt> stmts_;
  std::deque<Function> functions_;
};

/// Readable form, one line a node.
std::string dumpAst(const Ast& ast);

}  // namespace reyes::sl
