// SPDX-License-Identifier: Apache-2.0
// The texts a compilation reads: files with line ends made uniform and continued lines joined, and strings made by the
// preprocessor. Owns every character that a Token points at. Used by the preprocessor.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/name.h"

namespace reyes::sl {

/// One file as the lexer sees it. lineStarts[i] is the offset in `text` where physical line i + 1 begins.
struct SourceText {
  Name file;
  std::string text;
  std::vector<uint32_t> lineStarts;
};

/// Grows when the compiler makes something else of the same source: what older ones made, in caches and beside
/// sources, is stale then.
constexpr uint64_t kCompilerRevision = 4;

class SourceSet {
 public:
  /// Takes raw bytes: CRLF and CR become LF, backslash-newline is removed (lineStarts remembers), a final LF is added.
  const SourceText& addText(Name file, std::string_view bytes);
  /// Reads a regular file; null with `error` set where it cannot be read.
  const SourceText* addFile(const std::string& path, std::string& error);
  /// Keeps a string made during preprocessing alive.
  std::string_view keep(std::string text);
  /// Raw bytes in reading order, for the dependency hash.
  uint64_t hash() const { return hash_; }
  /// Paths of files read, in order, each once.
  const std::vector<std::string>& files() const { return files_; }
  void addToHash(std::string_view bytes);

  /// For messages: where a header was included first, and what macros the tokens at a place come from.
  void noteInclude(Name file, const SourceLoc& from);
  void noteExpansion(const SourceLoc& at, std::string_view macro, const SourceLoc& defined);
  /// Lines that explain a place: its source line with a caret below, the macros it comes out of, the includes that led
  /// to its file. Empty where the place is not known.
  std::vector<std::string> explain(const SourceLoc& loc) const;

 private:
  struct Include {
    Name file;
    SourceLoc from;
  };
  struct Expansion {
    SourceLoc at, defined;
    std::string_view macro;
  };
  std::string_view lineAt(const SourceLoc& loc) const;
  std::vector<Include> includes_;
  std::vector<Expansion> expansions_;
  std::deque<SourceText> texts_;
  std::deque<std::string> kept_;
  std::vector<std::string> files_;
  uint64_t hash_ = kCompilerRevision;
};

/// Bytes of a regular file of at most 64 MiB.
std::optional<std::string> readRegularFile(const std::string& path, std::string& error);

}  // namespace reyes::sl
