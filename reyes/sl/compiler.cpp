// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/compiler.h"

#include "reyes/base/format.h"
#include "reyes/sl/ast.h"
#include "reyes/sl/ir.h"
#include "reyes/sl/lexer.h"
#include "reyes/sl/lower.h"
#include "reyes/sl/parser.h"
#include "reyes/sl/passes.h"
#include "reyes/sl/preprocessor.h"
#include "reyes/sl/source_set.h"
#include "reyes/sl/warnings.h"
#include "reyes/vm/program.h"

namespace reyes::sl {
namespace {

constexpr int kMaxErrors = 100;

/// Diagnostics of one compilation: counted here (the caller's may be shared by threads), handed on at once.
class OwnDiagnostics {
 public:
  OwnDiagnostics(Diagnostics& outer, const CompileOptions& options, const SourceSet& sources) {
    own.setVerbosity(Severity::kDebug);
    own.setPrinter([this, &outer, &options, &sources](const Diagnostic& d, const std::string&) {
      Diagnostic out = d;
      if (d.severity == Severity::kWarning && !warningWanted(d.code, options.warnings)) return;
      if (options.warningsAsErrors && d.severity == Severity::kWarning)
        out.severity = Severity::kError, out.impact = Impact::kInput;
      if (out.severity == Severity::kError && ++errors_ > kMaxErrors) {
        if (errors_ == kMaxErrors + 1)
          outer.error("sl-too-many-errors", d.loc, "too many errors: the rest is not shown", Impact::kInput);
        return;
      }
      outer.report(out);
      if (options.explain) options.explain(out, sources.explain(out.loc));
    });
  }
  bool failed() const { return errors_ > 0; }

  Diagnostics own;

 private:
  int errors_ = 0;
};

/// One compilation, stage by stage; text of `dump` is kept on the way.
class Compilation {
 public:
  Compilation(const CompileOptions& options, Diagnostics& diag) : options_(options), diag_(diag, options, sources_) {}

  CompileResult run(const SourceText& main, const DumpStage* dump, std::string* dumpText) {
    CompileResult r;
    const PreprocessResult pre = preprocess(main, {options_.includePaths, options_.defines}, sources_, diag_.own);
    r.dependencies = sources_.files();
    if (dump && *dump == DumpStage::kTokens) *dumpText = dumpTokens(pre.tokens);
    Ast ast;
    parse(pre.tokens, ast, diag_.own);
    if (dump && *dump == DumpStage::kAst) *dumpText = dumpAst(ast);
    if (ast.shaders.empty()) {
      if (!diag_.failed())
        diag_.own.error("sl-no-shader", {main.file, 1, 0}, "there is no shader in this file", Impact::kInput);
      return r;
    }
    if (ast.shaders.size() > 1)
      diag_.own.warning("sl-several-shaders", ast.shaders[1].loc,
                        format("only the first shader, '{}', is compiled", ast.shaders[0].name));
    r.outputName = std::string(ast.shaders[0].name);
    // Without its headers a shader's names mean little: one message is enough.
    if (diag_.own.hasCode("sl-include-not-found")) return r;
    Ir ir;
    lower(ast, ast.shaders[0], ir, diag_.own);
    if (diag_.failed()) return r;
    warnOfVaryingUniforms(ir, diag_.own);
    warnOfVariables(ir, ast.shaders[0].loc, diag_.own);
    if (options_.optimise > 0) optimise(ir);
    inferVarying(ir, diag_.own);
    if (options_.optimise > 0) combine(ir);
    if (dump && *dump == DumpStage::kIr) *dumpText = dumpIr(ir);
    if (diag_.failed()) return r;
    const auto program =
        emitProgram(ir, allocateRegisters(ir, options_.optimise > 0), diag_.own, pre.annotations, sources_.hash());
    if (dump && program && *dump == DumpStage::kCode) *dumpText = vm::disassemble(*program);
    if (!diag_.failed()) r.program = program;
    return r;
  }

  SourceSet& sources() { return sources_; }
  Diagnostics& diag() { return diag_.own; }

 private:
  static std::string dumpTokens(const std::vector<Token>& tokens) {
    static constexpr const char* kKinds[] = {"end", "newline", "name", "number", "string", "punct", "bad"};
    std::string s;
    for (const Token& t : tokens)
      s += format("{}:{}:{} {} {}\n", t.loc.file.str(), t.loc.line, t.loc.column, kKinds[static_cast<size_t>(t.kind)],
                  t.text);
    return s;
  }

  const CompileOptions& options_;
  SourceSet sources_;
  OwnDiagnostics diag_;
};

CompileResult compileAny(const std::string& pathOrSource, bool isFile, const CompileOptions& options, Diagnostics& diag,
                         const DumpStage* dump, std::string* dumpText) {
  Compilation c(options, diag);
  if (!isFile) {
    const Name name = options.sourceName.empty() ? Name("<string>") : options.sourceName;
    return c.run(c.sources().addText(name, pathOrSource), dump, dumpText);
  }
  std::string error;
  const SourceText* main = c.sources().addFile(pathOrSource, error);
  if (!main) {
    c.diag().error("sl-cannot-open", {Name(pathOrSource), 0, 0}, format("cannot read '{}': {}", pathOrSource, error),
                   Impact::kInput);
    return {};
  }
  return c.run(*main, dump, dumpText);
}

}  // namespace

CompileResult compileFile(const std::string& path, const CompileOptions& options, Diagnostics& diag) {
  return compileAny(path, true, options, diag, nullptr, nullptr);
}

CompileResult compileString(const std::string& source, const CompileOptions& options, Diagnostics& diag) {
  return compileAny(source, false, options, diag, nullptr, nullptr);
}

namespace {
/// Reads the source and its headers; false if it cannot be read.
bool readAll(const std::string& path, const CompileOptions& options, SourceSet& sources) {
  Diagnostics silent;
  silent.setPrinter({});
  std::string error;
  const SourceText* main = sources.addFile(path, error);
  if (main) preprocess(*main, {options.includePaths, options.defines}, sources, silent);
  return main != nullptr;
}
}  // namespace

uint64_t dependencyHash(const std::string& path, const CompileOptions& options) {
  SourceSet sources;
  return readAll(path, options, sources) ? sources.hash() : 0;
}

std::vector<std::string> filesOf(const std::string& path, const CompileOptions& options) {
  SourceSet sources;
  return readAll(path, options, sources) ? sources.files() : std::vector<std::string>();
}

std::string dumpFile(const std::string& path, const CompileOptions& options, DumpStage stage, Diagnostics& diag) {
  std::string text;
  compileAny(path, true, options, diag, &stage, &text);
  return text;
}

std::string dumpString(const std::string& source, const CompileOptions& options, DumpStage stage, Diagnostics& diag) {
  std::string text;
  compileAny(source, false, options, diag, &stage, &text);
  return text;
}

}  // namespace reyes::sl
