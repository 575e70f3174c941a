// SPDX-License-Identifier: Apache-2.0
// Sets of types that an expression can have before its context has chosen one (noise() may be float, color, ...), and
// the rules of conversion and of arithmetic between types. Used by the lowering.
#pragma once

#include <cstdint>

#include "reyes/vars/types.h"

namespace reyes::sl {

using TypeSet = uint8_t;
constexpr TypeSet kF = 1, kC = 2, kP = 4, kV = 8, kN = 16, kM = 32, kS = 64, kNothing = 128;
constexpr TypeSet kSpatial = kP | kV | kN, kTriples = kC | kSpatial;

TypeSet setOf(Type t);
/// The first of: the type wanted; one that converts to it for free; float; any.
Type choose(TypeSet set, Type wanted);
inline bool isSpatial(Type t) { return (setOf(t) & kSpatial) != 0; }

/// Cost of giving a `from` where a `to` is needed: 0 same, 1 between point, vector and normal, 4 float to a triple or a
/// matrix, negative: cannot.
int conversionCost(Type from, Type to);
/// The least cost over the types of a set.
int conversionCost(TypeSet from, Type to);

/// Type of a `op` b for + - * /, kUnknown where there is none.
Type arithmeticType(char op, Type a, Type b);
/// All types that a `op` b can have.
TypeSet arithmeticSet(char op, TypeSet a, TypeSet b);

}  // namespace reyes::sl
