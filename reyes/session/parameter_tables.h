// SPDX-License-Identifier: Apache-2.0
// What Reyes knows of each Option and Attribute: its type where a file does not declare it, and its tier.
// Read by the scene builder; the tables themselves are options.def and attributes.def.
#pragma once

#include <span>
#include <string>

#include "reyes/vars/param_list.h"

namespace reyes::session {

enum class Tier { kHonoured, kHint, kMissing };

struct KnownParameter {
  const char* category;
  const char* name;
  const char* declaration;
  Tier tier;
  const char* harmless;  ///< with Tier::kMissing: the value that asks for nothing ("" none)
  const char* note;
};

std::span<const KnownParameter> knownOptions();
std::span<const KnownParameter> knownAttributes();

/// Null where the table has no such entry.
const KnownParameter* findOption(const std::string& category, const std::string& name);
const KnownParameter* findAttribute(const std::string& category, const std::string& name);

/// Gives an undeclared parameter the type of the table (or of its values, where the table does not know it).
Param typed(const Param& given, const KnownParameter* known);
/// True where the value is the one that asks for nothing.
bool isHarmless(const Param& given, const KnownParameter& known);

}  // namespace reyes::session
