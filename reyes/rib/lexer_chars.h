// SPDX-License-Identifier: Apache-2.0
// What bytes mean to the lexer. Private to it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reyes::rib {

inline constexpr size_t kLookAhead = 64;  ///< longer than any sensible number

inline bool isWhite(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
/// Bytes that end a word or a number. NUL only at the end of the buffer or as padding.
inline bool isDelimiter(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f' || c == '[' || c == ']' ||
         c == '"' || c == '#' || c == 0 || static_cast<unsigned char>(c) >= 0x80;
}
/// A digit, '-', '.' or '+'; without a branch, since half of all numbers have a sign.
inline bool startsNumber(char c) {
  constexpr uint32_t kStarts = 0x3ff << ('0' - '+') | 1 << ('-' - '+') | 1 << ('.' - '+') | 1;
  const unsigned at = static_cast<unsigned char>(c - '+');
  return (at < 32) & ((kStarts >> (at & 31)) & 1);
}

}  // namespace reyes::rib
