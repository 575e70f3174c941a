// SPDX-License-Identifier: Apache-2.0
// tests/rib/bad: every file says which faults it gives, on which lines (`# expect: code line`), and how many requests
// other than comments are still called (`# calls: n`).
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "trace.h"

using namespace reyes;
using namespace reyes::rib;

TEST_CASE("reader: files with faults give the codes and lines that they name") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(REYES_SOURCE_DIR "/tests/rib/bad")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::string> expected, found;
    std::ptrdiff_t calls = -1;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("# expect: ")) expected.push_back(line.substr(10));
      if (line.starts_with("# calls: ")) calls = std::stoi(line.substr(9));
    }
    const Outcome o = parse(text);
    for (const Diagnostic& d : o.faults) found.push_back(format("{} {}", d.code, d.loc.line));
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    CHECK_MESSAGE(found == expected, entry.path().filename());
    for (const std::string& f : found)
      if (found != expected) MESSAGE(f);
    CHECK_MESSAGE(
        std::count_if(o.lines.begin(), o.lines.end(), [](auto& l) { return !l.starts_with("ArchiveRecord"); }) == calls,
        entry.path().filename());
    ++files;
  }
  CHECK(files >= 8);
}
