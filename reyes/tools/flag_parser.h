// SPDX-License-Identifier: Apache-2.0
// Flags of a subcommand as a table: names, values, help, and what to do. Knows the RenderMan style (`-t:4`,
// `-res 640 480`, `-crop 0 1 0 0.5`) next to `--long value` and `--long=value`. The help text is made from the table.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace reyes::tools {

class FlagParser {
 public:
  using Values = std::vector<std::string>;
  /// Returns what is wrong with the values, or nothing.
  using Apply = std::function<std::string(const Values&)>;

  /// A heading in the help text.
  void section(std::string title);
  /// `names`: separated by commas. `values`: one word a value, for the help; none for a switch. No `help`: not listed.
  void add(std::string names, std::string values, std::string help, Apply apply);
  void addSwitch(std::string names, std::string help, bool& into, bool value = true);
  void addText(std::string names, std::string value, std::string help, std::string& into);
  void addList(std::string names, std::string value, std::string help, std::vector<std::string>& into);
  /// A documented flag that this version lacks: an error by name.
  void addNotBuilt(std::string names, std::string values);

  /// argv[0] is the subcommand. Arguments that are no flags (also "-", and all after "--") are appended to `files`.
  /// Returns what is wrong, or nothing. Stops early, with helpWanted(), at --help or -h.
  std::string parse(int argc, char** argv, std::vector<std::string>& files);
  bool helpWanted() const { return helpWanted_; }
  std::string help() const;

 private:
  struct Flag {
    std::vector<std::string> names;
    std::vector<std::string> values;
    std::string help;
    Apply apply;
    bool title = false;
  };
  const Flag* find(const std::string& name) const;
  std::string nearest(const std::string& name) const;

  std::vector<Flag> flags_;
  bool helpWanted_ = false;
};

/// False where the whole text is no such number. Independent of the locale.
bool parseInteger(const std::string& text, int& out);
bool parseNumber(const std::string& text, float& out);
/// Bytes with an optional K, M, G or T (powers of 1024).
bool parseBytes(const std::string& text, int64_t& out);
/// Seconds of "90", "90s", "10m", "0.5h", above 0.
bool parseTime(const std::string& text, double& seconds);
/// "1-10x2,15": ranges with steps, ascending or descending. False where it is none or has more than a million frames.
bool parseFrameList(const std::string& text, std::vector<int>& out);
/// Levenshtein distance.
int editDistance(const std::string& a, const std::string& b);

}  // namespace reyes::tools
