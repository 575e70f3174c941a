// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/log.h"

#include <cerrno>
#include <cstring>

#include "reyes/base/format.h"

namespace reyes::tools {
namespace {
Severity leastFor(int verbosity) {
  if (verbosity <= 0) return Severity::kError;
  if (verbosity == 1) return Severity::kWarning;
  return verbosity == 2 ? Severity::kInfo : Severity::kDebug;
}

/// The family of a message, by the room its code begins with: letter and number as prman groups its own.
const char* prmanNumber(const std::string& code) {
  constexpr std::pair<const char*, const char*> kFamilies[] = {
      {"rib-", "R12001"}, {"sl-", "S39001"},      {"shader-", "S01001"}, {"texture-", "T02001"},
      {"map-", "T02002"}, {"display-", "D01001"}, {"image-", "D01002"},  {"geom-", "R56001"},
  };
  for (const auto& [prefix, number] : kFamilies)
    if (code.starts_with(prefix)) return number;
  return "R50001";
}
}  // namespace

Log::~Log() {
  if (file_) std::fclose(file_);
}

std::string Log::open(const std::string& file) {
  file_ = std::fopen(file.c_str(), "ae");
  return file_ ? std::string() : format("cannot write {}: {}", file, std::strerror(errno));
}

void Log::line(const std::string& text) {
  const std::lock_guard lock(mutex_);
  last_ = text;
  print(text);
}

void Log::explain(const Diagnostic& d, const std::vector<std::string>& lines) {
  const std::lock_guard lock(mutex_);
  if (last_ != Diagnostics::format(d)) return;
  for (const std::string& l : lines) print(l);
}

void Log::print(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  if (!file_) return;
  std::fprintf(file_, "%s\n", text.c_str());
  std::fflush(file_);
}

void Log::attach(Diagnostics& diag, int verbosity, bool prmanFormat) {
  diag.setVerbosity(leastFor(verbosity));
  diag.setPrinter(
      [this, prmanFormat](const Diagnostic& d, const std::string& text) { line(prmanFormat ? prmanLine(d) : text); });
}

std::string prmanLine(const Diagnostic& d) {
  constexpr const char* kWords[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  const char* word =
      d.impact == Impact::kInternal || d.impact == Impact::kMemory ? "SEVERE" : kWords[static_cast<int>(d.severity)];
  std::string where;
  if (!d.loc.file.empty())
    where = d.loc.line > 0 ? format(" (at line {} of {})", d.loc.line, d.loc.file.str())
                           : format(" ({})", d.loc.file.str());
  return format("{} {{{}}} {}{}", prmanNumber(d.code), word, d.text, where);
}

int failWith(int status, const std::string& text) {
  std::fprintf(stderr, "Error: %s\n", text.c_str());
  return status;
}

}  // namespace reyes::tools
