// SPDX-License-Identifier: Apache-2.0
// Recursive descent from tokens to the syntax tree. After a syntax error it goes on at the next statement, so that one
// run reports several. Nesting is bounded. Called by the compiler driver.
#pragma once

#include <span>

#include "reyes/base/diag.h"
#include "reyes/sl/ast.h"
#include "reyes/sl/token.h"

namespace reyes::sl {

/// `tokens` end with kEnd and outlive the tree (names point into them).
void parse(std::span<const Token> tokens, Ast& ast, Diagnostics& diag);

}  // namespace reyes::sl
