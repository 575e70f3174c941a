// SPDX-License-Identifier: Apache-2.0
// The syntax tree as text, for --dump=ast and tests.
#include "reyes/base/format.h"
#include "reyes/sl/ast.h"

namespace reyes::sl {
namespace {

class Dumper {
 public:
  std::string run(const Ast& ast) {
    for (const Function* f : ast.functions) function(*f);
    for (const Shader& s : ast.shaders) {
      line(format("{} {}", vm::shaderTypeName(s.type), s.name));
      ++indent_;
      for (const VarDecl& d : s.params) decl(d);
      stmt(s.body);
      --indent_;
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& s) { out_ += std::string(static_cast<size_t>(indent_) * 2, ' ') + s + "\n"; }

  static std::string typeText(Type t) { return t == Type::kUnknown ? "void" : typeName(t); }

  void function(const Function& f) {
    line(format("function {} {}", typeText(f.type), f.name));
    ++indent_;
    for (const VarDecl& d : f.params) decl(d);
    stmt(f.body);
    --indent_;
  }

  void decl(const VarDecl& d) {
    std::string s = d.output ? "output " : "";
    if (d.isExtern) s += "extern ";
    if (d.detail != Detail::kDefault) s += d.detail == Detail::kUniform ? "uniform " : "varying ";
    line(format("{}{} {}{}", s, typeText(d.type), d.name, d.isArray ? "[]" : ""));
    ++indent_;
    if (d.arraySize) expr(d.arraySize);
    if (d.init) expr(d.init);
    --indent_;
  }

  void expr(const Expr* e) {
    if (!e) return line("(none)");
    static constexpr const char* kKinds[] = {"number", "string", "name", "unary", "binary", "?:", "assign",
                                             "cast",   "tuple",  "list", "call",  "index",  "bad"};
    std::string s = kKinds[static_cast<size_t>(e->kind)];
    if (e->kind == ExprKind::kNumber) s += format(" {}", e->number);
    if (e->kind == ExprKind::kCast) s += " " + typeText(e->type);
    if (!e->name.empty()) s += format(" {}", e->name);
    if (!e->text.empty() || e->kind == ExprKind::kString) s += format(" \"{}\"", e->text);
    line(s);
    ++indent_;
    for (const Expr* a : e->args) expr(a);
    --indent_;
  }

  void stmt(const Stmt* s) {
    if (!s) return;
    static constexpr const char* kKinds[] = {"empty",  "block",  "declare",     "expression", "if",
                                             "while",  "for",    "illuminance", "illuminate", "solar",
                                             "gather", "return", "break",       "continue",   "function"};
    line(kKinds[static_cast<size_t>(s->kind)]);
    ++indent_;
    for (const VarDecl& d : s->decls) decl(d);
    if (s->function) function(*s->function);
    for (const Stmt* c : s->children) stmt(c);
    for (const Expr* e : s->exprs) expr(e);
    stmt(s->body);
    if (s->otherwise) {
      line("else");
      stmt(s->otherwise);
    }
    --indent_;
  }

  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string dumpAst(const Ast& ast) { return Dumper().run(ast); }

}  // namespace reyes::sl
