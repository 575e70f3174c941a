// SPDX-License-Identifier: Apache-2.0
// Value types and storage classes of RenderMan variables, shared by scene files, geometry and shaders.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reyes/base/name.h"

namespace reyes {

enum class Type { kUnknown, kFloat, kInteger, kColor, kPoint, kVector, kNormal, kHPoint, kMatrix, kString };
enum class Storage { kConstant, kUniform, kVarying, kVertex, kFaceVarying, kFaceVertex };

/// Floats (or integers, or strings) in one value: 1, 3, 4 (hpoint), 16 (matrix).
constexpr int componentCount(Type t) {
  switch (t) {
    case Type::kColor:
    case Type::kPoint:
    case Type::kVector:
    case Type::kNormal:
      return 3;
    case Type::kHPoint:
      return 4;
    case Type::kMatrix:
      return 16;
    default:
      return 1;
  }
}
/// True for color, point, vector, normal.
bool isTriple(Type t);
const char* typeName(Type t);
const char* storageName(Storage s);
std::optional<Type> parseType(std::string_view word);
std::optional<Storage> parseStorage(std::string_view word);

/// What a variable is: `varying float[4] weights`. arraySize 0 is no array, 1 is an array of one.
struct VarSpec {
  Name name;
  Type type = Type::kUnknown;
  Storage storage = Storage::kUniform;
  int arraySize = 0;
  bool operator==(const VarSpec&) const = default;

  int elements() const { return arraySize > 0 ? arraySize : 1; }
  /// Floats (integers, strings) an item of this variable takes.
  int width() const { return componentCount(type) * elements(); }
  std::string declaration() const;  ///< e.g. "varying float[4]"
};

/// Parses `[class] type[[n]] [name]` as in Declare and in inline declarations; the class defaults to uniform.
/// Empty where the text is not a declaration (then it is a plain name). Odd white space is allowed.
std::optional<VarSpec> parseDeclaration(std::string_view text);

}  // namespace reyes
