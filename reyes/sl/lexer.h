// SPDX-License-Identifier: Apache-2.0
// Cuts one source text into tokens. Comments vanish, newlines stay (the preprocessor needs them), bad characters and
// open strings become Tok::kBad, reported only where they reach the parser. Called by the preprocessor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/sl/source_set.h"
#include "reyes/sl/token.h"

namespace reyes::sl {

/// All tokens of `source`, ended by kNewline and kEnd. An unterminated comment is an error at its start.
std::vector<Token> lexSource(const SourceText& source, Diagnostics& diag);

/// The value of a string token (with quotes): escapes \n \t \r \b \f \" \\ and octal; others stay as written.
std::string decodeString(std::string_view quoted);
/// The value of a number token, independent of the locale. False where the text is not a whole number.
bool decodeNumber(std::string_view text, float& value);

}  // namespace reyes::sl
