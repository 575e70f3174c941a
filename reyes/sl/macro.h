// SPDX-License-Identifier: Apache-2.0
// Macros and their expansion, as a filter over a stack of token lists. Used by the preprocessor alone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/sl/source_set.h"
#include "reyes/sl/token.h"

namespace reyes::sl {

struct Macro {
  bool functionLike = false;
  bool predefined = false;  ///< may be redefined without a message
  SourceLoc loc;            ///< of its name where it was defined
  std::vector<std::string_view> params;
  std::vector<Token> body;
  int active = 0;  ///< expansions of it that are being read
};

/// Reads tokens from `source` (the file level) and yields them with macros expanded. Not recursive over macro chains;
/// arguments nested in arguments are, up to a limit. Stops for good (ends the input) at the expansion limit.
class MacroExpander {
 public:
  using Source = std::function<Token()>;
  MacroExpander(SourceSet& sources, Diagnostics& diag, Source source)
      : sources_(sources), diag_(diag), source_(std::move(source)) {}

  void define(std::string_view name, Macro macro, const SourceLoc& loc);
  void undefine(std::string_view name) { macros_.erase(name); }
  bool defined(std::string_view name) const { return macros_.contains(name); }

  /// Next token of the expanded stream; kEnd at the end of the source.
  Token next();
  /// Expands a list by itself (an #if line, an argument).
  std::vector<Token> expandList(const std::vector<Token>& tokens);
  bool overLimit() const { return overLimit_; }

 private:
  struct Context {
    std::vector<Token> tokens;
    size_t next = 0;
    std::shared_ptr<Macro> macro;
  };
  using Args = std::vector<std::vector<Token>>;

  Token read();
  void push(std::vector<Token> tokens, std::shared_ptr<Macro> macro);
  bool expand(const Token& name);
  bool collectArgs(const Token& name, Args& args);
  std::vector<Token> substitute(const Macro& macro, const Args& args, const Token& name);
  Token stringify(const std::vector<Token>& arg, const Token& at);
  void paste(std::vector<Token>& out, const Token& right);

  SourceSet& sources_;
  Diagnostics& diag_;
  Source source_;
  std::unordered_map<std::string_view, std::shared_ptr<Macro>> macros_;
  std::vector<Context> contexts_;
  bool isolated_ = false;  ///< reading a list: never falls through to source_
  int depth_ = 0;
  size_t produced_ = 0;
  bool overLimit_ = false;
};

}  // namespace reyes::sl
