// SPDX-License-Identifier: Apache-2.0
// A small backtracking matcher with a bound on its work.
#include "reyes/vm/pattern.h"

#include <algorithm>

namespace reyes::vm {

namespace {

struct Matcher {
  std::string_view subject;
  int steps = 1 << 20;

  /// Length of the atom at the front of p: a character, an escape or a set.
  static size_t atomLength(std::string_view p) {
    if (p[0] == '\\' && p.size() > 1) return 2;
    if (p[0] != '[') return 1;
    size_t i = p.size() > 1 && p[1] == '^' ? 2 : 1;
    if (i < p.size() && p[i] == ']') ++i;
    while (i < p.size() && p[i] != ']') ++i;
    return std::min(i + 1, p.size());
  }
  static bool atomMatches(std::string_view atom, char c) {
    if (atom[0] == '\\' && atom.size() > 1) return atom[1] == c;
    if (atom[0] == '.') return true;
    if (atom[0] != '[' || atom.size() < 2) return atom[0] == c;
    const bool negated = atom[1] == '^';
    std::string_view set = atom.substr(negated ? 2 : 1);
    if (!set.empty() && set.back() == ']') set.remove_suffix(1);
    bool in = false;
    for (size_t i = 0; i < set.size(); ++i) {
      if (i + 2 < set.size() && set[i + 1] == '-') {
        in |= c >= set[i] && c <= set[i + 2];
        i += 2;
      } else {
        in |= c == set[i];
      }
    }
    return in != negated;
  }

  bool here(std::string_view p, size_t at) {
    while (!p.empty()) {
      if (--steps < 0) return false;
      if (p == "$") return at == subject.size();
      const size_t n = atomLength(p);
      const std::string_view atom = p.substr(0, n);
      const char repeat = n < p.size() ? p[n] : '\0';
      if (repeat == '*' || repeat == '+' || repeat == '?') {
        const std::string_view rest = p.substr(n + 1);
        size_t most = 0;
        while (at + most < subject.size() && (repeat != '?' || most < 1) && atomMatches(atom, subject[at + most]))
          ++most;
        const size_t least = repeat == '+' ? 1 : 0;
        for (size_t k = most + 1; k-- > least;)
          if (here(rest, at + k)) return true;
        return false;
      }
      if (at >= subject.size() || !atomMatches(atom, subject[at])) return false;
      p.remove_prefix(n);
      ++at;
    }
    return true;
  }

  bool anywhere(std::string_view p) {
    if (!p.empty() && p[0] == '^') return here(p.substr(1), 0);
    for (size_t i = 0; i <= subject.size(); ++i)
      if (here(p, i)) return true;
    return false;
  }
};

}  // namespace

bool matchPattern(std::string_view pattern, std::string_view subject) {
  if (pattern.size() > 4096) return false;
  Matcher m{subject};
  while (true) {
    // Alternatives at the top level.
    size_t bar = 0;
    while (bar < pattern.size() && pattern[bar] != '|') bar += Matcher::atomLength(pattern.substr(bar));
    bar = std::min(bar, pattern.size());
    if (m.anywhere(pattern.substr(0, bar))) return true;
    if (bar == pattern.size()) return false;
    pattern.remove_prefix(bar + 1);
  }
}

}  // namespace reyes::vm
