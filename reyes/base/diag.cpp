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
  const std::string line = format(d);
  std::lock_guard lock(mutex_);
  const auto [it, fresh] = index_.try_emplace(line, entries_.size());
  if (!fresh) {
    ++entries_[it->second].count;
    return;
  }
  const bool print = printer_ && d.severity >= least_;
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
