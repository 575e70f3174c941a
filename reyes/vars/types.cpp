// SPDX-License-Identifier: Apache-2.0
#include "reyes/vars/types.h"

#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

namespace reyes {
namespace {
constexpr std::pair<const char*, Type> kTypes[] = {
    {"float", Type::kFloat},   {"integer", Type::kInteger}, {"int", Type::kInteger},   {"color", Type::kColor},
    {"point", Type::kPoint},   {"vector", Type::kVector},   {"normal", Type::kNormal}, {"hpoint", Type::kHPoint},
    {"matrix", Type::kMatrix}, {"string", Type::kString}};
constexpr std::pair<const char*, Storage> kStorages[] = {
    {"constant", Storage::kConstant}, {"uniform", Storage::kUniform},         {"varying", Storage::kVarying},
    {"vertex", Storage::kVertex},     {"facevarying", Storage::kFaceVarying}, {"facevertex", Storage::kFaceVertex}};

/// Words of letters, digits and other name characters; "[", "]" and each bracketed number stand alone.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  size_t i = 0;
  while (i < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[i]))) {
      ++i;
    } else if (text[i] == '[' || text[i] == ']') {
      words.push_back(text.substr(i++, 1));
    } else {
      const size_t start = i;
      while (i < text.size() && !std::isspace(static_cast<unsigned char>(text[i])) && text[i] != '[' && text[i] != ']')
        ++i;
      words.push_back(text.substr(start, i - start));
    }
  }
  return words;
}
}  // namespace

bool isTriple(Type t) { return componentCount(t) == 3; }

const char* typeName(Type t) {
  for (const auto& [word, type] : kTypes)
    if (type == t) return word;
  return "unknown";
}

const char* storageName(Storage s) {
  for (const auto& [word, storage] : kStorages)
    if (storage == s) return word;
  return "";
}

std::optional<Type> parseType(std::string_view word) {
  for (const auto& [text, type] : kTypes)
    if (word == text) return type;
  if (word == "mpoint") return Type::kMatrix;  // older exporters' name for a matrix a vertex
  return {};
}

std::optional<Storage> parseStorage(std::string_view word) {
  for (const auto& [text, storage] : kStorages)
    if (word == text) return storage;
  return {};
}

std::string VarSpec::declaration() const {
  std::string s = std::string(storageName(storage)) + " " + typeName(type);
  if (arraySize > 0) s += "[" + std::to_string(arraySize) + "]";
  return s;
}

std::optional<VarSpec> parseDeclaration(std::string_view text) {
  const std::vector<std::string_view> words = split(text);
  VarSpec spec;
  size_t i = 0;
  if (i < words.size())
    if (const auto storage = parseStorage(words[i])) spec.storage = *storage, ++i;
  if (i >= words.size()) return {};
  const auto type = parseType(words[i++]);
  if (!type) return {};
  spec.type = *type;
  if (i < words.size() && words[i] == "[") {
    if (i + 2 >= words.size() || words[i + 2] != "]") return {};
    const std::string_view digits = words[i + 1];
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), spec.arraySize);
    if (error != std::errc() || end != digits.data() + digits.size() || spec.arraySize < 1) return {};
    i += 3;
  }
  if (i < words.size()) spec.name = Name(words[i++]);
  if (i != words.size()) return {};
  return spec;
}

}  // namespace reyes
