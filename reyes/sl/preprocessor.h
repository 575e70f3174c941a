// SPDX-License-Identifier: Apache-2.0
// The C preprocessor of the shading language: #include, macros, conditionals, #line, #pragma. Tokens keep the file,
// line and column they were written at (tokens of a macro body: those of its use). Called by the compiler driver.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/sl/source_set.h"
#include "reyes/sl/token.h"

namespace reyes::sl {

struct PreprocessOptions {
  std::vector<std::string> includePaths;
  std::vector<std::string> defines;
};

struct PreprocessResult {
  std::vector<Token> tokens;                                     ///< no newlines; ends with kEnd
  std::vector<std::pair<std::string, std::string>> annotations;  ///< #pragma annotation KEY "VALUE"
};

/// Preprocesses `main`. Bounded in time and memory whatever the input: nesting, includes and expansion have limits.
PreprocessResult preprocess(const SourceText& main, const PreprocessOptions& options, SourceSet& sources,
                            Diagnostics& diag);

/// Value of an #if expression; macros are expanded and defined() replaced already, left-over names count as 0.
/// False (with a message) where it cannot be read.
bool evaluateCondition(const std::vector<Token>& tokens, const SourceLoc& loc, Diagnostics& diag, double& value);

}  // namespace reyes::sl
