// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/preprocessor.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/sl/lexer.h"
#include "reyes/sl/macro.h"

namespace reyes::sl {
namespace {
constexpr size_t kMaxIncludeDepth = 64;
constexpr int kMaxIncludes = 4096;
constexpr size_t kMaxTokens = 4u << 20;
constexpr size_t kMaxConditionals = 1024;

/// One #if ... #endif being read.
struct Conditional {
  SourceLoc loc;
  bool taken = false;     ///< a branch was on already
  bool on = false;        ///< this branch is on
  bool parentOn = false;  ///< everything around is on
  bool seenElse = false;
};

struct OpenFile {
  std::vector<Token> tokens;
  size_t next = 0;
  std::string folder;
  size_t conditionals = 0;  ///< size of the conditional stack at its start
  int lineShift = 0;        ///< from #line
  Name lineFile;            ///< from #line; empty: the real one
  std::string path;
};

class Preprocessor {
 public:
  Preprocessor(const PreprocessOptions& options, SourceSet& sources, Diagnostics& diag)
      : options_(options), sources_(sources), diag_(diag), macros_(sources, diag, [this] { return readFileToken(); }) {}

  PreprocessResult run(const SourceText& main) {
    predefine();
    open(main, main.file.str());
    for (Token t = macros_.next();; t = macros_.next()) {
      const bool full = result_.tokens.size() >= kMaxTokens;
      if (full) diag_.error("sl-macro-limit", t.loc, "the preprocessed source is too long", Impact::kInput);
      if (t.kind == Tok::kEnd || full) break;
      if (t.kind == Tok::kBad)
        reportBad(t);
      else
        result_.tokens.push_back(t);
    }
    Token end;
    end.loc = lastLoc_;
    result_.tokens.push_back(end);
    return std::move(result_);
  }

 private:
  void predefine() {
    std::string text = "#define REYES 1\n";
    for (const std::string& d : options_.defines) {
      const size_t eq = d.find('=');
      std::string line = "#define " + d.substr(0, eq) + " " + (eq == std::string::npos ? "1" : d.substr(eq + 1));
      std::replace_if(
          line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
      text += line + "\n";
    }
    predefining_ = true;
    open(sources_.addText("<command line>", text), "");
    while (readFileToken().kind != Tok::kEnd) {
    }
    predefining_ = false;
  }

  void open(const SourceText& source, const std::string& path) {
    OpenFile f;
    f.tokens = lexSource(source, diag_);
    f.path = path;
    f.folder = std::filesystem::path(path).parent_path().string();
    f.conditionals = conditionals_.size();
    files_.push_back(std::move(f));
  }

  bool skipping() const {
    return !conditionals_.empty() && !(conditionals_.back().on && conditionals_.back().parentOn);
  }

  /// Next token of the file level that is not part of a directive or of a skipped group.
  Token readFileToken() {
    while (!files_.empty()) {
      OpenFile& f = files_.back();
      Token t = f.tokens[f.next];
      relocate(f, t);
      if (t.kind == Tok::kEnd) {
        lastLoc_ = t.loc;
        closeFile();
        if (files_.empty()) return t;
        continue;
      }
      ++f.next;
      if (t.kind == Tok::kNewline) continue;
      if (t.lineStart && t.is("#")) {
        directive(t);
        continue;
      }
      if (skipping()) {
        while (f.tokens[f.next].kind != Tok::kNewline && f.tokens[f.next].kind != Tok::kEnd) ++f.next;
        continue;
      }
      if (t.kind == Tok::kIdent && t.text.size() == 8 && t.text.substr(0, 2) == "__") builtinMacro(t);
      return t;
    }
    return {};
  }

  static void relocate(const OpenFile& f, Token& t) {
    t.loc.line += f.lineShift;
    if (!f.lineFile.empty()) t.loc.file = f.lineFile;
  }

  void builtinMacro(Token& t) {
    if (t.text == "__LINE__") {
      t.kind = Tok::kNumber;
      t.text = sources_.keep(format("{}", t.loc.line));
    } else if (t.text == "__FILE__") {
      t.kind = Tok::kString;
      t.text = sources_.keep(format("\"{}\"", t.loc.file.str()));
    }
  }

  void closeFile() {
    const size_t base = files_.back().conditionals;
    while (conditionals_.size() > base) {
      diag_.error("sl-open-if", conditionals_.back().loc, "#if without #endif", Impact::kInput);
      conditionals_.pop_back();
    }
    files_.pop_back();
  }

  void reportBad(const Token& t) {
    if (!t.text.empty() && t.text[0] == '"')
      diag_.error("sl-open-string", t.loc, "this string is not closed on its line", Impact::kInput);
    else
      diag_.error("sl-bad-character", t.loc, format("'{}' is not part of the language", printable(t.text)),
                  Impact::kInput);
  }

  static std::string printable(std::string_view s) {
    std::string out;
    for (const char c : s.substr(0, 16)) {
      const auto b = static_cast<unsigned char>(c);
      out += b >= 32 && b < 127 ? std::string(1, c) : format("\\x{:02x}", b);
    }
    return out;
  }

  std::vector<Token> restOfLine() {
    OpenFile& f = files_.back();
    std::vector<Token> line;
    for (; f.tokens[f.next].kind != Tok::kNewline && f.tokens[f.next].kind != Tok::kEnd; ++f.next) {
      line.push_back(f.tokens[f.next]);
      relocate(f, line.back());
    }
    return line;
  }

  void directive(const Token& hash) {
    std::vector<Token> line = restOfLine();
    if (line.empty()) return;
    const Token name = line[0];
    line.erase(line.begin());
    if (conditional(name, line)) return;
    if (skipping()) return;
    if (name.is("include")) return include(name, line);
    if (name.is("define")) return define(name, line);
    if (name.is("undef")) {
      if (line.empty() || line[0].kind != Tok::kIdent) return complain(name, "#undef needs a name");
      macros_.undefine(line[0].text);
    } else if (name.is("line") || name.kind == Tok::kNumber) {
      if (name.kind == Tok::kNumber) line.insert(line.begin(), name);
      lineDirective(name, line);
    } else if (name.is("error") || name.is("warning")) {
      const std::string text = joined(line);
      if (name.is("error"))
        diag_.error("sl-error-directive", hash.loc, "#error " + text, Impact::kInput);
      else
        diag_.warning("sl-warning-directive", hash.loc, "#warning " + text);
    } else if (name.is("pragma")) {
      pragma(line);
    } else if (!name.is("ident")) {
      complain(name, format("unknown directive #{}", printable(name.text)));
    }
  }

  void complain(const Token& at, std::string text) {
    diag_.error("sl-directive", at.loc, std::move(text), Impact::kInput);
  }

  static std::string joined(const std::vector<Token>& line) {
    std::string s;
    for (const Token& t : line) {
      if (!s.empty() && t.spaceBefore) s += ' ';
      s += t.text;
    }
    return s;
  }

  /// Handles #if and its kin; false where `name` is another directive.
  bool conditional(const Token& name, const std::vector<Token>& line) {
    const bool isIf = name.is("if"), isDef = name.is("ifdef"), isNot = name.is("ifndef");
    if (isIf || isDef || isNot) {
      Conditional c{name.loc, false, false, !skipping(), false};
      if (conditionals_.size() >= kMaxConditionals) {
        complain(name, "#if is nested too deeply");
        return true;
      }
      if (c.parentOn) {
        if (isIf)
          c.on = condition(line, name.loc);
        else if (line.empty() || line[0].kind != Tok::kIdent)
          complain(name, format("#{} needs a name", name.text));
        else
          c.on = macros_.defined(line[0].text) == isDef;
      }
      c.taken = c.on;
      conditionals_.push_back(c);
      return true;
    }
    const bool isElif = name.is("elif"), isElse = name.is("else"), isEnd = name.is("endif");
    if (!isElif && !isElse && !isEnd) return false;
    if (conditionals_.size() <= files_.back().conditionals) {
      complain(name, format("#{} without #if", name.text));
      return true;
    }
    Conditional& c = conditionals_.back();
    if (isEnd) {
      conditionals_.pop_back();
    } else if (c.seenElse) {
      complain(name, format("#{} after #else", name.text));
    } else {
      c.seenElse = isElse;
      c.on = !c.taken && c.parentOn && (isElse || condition(line, name.loc));
      c.taken = c.taken || c.on;
    }
    return true;
  }

  bool condition(const std::vector<Token>& line, const SourceLoc& loc) {
    // defined X and defined(X) are answered before macros expand.
    std::vector<Token> tokens;
    for (size_t i = 0; i < line.size(); ++i) {
      if (!line[i].is("defined")) {
        tokens.push_back(line[i]);
        continue;
      }
      Token value = line[i];
      value.kind = Tok::kNumber;
      const bool paren = i + 1 < line.size() && line[i + 1].is("(");
      const size_t at = i + (paren ? 2 : 1);
      const bool known = at < line.size() && line[at].kind == Tok::kIdent && macros_.defined(line[at].text);
      value.text = known ? "1" : "0";
      tokens.push_back(value);
      i = paren ? at + 1 : at;
    }
    double value = 0;
    return evaluateCondition(macros_.expandList(tokens), loc, diag_, value) && value != 0;
  }

  void define(const Token& at, const std::vector<Token>& line) {
    if (line.empty() || line[0].kind != Tok::kIdent) return complain(at, "#define needs a name");
    Macro m;
    m.predefined = predefining_;
    size_t i = 1;
    if (i < line.size() && line[i].is("(") && !line[i].spaceBefore) {
      m.functionLike = true;
      for (++i; i < line.size() && !line[i].is(")"); ++i) {
        if (line[i].is(",")) continue;
        if (line[i].kind != Tok::kIdent) return complain(line[i], "a macro parameter is a name");
        m.params.push_back(line[i].text);
      }
      if (i >= line.size()) return complain(at, format("the parameters of macro '{}' are never closed", line[0].text));
      ++i;
    }
    m.body.assign(line.begin() + static_cast<std::ptrdiff_t>(i), line.end());
    macros_.define(line[0].text, std::move(m), line[0].loc);
  }

  void lineDirective(const Token& at, const std::vector<Token>& raw) {
    const std::vector<Token> line = macros_.expandList(raw);
    int number = 0;
    if (!line.empty()) std::from_chars(line[0].text.data(), line[0].text.data() + line[0].text.size(), number);
    if (line.empty() || line[0].kind != Tok::kNumber || number < 0 || number > 100'000'000)
      return complain(at, "#line needs a line number");
    OpenFile& f = files_.back();
    f.lineShift += number - at.loc.line - 1;
    if (line.size() > 1 && line[1].kind == Tok::kString) f.lineFile = Name(decodeString(line[1].text));
  }

  void pragma(const std::vector<Token>& line) {
    if (line.size() >= 2 && line[0].is("annotation")) {
      std::string value;
      for (size_t i = 2; i < line.size(); ++i)
        value += line[i].kind == Tok::kString ? decodeString(line[i].text) : std::string(line[i].text);
      const std::string key = line[1].kind == Tok::kString ? decodeString(line[1].text) : std::string(line[1].text);
      result_.annotations.emplace_back(key, value);
    } else if (!line.empty() && line[0].is("once")) {
      once_.push_back(files_.back().path);
    }
  }

  void include(const Token& at, const std::vector<Token>& raw) {
    std::vector<Token> line = raw;
    if (!line.empty() && line[0].kind == Tok::kIdent) line = macros_.expandList(line);
    std::string name;
    bool angle = false;
    if (!line.empty() && (line[0].kind == Tok::kString)) {
      // A header name is no string: backslashes are as written.
      name = std::string(line[0].text.substr(1, line[0].text.size() - 2));
    } else if (!line.empty() && line[0].is("<")) {
      angle = true;
      for (size_t i = 1; i < line.size() && !line[i].is(">"); ++i) name += line[i].text;
    }
    if (name.empty()) return complain(at, "#include needs \"file\" or <file>");
    if (files_.size() >= kMaxIncludeDepth || ++includes_ > kMaxIncludes) {
      if (!includeLimitSaid_)
        diag_.error("sl-include-depth", at.loc,
                    format("includes of '{}' go too deep: does a header include itself?", name), Impact::kInput);
      includeLimitSaid_ = true;
      return;
    }
    std::string tried, error;
    for (const std::string& path : candidates(name, angle)) {
      if (std::find(once_.begin(), once_.end(), path) != once_.end()) return;
      if (const SourceText* source = sources_.addFile(path, error)) {
        sources_.noteInclude(source->file, at.loc);
        return open(*source, path);
      }
      tried += (tried.empty() ? "" : ", ") + path;
    }
    diag_.error("sl-include-not-found", at.loc, format("cannot open '{}' (tried {})", name, tried), Impact::kInput);
  }

  std::vector<std::string> candidates(const std::string& name, bool angle) const {
    namespace fs = std::filesystem;
    if (fs::path(name).is_absolute()) return {name};
    const std::string own = (fs::path(files_.back().folder) / name).lexically_normal().string();
    std::vector<std::string> list;
    if (!angle) list.push_back(own);
    for (const std::string& dir : options_.includePaths)
      list.push_back((fs::path(dir) / name).lexically_normal().string());
    if (angle) list.push_back(own);
    return list;
  }

  const PreprocessOptions& options_;
  SourceSet& sources_;
  Diagnostics& diag_;
  MacroExpander macros_;
  PreprocessResult result_;
  std::vector<OpenFile> files_;
  std::vector<Conditional> conditionals_;
  std::vector<std::string> once_;
  SourceLoc lastLoc_;
  int includes_ = 0;
  bool includeLimitSaid_ = false, predefining_ = false;
};

}  // namespace

PreprocessResult preprocess(const SourceText& main, const PreprocessOptions& options, SourceSet& sources,
                            Diagnostics& diag) {
  return Preprocessor(options, sources, diag).run(main);
}

}  // namespace reyes::sl
