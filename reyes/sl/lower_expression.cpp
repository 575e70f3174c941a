// SPDX-License-Identifier: Apache-2.0
// Lowering of operators and assignments.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/lower_impl.h"

namespace reyes::sl {

using vm::Op;

Value Lowerer::lowerExpr(const Expr* e, Type wanted, int dest) {
  if (tooLarge_) return zero(wanted);
  switch (e->kind) {
    case ExprKind::kNumber:
      return {constant(e->number), Type::kFloat, 0};
    case ExprKind::kString:
      return {constant(e->text), Type::kString, 0};
    case ExprKind::kName:
      return name(e, wanted);
    case ExprKind::kUnary:
      return unary(e, wanted, dest);
    case ExprKind::kBinary:
      return binary(e, wanted, dest);
    case ExprKind::kTernary:
      return ternary(e, wanted, dest);
    case ExprKind::kAssign:
      return assign(e, wanted);
    case ExprKind::kCast:
      return cast(e, dest);
    case ExprKind::kTuple:
      return tuple(e, wanted, dest);
    case ExprKind::kCall:
      return call(e, wanted, dest);
    case ExprKind::kIndex:
      return index(e, dest);
    case ExprKind::kList:
      error("sl-syntax", e->loc, "a list in braces is the initial value of an array");
      return zero(wanted);
    case ExprKind::kBad:
      return zero(wanted);
  }
  return zero(wanted);
}

Value Lowerer::unary(const Expr* e, Type wanted, int dest) {
  if (e->name == "!") return result(Op::kNot, Type::kFloat, {condition(e->args[0])}, e->loc, dest);
  const Value v = lowerExpr(e->args[0], wanted);
  if (v.type == Type::kString || v.arrayLength > 0) {
    error("sl-type-mismatch", e->loc, format("'{}' needs a number", e->name));
    return zero(Type::kFloat);
  }
  if (e->name == "+") return v;
  if (isConstant(v.reg) && v.type != Type::kMatrix) {
    const std::vector<float>& c = ir_.reg(v.reg).value;
    return c.size() == 1 ? Value{constant(-c[0]), v.type, 0} : Value{constant(Vec3{-c[0], -c[1], -c[2]}), v.type, 0};
  }
  const Op op = v.type == Type::kFloat ? Op::kNegF : v.type == Type::kMatrix ? Op::kNegM : Op::kNegT;
  return result(op, v.type, {v.reg}, e->loc, dest);
}

Value Lowerer::binary(const Expr* e, Type wanted, int dest) {
  const std::string_view op = e->name;
  if (op == "&&" || op == "||") {
    const int a = condition(e->args[0]);
    const int b = condition(e->args[1]);
    return result(op == "&&" ? Op::kAnd : Op::kOr, Type::kFloat, {a, b}, e->loc, dest);
  }
  if (op == "." || op == "^") {
    const auto triple = [&](const Expr* x) {
      const TypeSet set = types(x);
      if (op == "." && set == kC) return lowerExpr(x, Type::kColor);
      return lowerAs(x, Type::kVector);
    };
    const Value a = triple(e->args[0]), b = triple(e->args[1]);
    if (op == ".") return result(Op::kDot, Type::kFloat, {a.reg, b.reg}, e->loc, dest);
    return result(Op::kCross, Type::kVector, {a.reg, b.reg}, e->loc, dest);
  }
  if (op == "+" || op == "-" || op == "*" || op == "/") return arithmetic(e, {}, wanted, dest);
  return compare(e, dest);
}

namespace {

bool single(TypeSet s) { return s != 0 && (s & (s - 1)) == 0; }

/// Which of its types each operand of + - * / takes. Where the context wants a type, that one; a scale factor of a
/// point, vector, normal or colour is a float (woodcolor *= 1 + vary * noise(x) varies brightness, not hue).
void decide(char op, TypeSet l, TypeSet r, Type wanted, Type& lt, Type& rt) {
  const bool product = op == '*' || op == '/';
  const auto other = [&](TypeSet open, TypeSet fixed) {
    if (fixed & kF) return choose(open, wanted);
    if (fixed & kSpatial) return product && (open & kF) ? Type::kFloat : choose(open, choose(fixed, wanted));
    if (fixed & kC) return product && (open & kF) ? Type::kFloat : choose(open, Type::kColor);
    return choose(open, product ? Type::kFloat : choose(fixed, wanted));
  };
  lt = choose(l, wanted);
  rt = choose(r, wanted);
  if (single(l) && !single(r)) rt = other(r, l);
  if (single(r) && !single(l)) lt = other(l, r);
}

Op arithmeticOp(char op, bool leftTriple, bool rightTriple) {
  if (leftTriple && rightTriple)
    return op == '+' ? Op::kAddT : op == '-' ? Op::kSubT : op == '*' ? Op::kMulT : Op::kDivT;
  if (leftTriple) return op == '+' ? Op::kAddTF : op == '-' ? Op::kSubTF : op == '*' ? Op::kMulTF : Op::kDivTF;
  if (rightTriple) return op == '+' ? Op::kAddTF : op == '-' ? Op::kSubFT : op == '*' ? Op::kMulTF : Op::kDivFT;
  return op == '+' ? Op::kAddF : op == '-' ? Op::kSubF : op == '*' ? Op::kMulF : Op::kDivF;
}

}  // namespace

/// e->args[0] op e->args[1], with the left operand given already where left.reg >= 0 (compound assignment).
Value Lowerer::arithmetic(const Expr* e, Value left, Type wanted, int dest) {
  const char op = e->name[0];
  const TypeSet l = left.reg >= 0 ? setOf(left.type) : types(e->args[0]);
  const TypeSet r = types(e->args[1]);
  Type lt, rt;
  decide(op, l, r, wanted, lt, rt);
  if (left.reg < 0) left = lowerExpr(e->args[0], lt);
  const Value right = lowerExpr(e->args[1], rt);
  return emitArithmetic(op, left, right, e->loc, dest);
}

Value Lowerer::emitArithmetic(char op, Value a, Value b, const SourceLoc& loc, int dest) {
  const Type type = a.arrayLength > 0 || b.arrayLength > 0 ? Type::kUnknown : arithmeticType(op, a.type, b.type);
  if (type == Type::kUnknown) {
    const auto text = [](const Value& v) { return std::string(typeName(v.type)) + (v.arrayLength ? " array" : ""); };
    error("sl-type-mismatch", loc, format("{} {} {} has no meaning", text(a), op, text(b)));
    return zero(isTriple(a.type) ? a.type : Type::kFloat);
  }
  if (type == Type::kMatrix) {
    if (a.type == b.type)
      return result(op == '+'   ? Op::kAddM
                    : op == '-' ? Op::kSubM
                    : op == '*' ? Op::kMulM
                                : Op::kDivM,
                    type, {a.reg, b.reg}, loc, dest);
    if (a.type == Type::kFloat && op == '/') {
      const Value m = result(Op::kMatrixF, type, {a.reg}, loc, -1);
      return result(Op::kDivM, type, {m.reg, b.reg}, loc, dest);
    }
    if (a.type == Type::kFloat) std::swap(a, b);
    if (op == '/') b = result(Op::kDivF, Type::kFloat, {constant(1.0f), b.reg}, loc, -1);
    return result(Op::kMulMF, type, {a.reg, b.reg}, loc, dest);
  }
  const bool lt = a.type != Type::kFloat, rt = b.type != Type::kFloat;
  // float + triple and float * triple are the same with the triple first.
  if (!lt && rt && (op == '+' || op == '*')) std::swap(a, b);
  return result(arithmeticOp(op, lt, rt), type, {a.reg, b.reg}, loc, dest);
}

Value Lowerer::compare(const Expr* e, int dest) {
  const TypeSet l = types(e->args[0]), r = types(e->args[1]);
  const bool equality = e->name == "==" || e->name == "!=";
  Type type = Type::kFloat;
  if (!((l & kF) && (r & kF)))
    type = single(l) && !(l & kF) ? choose(l, Type::kUnknown) : choose(r & ~kF ? r & ~kF : r, Type::kUnknown);
  if (!equality && type != Type::kFloat) {
    error("sl-type-mismatch", e->loc, format("'{}' compares floats, not a {}", e->name, typeName(type)));
    return zero(Type::kFloat);
  }
  const Value a = lowerAs(e->args[0], type), b = lowerAs(e->args[1], type);
  if (equality && type == Type::kFloat && !isConstant(a.reg) && !isConstant(b.reg))
    diag_.warning("sl-float-equal", e->loc, format("'{}' between floats that are computed is seldom true", e->name));
  const bool eq = e->name == "==";
  Op op;
  if (type == Type::kString)
    op = eq ? Op::kEqS : Op::kNeS;
  else if (type == Type::kMatrix)
    op = eq ? Op::kEqM : Op::kNeM;
  else if (type != Type::kFloat)
    op = eq ? Op::kEqT : Op::kNeT;
  else if (equality)
    op = eq ? Op::kEqF : Op::kNeF;
  else if (e->name == "<")
    op = Op::kLtF;
  else if (e->name == "<=")
    op = Op::kLeF;
  else if (e->name == ">")
    op = Op::kGtF;
  else
    op = Op::kGeF;
  return result(op, Type::kFloat, {a.reg, b.reg}, e->loc, dest);
}

namespace {
/// True where working out `e` for lanes that do not need it could be seen or would be dear.
bool keepConditional(const Expr* e) {
  if (e->kind == ExprKind::kCall || e->kind == ExprKind::kAssign) return true;
  return std::any_of(e->args.begin(), e->args.end(), keepConditional);
}
}  // namespace

Value Lowerer::ternary(const Expr* e, Type wanted, int dest) {
  const TypeSet a = types(e->args[1]), b = types(e->args[2]);
  TypeSet both = arithmeticSet('+', a, b) | static_cast<TypeSet>(a & b);
  const Type type = choose(both, wanted);
  if (type == Type::kUnknown) {
    error("sl-type-mismatch", e->loc, "the two values of ?: have no common type");
    return zero(wanted);
  }
  const int c = condition(e->args[0]);
  if (!keepConditional(e->args[1]) && !keepConditional(e->args[2])) {
    const Value x = lowerAs(e->args[1], type), y = lowerAs(e->args[2], type);
    return result(Op::kSelect, type, {c, x.reg, y.reg}, e->loc, dest);
  }
  const int out = variable(type, 0, Detail::kDefault, {}, e->loc);
  const auto branch = [&](const Expr* x) {
    const Value v = lowerAs(x, type, out);
    if (v.reg != out) emit(Op::kMov, {out, v.reg}, e->loc);
  };
  openRegion(Op::kIf, {c}, e->loc);
  branch(e->args[1]);
  closeRegion();
  openRegion(Op::kElse, {}, e->loc);
  branch(e->args[2]);
  closeRegion();
  emit(Op::kEndIf, {}, e->loc);
  return {out, type, 0};
}

/// The variable that `e` (a name, or an element of one) may be written to; reports what is wrong.
Variable* Lowerer::assignable(const Expr* e) {
  const Expr* base = e->kind == ExprKind::kIndex ? e->args[0] : e;
  if (base->kind != ExprKind::kName) {
    error("sl-not-assignable", e->loc, "this cannot be assigned to");
    return nullptr;
  }
  Variable* v = lookup(base->name);
  if (!v) {
    name(base, Type::kUnknown);
    return nullptr;
  }
  if (v->input && complained_.insert(base->name).second)
    diag_.warning("sl-assign-parameter", e->loc,
                  format("parameter '{}' is changed without being an output", base->name));
  return v;
}

Value Lowerer::assign(const Expr* e, Type wanted) {
  const Expr* lhs = e->args[0];
  if (lhs->kind == ExprKind::kIndex) return assignElement(e);
  Variable* found = assignable(lhs);
  if (!found) {
    lowerExpr(e->args[1], Type::kUnknown);
    return zero(wanted);
  }
  const Variable v = *found;
  if (v.arrayLength > 0) return assignArray(e, v);
  Value value;
  if (e->name == "=") {
    value = lowerAs(e->args[1], v.type, v.reg);
  } else if (e->name == "^=") {
    value = result(Op::kCross, Type::kVector, {v.reg, lowerAs(e->args[1], Type::kVector).reg}, e->loc, v.reg);
    value = convert(value, v.type, e->loc);
  } else {
    value = convert(arithmetic(e, {v.reg, v.type, 0}, v.type, v.reg), v.type, e->loc, v.reg);
  }
  if (value.reg != v.reg) emit(Op::kMov, {v.reg, value.reg}, e->loc);
  return {v.reg, v.type, 0};
}

Value Lowerer::assignArray(const Expr* e, Variable target) {
  const Variable* source = arrayNamed(e->args[1]);
  if (e->name != "=" || !source || conversionCost(source->type, target.type) < 0 ||
      source->arrayLength != target.arrayLength) {
    error("sl-type-mismatch", e->loc, "an array takes an array of the same type and length");
    return zero(target.type);
  }
  emit(Op::kMov, {target.reg, source->reg}, e->loc);
  return {target.reg, target.type, target.arrayLength};
}

/// a[i] op= value, and a component of a triple by number.
Value Lowerer::assignElement(const Expr* e) {
  const Expr* lhs = e->args[0];
  const Variable* found = assignable(lhs);
  if (!found) return zero(Type::kFloat);
  const Variable v = *found;
  const Type type = v.arrayLength > 0 ? v.type : Type::kFloat;
  if (v.arrayLength == 0 && !isTriple(v.type)) {
    error("sl-type-mismatch", lhs->loc, format("a {} has no elements", typeName(v.type)));
    return zero(type);
  }
  if (e->name == "^=" && !isTriple(type)) {
    error("sl-type-mismatch", e->loc, format("a {} has no cross product", typeName(type)));
    return zero(type);
  }
  const int at = lowerAs(lhs->args[1], Type::kFloat).reg;
  Value value;
  if (e->name == "=") {
    value = lowerAs(e->args[1], type);
  } else {
    const Op load = v.arrayLength > 0 ? Op::kLoadElement : vm::builtinOp(vm::Builtin::k_comp);
    const Value old = result(load, type, {v.reg, at}, lhs->loc, -1);
    value = e->name == "^="
                ? result(Op::kCross, Type::kVector, {old.reg, lowerAs(e->args[1], Type::kVector).reg}, e->loc, -1)
                : arithmetic(e, old, type, -1);
    value = convert(value, type, e->loc);
  }
  if (v.arrayLength > 0)
    emit(Op::kStoreElement, {v.reg, at, value.reg}, e->loc);
  else
    emit(vm::builtinOp(vm::Builtin::k_setcomp), {v.reg, at, value.reg}, e->loc);
  return value;
}

/// Writes a value back to a name or an element (output arguments).
void Lowerer::store(const Expr* lhs, Value value) {
  const Variable* found = assignable(lhs);
  if (!found) return;
  const Variable v = *found;
  if (lhs->kind == ExprKind::kName) {
    value = convert(value, v.type, lhs->loc);
    emit(Op::kMov, {v.reg, value.reg}, lhs->loc);
    return;
  }
  const int at = lowerAs(lhs->args[1], Type::kFloat).reg;
  if (v.arrayLength > 0)
    emit(Op::kStoreElement, {v.reg, at, convert(value, v.type, lhs->loc).reg}, lhs->loc);
  else
    emit(vm::builtinOp(vm::Builtin::k_setcomp), {v.reg, at, convert(value, Type::kFloat, lhs->loc).reg}, lhs->loc);
}

}  // namespace reyes::sl
