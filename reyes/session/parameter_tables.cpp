// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/parameter_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "reyes/base/format.h"

namespace reyes::session {
namespace {
using enum Tier;
constexpr KnownParameter kOptions[] = {
#define REYES_OPTION(category, name, declaration, tier, harmless, note) \
  {category, name, declaration, tier, harmless, note},
#include "reyes/session/options.def"
#undef REYES_OPTION
};
constexpr KnownParameter kAttributes[] = {
#define REYES_ATTRIBUTE(category, name, declaration, tier, harmless, note) \
  {category, name, declaration, tier, harmless, note},
#include "reyes/session/attributes.def"
#undef REYES_ATTRIBUTE
};

using Index = std::map<std::pair<std::string, std::string>, const KnownParameter*>;
Index indexOf(std::span<const KnownParameter> table) {
  Index index;
  for (const KnownParameter& k : table) index[{k.category, k.name}] = &k;
  return index;
}
const KnownParameter* look(const Index& index, const std::string& category, const std::string& name) {
  const auto it = index.find({category, name});
  return it == index.end() ? nullptr : it->second;
}
}  // namespace

std::span<const KnownParameter> knownOptions() { return kOptions; }
std::span<const KnownParameter> knownAttributes() { return kAttributes; }

const KnownParameter* findOption(const std::string& category, const std::string& name) {
  static const Index index = indexOf(kOptions);
  return look(index, category, name);
}

const KnownParameter* findAttribute(const std::string& category, const std::string& name) {
  static const Index index = indexOf(kAttributes);
  return look(index, category, name);
}

Param typed(const Param& given, const KnownParameter* known) {
  Param p = given;
  if (p.spec.type != Type::kUnknown) return p;
  if (known) {
    const Name name = p.spec.name;
    if (const auto spec = parseDeclaration(known->declaration)) p.spec = *spec;
    p.spec.name = name;
  }
  // The values decide where the table does not know, or contradicts them.
  const bool strings = !p.strings.empty();
  if (p.spec.type == Type::kUnknown || strings != (p.spec.type == Type::kString)) {
    p.spec.type = strings ? Type::kString : Type::kFloat;
    p.spec.arraySize = p.count() > 1 ? static_cast<int>(p.count()) : 0;
  }
  if (p.spec.type == Type::kInteger && p.ints.empty())
    for (const float f : p.floats)
      p.ints.push_back(static_cast<int32_t>(std::clamp(std::isnan(f) ? 0.0f : f, -2147483648.0f, 2147483520.0f)));
  return p;
}

bool isHarmless(const Param& given, const KnownParameter& known) {
  if (given.count() == 0) return true;
  const std::string value = given.strings.empty() ? format("{}", given.floats[0]) : given.strings[0];
  return value == known.harmless || value.empty();
}

}  // namespace reyes::session
