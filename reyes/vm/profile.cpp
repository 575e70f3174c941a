// SPDX-License-Identifier: Apache-2.0
#include "reyes/vm/profile.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "reyes/base/format.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {
namespace {

int64_t timeOf(const Profile::Entry& e) {
  int64_t sum = 0;
  for (const Profile::Row& r : e.rows) sum += r.nanoseconds;
  return sum;
}

std::vector<std::string> linesOf(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(0, 160));
  return lines;
}

std::string operations(const Profile::Entry& e, double total) {
  struct Sum {
    int64_t nanoseconds = 0, runs = 0;
  };
  std::map<std::string_view, Sum> sums;
  for (size_t i = 0; i < e.rows.size(); ++i) {
    Sum& s = sums[opInfo(e.program->code[i].op).mnemonic];
    s.nanoseconds += e.rows[i].nanoseconds, s.runs += e.rows[i].runs;
  }
  std::vector<std::pair<std::string_view, Sum>> order(sums.begin(), sums.end());
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second.nanoseconds > b.second.nanoseconds; });
  std::string text = "   share   ns/point        runs  operation\n";
  for (const auto& [name, s] : order)
    if (s.runs > 0)
      text += format("  {:5.1f} %  {:9.3f}  {:10}  {}\n", 100 * static_cast<double>(s.nanoseconds) / total,
                     static_cast<double>(s.nanoseconds) / static_cast<double>(std::max<int64_t>(e.points, 1)), s.runs,
                     name);
  return text;
}

std::string listing(const Profile::Entry& e, double total) {
  std::map<std::pair<size_t, int>, int64_t> lines;  // file and line
  for (size_t i = 0; i < e.rows.size() && i < e.program->lines.size(); ++i)
    if (e.rows[i].runs > 0)
      lines[{e.program->lines[i] >> 24, static_cast<int>(e.program->lines[i] & 0xffffff)}] += e.rows[i].nanoseconds;
  std::string text;
  size_t open = SIZE_MAX;
  std::vector<std::string> source;
  for (const auto& [place, nanoseconds] : lines) {
    const auto& [file, line] = place;
    if (file != open) {
      open = file;
      const std::string name = file < e.program->files.size() ? e.program->files[file] : "?";
      source = linesOf(name);
      text += format("{}\n", name);
    }
    const bool known = line >= 1 && static_cast<size_t>(line) <= source.size();
    text += format("  {:5.1f} %  {:9.3f}  {:5} | {}\n", 100 * static_cast<double>(nanoseconds) / total,
                   static_cast<double>(nanoseconds) / static_cast<double>(std::max<int64_t>(e.points, 1)), line,
                   known ? source[static_cast<size_t>(line) - 1] : "");
  }
  return text;
}

}  // namespace

void Profile::add(const std::shared_ptr<const Program>& program, int64_t points, std::span<const Row> rows) {
  const std::lock_guard lock(mutex_);
  auto e = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& x) { return x.program == program; });
  if (e == entries_.end()) {
    entries_.push_back({program, 0, 0, std::vector<Row>(program->code.size())});
    e = entries_.end() - 1;
  }
  ++e->runs, e->points += points;
  for (size_t i = 0; i < rows.size() && i < e->rows.size(); ++i)
    e->rows[i].nanoseconds += rows[i].nanoseconds, e->rows[i].runs += rows[i].runs;
}

std::vector<Profile::Entry> Profile::entries() const {
  std::vector<Entry> all;
  {
    const std::lock_guard lock(mutex_);
    all = entries_;
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return timeOf(a) > timeOf(b); });
  return all;
}

std::string profileText(const Profile& profile) {
  std::string text;
  for (const Profile::Entry& e : profile.entries()) {
    const double total = static_cast<double>(std::max<int64_t>(timeOf(e), 1));
    text += format("{} {}: {} runs, {} points, {:.1f} ns a point\n", shaderTypeName(e.program->type), e.program->name,
                   e.runs, e.points, total / static_cast<double>(std::max<int64_t>(e.points, 1)));
    text += operations(e, total) + listing(e, total) + "\n";
  }
  return text;
}

}  // namespace reyes::vm
