// SPDX-License-Identifier: Apache-2.0
// Type checking and lowering of one shader: syntax tree to three-address code. Overloads are resolved, conversions made
// explicit and user functions inlined here, in one walk. Called by the compiler driver.
#pragma once

#include "reyes/base/diag.h"
#include "reyes/sl/ast.h"
#include "reyes/sl/ir.h"

namespace reyes::sl {

/// Errors go to `diag`; the code is whole only where none was reported.
void lower(const Ast& ast, const Shader& shader, Ir& ir, Diagnostics& diag);

}  // namespace reyes::sl
