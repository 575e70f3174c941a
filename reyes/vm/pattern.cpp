// SPDX-License-Identifier: Apache-2.0
// Patterns become a list of instructions that all places of the text run at once, so that time is bounded by their
// product whatever the pattern.
#include "reyes/vm/pattern.h"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace reyes::vm {

namespace {

constexpr size_t kMaxPattern = 4096, kMaxCode = 1 << 14;
constexpr int kMaxNesting = 100, kMaxRepeat = 255;

using Set = std::bitset<256>;

struct Instruction {
  enum Kind : uint8_t { kSet, kSplit, kJump, kBegin, kEnd, kMatch } kind;
  int a = 0, b = 0;  ///< kSplit: both ways on, kJump: a, relative; kSet: index
};
using Code = std::vector<Instruction>;

/// Extended regular expressions as POSIX has them: . [] [^] [:alpha:] () | * + ? {m,n} ^ $ and \ before a character.
class Parser {
 public:
  explicit Parser(std::string_view pattern) : p_(pattern) {}

  bool run(Code& code) {
    code = alternatives(0);
    code.push_back({Instruction::kMatch});
    return ok_ && at_ == p_.size() && code.size() <= kMaxCode;
  }
  std::vector<Set> sets;
  /// What is wrong, or odd; null: nothing.
  const char* fault() const { return fault_ ? fault_ : ok_ ? nullptr : "it is too large"; }

 private:
  void fail(const char* why) {
    if (!fault_) fault_ = why;
    ok_ = false;
  }
  bool more() const { return at_ < p_.size(); }
  bool next(char c) {
    if (!more() || p_[at_] != c) return false;
    ++at_;
    return true;
  }

  static void append(Code& to, const Code& from) { to.insert(to.end(), from.begin(), from.end()); }
  static int length(const Code& c) { return static_cast<int>(c.size()); }

  Code alternatives(int nesting) {
    if (nesting > kMaxNesting) ok_ = false;
    Code code = sequence(nesting);
    while (ok_ && next('|')) {
      const Code other = sequence(nesting);
      Code both{{Instruction::kSplit, 1, length(code) + 2}};
      append(both, code);
      both.push_back({Instruction::kJump, length(other) + 1});
      append(both, other);
      code = std::move(both);
      ok_ = ok_ && code.size() <= kMaxCode;
    }
    return code;
  }

  Code sequence(int nesting) {
    Code code;
    while (ok_ && more() && p_[at_] != '|' && !(p_[at_] == ')' && nesting > 0)) {
      append(code, repeated(nesting));
      ok_ = ok_ && code.size() <= kMaxCode;
    }
    return code;
  }

  Code repeated(int nesting) {
    Code one = atom(nesting);
    for (;;) {
      int least = 0, most = -1;  // -1: any number
      if (next('+'))
        least = 1;
      else if (next('?'))
        most = 1;
      else if (!next('*') && !bounds(least, most))
        return one;
      one = times(one, least, most);
      ok_ = ok_ && one.size() <= kMaxCode;
      if (!ok_) return one;
    }
  }

  /// {m}, {m,} or {m,n}; anything else is no repetition.
  bool bounds(int& least, int& most) {
    size_t i = at_;
    const auto number = [&](int& n) {
      const size_t begin = i;
      for (n = 0; i < p_.size() && p_[i] >= '0' && p_[i] <= '9'; ++i) n = std::min(n * 10 + (p_[i] - '0'), 10'000);
      return i > begin;
    };
    if (i >= p_.size() || p_[i++] != '{' || !number(least)) return false;
    most = least;
    if (i < p_.size() && p_[i] == ',') {
      ++i;
      if (!number(most)) most = -1;
    }
    if (i >= p_.size() || p_[i] != '}') return false;
    at_ = i + 1;
    if (least > kMaxRepeat || most > kMaxRepeat) ok_ = false;
    return true;
  }

  Code times(const Code& one, int least, int most) {
    Code code;
    if (one.size() * static_cast<size_t>(std::max(least, std::max(most, 1))) > kMaxCode) {
      ok_ = false;
      return code;
    }
    for (int k = 0; k < least; ++k) append(code, one);
    if (most < 0) {
      code.push_back({Instruction::kSplit, 1, length(one) + 2});
      append(code, one);
      code.push_back({Instruction::kJump, -(length(one) + 1)});
    }
    for (int k = least; k < most; ++k) {
      code.push_back({Instruction::kSplit, 1, length(one) + 1});
      append(code, one);
    }
    return code;
  }

  Code atom(int nesting) {
    const char c = p_[at_++];
    if (c == '(') {
      Code inner = alternatives(nesting + 1);
      if (ok_ && !next(')')) fail("'(' without its ')'");
      return inner;
    }
    if (c == ')' && !fault_) fault_ = "')' without its '('";
    if (c == '^') return {{Instruction::kBegin}};
    if (c == '$') return {{Instruction::kEnd}};
    Set set;
    if (c == '.')
      set.set();
    else if (c == '[')
      set = bracket();
    else
      set.set(byte(c == '\\' && more() ? p_[at_++] : c));
    sets.push_back(set);
    return {{Instruction::kSet, static_cast<int>(sets.size()) - 1}};
  }

  static size_t byte(char c) { return static_cast<unsigned char>(c); }

  Set bracket() {
    Set set;
    const bool negated = next('^');
    for (bool first = true; more() && (first || p_[at_] != ']'); first = false) {
      if (p_.substr(at_).starts_with("[:") && named(set)) continue;
      const size_t low = byte(p_[at_++]);
      size_t high = low;
      if (at_ + 1 < p_.size() && p_[at_] == '-' && p_[at_ + 1] != ']') {
        high = byte(p_[at_ + 1]);
        at_ += 2;
      }
      for (size_t k = low; k <= high; ++k) set.set(k);
    }
    if (!next(']')) fail("'[' without its ']'");
    return negated ? ~set : set;
  }

  /// [:alpha:] and its kin, of ASCII.
  bool named(Set& set) {
    const size_t end = p_.find(":]", at_ + 2);
    if (end == std::string_view::npos) return false;
    const std::string_view name = p_.substr(at_ + 2, end - at_ - 2);
    const auto add = [&](char low, char high) {
      for (size_t k = byte(low); k <= byte(high); ++k) set.set(k);
    };
    const bool alnum = name == "alnum", alpha = name == "alpha" || alnum;
    if (alpha || name == "lower") add('a', 'z');
    if (alpha || name == "upper") add('A', 'Z');
    if (alnum || name == "digit" || name == "xdigit") add('0', '9');
    if (name == "xdigit") add('a', 'f'), add('A', 'F');
    if (name == "space") add('\t', '\r'), add(' ', ' ');
    if (name == "punct") add('!', '/'), add(':', '@'), add('[', '`'), add('{', '~');
    at_ = end + 2;
    return true;
  }

  std::string_view p_;
  size_t at_ = 0;
  bool ok_ = true;
  const char* fault_ = nullptr;
};

/// The instructions that wait for the next character.
class Runner {
 public:
  Runner(const Code& code, const std::vector<Set>& sets, std::string_view subject)
      : code_(code), sets_(sets), subject_(subject), seen_(code.size(), SIZE_MAX) {}

  bool run() {
    std::vector<int> now, then;
    for (size_t at = 0; at <= subject_.size(); ++at) {
      // The pattern may begin at every place.
      if (follow(0, at, now)) return true;
      if (at == subject_.size()) break;
      then.clear();
      ++stamp_;
      for (const int pc : now)
        if (sets_[static_cast<size_t>(code_[static_cast<size_t>(pc)].a)].test(
                static_cast<unsigned char>(subject_[at])) &&
            follow(pc + 1, at + 1, then))
          return true;
      now.swap(then);
    }
    return false;
  }

 private:
  /// Adds what is reached from pc without a character; true at the end of the pattern.
  bool follow(int from, size_t at, std::vector<int>& to) {
    stack_.assign(1, from);
    while (!stack_.empty()) {
      const int pc = stack_.back();
      stack_.pop_back();
      size_t& seen = seen_[static_cast<size_t>(pc)];
      if (seen == stamp_) continue;
      seen = stamp_;
      const Instruction& in = code_[static_cast<size_t>(pc)];
      switch (in.kind) {
        case Instruction::kSet:
          to.push_back(pc);
          break;
        case Instruction::kSplit:
          stack_.push_back(pc + in.b);
          stack_.push_back(pc + in.a);
          break;
        case Instruction::kJump:
          stack_.push_back(pc + in.a);
          break;
        case Instruction::kBegin:
          if (at == 0) stack_.push_back(pc + 1);
          break;
        case Instruction::kEnd:
          if (at == subject_.size()) stack_.push_back(pc + 1);
          break;
        case Instruction::kMatch:
          return true;
      }
    }
    return false;
  }

  const Code& code_;
  const std::vector<Set>& sets_;
  std::string_view subject_;
  std::vector<size_t> seen_;
  std::vector<int> stack_;
  size_t stamp_ = 0;
};

}  // namespace

bool matchPattern(std::string_view pattern, std::string_view subject, const char** fault) {
  Parser parser(pattern);
  Code code;
  const bool sound = pattern.size() <= kMaxPattern && parser.run(code);
  if (fault) *fault = pattern.size() > kMaxPattern ? "it is too large" : parser.fault();
  return sound && Runner(code, parser.sets, subject).run();
}

}  // namespace reyes::vm
