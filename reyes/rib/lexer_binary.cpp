// SPDX-License-Identifier: Apache-2.0
// The binary encoding of RIB (RI 3.2, appendix C.2): one byte says what follows, numbers are big-endian.
//   80-8f fixed point   90-9f short string   a0-a3 string   a4 float   a5 double   a6 request by code
//   c8-cb float array   cc define a request  cd-ce define a string   cf-d0 use a defined string
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "reyes/base/format.h"
#include "reyes/rib/lexer.h"

namespace reyes::rib {
namespace {
float floatAt(const char* p) {
  uint32_t bits;
  std::memcpy(&bits, p, 4);
  return std::bit_cast<float>(__builtin_bswap32(bits));
}
}  // namespace

void Lexer::truncated() {
  if (!source_.failed()) fail("rib-truncated", here(), "the file ends inside a binary token");
  p_ = end_;
  atEnd_ = true;
}

bool Lexer::readUnsigned(size_t bytes, uint64_t& out) {
  if (!ensure(bytes)) return false;
  out = 0;
  for (size_t i = 0; i < bytes; ++i) out = out << 8 | static_cast<unsigned char>(*p_++);
  return true;
}

/// Appends `count` bytes (or drops them) as they arrive, so that a false count costs no memory.
bool Lexer::readBytes(size_t count, std::string* out) {
  while (count > 0) {
    if (!ensure(1)) return false;
    const size_t n = std::min(count, static_cast<size_t>(end_ - p_));
    if (out) out->append(p_, n);
    p_ += n;
    count -= n;
  }
  return true;
}

/// The string operand of a definition, encoded or quoted. False, and nothing read, where there is none.
bool Lexer::encodedString(std::string& out) {
  if (!skipWhite()) return false;
  const auto c = static_cast<unsigned char>(*p_);
  if (c != '"' && (c < 0x90 || c > 0xa3) && c != 0xcf && c != 0xd0) return false;
  Token token;
  lexOne(token);
  out = std::move(token.text);
  return token.kind == TokenKind::kString;
}

bool Lexer::defineRequest() {
  uint64_t code = 0;
  std::string name;
  if (!readUnsigned(1, code) || !encodedString(name)) return false;
  requests_[static_cast<int>(code)] = std::move(name);
  return true;
}

bool Lexer::defineString(size_t bytes) {
  uint64_t code = 0;
  std::string text;
  if (!readUnsigned(bytes, code) || !encodedString(text)) return false;
  strings_[static_cast<int>(code)] = std::move(text);
  return true;
}

void Lexer::lexFixedPoint(Token& token, int code) {
  const size_t bytes = static_cast<size_t>(code & 3) + 1;
  const int fractionBytes = code >> 2 & 3;
  uint64_t raw = 0;
  if (!readUnsigned(bytes, raw)) return truncated();
  const int shift = 64 - static_cast<int>(bytes) * 8;
  const int64_t value = static_cast<int64_t>(raw << shift) >> shift;  // sign
  token.kind = TokenKind::kNumber;
  token.number = {};
  token.number.isInteger = fractionBytes == 0;
  token.number.integer = static_cast<int32_t>(value);
  token.number.value = static_cast<float>(std::ldexp(static_cast<double>(value), -8 * fractionBytes));
}

void Lexer::lexReal(Token& token, int bytes) {
  uint64_t raw = 0;
  if (!readUnsigned(static_cast<size_t>(bytes), raw)) return truncated();
  const double value = bytes == 4 ? std::bit_cast<float>(static_cast<uint32_t>(raw)) : std::bit_cast<double>(raw);
  token.number = {};
  token.kind = TokenKind::kNumber;
  const double largest = std::numeric_limits<float>::max();
  if (!std::isfinite(value)) {
    diag_.error("rib-bad-number", token.loc, "a binary number that is not finite");
    token.kind = TokenKind::kBad;
    ++badTokens_;
  } else if (std::abs(value) > largest) {
    token.number.value = static_cast<float>(std::copysign(largest, value));
    warnRange(token.loc);
  } else {
    token.number.value = static_cast<float>(value);
  }
}

void Lexer::lexBinary(Token& token) {
  const int code = static_cast<unsigned char>(*p_);
  token.kind = TokenKind::kBad;
  if (code == 0xff && stopAtMarker_) {
    // End of one answer of a procedural program.
    token.kind = TokenKind::kEnd;
    atEnd_ = true;
    p_ = end_;
    return;
  }
  if ((code >= 0xa7 && code <= 0xc7) || code >= 0xd1) return lexBadBytes(token);
  ++p_;
  uint64_t n = 0;
  if (code <= 0x8f) return lexFixedPoint(token, code);
  if (code <= 0xa3) {
    n = static_cast<uint64_t>(code & 15);
    if (code >= 0xa0 && !readUnsigned(static_cast<size_t>(code - 0xa0) + 1, n)) return truncated();
    if (!readBytes(n, &token.text)) return truncated();
    token.kind = TokenKind::kString;
    return;
  }
  switch (code) {
    case 0xa4:
      return lexReal(token, 4);
    case 0xa5:
      return lexReal(token, 8);
    case 0xa6: {
      if (!readUnsigned(1, n)) return truncated();
      const auto it = requests_.find(static_cast<int>(n));
      if (it == requests_.end()) {
        diag_.error("rib-bad-binary", token.loc, format("request code {} is not defined", n));
        ++badTokens_;
        return;
      }
      token.kind = TokenKind::kWord;
      token.text = it->second;
      return;
    }
    case 0xc8:
    case 0xc9:
    case 0xca:
    case 0xcb:
      if (!readUnsigned(static_cast<size_t>(code - 0xc8) + 1, arrayFloats_)) return truncated();
      inArray_ = true;
      token.kind = TokenKind::kOpen;
      return;
    case 0xcf:
    case 0xd0: {
      if (!readUnsigned(static_cast<size_t>(code - 0xcf) + 1, n)) return truncated();
      const auto it = strings_.find(static_cast<int>(n));
      if (it == strings_.end()) {
        diag_.error("rib-bad-binary", token.loc, format("string code {} is not defined", n));
        ++badTokens_;
        return;
      }
      token.kind = TokenKind::kString;
      token.text = it->second;
      return;
    }
    default:
      break;
  }
  // Definitions make no token.
  const bool good = code == 0xcc ? defineRequest() : defineString(static_cast<size_t>(code - 0xcd) + 1);
  if (good) {
    token.kind = TokenKind::kNone;
    return;
  }
  if (atEnd_ && p_ == end_) return truncated();
  diag_.error("rib-bad-binary", token.loc, "a definition without its string");
  ++badTokens_;
}

void Lexer::nextArrayFloat(Token& token) {
  token.loc = here();
  if (arrayFloats_ == 0) {
    inArray_ = false;
    token.kind = TokenKind::kClose;
    return;
  }
  --arrayFloats_;
  token.kind = TokenKind::kBad;
  lexReal(token, 4);
  if (token.kind == TokenKind::kNumber) return;
  // One fault is enough: drop the rest of the array.
  readBytes(4 * arrayFloats_, nullptr);
  arrayFloats_ = 0;
  inArray_ = false;
}

void Lexer::bulkArrayFloats(std::vector<float>& out) {
  while (arrayFloats_ > 0 && ensure(4)) {
    const auto n = std::min<uint64_t>(arrayFloats_, static_cast<uint64_t>(end_ - p_) / 4);
    for (uint64_t i = 0; i < n; ++i) {
      const float value = floatAt(p_);
      if (!std::isfinite(value)) return;  // next() reports it
      out.push_back(value);
      p_ += 4;
      --arrayFloats_;
    }
  }
}

}  // namespace reyes::rib
