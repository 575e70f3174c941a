// SPDX-License-Identifier: Apache-2.0
// Calls of the machine: printf(), format(), concat(), match(), arraylength().
#include <bit>

#include "reyes/base/format.h"
#include "reyes/vm/machine_state.h"
#include "reyes/vm/pattern.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

/// One conversion of a printf text: flags, width and precision, then a letter.
struct Conversion {
  std::string spec;  ///< for format(), without the letter: e.g. ":>8.3"
  char letter = 0;
  size_t length = 0;
};

Conversion parseConversion(std::string_view s) {
  Conversion c;
  size_t i = 1;
  std::string flags, width, precision;
  while (i < s.size() && (s[i] == '-' || s[i] == '+' || s[i] == ' ' || s[i] == '0' || s[i] == '#')) flags += s[i++];
  while (i < s.size() && s[i] >= '0' && s[i] <= '9') width += s[i++];
  if (i < s.size() && s[i] == '.') {
    ++i;
    while (i < s.size() && s[i] >= '0' && s[i] <= '9') precision += s[i++];
    if (precision.empty()) precision = "0";
  }
  if (i < s.size()) c.letter = s[i++];
  c.length = i;
  if (width.size() > 3 || precision.size() > 2) width.clear(), precision.clear();
  const bool left = flags.find('-') != std::string::npos;
  c.spec = ":";
  c.spec += left ? "<" : width.empty() || flags.find('0') != std::string::npos ? "" : ">";
  if (flags.find('+') != std::string::npos) c.spec += '+';
  if (!left && !width.empty() && flags.find('0') != std::string::npos) c.spec += '0';
  c.spec += width;
  if (!precision.empty()) c.spec += '.' + precision;
  return c;
}

/// Text of one number: f, e, g as in C; d without its fraction.
void appendNumber(std::string& out, const Conversion& c, float v) {
  if (c.letter == 'd' || c.letter == 'i') {
    const bool whole = v > -9e15f && v < 9e15f;
    std::string spec = c.spec.substr(0, c.spec.find('.'));
    const long long n = whole ? static_cast<long long>(v) : 0;
    out += fmt::vformat("{" + spec + "d}", fmt::make_format_args(n));
    return;
  }
  const double d = v;
  const char kind = c.letter == 'e' || c.letter == 'g' || c.letter == 'E' || c.letter == 'G' ? c.letter : 'f';
  out += fmt::vformat("{" + c.spec + kind + "}", fmt::make_format_args(d));
}

/// The text for one lane. Values begin at operand `first`.
std::string formatted(const MachineState& s, const DecodedInstruction& d, int textAt, int first, int lane) {
  std::string out;
  std::string_view f = s.text(d, textAt);
  int k = first;
  while (!f.empty()) {
    const size_t percent = std::min(f.find('%'), f.size());
    out.append(f.substr(0, percent));
    f.remove_prefix(percent);
    if (f.empty()) break;
    if (f.size() > 1 && f[1] == '%') {
      out += '%';
      f.remove_prefix(2);
      continue;
    }
    const Conversion c = parseConversion(f);
    if (k >= d.nargs || !c.letter) {
      out.append(f.substr(0, c.length));  // nothing to put here
    } else if (s.type(d, k).type == RegType::kString) {
      out += s.text(d, k);
    } else {
      const Reg& r = s.reg(d, k);
      const int planes =
          c.letter == 'f' || c.letter == 'd' ? s.type(d, k).planes() : std::max(1, s.type(d, k).planes());
      for (int p = 0; p < planes; ++p) {
        if (p) out += ' ';
        appendNumber(out, c, r.data[static_cast<ptrdiff_t>(p) * r.stride + (r.uniform ? 0 : lane)]);
      }
    }
    ++k;
    f.remove_prefix(std::max<size_t>(c.length, 1));
  }
  return out;
}

bool anyVarying(const MachineState& s, const DecodedInstruction& d) {
  for (int k = 0; k < d.nargs; ++k)
    if (!s.reg(d, k).uniform) return true;
  return false;
}

// Once where everything is the same for all points and all points come here; else a line a point.
void print(MachineState& s, const DecodedInstruction& d) {
  if (!anyVarying(s, d) && !s.partial()) return s.services_->print(formatted(s, d, 0, 1, 0));
  for (int i = 0; i < s.grid_.points; ++i)
    if (s.now_.lanes[i]) s.services_->print(formatted(s, d, 0, 1, i));
}

void concatenate(MachineState& s, const DecodedInstruction& d) {
  // A loop that joins a text to itself must end: no name is that long.
  constexpr size_t kLongest = 1 << 16;
  std::string all;
  for (int k = 1; k < d.nargs && all.size() < kLongest; ++k) all += s.text(d, k);
  if (all.size() > kLongest) all.resize(kLongest);
  s.storeUniform(d, 0, 0, s.intern(all));
}

void match(MachineState& s, const DecodedInstruction& d) {
  const char* fault = nullptr;
  const bool found = matchPattern(s.text(d, 1), s.text(d, 2), &fault);
  if (fault) s.warn(d, "vm-match-pattern", format("match() with the pattern \"{}\": {}", s.text(d, 1), fault));
  s.storeUniform(d, 0, 0, found ? 1.0f : 0.0f);
}

}  // namespace

bool callText(MachineState& s, const DecodedInstruction& d) {
  if (!isBuiltin(d.op)) return false;
  switch (opInfo(d.op).builtin->id) {
    case Builtin::k_printf:
      return print(s, d), true;
    case Builtin::k_format:
      return s.storeUniform(d, 0, 0, s.intern(formatted(s, d, 1, 2, s.firstActive()))), true;
    case Builtin::k_concat:
      return concatenate(s, d), true;
    case Builtin::k_match:
      return match(s, d), true;
    case Builtin::k_arraylength:
      return s.storeUniform(d, 0, 0, static_cast<float>(s.type(d, 1).arrayLength)), true;
    default:
      return false;
  }
}

}  // namespace reyes::vm
