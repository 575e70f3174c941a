// SPDX-License-Identifier: Apache-2.0
// Tokens of the shading language and of its preprocessor (one lexer serves both).
#pragma once

#include <cstdint>
#include <string_view>

#include "reyes/base/diag.h"

namespace reyes::sl {

enum class Tok : uint8_t { kEnd, kNewline, kIdent, kNumber, kString, kPunct, kBad };

struct Token {
  Tok kind = Tok::kEnd;
  bool spaceBefore = false;
  bool lineStart = false;  ///< first token of its line
  bool noExpand = false;   ///< a macro name met inside its own expansion
  std::string_view text;   ///< as written; strings with their quotes and escapes. Owned by the SourceSet
  SourceLoc loc;

  bool is(std::string_view s) const { return (kind == Tok::kPunct || kind == Tok::kIdent) && text == s; }
};

}  // namespace reyes::sl
