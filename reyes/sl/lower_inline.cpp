// SPDX-License-Identifier: Apache-2.0
// Lowering of user functions: every call is inlined. Arguments are by reference as RI has it: an output parameter is
// the caller's variable, an input one a copy that the optimiser drops where nothing changes it.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/lower_impl.h"

namespace reyes::sl {

using vm::Op;

bool hasReturn(const Stmt* s) {
  if (!s) return false;
  if (s->kind == StmtKind::kReturn) return true;
  if (hasReturn(s->body) || hasReturn(s->otherwise)) return true;
  return std::any_of(s->children.begin(), s->children.end(), hasReturn);
}

/// True where a return stands anywhere but in tail position.
bool needsReturnLoop(const Stmt* s) {
  if (!s) return false;
  switch (s->kind) {
    case StmtKind::kReturn:
      return false;
    case StmtKind::kIf:
      return needsReturnLoop(s->body) || needsReturnLoop(s->otherwise);
    case StmtKind::kBlock:
      for (size_t i = 0; i < s->children.size(); ++i) {
        const bool last = i + 1 == s->children.size();
        if (last ? needsReturnLoop(s->children[i]) : hasReturn(s->children[i])) return true;
      }
      return false;
    default:
      return hasReturn(s);
  }
}

namespace {
bool isNamed(const Expr* e, std::string_view name) {
  while (e->kind == ExprKind::kIndex) e = e->args[0];
  return e->kind == ExprKind::kName && e->name == name;
}

/// Assigned to, or handed to a call as a plain variable (which may write to it).
bool assigns(const Expr* e, std::string_view name) {
  if (!e) return false;
  if (e->kind == ExprKind::kAssign && isNamed(e->args[0], name)) return true;
  if (e->kind == ExprKind::kCall)
    for (const Expr* a : e->args)
      if (isNamed(a, name)) return true;
  return std::any_of(e->args.begin(), e->args.end(), [&](const Expr* a) { return assigns(a, name); });
}
}  // namespace

bool assigns(const Stmt* s, std::string_view name) {
  if (!s) return false;
  for (const Expr* e : s->exprs)
    if (assigns(e, name)) return true;
  for (const VarDecl& d : s->decls)
    if (d.init && assigns(d.init, name)) return true;
  if (s->function && assigns(s->function->body, name)) return true;
  if (assigns(s->body, name) || assigns(s->otherwise, name)) return true;
  return std::any_of(s->children.begin(), s->children.end(), [&](const Stmt* c) { return assigns(c, name); });
}

/// The function of that name with fitting arguments; none where a built-in of that name has to do.
Lowerer::FunctionRef Lowerer::chooseFunction(const Expr* e, const std::vector<FunctionRef>& all) {
  FunctionRef best;
  int bestCost = 0;
  std::vector<TypeSet> sets;
  for (const Expr* a : e->args) sets.push_back(types(a));
  for (const FunctionRef& f : all) {
    if (f.function->params.size() != e->args.size()) continue;
    int cost = 0;
    for (size_t i = 0; i < sets.size(); ++i) {
      const int c = conversionCost(sets[i], f.function->params[i].type);
      cost += c < 0 ? 1000 : c;
    }
    if (!best.function || cost < bestCost) best = f, bestCost = cost;
  }
  return best;
}

Value Lowerer::inlineCall(const FunctionRef& ref, const Expr* e, int dest) {
  const Function& f = *ref.function;
  for (const Frame& frame : frames_)
    if (frame.function == &f) {
      error("sl-recursion", e->loc,
            format("function '{}' calls itself: the shading language has no recursion", f.name));
      return zero(f.type);
    }
  if (frames_.size() >= kMaxFrames || ++inlines_ > kMaxInlines) {
    if (!tooLarge_) error("sl-too-large", e->loc, "function calls are nested too deeply, or there are too many");
    tooLarge_ = true;
    return zero(f.type);
  }
  inlined_.insert(&f);
  // Arguments are worked out in the caller's scope.
  const int caller = scope_;
  const int own = pushScope(ref.scope);
  std::vector<std::pair<const Expr*, Value>> copyBack;
  for (size_t i = 0; i < f.params.size(); ++i) {
    const bool written = assigns(f.body, f.params[i].name);
    const Variable v = bindArgument(f.params[i], e->args[i], written, copyBack);
    scopes_[static_cast<size_t>(own)].variables[f.params[i].name] = v;
  }
  Frame frame;
  frame.function = &f;
  frame.callerScope = caller;
  frame.wrapped = needsReturnLoop(f.body);
  if (f.type != Type::kUnknown) frame.result = {f.type, variable(f.type, 0, Detail::kDefault, {}, e->loc), 0, false};
  frames_.push_back(frame);
  scope_ = own;
  if (f.type != Type::kUnknown && !hasReturn(f.body)) {
    if (complained_.insert(f.name).second)
      diag_.warning("sl-return", f.loc, format("'{}' never returns a value", f.name));
    emit(Op::kMov, {frame.result.reg, zero(f.type).reg}, f.loc);
  }
  lowerBody(f);
  scope_ = caller;
  frames_.pop_back();
  for (const auto& [arg, value] : copyBack) store(arg, value);
  (void)dest;
  if (f.type == Type::kUnknown) return {constant(0.0f), Type::kUnknown, 0};
  return {frame.result.reg, f.type, 0};
}

void Lowerer::lowerBody(const Function& f) {
  const bool wrapped = frames_.back().wrapped;
  if (wrapped) {
    // Lanes that never meet a return give zero.
    const Variable out = frames_.back().result;
    if (out.reg >= 0) emit(Op::kMov, {out.reg, zero(out.type).reg}, f.loc);
    openRegion(Op::kLoopBegin, {}, f.loc);
  }
  for (const Stmt* s : f.body->children) statement(s);
  if (wrapped) {
    closeRegion();
    emit(Op::kLoopEnd, {}, f.loc);
  }
}

/// The variable that a parameter stands for in one call.
Variable Lowerer::bindArgument(const VarDecl& param, const Expr* arg, bool written,
                               std::vector<std::pair<const Expr*, Value>>& copyBack) {
  Variable none{param.type, -1, 0, false};
  if (param.isArray) {
    const Variable* a = arrayNamed(arg);
    if (!a || conversionCost(a->type, param.type) < 0 || conversionCost(a->type, param.type) > 1) {
      error("sl-type-mismatch", arg->loc, format("parameter '{}' is an array of {}", param.name, typeName(param.type)));
      none.arrayLength = 1;
      none.reg = variable(param.type, 1, Detail::kDefault, param.name, arg->loc);
      return none;
    }
    if (param.arraySize && arrayLengthOf(param) > a->arrayLength)
      error("sl-type-mismatch", arg->loc,
            format("parameter '{}' needs {} elements, the array has {}", param.name, arrayLengthOf(param),
                   a->arrayLength));
    Variable v{param.type, a->reg, a->arrayLength, a->input};
    if (written && !param.output) {
      v.reg = variable(param.type, a->arrayLength, Detail::kDefault, param.name, arg->loc);
      v.input = false;
      emit(Op::kMov, {v.reg, a->reg}, arg->loc);
    }
    return v;
  }
  if (param.output && (arg->kind == ExprKind::kName || arg->kind == ExprKind::kIndex)) {
    if (arg->kind == ExprKind::kName) {
      const Variable* found = assignable(arg);
      if (!found) {
        none.reg = variable(param.type, 0, Detail::kDefault, param.name, arg->loc);
        return none;
      }
      if (conversionCost(found->type, param.type) < 0 || conversionCost(found->type, param.type) > 1)
        error("sl-type-mismatch", arg->loc,
              format("output '{}' is a {}, not a {}", param.name, typeName(param.type), typeName(found->type)));
      else
        return {param.type, found->reg, 0, false};
    }
    const Value old = lowerAs(arg, param.type);
    none.reg = variable(param.type, 0, Detail::kDefault, param.name, arg->loc);
    emit(Op::kMov, {none.reg, old.reg}, arg->loc);
    copyBack.push_back({arg, {none.reg, param.type, 0}});
    return none;
  }
  if (param.output) error("sl-not-assignable", arg->loc, format("output '{}' needs a variable", param.name));
  const Value v = lowerAs(arg, param.type);
  const IrReg& r = ir_.reg(v.reg);
  if (!written && (r.kind == RegKind::kTemp || r.kind == RegKind::kConstant)) return {param.type, v.reg, 0, false};
  none.reg = variable(param.type, 0, Detail::kDefault, param.name, arg->loc);
  emit(Op::kMov, {none.reg, v.reg}, arg->loc);
  return none;
}

/// Functions of the source itself (not of headers) that nothing called are lowered once for their errors; their code is
/// dropped, and what is not implemented yet does not matter there.
void Lowerer::checkUnusedFunctions() {
  const size_t known = ir_.regs.size();
  std::vector<IrInstr> scratch;
  for (const Function* f : ast_.functions) {
    if (!f->body || inlined_.contains(f) || tooLarge_ || !(f->loc.file == shader_.loc.file)) continue;
    scratch.clear();
    code_ = &scratch;
    scope_ = pushScope(0);
    Frame frame;
    frame.function = f;
    frame.callerScope = shaderScope_;
    frame.wrapped = true;
    for (const VarDecl& p : f->params) {
      Variable v{p.type, -1, p.isArray ? (p.arraySize ? arrayLengthOf(p) : 1) : 0, false};
      v.reg = variable(p.type, v.arrayLength, Detail::kDefault, p.name, p.loc);
      scopes_[static_cast<size_t>(scope_)].variables[p.name] = v;
    }
    if (f->type != Type::kUnknown)
      frame.result = {f->type, variable(f->type, 0, Detail::kDefault, {}, f->loc), 0, false};
    frames_.push_back(frame);
    lowerBody(*f);
    frames_.pop_back();
  }
  // Their variables are no business of the warnings.
  for (size_t r = known; r < ir_.regs.size(); ++r) ir_.regs[r].local = ir_.regs[r].bare = false;
  code_ = &ir_.code;
  scope_ = shaderScope_;
}

}  // namespace reyes::sl
