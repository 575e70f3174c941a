// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/type_set.h"

namespace reyes::sl {
namespace {
constexpr Type kAll[] = {Type::kFloat,  Type::kColor,  Type::kPoint, Type::kVector,
                         Type::kNormal, Type::kMatrix, Type::kString};
}

TypeSet setOf(Type t) {
  switch (t) {
    case Type::kFloat:
      return kF;
    case Type::kColor:
      return kC;
    case Type::kPoint:
      return kP;
    case Type::kVector:
      return kV;
    case Type::kNormal:
      return kN;
    case Type::kMatrix:
      return kM;
    case Type::kString:
      return kS;
    default:
      return 0;
  }
}

Type choose(TypeSet set, Type wanted) {
  if (set & setOf(wanted)) return wanted;
  if (isSpatial(wanted))
    for (const Type t : {Type::kVector, Type::kPoint, Type::kNormal})
      if (set & setOf(t)) return t;
  for (const Type t : kAll)
    if (set & setOf(t)) return t;
  return Type::kUnknown;
}

int conversionCost(Type from, Type to) {
  if (from == to) return 0;
  if (isSpatial(from) && isSpatial(to)) return 1;
  if (from == Type::kFloat && (isTriple(to) || to == Type::kMatrix)) return 4;
  return -1;
}

int conversionCost(TypeSet from, Type to) {
  if (from == 0) return 0;  // wrong in itself: the message about that is the better one
  int best = -1;
  for (const Type t : kAll) {
    if (!(from & setOf(t))) continue;
    const int cost = conversionCost(t, to);
    if (cost >= 0 && (best < 0 || cost < best)) best = cost;
  }
  return best;
}

Type arithmeticType(char op, Type a, Type b) {
  if (a == Type::kString || b == Type::kString || a == Type::kUnknown || b == Type::kUnknown) return Type::kUnknown;
  if (a == Type::kMatrix || b == Type::kMatrix) {
    const Type other = a == Type::kMatrix ? b : a;
    const bool ok = other == Type::kMatrix || (other == Type::kFloat && (op == '*' || op == '/'));
    return ok ? Type::kMatrix : Type::kUnknown;
  }
  if (a == Type::kFloat) return b;
  if (b == Type::kFloat) return a;
  if (a == Type::kColor || b == Type::kColor) return a == b ? a : Type::kUnknown;
  // Between points, vectors and normals: point - point is a vector, point and vector make a point.
  if (op == '-' && a == Type::kPoint && b == Type::kPoint) return Type::kVector;
  if (a == b) return a;
  if (a == Type::kPoint || b == Type::kPoint) return Type::kPoint;
  return Type::kVector;
}

TypeSet arithmeticSet(char op, TypeSet a, TypeSet b) {
  TypeSet set = 0;
  for (const Type x : kAll) {
    if (!(a & setOf(x))) continue;
    for (const Type y : kAll)
      if (b & setOf(y)) set |= setOf(arithmeticType(op, x, y));
  }
  return set;
}

}  // namespace reyes::sl
