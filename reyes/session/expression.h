// SPDX-License-Identifier: Apache-2.0
// The expressions of IfBegin and ElseIf: numbers, 'strings', $variables, defined(name), ! - * / + - comparisons, text
// =~ pattern (as match() of shaders), && || (). Called by the gate of a session for each condition that it meets.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace reyes::session {

using ExpressionValue = std::variant<double, std::string>;
/// The value of a variable ("user:name", "Frame", ...), empty where it is not defined.
using VariableLookup = std::function<std::optional<ExpressionValue>(const std::string& name)>;

struct ExpressionResult {
  bool value = false;
  std::string error;  ///< empty: understood
};

/// Variables that are not defined count as 0 / "". `mark` begins a variable.
ExpressionResult evaluateCondition(const std::string& text, const VariableLookup& lookup, char mark = '$');

}  // namespace reyes::session
