// SPDX-License-Identifier: Apache-2.0
// `reyes compile`: shading language to compiled shaders (.slb), with dumps of every stage.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <utility>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/sl/compiler.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"
#include "reyes/tools/render_flags.h"
#include "reyes/tools/watch.h"
#include "reyes/vm/program.h"

namespace reyes::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage =
    "usage: reyes compile [flags] FILE.sl... | -\n"
    "\n"
    "Compiles the first shader of each file to SHADER.slb in the working folder (SHADER is the name in the source).\n"
    "REYES is defined for #ifdef; PI is known.\n";

constexpr const char* kExamples = R"(
examples:
  reyes compile plastic.sl
  reyes compile -I include -DQUALITY=2 -o shaders/ *.sl
  reyes compile --dump=ir,code wood.sl
  reyes compile --watch wood.sl
  reyes compile -Wall -Wno-unused --diagnostics=json wood.sl
)";

struct CompileFlags {
  sl::CompileOptions options;
  std::string output, dump;
  std::vector<sl::DumpStage> stages;
  std::string form = "text";
  bool o0 = false, o1 = false, deps = false, watch = false;
};

/// How messages are printed: a line each with the source below it, or (for editors) an object of JSON a line.
class Messages {
 public:
  Messages(Log& log, const RenderFlags& common, bool json) : log_(log), common_(common), json_(json) {}

  void attach(Diagnostics& diag, sl::CompileOptions& options) {
    const bool prman = common_.logFormat == "prman";
    log_.attach(diag, common_.verbosity, prman);
    diag.setPrinter([this, prman](const Diagnostic& d, const std::string& text) {
      flush();
      if (json_)
        pending_ = object(d);
      else
        log_.line(prman ? prmanLine(d) : text);
      printed_ = true;
    });
    options.explain = [this](const Diagnostic&, const std::vector<std::string>& lines) {
      if (std::exchange(printed_, false) && json_)
        pending_["context"] = lines;
      else if (!json_)
        for (const std::string& l : lines) log_.line(l);
      flush();
    };
  }
  void flush() {
    if (!pending_.is_null()) log_.line(pending_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    pending_ = nullptr;
  }

 private:
  static nlohmann::json object(const Diagnostic& d) {
    constexpr const char* kWords[] = {"debug", "info", "warning", "error"};
    return {{"file", d.loc.file.str()}, {"line", d.loc.line},
            {"column", d.loc.column},   {"severity", kWords[static_cast<int>(d.severity)]},
            {"code", d.code},           {"message", d.text}};
  }

  Log& log_;
  const RenderFlags& common_;
  const bool json_;
  bool printed_ = false;
  nlohmann::json pending_;
};

/// `-Ifolder` and `-DNAME=1` as two arguments, as the flag table wants them.
std::vector<std::string> splitAttached(int argc, char** argv) {
  std::vector<std::string> args;
  for (int i = 0; i < argc; ++i) {
    const std::string a = argv[i];
    const bool attached = a.starts_with("-I") || a.starts_with("-D") || (a.starts_with("-W") && a != "-Werror");
    if (i > 0 && a.size() > 2 && attached) {
      args.push_back(a.substr(0, 2));
      args.push_back(a.substr(2));
    } else {
      args.push_back(a);
    }
  }
  return args;
}

/// Where the compiled shader goes: -o names a file, or a folder (that exists, ends in '/', or takes several shaders).
std::string outputPath(const std::string& shader, const CompileFlags& flags, size_t count) {
  if (flags.output.empty()) return shader + ".slb";
  std::error_code ec;
  const bool folder = count > 1 || flags.output.back() == '/' || fs::is_directory(flags.output, ec);
  return folder ? (fs::path(flags.output) / (shader + ".slb")).string() : flags.output;
}

/// Writes to a temporary name in the same folder, then renames. Says what is wrong, or nothing.
std::string writeSafely(const std::string& path, const std::string& bytes) {
  std::error_code ec;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) fs::create_directory(folder, ec);
  const std::string part = format("{}.{}.part", path, static_cast<long>(getpid()));
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) fs::rename(part, path, ec);
  if (!out || ec) {
    fs::remove(part, ec);
    return format("cannot write {}", path);
  }
  return "";
}

/// The stages that a list such as "ir,code" names, in that order. False where a word is none.
bool parseStages(const std::string& list, std::vector<sl::DumpStage>& stages) {
  static constexpr std::pair<const char*, sl::DumpStage> kStages[] = {{"tokens", sl::DumpStage::kTokens},
                                                                      {"ast", sl::DumpStage::kAst},
                                                                      {"ir", sl::DumpStage::kIr},
                                                                      {"code", sl::DumpStage::kCode}};
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    const auto stage = std::find_if(std::begin(kStages), std::end(kStages), [&](auto& s) { return word == s.first; });
    if (stage == std::end(kStages)) return false;
    stages.push_back(stage->second);
  }
  return true;
}

void compileOne(const std::string& file, const CompileFlags& flags, size_t count, Diagnostics& diag) {
  std::string source;
  if (file == "-") source.assign(std::istreambuf_iterator<char>(std::cin), {});
  sl::CompileOptions options = flags.options;
  if (file == "-") options.sourceName = Name("<stdin>");
  for (const sl::DumpStage stage : flags.stages)
    std::fputs(
        (file == "-" ? sl::dumpString(source, options, stage, diag) : sl::dumpFile(file, options, stage, diag)).c_str(),
        stdout);
  if (!flags.stages.empty()) return;
  const sl::CompileResult r =
      file == "-" ? sl::compileString(source, options, diag) : sl::compileFile(file, options, diag);
  if (!r.program) return;
  const std::string path = outputPath(r.outputName, flags, count);
  if (flags.deps) {
    std::string rule = path + ":";
    for (const std::string& d : r.dependencies) rule += " " + d;
    std::puts(rule.c_str());
    return;
  }
  if (const std::string wrong = writeSafely(path, vm::serialize(*r.program)); !wrong.empty())
    diag.error("compile-cannot-write", {}, wrong, Impact::kEnvironment);
  else
    std::printf("wrote %s\n", path.c_str());
}

/// Compiles those again of which a source, a header or what they define changed, until interrupted.
[[noreturn]] void watch(const std::vector<std::string>& files, CompileFlags& flags, Messages& messages) {
  std::vector<uint64_t> known;
  for (const std::string& f : files) known.push_back(sl::dependencyHash(f, flags.options));
  const auto stamp = [&] {
    uint64_t h = 1;
    for (const std::string& f : files) h = hashCombine(h, sl::dependencyHash(f, flags.options));
    return h;
  };
  watchFor(stamp, [&] {
    for (size_t i = 0; i < files.size(); ++i) {
      const uint64_t now = sl::dependencyHash(files[i], flags.options);
      if (now == known[i] || now == 0) continue;
      known[i] = now;
      Diagnostics diag;
      messages.attach(diag, flags.options);
      compileOne(files[i], flags, files.size(), diag);
      messages.flush();
    }
  });
}

}  // namespace

int runCompile(int argc, char** argv) {
  CompileFlags flags;
  RenderFlags common;
  FlagParser parser;
  parser.section("Flags");
  parser.addList("-I", "FOLDER", "look for headers there too", flags.options.includePaths);
  parser.addList("-D", "NAME[=VALUE]", "define a macro", flags.options.defines);
  parser.addText("-o,--output", "PATH", "file, or folder, to write", flags.output);
  parser.addSwitch("-O0", "as written, no optimisation", flags.o0);
  parser.addSwitch("-O1", "optimised (the default)", flags.o1);
  parser.addList("-W", "NAME", "give warnings of this name, no-NAME: do not; also all, none (see below)",
                 flags.options.warnings);
  parser.addSwitch("-Werror", "treat warnings as errors", flags.options.warningsAsErrors);
  parser.addText("--diagnostics", "FORM", "text, or json: an object a line on stderr", flags.form);
  parser.addText("--dump", "STAGES", "print tokens, ast, ir, code (a list with commas); writes no file", flags.dump);
  parser.addSwitch("--deps", "print each shader's sources as a make rule; writes no file", flags.deps);
  parser.addSwitch("--watch", "compile again whenever a source or a header changes", flags.watch);
  addLogFlags(parser, common);
  std::vector<std::string> args = splitAttached(argc, argv), files;
  std::vector<char*> pointers;
  for (std::string& a : args) pointers.push_back(a.data());
  if (const std::string wrong = parser.parse(static_cast<int>(pointers.size()), pointers.data(), files); !wrong.empty())
    return failWith(kExitUsage, wrong + " (try reyes compile --help)");
  if (parser.helpWanted()) {
    std::printf("%s%s\nwarnings (* given without being asked for)\n", kUsage, parser.help().c_str());
    for (const sl::WarningInfo& w : sl::warningNames())
      std::printf("  -W%-20s%s %s\n", w.name, w.standard ? "*" : " ", w.about);
    std::fputs(kExamples, stdout);
    return kExitOk;
  }
  for (const std::string& w : flags.options.warnings)
    if (!sl::knownWarning(w))
      return failWith(kExitUsage, format("no warning is named '{}' (try reyes compile --help)", w));
  if (flags.form != "text" && flags.form != "json")
    return failWith(kExitUsage, format("--diagnostics takes text or json, not '{}'", flags.form));
  if (files.empty()) return failWith(kExitUsage, "no file to compile (try reyes compile --help)");
  if (!parseStages(flags.dump, flags.stages))
    return failWith(kExitUsage, format("--dump takes tokens, ast, ir, code, not '{}'", flags.dump));
  flags.options.optimise = flags.o0 ? 0 : 1;
  for (const std::string& folder : installedIncludeFolders()) flags.options.includePaths.push_back(folder);

  Log log;
  if (!common.logFile.empty())
    if (const std::string wrong = log.open(common.logFile); !wrong.empty()) return failWith(kExitEnvironment, wrong);
  Diagnostics diag;
  Messages messages(log, common, flags.form == "json");
  messages.attach(diag, flags.options);
  for (const std::string& file : files) compileOne(file, flags, files.size(), diag);
  diag.printRepeats();
  messages.flush();
  if (flags.watch) watch(files, flags, messages);
  return exitStatus(diag);
}

}  // namespace reyes::tools
