// SPDX-License-Identifier: Apache-2.0
// Lowering of statements.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/globals.h"
#include "reyes/sl/lower_impl.h"

namespace reyes::sl {

using vm::Op;

void Lowerer::scoped(const Stmt* s) {
  if (!s) return;
  const int outer = scope_;
  scope_ = pushScope(outer);
  statement(s);
  scope_ = outer;
}

void Lowerer::statement(const Stmt* s) {
  if (tooLarge_) return;
  switch (s->kind) {
    case StmtKind::kEmpty:
      break;
    case StmtKind::kBlock: {
      const int outer = scope_;
      scope_ = pushScope(outer);
      for (const Stmt* child : s->children) statement(child);
      scope_ = outer;
      break;
    }
    case StmtKind::kDeclare:
      for (const VarDecl& d : s->decls) declaration(d);
      break;
    case StmtKind::kExpression:
      lowerExpr(s->exprs[0], Type::kUnknown);
      break;
    case StmtKind::kIf:
      ifStatement(s);
      break;
    case StmtKind::kWhile:
    case StmtKind::kFor:
      loop(s);
      break;
    case StmtKind::kIlluminance:
      illuminance(s);
      break;
    case StmtKind::kIlluminate:
      illuminate(s);
      break;
    case StmtKind::kSolar:
      solar(s);
      break;
    case StmtKind::kGather:
      gather(s);
      break;
    case StmtKind::kReturn:
      returnStatement(s);
      break;
    case StmtKind::kBreak:
    case StmtKind::kContinue:
      jump(s);
      break;
    case StmtKind::kFunction:
      if (s->function->body) scopes_[static_cast<size_t>(scope_)].functions[s->function->name].push_back(s->function);
      break;
  }
}

void Lowerer::declaration(const VarDecl& d) {
  if (d.isExtern) {
    const Variable* outer = bindExtern(d);
    if (!outer) {
      error("sl-unknown-variable", d.loc, format("there is no variable '{}' outside for extern", d.name));
      return;
    }
    if (d.type != Type::kUnknown && conversionCost(outer->type, d.type) != 0 &&
        !(isSpatial(outer->type) && isSpatial(d.type)))
      error("sl-type-mismatch", d.loc,
            format("extern '{}' is a {}, not a {}", d.name, typeName(outer->type), typeName(d.type)));
    const Variable copy = *outer;
    scopes_[static_cast<size_t>(scope_)].variables[d.name] = copy;
    return;
  }
  Variable v{d.type, -1, d.isArray ? arrayLengthOf(d) : 0, false};
  v.reg = variable(d.type, v.arrayLength, d.detail, d.name, d.loc);
  ir_.reg(v.reg).local = true;
  warnOfHidden(d);
  if (v.arrayLength > 0) {
    initialiseArray(d, v);
  } else if (d.init) {
    // The value is worked out before the name is in scope: `float t = t * 2` reads the outer t.
    const Value value = lowerAs(d.init, d.type, v.reg);
    if (value.reg != v.reg) emit(Op::kMov, {v.reg, value.reg}, d.loc);
  } else {
    ir_.reg(v.reg).bare = true;
    emit(Op::kMov, {v.reg, zero(d.type).reg}, d.loc);
  }
  declare(d.name, v, d.loc);
}

/// Says where a declaration hides a variable of the blocks around it, a parameter or a predefined variable.
void Lowerer::warnOfHidden(const VarDecl& d) {
  const int around = scopes_[static_cast<size_t>(scope_)].parent;
  const Variable* outer = around >= 0 ? find(d.name, around) : nullptr;
  if (!outer && findGlobal(shader_.type, d.name))
    diag_.warning("sl-shadow", d.loc, format("'{}' hides the predefined variable", d.name));
  if (!outer) return;
  const IrReg& r = ir_.reg(outer->reg);
  const char* what = r.kind == RegKind::kParameter ? "parameter"
                     : r.kind == RegKind::kGlobal  ? "predefined variable"
                                                   : "variable";
  diag_.warning("sl-shadow", d.loc,
                r.loc.line > 0 ? format("'{}' hides the {} of line {}", d.name, what, r.loc.line)
                               : format("'{}' hides the {}", d.name, what));
}

/// {a, b, ...}: elements that the list lacks are zero. One plain value fills all of them.
void Lowerer::initialiseArray(const VarDecl& d, const Variable& v) {
  if (d.init && d.init->kind != ExprKind::kList && arrayNamed(d.init)) {
    const Variable source = *arrayNamed(d.init);
    if (conversionCost(source.type, v.type) != 0 || source.arrayLength != v.arrayLength)
      error("sl-type-mismatch", d.init->loc, format("array '{}' needs a value of the same type and length", d.name));
    else
      emit(Op::kMov, {v.reg, source.reg}, d.loc);
    return;
  }
  const bool list = d.init && d.init->kind == ExprKind::kList;
  if (list && d.init->args.size() > static_cast<size_t>(v.arrayLength))
    error("sl-array-size", d.init->loc, format("{} values for an array of {}", d.init->args.size(), v.arrayLength));
  const Value fill = d.init && !list ? lowerAs(d.init, v.type) : zero(v.type);
  for (int i = 0; i < v.arrayLength; ++i) {
    const bool given = list && static_cast<size_t>(i) < d.init->args.size();
    const Value element = given ? lowerAs(d.init->args[static_cast<size_t>(i)], v.type) : fill;
    emit(Op::kStoreElement, {v.reg, constant(static_cast<float>(i)), element.reg}, d.loc);
  }
}

void Lowerer::ifStatement(const Stmt* s) { branches(s, condition(s->exprs[0])); }

void Lowerer::branches(const Stmt* s, int test) {
  openRegion(Op::kIf, {test}, s->loc);
  scoped(s->body);
  closeRegion();
  if (s->otherwise) {
    openRegion(Op::kElse, {}, s->loc);
    scoped(s->otherwise);
    closeRegion();
  }
  emit(Op::kEndIf, {}, s->loc);
}

void Lowerer::loop(const Stmt* s) {
  const int outer = scope_;
  scope_ = pushScope(outer);
  for (const Stmt* before : s->children) statement(before);
  openRegion(Op::kLoopBegin, {}, s->loc);
  ++frames_.back().loops;
  if (s->exprs[0]) emit(Op::kLoopTest, {condition(s->exprs[0])}, s->exprs[0]->loc);
  scoped(s->body);
  emit(Op::kLoopStep, {}, s->loc);
  for (size_t i = 1; i < s->exprs.size(); ++i) lowerExpr(s->exprs[i], Type::kUnknown);
  emit(Op::kLoopNext, {}, s->loc);
  --frames_.back().loops;
  closeRegion();
  emit(Op::kLoopEnd, {}, s->loc);
  scope_ = outer;
}

/// The optional "axis, angle" that begins at expression `first`.
std::vector<int> Lowerer::cone(const Stmt* s, size_t first) {
  std::vector<int> regs;
  if (s->exprs.size() < first + 2) return regs;
  regs.push_back(lowerAs(s->exprs[first], Type::kVector).reg);
  regs.push_back(lowerAs(s->exprs[first + 1], Type::kFloat).reg);
  return regs;
}

/// The tokens after the cone: "send:light:x", value goes to the lights' parameter x; "light:y", variable takes their
/// output y in each round.
void Lowerer::illuminanceMessages(const Stmt* s, size_t first,
                                  std::vector<std::pair<std::string, const Expr*>>& received) {
  constexpr std::string_view kSend = "send:light:", kReceive = "light:";
  for (size_t i = first; i < s->exprs.size(); i += 2) {
    const Expr* token = s->exprs[i];
    if (i + 1 >= s->exprs.size() || token->kind != ExprKind::kString) {
      error("sl-arguments", token->loc, "messages of illuminance are pairs: a string and a value");
      return;
    }
    const Expr* value = s->exprs[i + 1];
    if (token->text.starts_with(kSend)) {
      const Variable* array = arrayNamed(value);
      const int reg = array ? array->reg : lowerExpr(value, Type::kUnknown).reg;
      emit(vm::builtinOp(vm::Builtin::k_send_light), {constant(token->text.substr(kSend.size())), reg}, token->loc);
    } else if (token->text.starts_with(kReceive)) {
      received.emplace_back(token->text.substr(kReceive.size()), value);
    } else if (token->text != "lightcache") {  // a hint: lights are kept wherever that changes nothing
      diag_.warning("sl-ignored-token", token->loc, format("illuminance knows no \"{}\"", token->text));
    }
  }
}

void Lowerer::illuminance(const Stmt* s) {
  const Variable* l = global("L");
  const Variable* cl = global("Cl");
  const Variable* ol = global("Ol");
  if (!l || !cl || !ol || shader_.type == vm::ShaderType::kLight) {
    error("sl-wrong-shader", s->loc,
          format("illuminance has no meaning in a {} shader", vm::shaderTypeName(shader_.type)));
    return;
  }
  std::vector<int> args = {l->reg, cl->reg, ol->reg};
  size_t next = 0;
  const bool category = !s->exprs.empty() && (types(s->exprs[0]) & kS);
  args.push_back(category ? lowerAs(s->exprs[next++], Type::kString).reg : constant(std::string()));
  if (next >= s->exprs.size()) {
    error("sl-arguments", s->loc, "illuminance needs a point");
    return;
  }
  args.push_back(lowerAs(s->exprs[next++], Type::kPoint).reg);
  if (next < s->exprs.size() && !(types(s->exprs[next]) & kS)) {
    if (next + 1 >= s->exprs.size()) error("sl-arguments", s->loc, "illuminance with an axis needs an angle");
    for (const int reg : cone(s, next)) args.push_back(reg);
    next += 2;
  }
  std::vector<std::pair<std::string, const Expr*>> received;
  illuminanceMessages(s, next, received);
  openRegion(Op::kIlluminanceBegin, args, s->loc);
  ++frames_.back().loops;
  for (const auto& [from, to] : received) {
    const Variable* v = assignable(to);
    if (!v) continue;
    const int found = temp(Type::kFloat);
    emit(vm::builtinOp(vm::Builtin::k_lightsource), {found, constant(from), v->reg}, to->loc);
  }
  scoped(s->body);
  --frames_.back().loops;
  emit(Op::kIlluminanceNext, {}, s->loc);
  closeRegion();
  emit(Op::kIlluminanceEnd, {}, s->loc);
}

void Lowerer::illuminate(const Stmt* s) {
  const size_t n = s->exprs.size();
  if (shader_.type != vm::ShaderType::kLight) {
    error("sl-wrong-shader", s->loc, "illuminate has a meaning in light shaders alone");
    return;
  }
  if (n != 1 && n != 3) {
    error("sl-arguments", s->loc, "illuminate takes a position, or a position, an axis and an angle");
    return;
  }
  std::vector<int> args = {global("L")->reg, global("Ps")->reg, lowerAs(s->exprs[0], Type::kPoint).reg};
  for (const int reg : cone(s, 1)) args.push_back(reg);
  openRegion(Op::kIlluminateBegin, args, s->loc);
  scoped(s->body);
  closeRegion();
  emit(Op::kIlluminateEnd, {}, s->loc);
}

void Lowerer::solar(const Stmt* s) {
  const size_t n = s->exprs.size();
  if (shader_.type != vm::ShaderType::kLight) {
    error("sl-wrong-shader", s->loc, "solar has a meaning in light shaders alone");
    return;
  }
  if (n != 0 && n != 2 && n != 1) {
    error("sl-arguments", s->loc, "solar takes nothing, or an axis and an angle");
    return;
  }
  std::vector<int> args = {global("L")->reg};
  if (n >= 1) args.push_back(lowerAs(s->exprs[0], Type::kVector).reg);
  if (n >= 1) args.push_back(n == 2 ? lowerAs(s->exprs[1], Type::kFloat).reg : constant(0.0f));
  openRegion(Op::kSolarBegin, args, s->loc);
  scoped(s->body);
  closeRegion();
  emit(Op::kSolarEnd, {}, s->loc);
}

/// gather(category, P, direction, angle, samples, ...) { } else { }: the body for each ray that hits something, the
/// other for each that does not. The machine says how many hit: none, so far.
void Lowerer::gather(const Stmt* s) {
  constexpr Type kHead[] = {Type::kString, Type::kPoint, Type::kVector, Type::kFloat, Type::kFloat};
  if (s->exprs.size() < std::size(kHead)) {
    error("sl-arguments", s->loc, "gather takes a category, a point, a direction, an angle and a number of samples");
    return;
  }
  int category = -1;
  for (size_t i = 0; i < s->exprs.size(); ++i) {
    const Value v = i < std::size(kHead) ? lowerAs(s->exprs[i], kHead[i])
                    : i % 2 == 1         ? lowerAs(s->exprs[i], Type::kString)
                                         : lowerExpr(s->exprs[i], Type::kUnknown);
    if (i == 0) category = v.reg;
  }
  if ((s->exprs.size() - std::size(kHead)) % 2 != 0)
    error("sl-arguments", s->loc, "the last token of gather has no variable");
  const int hits = temp(Type::kFloat);
  emit(vm::builtinOp(vm::Builtin::k_gather), {hits, category}, s->loc);
  branches(s, hits);
}

void Lowerer::returnStatement(const Stmt* s) {
  const Frame frame = frames_.back();
  const bool wantsValue = frame.function && frame.function->type != Type::kUnknown;
  if (!s->exprs.empty() && wantsValue) {
    const Value v = lowerAs(s->exprs[0], frame.result.type, frame.result.reg);
    if (v.reg != frame.result.reg) emit(Op::kMov, {frame.result.reg, v.reg}, s->loc);
  } else if (!s->exprs.empty()) {
    error("sl-return", s->loc,
          frame.function ? format("'{}' returns nothing", frame.function->name) : "a shader returns no value");
  } else if (wantsValue) {
    error("sl-return", s->loc, format("'{}' returns a {}", frame.function->name, typeName(frame.function->type)));
  }
  if (frame.wrapped) emit(Op::kBreak, {}, s->loc, frame.loops + 1);
}

void Lowerer::jump(const Stmt* s) {
  const int open = frames_.back().loops;
  const bool isBreak = s->kind == StmtKind::kBreak;
  if (open == 0) {
    error("sl-no-loop", s->loc, format("{} outside of a loop", isBreak ? "break" : "continue"));
    return;
  }
  if (s->levels > open)
    diag_.warning("sl-no-loop", s->loc,
                  format("there are only {} loops here to {}", open, isBreak ? "break" : "continue"));
  emit(isBreak ? Op::kBreak : Op::kContinue, {}, s->loc, std::min(s->levels, open));
}

}  // namespace reyes::sl
