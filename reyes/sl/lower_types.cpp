// SPDX-License-Identifier: Apache-2.0
// Lowering: what types an expression can have, conversions, conditions, names and casts.
#include <algorithm>
#include <numbers>

#include "reyes/base/format.h"
#include "reyes/sl/fold.h"
#include "reyes/sl/globals.h"
#include "reyes/sl/lower_impl.h"

namespace reyes::sl {

using vm::Op;

TypeSet Lowerer::types(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kNumber:
      return kF;
    case ExprKind::kString:
      return kS;
    case ExprKind::kName: {
      const Variable* v = lookup(e->name);
      return v ? setOf(v->type) : kF;
    }
    case ExprKind::kUnary:
      return e->name == "!" ? kF : static_cast<TypeSet>(types(e->args[0]) & ~kS);
    case ExprKind::kBinary:
      if (e->name == "^") return kV;
      if (e->name == "+" || e->name == "-" || e->name == "*" || e->name == "/")
        return arithmeticSet(e->name[0], types(e->args[0]), types(e->args[1]));
      return kF;
    case ExprKind::kTernary: {
      const TypeSet a = types(e->args[1]), b = types(e->args[2]);
      return (a & kS) && (b & kS) ? kS : static_cast<TypeSet>(arithmeticSet('+', a, b) | (a & b & kM));
    }
    case ExprKind::kAssign:
      return types(e->args[0]);
    case ExprKind::kCast:
      return setOf(e->type);
    case ExprKind::kTuple:
      return e->args.size() == 16 ? kM : kTriples;
    case ExprKind::kCall:
      return callTypes(e);
    case ExprKind::kIndex: {
      if (const Variable* a = arrayNamed(e->args[0])) return setOf(a->type);
      const TypeSet base = types(e->args[0]);
      return (base & kS) ? kS : kF;
    }
    case ExprKind::kList:
    case ExprKind::kBad:
      return 0;
  }
  return 0;
}

/// The array variable that `e` names, or null.
const Variable* Lowerer::arrayNamed(const Expr* e) {
  if (e->kind != ExprKind::kName) return nullptr;
  const Variable* v = lookup(e->name);
  return v && v->arrayLength > 0 ? v : nullptr;
}

Value Lowerer::lowerAs(const Expr* e, Type type, int dest) {
  return convert(lowerExpr(e, type, dest), type, e->loc, dest);
}

Value Lowerer::convert(Value v, Type to, const SourceLoc& loc, int dest) {
  if (v.arrayLength > 0) {
    error("sl-type-mismatch", loc, format("an array stands where a {} is needed", typeName(to)));
    return zero(to);
  }
  const int cost = conversionCost(v.type, to);
  if (cost < 0) {
    // color and the spatial types share a register type: say what is wrong, then go on.
    error("sl-type-mismatch", loc, format("a {} cannot be used as a {}", typeName(v.type), typeName(to)));
    return zero(to);
  }
  if (cost <= 1) return {v.reg, to, 0};
  if (to == Type::kMatrix) return result(Op::kMatrixF, to, {v.reg}, loc, dest);
  if (isConstant(v.reg)) {
    const float f = ir_.reg(v.reg).value[0];
    return {constant(Vec3{f, f, f}), to, 0};
  }
  return result(Op::kTripleF, to, {v.reg}, loc, dest);
}

/// A float register that is not 0 where `e` is true.
int Lowerer::condition(const Expr* e) {
  const TypeSet set = types(e);
  if (!(set & kF) && set != 0) {
    error("sl-type-mismatch", e->loc,
          format("a condition is a float or a comparison, not a {}", typeName(choose(set, Type::kFloat))));
    return constant(0.0f);
  }
  return lowerAs(e, Type::kFloat).reg;
}

Value Lowerer::name(const Expr* e, Type wanted) {
  if (const Variable* v = lookup(e->name)) return {v->reg, v->type, v->arrayLength};
  if (e->name == "PI") return {constant(std::numbers::pi_v<float>), Type::kFloat, 0};
  if (complained_.insert(e->name).second) {
    std::vector<std::string_view> names = globalNames(shader_.type);
    for (int s = scope_; s >= 0; s = scopes_[static_cast<size_t>(s)].parent)
      for (const auto& [known, var] : scopes_[static_cast<size_t>(s)].variables) names.push_back(known);
    std::sort(names.begin(), names.end());
    error("sl-unknown-variable", e->loc,
          format("there is no variable '{}'{}", e->name.substr(0, 80), didYouMean(e->name, names)));
  }
  return zero(wanted);
}

Value Lowerer::cast(const Expr* e, int dest) {
  const Expr* inner = e->args[0];
  if (inner->kind == ExprKind::kCast && inner->text.empty() && e->text.empty() && inner->type == e->type)
    inner = inner->args[0];
  // Between spatial types a cast without a space changes the meaning alone; color and spatial types share registers.
  TypeSet set = types(inner);
  Value v;
  if (e->type == Type::kUnknown) return zero(e->type);
  if (isTriple(e->type) && !(set & (setOf(e->type) | kF)) && (set & kTriples)) {
    v = lowerExpr(inner, choose(set, e->type));
    if (v.arrayLength > 0) return convert(v, e->type, e->loc);
    v.type = e->type;
  } else if (e->type == Type::kFloat && !(set & kF) && (set & kTriples)) {
    error("sl-type-mismatch", e->loc,
          format("a {} cannot be cast to float: take one component", typeName(choose(set, Type::kColor))));
    return zero(Type::kFloat);
  } else {
    v = lowerAs(inner, e->type, e->text.empty() ? dest : -1);
  }
  if (e->text.empty()) return v;
  const auto call = [&](vm::Builtin b, const char* to) {
    return result(vm::builtinOp(b), e->type, {constant(e->text), constant(std::string(to)), v.reg}, e->loc, dest);
  };
  switch (e->type) {
    case Type::kColor:
      return e->text == "rgb" ? v : call(vm::Builtin::k_ctransform_ss, "rgb");
    case Type::kPoint:
      return e->text == "current" ? v : call(vm::Builtin::k_transform_ss, "current");
    case Type::kVector:
      return e->text == "current" ? v : call(vm::Builtin::k_vtransform_ss, "current");
    case Type::kNormal:
      return e->text == "current" ? v : call(vm::Builtin::k_ntransform_ss, "current");
    case Type::kMatrix:
      return e->text == "current" ? v : call(vm::Builtin::k_mtransform_ss, "current");
    default:
      error("sl-type-mismatch", e->loc, format("a {} has no space", typeName(e->type)));
      return v;
  }
}

Value Lowerer::tuple(const Expr* e, Type wanted, int dest) {
  std::vector<int> args;
  bool allConstant = true;
  for (const Expr* a : e->args) {
    args.push_back(lowerAs(a, Type::kFloat).reg);
    allConstant = allConstant && isConstant(args.back());
  }
  if (e->args.size() == 16) return result(Op::kMatrix16, Type::kMatrix, args, e->loc, dest);
  const Type type = isTriple(wanted) ? wanted : Type::kColor;
  if (allConstant) {
    const auto at = [&](size_t i) { return ir_.reg(args[i]).value[0]; };
    return {constant(Vec3{at(0), at(1), at(2)}), type, 0};
  }
  return result(Op::kTriple3, type, args, e->loc, dest);
}

Value Lowerer::index(const Expr* e, int dest) {
  if (const Variable* a = arrayNamed(e->args[0])) {
    const Variable array = *a;
    const int at = lowerAs(e->args[1], Type::kFloat).reg;
    return result(Op::kLoadElement, array.type, {array.reg, at}, e->loc, dest);
  }
  const Value base = lowerExpr(e->args[0], Type::kUnknown);
  const int at = lowerAs(e->args[1], Type::kFloat).reg;
  if (!isTriple(base.type)) {
    error("sl-type-mismatch", e->loc, format("a {} has no elements", typeName(base.type)));
    return zero(Type::kFloat);
  }
  return result(vm::builtinOp(vm::Builtin::k_comp), Type::kFloat, {base.reg, at}, e->loc, dest);
}

/// Emits `op` with a fresh result, or with `dest` where that has the right type and may be overwritten safely.
Value Lowerer::result(Op op, Type type, std::vector<int> args, const SourceLoc& loc, int dest) {
  const vm::RegType rt = vm::regTypeOf(type);
  const bool fits = dest >= 0 && ir_.reg(dest).type == rt && ir_.reg(dest).arrayLength == 0;
  const bool clash = std::find(args.begin(), args.end(), dest) != args.end() && !inPlaceSafe(op);
  const int reg = fits && !clash ? dest : temp(type);
  args.insert(args.begin(), reg);
  emit(op, std::move(args), loc);
  return {reg, type, 0};
}

bool inPlaceSafe(Op op) {
  return isComponentwise(op) || op == Op::kMadF || op == Op::kMadT || op == Op::kMadTF ||
         (op >= Op::kMulMulF && op <= Op::kSmoothMulF);
}

}  // namespace reyes::sl
