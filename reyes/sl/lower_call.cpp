// SPDX-License-Identifier: Apache-2.0
// Lowering of calls of built-in functions: overloads are chosen from the machine's table by arguments and by the type
// that the context wants.
#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/sl/globals.h"
#include "reyes/sl/lower_impl.h"

namespace reyes::sl {

using vm::BuiltinInfo;
using vm::Op;

std::vector<Lowerer::ArgSpec> Lowerer::argSpecs(const BuiltinInfo& b) {
  std::vector<ArgSpec> specs;
  ArgSpec next;
  for (const char* c = b.arguments; *c; ++c) {
    if (*c == '=')
      next.read = false, next.write = true;
    else if (*c == '+')
      next.write = true;
    else if (*c == '[')
      specs.back().array = true;
    else if (*c != ']') {
      next.letter = *c;
      specs.push_back(next);
      next = {};
    }
  }
  return specs;
}

namespace {

TypeSet resultSet(const BuiltinInfo& b, const std::vector<TypeSet>& sets) {
  switch (b.result[0]) {
    case 'f':
      return kF;
    case 'c':
      return kC;
    case 'p':
      return kP;
    case 'v':
      return kV;
    case 'n':
      return kN;
    case 'm':
      return kM;
    case 's':
      return kS;
    case 't':
      return kTriples;
    case 'g':
      return kSpatial;
    case 'T': {
      // Whatever its triple arguments can be together; of floats alone it can be any triple.
      TypeSet fixed = 0, open = 0;
      for (size_t i = 0; b.arguments[i] && i < sets.size(); ++i) {
        if (b.arguments[i] != 't' && b.arguments[i] != 'g') continue;
        const TypeSet s = sets[i] & kTriples;
        (sets[i] & kF ? open : fixed) |= s;
      }
      return fixed ? fixed : open ? open : kTriples;
    }
    default:
      return kNothing;
  }
}

}  // namespace

TypeSet Lowerer::callTypes(const Expr* e) {
  const auto user = findFunctions(e->name);
  for (const FunctionRef& f : user)
    if (f.function->params.size() == e->args.size())
      return f.function->type == Type::kUnknown ? kNothing : setOf(f.function->type);
  std::vector<TypeSet> sets;
  TypeSet all = 0;
  for (const BuiltinInfo& b : vm::builtins()) {
    if (e->name != b.name) continue;
    if (sets.empty())
      for (const Expr* a : e->args) sets.push_back(types(a));
    // Overloads that the arguments rule out do not count: mix(1, 2, 3) is a float.
    if (acceptsCount(b, argSpecs(b).size(), e, sets) && matchCost(b, e, sets, Type::kUnknown) >= 0)
      all |= resultSet(b, sets);
  }
  return all ? all : kF;
}

bool Lowerer::acceptsCount(const BuiltinInfo& b, size_t fixed, const Expr* e, const std::vector<TypeSet>& sets) {
  const size_t n = e->args.size();
  if (b.flags & (BuiltinInfo::Repeat | BuiltinInfo::Values)) return n >= fixed;
  if (!(b.flags & BuiltinInfo::Tokens)) return n == fixed;
  if (n < fixed || (n - fixed) % 2 != 0) return false;
  for (size_t i = fixed; i < n; i += 2)
    if (!(sets[i] & kS)) return false;
  return true;
}

Type Lowerer::argType(char letter, TypeSet set, Type triple) const {
  switch (letter) {
    case 'f':
      return Type::kFloat;
    case 'c':
      return Type::kColor;
    case 'p':
      return Type::kPoint;
    case 'v':
      return Type::kVector;
    case 'n':
      return Type::kNormal;
    case 'm':
      return Type::kMatrix;
    case 's':
      return Type::kString;
    case 'g': {
      // A float becomes one; what cannot is refused by its cost.
      const Type usual = isSpatial(triple) ? triple : Type::kVector;
      const TypeSet among = set & kSpatial ? set & kSpatial : set & kTriples;
      return among ? choose(among, usual) : usual;
    }
    case 't':
      return triple;
    default:
      return choose(set, Type::kUnknown);
  }
}

/// The triple type that the t and g arguments share.
Type Lowerer::tripleOf(const BuiltinInfo& b, const std::vector<TypeSet>& sets, Type wanted) {
  TypeSet open = 0;
  bool any = false;
  const std::vector<ArgSpec> specs = argSpecs(b);
  for (size_t i = 0; i < sets.size(); ++i) {
    const ArgSpec& spec = specs[std::min(i, specs.size() - 1)];
    if (spec.letter != 't' && spec.letter != 'g') continue;
    any = true;
    const TypeSet s = sets[i] & kTriples;
    if (s && !(sets[i] & kF)) return choose(s, wanted);
    open |= s;
  }
  if (isTriple(wanted)) return wanted;
  if (any && open) return choose(open, Type::kColor);
  return Type::kColor;
}

/// Cost of calling `b` with these arguments, negative if it cannot be.
int Lowerer::matchCost(const BuiltinInfo& b, const Expr* e, const std::vector<TypeSet>& sets, Type wanted) {
  const std::vector<ArgSpec> specs = argSpecs(b);
  if (!acceptsCount(b, specs.size(), e, sets)) return -1;
  const Type triple = tripleOf(b, sets, wanted);
  int cost = 0;
  const size_t typed = b.flags & BuiltinInfo::Repeat ? e->args.size() : specs.size();
  for (size_t i = 0; i < typed; ++i) {
    const ArgSpec& spec = specs[std::min(i, specs.size() - 1)];
    const Expr* arg = e->args[i];
    if (spec.write && arg->kind != ExprKind::kName && arg->kind != ExprKind::kIndex) return -1;
    if (spec.letter == 'A') continue;
    const bool array = arrayNamed(arg) != nullptr;
    if (array != spec.array) return -1;
    TypeSet set = sets[i];
    if (i == 0 && (b.flags & BuiltinInfo::Channel) && arg->kind == ExprKind::kIndex) set = kS;
    const int c = conversionCost(set, argType(spec.letter, set, triple));
    if (c < 0 || (spec.write && c > 1)) return -1;
    cost += c;
  }
  // The result: what the context wants, or something that converts to it.
  const TypeSet r = resultSet(b, sets);
  if (wanted == Type::kUnknown) return cost + (r & kF ? 0 : r == kTriples ? 1 : 0);
  const int c = conversionCost(r, wanted);
  return cost + (c < 0 ? 100 : c == 4 ? 3 : c);
}

Value Lowerer::call(const Expr* e, Type wanted, int dest) {
  const auto user = findFunctions(e->name);
  if (!user.empty()) {
    const FunctionRef f = chooseFunction(e, user);
    if (f.function) return inlineCall(f, e, dest);
  }
  return builtinCall(e, wanted, dest);
}

Value Lowerer::builtinCall(const Expr* e, Type wanted, int dest) {
  std::vector<TypeSet> sets;
  for (const Expr* a : e->args) sets.push_back(types(a));
  const BuiltinInfo* best = nullptr;
  int bestCost = 0;
  bool known = false;
  for (const BuiltinInfo& b : vm::builtins()) {
    if (e->name != b.name) continue;
    known = true;
    const int cost = matchCost(b, e, sets, wanted);
    if (cost >= 0 && (!best || cost < bestCost)) best = &b, bestCost = cost;
  }
  if (!best) {
    if (known)
      noMatch(e, sets);
    else
      unknownFunction(e);
    return zero(wanted);
  }
  return emitBuiltin(*best, e, sets, wanted, dest);
}

/// "spline(string, float, float[])", as a message shows it.
static std::string signatureOf(const BuiltinInfo& b) {
  const auto word = [](char letter) -> const char* {
    switch (letter) {
      case 'f':
        return "float";
      case 'c':
        return "color";
      case 'p':
        return "point";
      case 'v':
        return "vector";
      case 'n':
        return "normal";
      case 'm':
        return "matrix";
      case 's':
        return "string";
      case 'g':
        return "point|vector|normal";
      case 't':
        return "color|point|vector|normal";
      default:
        return "variable";
    }
  };
  std::string text;
  for (const char* c = b.arguments; *c; ++c) {
    if (*c == '[' || *c == ']') {
      text += *c;
      continue;
    }
    if (!text.empty()) text += ", ";
    for (; *c == '=' || *c == '+'; ++c) text += "output ";
    text += word(*c);
  }
  if (b.flags & (BuiltinInfo::Repeat | BuiltinInfo::Values)) text += ", ...";
  if (b.flags & BuiltinInfo::Tokens) text += text.empty() ? "..." : ", ...";
  return format("{}({})", b.name, text);
}

void Lowerer::noMatch(const Expr* e, const std::vector<TypeSet>& sets) {
  std::string given, forms;
  for (size_t i = 0; i < sets.size() && i < 12; ++i)
    given += (i ? ", " : "") + std::string(typeName(choose(sets[i], Type::kUnknown)));
  int listed = 0;
  for (const BuiltinInfo& b : vm::builtins())
    if (e->name == b.name && ++listed <= 4) forms += (listed > 1 ? ", " : "") + signatureOf(b);
  error("sl-no-overload", e->loc, format("no form of {}() takes ({}); there are {}", e->name, given, forms));
}

void Lowerer::unknownFunction(const Expr* e) {
  if (const auto user = findFunctions(e->name); !user.empty()) {
    error("sl-arguments", e->loc,
          format("'{}' takes {} arguments, {} given", e->name, user[0].function->params.size(), e->args.size()));
    return;
  }
  static constexpr std::string_view kLater[] = {
      "getshader",  "getshaders", "getlights",   "directlighting",  "areashadow",      "resize",  "push",
      "pop",        "getvar",     "hasmethod",   "debugray",        "evaluateSamples", "reserve", "capacity",
      "rayhittest", "raytrace",   "emitSamples", "generateSamples", "integrator"};
  if (std::find(std::begin(kLater), std::end(kLater), e->name) != std::end(kLater)) {
    if (complained_.insert(e->name).second)
      error("sl-not-implemented", e->loc, format("{}() is not implemented", e->name));
    return;
  }
  std::vector<std::string_view> names{"color",  "point", "vector",      "normal",
                                      "matrix", "float", "illuminance", "illuminate"};
  for (const BuiltinInfo& b : vm::builtins()) names.emplace_back(b.name);
  for (int s = scope_; s >= 0; s = scopes_[static_cast<size_t>(s)].parent)
    for (const auto& [name, list] : scopes_[static_cast<size_t>(s)].functions) names.push_back(name);
  std::sort(names.begin(), names.end());
  if (!complained_.insert(e->name).second) return;
  error("sl-unknown-function", e->loc,
        format("there is no function '{}'{}", e->name.substr(0, 80), didYouMean(e->name, names)));
}

/// For "file"[channel]: the string part. Else null.
const Expr* Lowerer::channelBase(const Expr* e) {
  if (e->kind != ExprKind::kIndex || arrayNamed(e->args[0])) return nullptr;
  return types(e->args[0]) & kS ? e->args[0] : nullptr;
}

Value Lowerer::emitBuiltin(const BuiltinInfo& b, const Expr* e, const std::vector<TypeSet>& sets, Type wanted,
                           int dest) {
  const std::vector<ArgSpec> specs = argSpecs(b);
  const Type triple = tripleOf(b, sets, wanted);
  std::vector<int> args;
  std::vector<std::pair<const Expr*, Value>> copyBack;
  const size_t typed = b.flags & BuiltinInfo::Repeat ? e->args.size() : specs.size();
  for (size_t i = 0; i < typed; ++i) {
    const ArgSpec& spec = specs[std::min(i, specs.size() - 1)];
    const Expr* arg = e->args[i];
    if (spec.write) {
      const Variable* found = assignable(arg);
      if (!found) return zero(wanted);
      const Variable v = *found;
      if (arg->kind == ExprKind::kName) {
        args.push_back(v.reg);
      } else {
        // An element: work on a copy, then store it.
        const Value element = index(arg, -1);
        const int copy = variable(element.type, 0, Detail::kDefault, {}, arg->loc);
        emit(Op::kMov, {copy, element.reg}, arg->loc);
        copyBack.push_back({arg, {copy, element.type, 0}});
        args.push_back(copy);
      }
    } else if (const Expr* base = i == 0 && (b.flags & BuiltinInfo::Channel) ? channelBase(arg) : nullptr) {
      args.push_back(lowerAs(base, Type::kString).reg);
      args.push_back(lowerAs(arg->args[1], Type::kFloat).reg);
    } else {
      if (spec.array || spec.letter == 'A')
        args.push_back(lowerExpr(arg, Type::kUnknown).reg);
      else
        args.push_back(lowerAs(arg, argType(spec.letter, sets[i], triple)).reg);
      if (i == 0 && (b.flags & BuiltinInfo::Channel)) args.push_back(constant(0.0f));
    }
  }
  // Globals that the function reads by itself.
  std::string_view names = b.implicit;
  while (!names.empty()) {
    const size_t space = names.find(' ');
    const Variable* g = global(names.substr(0, space));
    args.push_back(g                                                       ? g->reg
                   : names.substr(0, space).size() == 1 && names[0] != 'P' ? constant(0.0f)
                                                                           : constant(Vec3{0, 0, 0}));
    names = space == std::string_view::npos ? std::string_view{} : names.substr(space + 1);
  }
  for (size_t i = typed; i < e->args.size(); ++i) args.push_back(lowerExpr(e->args[i], Type::kUnknown).reg);
  if (args.size() > 1000) {
    error("sl-arguments", e->loc, format("too many arguments of {}()", e->name));
    return zero(wanted);
  }
  const Op op = vm::builtinOp(b.id);
  Value v;
  const TypeSet r = resultSet(b, sets);
  if (r == kNothing) {
    emit(op, std::move(args), e->loc);
    v = {constant(0.0f), Type::kUnknown, 0};
  } else {
    const Type type = b.result[0] == 'T'                         ? triple
                      : b.result[0] == 't' || b.result[0] == 'g' ? (isTriple(wanted) ? wanted : Type::kColor)
                                                                 : choose(r, wanted);
    v = result(op, type, std::move(args), e->loc, dest);
  }
  for (const auto& [arg, value] : copyBack) store(arg, value);
  return v;
}

}  // namespace reyes::sl
