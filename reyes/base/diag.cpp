// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/diag.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace reyes {
namespace {
const char* word(Severity s) {
  switch (s) {
    case Severity::kDebug:
      return "Debug";
    case Severity::kInfo:
      return "Info";
    case Severity::kWarning:
      return "Warning";
    case Severity::kError:
      return "Error";
  }
  return "";
}
// A file of a million faults neither fills the log nor memory.
constexpr size_t kMostPrinted = 50;  ///< different messages of one code
constexpr size_t kMostKept = 1000;   ///< of these, those that all() knows
constexpr size_t kMostText = 600;    ///< bytes of a message: names in it may be megabytes

/// One line of bounded length, whatever a name in it holds.
void makeOneLine(std::string& text) {
  if (text.size() > kMostText) {
    size_t end = kMostText;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // between UTF-8 characters
    text = text.substr(0, end) + "...";
  }
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
}
}  // namespace

Diagnostics::Diagnostics()
    : printer_([](const Diagnostic&, const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); }) {}

void Diagnostics::setPrinter(Printer printer) {
  std::lock_guard lock(mutex_);
  printer_ = std::move(printer);
}

void Diagnostics::setVerbosity(Severity least) {
  std::lock_guard lock(mutex_);
  least_ = least;
}

std::string Diagnostics::format(const Diagnostic& d) {
  std::string where;
  if (!d.loc.file.empty()) where = d.loc.file.str() + ":";
  if (d.loc.line > 0) where += fmt::format("{}:", d.loc.line);
  if (d.loc.line > 0 && d.loc.column > 0) where += fmt::format("{}:", d.loc.column);
  if (!where.empty()) where += " ";
  return fmt::format("{}{}: {} [{}]", where, word(d.severity), d.text, d.code);
}

void Diagnostics::report(Diagnostic d) {
  makeOneLine(d.text);
  const std::string line = format(d);
  std::lock_guard lock(mutex_);
  if (const auto it = index_.find(line); it != index_.end()) {
    ++entries_[it->second].count;
    return;
  }
  // Under the bare code index_ counts its messages; a line is never a bare code.
  const size_t before = index_[d.code]++;
  const auto sameImpact = [&](const Entry& e) { return e.d.impact == d.impact; };
  if (before >= kMostKept && std::any_of(entries_.begin(), entries_.end(), sameImpact)) return;
  const bool print = printer_ && d.severity >= least_ && before < kMostPrinted;
  index_.emplace(line, entries_.size());
  entries_.push_back({d, 1, print});
  if (print) printer_(d, line);
}

void Diagnostics::error(const char* code, const SourceLoc& loc, std::string text, Impact impact) {
  report({Severity::kError, impact, code, std::move(text), loc});
}
void Diagnostics::warning(const char* code, const SourceLoc& loc, std::string text) {
  report({Severity::kWarning, Impact::kNone, code, std::move(text), loc});
}
void Diagnostics::info(const char* code, const SourceLoc& loc, std::string text) {
  report({Severity::kInfo, Impact::kNone, code, std::move(text), loc});
}

void Diagnostics::printRepeats() {
  std::lock_guard lock(mutex_);
  for (Entry& e : entries_) {
    if (!e.printed || e.count < 2) continue;
    if (printer_) printer_(e.d, fmt::format("{} (seen {} times)", format(e.d), e.count));
    e.count = 1;
  }
  for (const auto& [code, n] : index_) {
    if (n <= kMostPrinted || !printer_) continue;
    const auto first =
        std::find_if(entries_.begin(), entries_.end(), [&code = code](const Entry& e) { return e.d.code == code; });
    if (first == entries_.end() || !first->printed) continue;
    const Diagnostic d{
        first->d.severity, Impact::kNone, code, fmt::format("{} more of this kind", n - kMostPrinted), {}};
    printer_(d, format(d));
  }
}

int Diagnostics::count(Severity s) const {
  std::lock_guard lock(mutex_);
  return static_cast<int>(std::count_if(entries_.begin(), entries_.end(), [&](auto& e) { return e.d.severity == s; }));
}

bool Diagnostics::has(Impact i) const {
  std::lock_guard lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&](auto& e) { return e.d.impact == i; });
}

bool Diagnostics::hasCode(const std::string& code) const {
  std::lock_guard lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&](auto& e) { return e.d.code == code; });
}

std::vector<Diagnostic> Diagnostics::all() const {
  std::lock_guard lock(mutex_);
  std::vector<Diagnostic> r;
  for (const Entry& e : entries_) r.push_back(e.d);
  return r;
}

}  // namespace reyes
