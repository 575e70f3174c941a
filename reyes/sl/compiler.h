// SPDX-License-Identifier: Apache-2.0
// The shading language compiler: source text in, a vm::Program out. Stages: preprocess, lex, parse, check and lower to
// three-address code, optimise, emit. Called by session/ (shaders compiled on the fly) and by `reyes compile`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/name.h"

namespace reyes::vm {
class Program;
}

namespace reyes::sl {

struct CompileOptions {
  std::vector<std::string> includePaths;  ///< -I, searched after the folder of the including file
  std::vector<std::string> defines;       ///< -D: "NAME" or "NAME=value"
  int optimise = 1;                       ///< 0: as written; 1: folding, copies, dead code, common terms, hoisting
  bool warningsAsErrors = false;
  std::vector<std::string> warnings;  ///< -W: "shadow", "no-shadow", "all", "none"; the later word counts
  /// Called right after each message that was reported, with lines that explain its place (the source line, a caret,
  /// the macros and includes that led there).
  std::function<void(const Diagnostic&, const std::vector<std::string>& lines)> explain;
  Name sourceName;  ///< file name in messages for compileString; empty: "<string>"
};

struct CompileResult {
  std::shared_ptr<const vm::Program> program;  ///< null where any error was reported
  std::string outputName;                      ///< name of the shader in the source, e.g. "plastic"
  std::vector<std::string> dependencies;       ///< every file read: the source first, then its headers
};

/// Names for CompileOptions::warnings with what they are about, for --help and checks.
struct WarningInfo {
  const char* name;
  const char* about;
  bool standard;  ///< given without being asked for
};
std::span<const WarningInfo> warningNames();
/// True where `word` (as in CompileOptions::warnings) means something.
bool knownWarning(std::string_view word);

/// Compiles the (first) shader of a file. Every fault goes to `diag` with file, line, column and a stable code
/// "sl-...". No input makes it crash, hang or throw. Thread-safe: no state outlives a call.
CompileResult compileFile(const std::string& path, const CompileOptions& options, Diagnostics& diag);
CompileResult compileString(const std::string& source, const CompileOptions& options, Diagnostics& diag);

/// Hash of source, headers and defines as compileFile stores it in the program; 0 if a file cannot be read. Compare it
/// with program->sourceHash to know whether a compiled file is stale.
uint64_t dependencyHash(const std::string& path, const CompileOptions& options);

/// The source and the headers that it includes now; empty if it cannot be read.
std::vector<std::string> filesOf(const std::string& path, const CompileOptions& options);

enum class DumpStage { kTokens, kAst, kIr, kCode };
/// Text of one stage for people and tests (`--dump=tokens,ast,ir,code`); empty where the stage was not reached.
std::string dumpFile(const std::string& path, const CompileOptions& options, DumpStage stage, Diagnostics& diag);
std::string dumpString(const std::string& source, const CompileOptions& options, DumpStage stage, Diagnostics& diag);

}  // namespace reyes::sl
