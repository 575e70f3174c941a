// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/flag_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "reyes/base/format.h"

namespace reyes::tools {
namespace {
std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// Wraps help text at 78 columns with a hanging indent.
std::string wrapped(const std::string& text, size_t indent) {
  std::string out;
  size_t column = indent;
  for (const std::string& word : split(text, ' ')) {
    if (column > indent && column + 1 + word.size() > 100) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}
}  // namespace

void FlagParser::section(std::string title) { flags_.push_back({{}, {}, std::move(title), {}, true}); }

void FlagParser::add(std::string names, std::string values, std::string help, Apply apply) {
  flags_.push_back({split(names, ','), split(values, ' '), std::move(help), std::move(apply), false});
}

void FlagParser::addSwitch(std::string names, std::string help, bool& into, bool value) {
  add(std::move(names), "", std::move(help), [&into, value](const Values&) {
    into = value;
    return std::string();
  });
}

void FlagParser::addText(std::string names, std::string value, std::string help, std::string& into) {
  add(std::move(names), std::move(value), std::move(help), [&into](const Values& v) {
    into = v[0];
    return std::string();
  });
}

void FlagParser::addList(std::string names, std::string value, std::string help, std::vector<std::string>& into) {
  add(std::move(names), std::move(value), std::move(help), [&into](const Values& v) {
    into.push_back(v[0]);
    return std::string();
  });
}

void FlagParser::addNotBuilt(std::string names, std::string values) {
  const std::string name = split(names, ',').front();
  add(std::move(names), std::move(values), "",
      [name](const Values&) { return name + " is not built in this version"; });
}

const FlagParser::Flag* FlagParser::find(const std::string& name) const {
  for (const Flag& f : flags_)
    if (std::find(f.names.begin(), f.names.end(), name) != f.names.end()) return &f;
  return nullptr;
}

std::string FlagParser::nearest(const std::string& name) const {
  std::string best;
  int least = 3;
  for (const Flag& f : flags_)
    for (const std::string& candidate : f.names)
      if (const int d = editDistance(name, candidate); d < least && candidate.size() > 2) best = candidate, least = d;
  return best;
}

std::string FlagParser::parse(int argc, char** argv, std::vector<std::string>& files) {
  bool flagsEnded = false;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (flagsEnded || name.size() < 2 || name[0] != '-') {
      files.push_back(name);
      continue;
    }
    if (name == "--") {
      flagsEnded = true;
      continue;
    }
    if (name == "--help" || name == "-h" || name == "-help") {
      helpWanted_ = true;
      return {};
    }
    // A value may be attached: --name=value, -t:value, -Ifolder.
    Values values;
    const Flag* flag = find(name);
    if (const size_t at = name.find_first_of("=:"); !flag && at != std::string::npos && find(name.substr(0, at))) {
      values.push_back(name.substr(at + 1));
      name.resize(at);
      flag = find(name);
    } else if (!flag && (name[1] == 'I' || name[1] == 'D') && find(name.substr(0, 2))) {
      values.push_back(name.substr(2));
      name.resize(2);
      flag = find(name);
    }
    if (!flag) {
      const std::string other = nearest(name);
      return format("unknown flag {}{}", name, other.empty() ? "" : format("; did you mean {}?", other));
    }
    while (values.size() < flag->values.size() && i + 1 < argc) values.push_back(argv[++i]);
    if (values.size() != flag->values.size())
      return format("{} wants {} value{}", name, flag->values.size(), flag->values.size() == 1 ? "" : "s");
    if (const std::string wrong = flag->apply(values); !wrong.empty()) return wrong;
  }
  return {};
}

std::string FlagParser::help() const {
  std::string out;
  for (const Flag& f : flags_) {
    if (f.title) {
      out += format("\n{}\n", f.help);
      continue;
    }
    if (f.help.empty()) continue;
    std::string left = "  ";
    for (const std::string& name : f.names) left += (left.size() > 2 ? ", " : "") + name;
    for (const std::string& value : f.values) left += " " + value;
    constexpr size_t kIndent = 34;
    left += left.size() < kIndent - 1 ? std::string(kIndent - left.size(), ' ') : "\n" + std::string(kIndent, ' ');
    out += left + wrapped(f.help, kIndent) + "\n";
  }
  return out;
}

bool parseInteger(const std::string& text, int& out) {
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, out);
  return result.ec == std::errc() && result.ptr == end;
}

bool parseNumber(const std::string& text, float& out) {
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(begin, end, out);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(out);
}

bool parseBytes(const std::string& text, int64_t& out) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || !(value > 0) || value > 1e15) return false;
  std::string unit(result.ptr, end);
  if (unit.ends_with('B') || unit.ends_with('b')) unit.pop_back();
  if (unit.size() > 1) return false;
  if (!unit.empty()) {
    const size_t power = std::string("kmgt").find(static_cast<char>(unit[0] | 0x20));
    if (power == std::string::npos) return false;
    value *= std::pow(1024.0, static_cast<double>(power) + 1);
  }
  if (value > 9e18) return false;
  out = static_cast<int64_t>(value);
  return true;
}

bool parseTime(const std::string& text, double& seconds) {
  const char unit = text.empty() ? 's' : text.back();
  const double scale = unit == 'h' ? 3600 : unit == 'm' ? 60 : 1;
  const bool named = unit == 'h' || unit == 'm' || unit == 's';
  float number = 0;
  if (!parseNumber(named ? text.substr(0, text.size() - 1) : text, number) || !(number > 0)) return false;
  seconds = number * scale;
  return true;
}

bool parseFrameList(const std::string& text, std::vector<int>& out) {
  constexpr int64_t kMaxFrames = 1'000'000;
  for (const std::string& part : split(text, ',')) {
    // first[-last[xStep]]; a minus in front belongs to the number.
    int first = 0, last = 0, step = 1;
    const size_t cross = part.find('x');
    const size_t dash = part.find('-', 1);
    if (cross != std::string::npos && !parseInteger(part.substr(cross + 1), step)) return false;
    const std::string range = part.substr(0, cross);
    if (!parseInteger(range.substr(0, dash), first)) return false;
    last = first;
    if (dash != std::string::npos && dash < range.size() && !parseInteger(range.substr(dash + 1), last)) return false;
    if (step < 1) return false;
    const int64_t frames = std::abs(int64_t{last} - first) / step + 1;
    if (frames + static_cast<int64_t>(out.size()) > kMaxFrames) return false;
    for (int64_t i = 0; i < frames; ++i) out.push_back(static_cast<int>(first + (last >= first ? i : -i) * step));
  }
  return !out.empty();
}

int editDistance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace reyes::tools
