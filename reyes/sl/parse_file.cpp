// SPDX-License-Identifier: Apache-2.0
// The parser's outer half: shaders, functions, parameters, declarators, and recovery after errors.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/parser.h"
#include "reyes/sl/parser_impl.h"

namespace reyes::sl {

bool Parser::accept(std::string_view s) {
  if (!peek().is(s)) return false;
  ++next_;
  return true;
}

void Parser::expect(std::string_view s, const char* where) {
  if (accept(s)) return;
  const Token& t = peek();
  fail("sl-syntax", t.loc,
       t.kind == Tok::kEnd ? format("the file ends where '{}' is needed {}", s, where)
                           : format("'{}' is needed {}, not '{}'", s, where, t.text.substr(0, 40)));
}

Token Parser::expectName(const char* what) {
  if (peek().kind != Tok::kIdent) unexpected(what);
  return take();
}

void Parser::fail(const char* code, const SourceLoc& loc, std::string text) {
  diag_.error(code, loc, std::move(text), Impact::kInput);
  throw SyntaxError{};
}

void Parser::unexpected(const char* wanted) {
  const Token& t = peek();
  fail("sl-syntax", t.loc,
       t.kind == Tok::kEnd ? format("the file ends where {} is needed", wanted)
                           : format("'{}' is not expected here: {} is needed", t.text.substr(0, 40), wanted));
}

/// To just after the next ';' of this level, or to the '}' that ends it.
void Parser::skipStatement() {
  for (int nest = 0; peek().kind != Tok::kEnd; take()) {
    if (peek().is("{")) ++nest;
    if (peek().is("}") && nest-- == 0) return;
    if (peek().is("}") && nest == 0) {
      take();
      return;
    }
    if (peek().is(";") && nest == 0) {
      take();
      return;
    }
  }
}

void Parser::skipBraces() {
  int nest = 0;
  for (; peek().kind != Tok::kEnd; take()) {
    if (peek().is("{")) ++nest;
    if (peek().is("}") && --nest <= 0) {
      take();
      return;
    }
  }
}

/// To something that looks like the start of a shader or function at the outermost level.
void Parser::skipDefinition() {
  int open = 0;  // parentheses since here: a ';' between parameters ends nothing
  while (peek().kind != Tok::kEnd) {
    if (peek().is("{")) {
      skipBraces();
      return;
    }
    if (peek().is("(")) ++open;
    if (peek().is(")")) --open;
    if (accept(";")) {
      if (open <= 0) return;
      continue;
    }
    take();
  }
}

void Parser::file() {
  while (peek().kind != Tok::kEnd) {
    const size_t before = next_;
    try {
      definition();
    } catch (const SyntaxError&) {
      nesting_ = 0;
      skipDefinition();
    }
    if (next_ == before) take();
  }
}

namespace {
bool shaderWord(const Token& t, vm::ShaderType& type) {
  static constexpr std::pair<std::string_view, vm::ShaderType> kWords[] = {
      {"surface", vm::ShaderType::kSurface},
      {"light", vm::ShaderType::kLight},
      {"displacement", vm::ShaderType::kDisplacement},
      {"volume", vm::ShaderType::kVolume},
      {"imager", vm::ShaderType::kImager}};
  for (const auto& [word, kind] : kWords)
    if (t.kind == Tok::kIdent && t.text == word) {
      type = kind;
      return true;
    }
  return false;
}
}  // namespace

void Parser::definition() {
  if (accept(";")) return;
  if (unsupportedDefinition() || shader()) return;
  if (functionStarts()) {
    ast_.functions.push_back(function());
    return;
  }
  unexpected("a shader or a function");
}

bool Parser::unsupportedDefinition() {
  const Token& t = peek();
  const bool isClass = t.is("class"), isStruct = t.is("struct"), isMethod = t.is("public") || t.is("private");
  const bool isTransformation = t.is("transformation") && peek(1).kind == Tok::kIdent;
  if (!isClass && !isStruct && !isMethod && !isTransformation) return false;
  diag_.error("sl-not-implemented", t.loc,
              isClass            ? "class shaders are not implemented"
              : isStruct         ? "struct is not implemented"
              : isTransformation ? "transformation shaders are not implemented"
                                 : "methods of class shaders are not implemented",
              Impact::kInput);
  skipDefinition();
  return true;
}

bool Parser::shader() {
  Shader s;
  if (!shaderWord(peek(), s.type) || peek(1).kind != Tok::kIdent) return false;
  s.loc = take().loc;
  s.name = take().text;
  expect("(", "after the name of the shader");
  parameters(s.params, true);
  if (!peek().is("{")) unexpected("the body of the shader");
  s.body = block();
  ast_.shaders.push_back(std::move(s));
  return true;
}

bool Parser::isTypeWord(const Token& t) {
  static constexpr std::string_view kWords[] = {"float",  "color",  "point", "vector", "normal",
                                                "matrix", "string", "void",  "bool"};
  return t.kind == Tok::kIdent && std::find(std::begin(kWords), std::end(kWords), t.text) != std::end(kWords);
}

bool Parser::isQualifier(const Token& t) {
  static constexpr std::string_view kWords[] = {"uniform", "varying", "output", "extern", "constant"};
  return t.kind == Tok::kIdent && std::find(std::begin(kWords), std::end(kWords), t.text) != std::end(kWords);
}

/// [type|void] name ( ... ) { : a word of a type may be absent.
bool Parser::functionStarts() const {
  size_t i = 0;
  while (isQualifier(peek(i)) && !peek(i).is("extern") && !peek(i).is("output")) ++i;
  if (isTypeWord(peek(i)))
    ++i;
  else if (i > 0)
    return false;
  return peek(i).kind == Tok::kIdent && peek(i + 1).is("(");
}

Function* Parser::function() {
  Function* f = ast_.function();
  VarDecl ignored;
  qualifiers(ignored);
  f->typed = type(f->type, true);
  const Token name = expectName("the name of a function");
  f->loc = name.loc;
  f->name = name.text;
  expect("(", "after the name of the function");
  parameters(f->params, false);
  if (accept(";")) return f;
  if (!peek().is("{")) unexpected("the body of the function");
  f->body = block();
  return f;
}

bool Parser::qualifiers(VarDecl& d) {
  bool any = false;
  for (; isQualifier(peek()); any = true) {
    const Token t = take();
    if (t.is("uniform")) d.detail = Detail::kUniform;
    if (t.is("varying")) d.detail = Detail::kVarying;
    if (t.is("output")) d.output = true;
    if (t.is("extern")) d.isExtern = true;
    if (t.is("constant")) d.detail = Detail::kUniform, d.constant = true;
  }
  return any;
}

bool Parser::type(Type& t, bool allowVoid) {
  if (!isTypeWord(peek())) return false;
  if (peek().is("void")) {
    if (!allowVoid) fail("sl-syntax", peek().loc, "void is only the result of a function");
    t = Type::kUnknown;
  } else {
    t = peek().is("bool") ? Type::kFloat : parseType(peek().text).value_or(Type::kFloat);
  }
  take();
  return true;
}

/// After '(': declarations separated by ';' or ',' up to and with ')'. The type carries over a comma.
void Parser::parameters(std::vector<VarDecl>& params, bool ofShader) {
  VarDecl d;
  bool haveType = false;
  if (!ofShader && peek().is("void") && peek(1).is(")")) take();  // as C has it
  while (!accept(")")) {
    if (accept(";") || accept(",")) continue;
    VarDecl fresh;
    const bool qualified = qualifiers(fresh);
    if (peek().is("shader") && peek(1).kind == Tok::kIdent)
      fail("sl-not-implemented", peek().loc, "parameters of type shader are not implemented");
    const bool typed = type(fresh.type);
    if (typed && qualifiers(fresh) && !haveType) haveType = true;
    if (typed)
      d = fresh, haveType = true;
    else if (qualified)
      d.detail = fresh.detail, d.output = fresh.output, d.isExtern = fresh.isExtern;
    if (!haveType) unexpected("the type of a parameter");
    VarDecl one = d;
    declarator(one);
    if (!ofShader && one.isExtern) one.isExtern = false;
    params.push_back(one);
    if (!peek().is(",") && !peek().is(";") && !peek().is(")")) unexpected("';' or ')' after a parameter");
  }
}

/// name [ [size] ] [ = value ]
void Parser::declarator(VarDecl& d) {
  const Token name = expectName("a name");
  d.loc = name.loc;
  d.name = name.text;
  if (accept("[")) {
    d.isArray = true;
    if (!peek().is("]")) d.arraySize = expression();
    expect("]", "after the length of an array");
  }
  if (accept("=")) d.init = initialiser();
}

void parse(std::span<const Token> tokens, Ast& ast, Diagnostics& diag) { Parser(tokens, ast, diag).file(); }

}  // namespace reyes::sl
